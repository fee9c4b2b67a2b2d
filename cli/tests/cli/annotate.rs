//! `portcullis annotate`.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

const MODULE: &[u8] = b"\0asm\x01\0\0\0";
const METADATA: &str = include_str!("../../../policies/external-ips/metadata.yml");

/// Runs `annotate` in a directory with the files `module.wasm` and `metadata.yml`.
fn annotate(test: &str, module: &[u8], metadata: &str, output: &str) -> (PathBuf, Output) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("module.wasm"), module).unwrap();
    fs::write(folder.join("metadata.yml"), metadata).unwrap();
    let mut tool = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    tool.args(["annotate", "module.wasm", "--metadata", "metadata.yml", "--output", output]);
    let done = tool.current_dir(&folder).output().unwrap();
    (folder, done)
}

/// The names of the files in a directory, sorted.
fn files(folder: &PathBuf) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn writes_metadata_into_a_module() {
    let (folder, done) = annotate("annotated", MODULE, METADATA, "out.wasm");
    assert_eq!((done.status.code(), done.stdout, done.stderr), (Some(0), Vec::new(), Vec::new()));
    let annotated = fs::read(folder.join("out.wasm")).unwrap();
    assert_eq!(packaging::Metadata::read(&annotated).unwrap().unwrap().rules.len(), 1);
    assert_eq!(files(&folder), ["metadata.yml", "module.wasm", "out.wasm"]);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn takes_the_usage_from_a_file() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("usage-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("module.wasm"), MODULE).unwrap();
    fs::write(folder.join("metadata.yml"), METADATA).unwrap();
    fs::write(folder.join("README.md"), "# How to use it\n").unwrap();
    fs::write(folder.join("empty.md"), "\n").unwrap();
    let annotate = |usage: &str| {
        let mut tool = Command::new(env!("CARGO_BIN_EXE_portcullis"));
        tool.args(["annotate", "-m", "metadata.yml", "-u", usage, "-o", "out.wasm", "module.wasm"]);
        tool.current_dir(&folder).output().unwrap()
    };
    assert_eq!(annotate("README.md").status.code(), Some(0));
    let metadata = packaging::Metadata::read(&fs::read(folder.join("out.wasm")).unwrap()).unwrap().unwrap();
    assert_eq!(metadata.annotations["io.kubewarden.policy.usage"], "# How to use it\n");
    let refused = annotate("empty.md");
    assert_eq!(
        (refused.status.code(), String::from_utf8(refused.stderr).unwrap()),
        (Some(2), "portcullis: empty.md: is empty; expected the documentation of the policy\n".to_owned())
    );
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn leaves_all_files_unchanged_on_failure() {
    for (test, module, metadata, output, message) in [
        (
            "bad-metadata",
            MODULE,
            METADATA.replace("mutating", "mutate"),
            "module.wasm",
            "metadata.yml: mutate: unknown key; did you mean mutating?",
        ),
        (
            "bad-module",
            b"text",
            METADATA.to_owned(),
            "module.wasm",
            "module.wasm: module: expected a core WebAssembly module: ",
        ),
        (
            "bad-output",
            MODULE,
            METADATA.to_owned(),
            "nowhere/out.wasm",
            "nowhere/out.wasm: cannot be written: No such file or directory (os error 2)",
        ),
    ] {
        let (folder, done) = annotate(test, module, &metadata, output);
        let stderr = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(2));
        assert!(stderr.starts_with(&format!("portcullis: {message}")), "{stderr}");
        assert_eq!(fs::read(folder.join("module.wasm")).unwrap(), module);
        assert_eq!(files(&folder), ["metadata.yml", "module.wasm"]);
        fs::remove_dir_all(folder).unwrap();
    }
}
