//! Embeds the metadata and the samples of each policy folder as constants.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, error, fs};

fn main() -> Result<(), Box<dyn error::Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../../..").canonicalize()?;
    let policies = root.join("policies");
    println!("cargo::rerun-if-changed={}", policies.display());
    let mut text = String::from("const POLICY_FOLDERS: &[PolicyFolder] = &[\n");
    for id in names(&policies)? {
        let folder = policies.join(&id);
        if !folder.join("metadata.yml").exists() {
            continue;
        }
        writeln!(text, "PolicyFolder {{ id: {},", literal(&id))?;
        writeln!(text, "metadata: {},", include(&folder.join("metadata.yml")))?;
        writeln!(text, "readme: {},", include(&folder.join("samples/README.md")))?;
        text.push_str("#[cfg(feature = \"whole\")]\nsamples: &[\n");
        for file in names(&folder.join("samples"))? {
            let Some(name) = file.strip_suffix(".request.json") else { continue };
            let path = |suffix: &str| folder.join("samples").join(format!("{name}.{suffix}"));
            let include_optional =
                |path: PathBuf| if path.exists() { include(&path) } else { "\"\"".to_owned() };
            writeln!(
                text,
                "SampleFiles {{ name: {}, request: {}, settings: {}, cluster: {} }},",
                literal(name),
                include(&path("request.json")),
                include_optional(path("settings.yaml")),
                include_optional(path("cluster.yaml")),
            )?;
        }
        text.push_str("] },\n");
    }
    text.push_str("];\n");
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("policy_folders.rs"), text)?;
    Ok(())
}

fn include(path: &Path) -> String {
    format!("include_str!({})", literal(&path.display().to_string()))
}

/// Formats a string as a Rust literal, which is its `Debug` output.
fn literal(text: &str) -> String {
    format!("{text:?}")
}

fn names(folder: &Path) -> Result<BTreeSet<String>, Box<dyn error::Error>> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        names.insert(entry?.file_name().to_string_lossy().into_owned());
    }
    Ok(names)
}
