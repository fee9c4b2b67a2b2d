//! Files of the repository: read, written from others, and rendered.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;
use tests::root;

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn parse(text: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(text).unwrap()
}

pub(crate) fn parse_one(path: &Path) -> Value {
    let [document] = <[Value; 1]>::try_from(parse(&read(path)))
        .unwrap_or_else(|documents| panic!("{}: {} documents", path.display(), documents.len()));
    document
}

/// Returns the names in a folder.
pub(crate) fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Compares a generated file with its text, or writes it with `BLESS`.
pub(crate) fn compare_or_write(path: &Path, text: &str) {
    if tests::blesses() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    } else {
        let found = fs::read_to_string(path).unwrap_or_default();
        assert!(found == text, "{} is not current; run ./justw bless", path.display());
    }
}

/// Does the same with a part of a file, which has marks around it.
pub(crate) fn compare_or_write_part(path: &Path, name: &str, text: &str) {
    let start = format!("<!-- {name}: written by `./justw bless` -->\n");
    let end = format!("<!-- end of {name} -->");
    let file = read(path);
    let parts = file.split_once(&start).and_then(|(before, rest)| Some((before, rest.split_once(&end)?.1)));
    let (before, after) = parts.unwrap_or_else(|| panic!("{}: no {start}", path.display()));
    compare_or_write(path, &format!("{before}{start}{text}{end}{after}"));
}

/// Returns the output of a program; `None` if it is not installed.
fn output(program: &Path, arguments: &[&str]) -> Option<Result<String, String>> {
    let output = match Command::new(program).args(arguments).current_dir(root()).output() {
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        output => output.unwrap_or_else(|error| panic!("{}: {error}", program.display())),
    };
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Some(if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) })
}

/// Renders a chart with values, which are YAML, in addition to its own. If helm is not installed,
/// reports that `what` does not run.
pub(crate) fn helm(what: &str, chart: &str, values: &str) -> Option<Result<String, String>> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let program = env::var_os("HELM").map_or_else(|| PathBuf::from("helm"), PathBuf::from);
    // A path is relative to the root of the repository.
    let program = if program.components().count() > 1 { root().join(program) } else { program };
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let file = env::temp_dir().join(format!("portcullis-values-{}-{number}.yaml", std::process::id()));
    fs::write(&file, values).unwrap();
    let path = file.to_str().unwrap();
    let arguments = ["template", "portcullis", chart, "--namespace", "kubewarden", "--values", path];
    let rendered = output(&program, &arguments);
    fs::remove_file(&file).unwrap();
    if rendered.is_none() {
        tests::not_run("HELM", what, "helm is not installed").unwrap();
    }
    rendered
}

/// Builds a kustomization. If neither kustomize nor kubectl is installed, reports that `what` does
/// not run.
pub(crate) fn kustomize(what: &str, folder: &str) -> Option<Vec<Value>> {
    let built = output(Path::new("kustomize"), &["build", folder])
        .or_else(|| output(Path::new("kubectl"), &["kustomize", folder]));
    if built.is_none() {
        tests::not_run("KUSTOMIZE", what, "neither kustomize nor kubectl is installed").unwrap();
    }
    built.map(|built| parse(&built.unwrap_or_else(|error| panic!("{folder}: {error}"))))
}
