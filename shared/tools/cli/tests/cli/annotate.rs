//! `portcullis annotate`.

use std::fs;

use crate::folder::Folder;

const MODULE: &[u8] = b"\0asm\x01\0\0\0";
const METADATA: &str = include_str!("../../../../../policies/external-ips/metadata.yml");

fn folder(module: &[u8], metadata: &str) -> Folder {
    let folder = Folder::new();
    folder.file("module.wasm", module);
    folder.file("metadata.yml", metadata);
    folder
}

fn annotated(folder: &Folder) -> kubewarden::packaging::Metadata {
    kubewarden::packaging::Metadata::read(&fs::read(folder.path("out.wasm")).unwrap()).unwrap().unwrap()
}

fn files(folder: &Folder) -> Vec<String> {
    let names = fs::read_dir(folder.path("")).unwrap();
    let mut names: Vec<String> =
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn writes_metadata_and_the_usage_into_a_module() {
    let folder = folder(MODULE, METADATA);
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n";
    assert_eq!(
        folder.refused(&["run", "module.wasm", "--request", "-"], service),
        "module.wasm: has no metadata, which every host requires; add it with portcullis annotate"
    );
    let annotate = ["annotate", "module.wasm", "--metadata", "metadata.yml", "--output", "out.wasm"];
    assert_eq!(folder.run(&annotate, ""), (0, String::new(), String::new()));
    assert_eq!(annotated(&folder).rules.len(), 1);
    assert_eq!(files(&folder), ["metadata.yml", "module.wasm", "out.wasm"]);
    folder.file("README.md", "# How to use it\n");
    folder.file("empty.md", "\n");
    let annotate = |usage| ["annotate", "-m", "metadata.yml", "-u", usage, "-o", "out.wasm", "module.wasm"];
    assert_eq!(folder.run(&annotate("README.md"), "").0, 0);
    assert_eq!(annotated(&folder).annotations["io.kubewarden.policy.usage"], "# How to use it\n");
    assert_eq!(
        folder.refused(&annotate("empty.md"), ""),
        "empty.md: is empty; expected the documentation of the policy"
    );
}

#[test]
fn leaves_all_files_unchanged_on_failure() {
    for (module, metadata, output, message) in [
        (
            MODULE,
            METADATA.replace("mutating", "mutate"),
            "module.wasm",
            "metadata.yml: mutate: unknown key; did you mean mutating?",
        ),
        (
            b"text",
            METADATA.to_owned(),
            "module.wasm",
            "module.wasm: module: expected a core WebAssembly module: ",
        ),
        (
            MODULE,
            METADATA.to_owned(),
            "nowhere/out.wasm",
            "nowhere/out.wasm: cannot be written: No such file or directory (os error 2)",
        ),
    ] {
        let folder = folder(module, &metadata);
        let annotate = ["annotate", "module.wasm", "--metadata", "metadata.yml", "--output", output];
        let (status, _, stderr) = folder.run(&annotate, "");
        assert_eq!(status, 2);
        assert!(stderr.starts_with(&format!("portcullis: {message}")), "{stderr}");
        assert_eq!(fs::read(folder.path("module.wasm")).unwrap(), module);
        assert_eq!(files(&folder), ["metadata.yml", "module.wasm"]);
    }
}
