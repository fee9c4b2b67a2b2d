//! `portcullis run`: responses as data, and files that no text can hold.

use serde_json::Value;

use crate::folder::Folder;

const SERVICE: &str = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\n";

#[test]
fn each_response_has_the_uid_of_its_own_request() {
    let folder = Folder::new();
    folder.file("m.yaml", ["a", "b", "c"].map(|name| SERVICE.replace("web", name)).join("---\n"));
    let (_, json, _) = folder.run(&["run", "external-ips", "m.yaml", "-o", "json"], "");
    let reviews: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let uids: Vec<Value> = reviews.iter().map(|review| review["response"]["uid"].clone()).collect();
    assert_eq!(uids, [1, 2, 3].map(|number| format!("00000000-0000-4000-8000-{number:0>12}")));
    let (_, yaml, _) = folder.run(&["run", "external-ips", "m.yaml", "-o", "yaml"], "");
    assert_eq!(manifest::documents(&yaml).unwrap(), reviews);
}

#[test]
fn rejects_deep_nesting_and_alias_bombs() {
    let folder = Folder::new();
    folder.file("flow.json", format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)));
    folder.file("flow.yaml", format!("a: {}", "[".repeat(100_000)));
    folder.file("block.yaml", "- ".repeat(100_000));
    folder.file("keys.json", format!("{}1{}", "{\"a\":".repeat(20_000), "}".repeat(20_000)));
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb = format!("{bomb}a{level}: &a{level} [{aliases}]\n");
    }
    folder.file("bomb.yaml", bomb);
    for file in ["flow.json", "flow.yaml", "block.yaml", "keys.json", "bomb.yaml"] {
        let message = folder.refused(&["run", "external-ips", "--request", file], "");
        assert!(message.starts_with(&format!("{file}:1:")) || file == "bomb.yaml", "{message}");
        assert!(
            message.ends_with("recursion limit exceeded") || message.ends_with("expand to too much data"),
            "{message}"
        );
    }
}

#[test]
fn rejects_bytes_that_are_no_text() {
    let folder = Folder::new();
    folder.file("good.yaml", SERVICE);
    folder.file("bytes.json", b"{\"uid\": \"\xff\"}");
    for arguments in [&["bytes.json"][..], &["--settings", "bytes.json"], &["--cluster", "bytes.json"]] {
        assert_eq!(
            folder.refused(&[&["run", "external-ips", "--request", "good.yaml"], arguments].concat(), ""),
            "bytes.json:1:10: not valid UTF-8"
        );
    }
}
