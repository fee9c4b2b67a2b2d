//! Failures of `portcullis run`: one line on standard error, status 2, and no output.

use crate::folder::Folder;

const REQUEST: &str = r#"{
  "uid": "1",
  "kind": {"group": "", "version": "v1", "kind": "Service"},
  "resource": {"group": "", "version": "v1", "resource": "services"},
  "operation": "CREATE",
  "userInfo": {"username": "somebody"},
  "object": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}}
}"#;

#[test]
fn names_a_missing_file() {
    let folder = Folder::new("missing");
    folder.file("review.json", REQUEST);
    let problem = "cannot be read: No such file or directory (os error 2)";
    for (policy, flags, file) in [
        ("external-ips", &["--request", "nothing.json"][..], "nothing.json"),
        ("external-ips", &["--request", "review.json", "nothing.json"], "nothing.json"),
        ("external-ips", &["--request", "-", "--settings", "nothing.yaml"], "nothing.yaml"),
        ("external-ips", &["--request", "-", "--cluster", "nothing"], "nothing"),
        ("./nothing.wasm", &["--request", "-"], "./nothing.wasm"),
    ] {
        assert_eq!(
            folder.refused(&[&["run", policy], flags].concat(), REQUEST),
            format!("{file}: {problem}")
        );
    }
}

#[test]
fn reports_syntax_errors_with_line_and_column() {
    let folder = Folder::new("syntax");
    folder.file("good.json", REQUEST);
    folder.file("comma.json", "{\n  \"uid\": \"1\",\n  }");
    folder.file("twice.json", "{\"uid\": \"1\",\n \"uid\": \"2\"}");
    folder.file("twice.yaml", "uid: 1\nuid: 2\n");
    folder.file("bracket.yaml", "uid: [1\nkind: x\n");
    folder.file("bytes.json", b"{\"uid\": \"\xff\"}");
    let refused = |flag: &str, file: &str| match flag {
        "--request" => folder.refused(&["run", "external-ips", "--request", "good.json", file], REQUEST),
        _ => folder.refused(&["run", "external-ips", "--request", "good.json", flag, file], REQUEST),
    };
    for flag in ["--request", "--settings", "--cluster"] {
        assert_eq!(refused(flag, "comma.json"), "comma.json: line 3, column 3: invalid JSON: trailing comma");
        assert_eq!(refused(flag, "twice.json"), "twice.json: line 2, column 6: duplicate key `uid`");
        assert_eq!(refused(flag, "twice.yaml"), "twice.yaml: line 2, column 1: duplicate key `uid`");
        let message = refused(flag, "bracket.yaml");
        assert!(
            message.starts_with("bracket.yaml: line 2, column ") && message.contains(": invalid YAML: "),
            "{message}"
        );
        assert_eq!(refused(flag, "bytes.json"), "bytes.json: is not valid UTF-8 at byte 10");
    }
}

#[test]
fn rejects_deep_nesting_and_alias_bombs() {
    let folder = Folder::new("nesting");
    folder.file("flow.json", "[".repeat(100_000));
    folder.file("flow.yaml", format!("a: {}", "[".repeat(100_000)));
    folder.file("block.yaml", "- ".repeat(100_000));
    folder.file("keys.json", "{\"a\":".repeat(100_000));
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb = format!("{bomb}a{level}: &a{level} [{aliases}]\n");
    }
    folder.file("bomb.yaml", bomb);
    for file in ["flow.json", "flow.yaml", "block.yaml", "keys.json", "bomb.yaml"] {
        let message = folder.refused(&["run", "external-ips", "--request", file], REQUEST);
        assert!(message.starts_with(&format!("{file}: line ")), "{message}");
        assert!(
            message.ends_with("recursion limit exceeded") || message.ends_with("expand to too much data"),
            "{message}"
        );
    }
}

#[test]
fn rejects_documents_that_cannot_be_judged() {
    let folder = Folder::new("requests");
    let refused = |text: &str| {
        folder.file("r.yaml", text);
        folder.refused(&["run", "external-ips", "--request", "r.yaml"], REQUEST)
    };
    let expected = "expected Kubernetes objects, AdmissionReviews or AdmissionRequests";
    assert_eq!(refused(""), format!("r.yaml: is empty; {expected}"));
    assert_eq!(refused("- 1\n"), format!("r.yaml, item 1: {expected}, found a number"));
    assert_eq!(refused("kind: Service\n"), format!("r.yaml: {expected}, found something without apiVersion"));
    assert_eq!(
        refused("apiVersion: v1\nkind: List\nitems: [{kind: 1}]\n"),
        format!("r.yaml, item 1: {expected}, found something without apiVersion")
    );
    assert_eq!(
        refused("apiVersion: v1\nkind: List\nitems: {}\n"),
        "r.yaml: items: expected a list of objects"
    );
    assert_eq!(
        refused("apiVersion: v1\nkind: PodList\nitems: []\n"),
        "nothing to judge: the lists are empty"
    );
    assert_eq!(refused("kind: AdmissionReview\n"), "r.yaml: the AdmissionReview has no request");
    let message = refused(&format!("{REQUEST}\n---\n{}", REQUEST.replace("userInfo", "user")));
    assert!(message.starts_with("r.yaml, document 2: userInfo: "), "{message}");
    assert_eq!(
        folder.refused(&["run", "external-ips", "--request", "-", "-"], REQUEST),
        "standard input can be read only once; pass - a single time"
    );
}

#[test]
fn suggests_the_nearest_policy() {
    let folder = Folder::new("policies");
    let build = "build the modules with ./justw modules";
    assert_eq!(
        folder.refused(&["run", "external-ip", "--request", "-"], REQUEST),
        "policy external-ip: does not exist; did you mean external-ips?"
    );
    assert_eq!(
        folder.refused(&["run", "external-ips", "-", "--engine", "wasm"], REQUEST),
        format!(
            "policy external-ips: is not built: target/policies/external-ips.wasm does not exist; {build}"
        )
    );
    folder.file("my-own.wasm", "");
    assert_eq!(
        folder.refused(&["run", "myown", "--modules", ".", "--request", "-"], REQUEST),
        "policy myown: does not exist; did you mean my-own?"
    );
    let message = folder.refused(&["run", "my-own.wasm", "--request", "-"], REQUEST);
    assert_eq!(message, "my-own.wasm: module: expected a core WebAssembly module: the file is empty");
    folder.file("text.wasm", "text");
    assert_eq!(
        folder.refused(&["run", "text.wasm", "-"], REQUEST),
        "text.wasm: module: expected a core WebAssembly module: the file has another format"
    );
    folder.file("bare.wasm", b"\0asm\x01\0\0\0");
    assert_eq!(
        folder.refused(&["run", "bare.wasm", "--request", "-"], REQUEST),
        "bare.wasm: has no metadata, which every host requires; add it with portcullis annotate"
    );
}

#[test]
fn rejects_settings_that_are_not_an_object() {
    let folder = Folder::new("settings");
    let refused = |json: &str| {
        folder.refused(&["run", "external-ips", "--request", "-", "--settings-json", json], REQUEST)
    };
    assert_eq!(refused("[]"), "--settings-json: expected an object with settings, found a list");
    assert_eq!(refused("{\"allow\": ]"), "--settings-json: line 1, column 11: invalid JSON: expected value");
    folder.file("s.yaml", "a: 1\n---\nb: 2\n");
    assert_eq!(
        folder.refused(&["run", "external-ips", "--request", "-", "--settings", "s.yaml"], REQUEST),
        "s.yaml: expected one document, found 2"
    );
}

#[test]
fn names_the_file_of_an_invalid_object() {
    let folder = Folder::new("cluster");
    std::fs::create_dir(folder.0.join("cluster")).unwrap();
    folder.file("cluster/a.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n");
    folder.file("cluster/b.json", r#"{"kind": "List", "items": [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}]}"#);
    folder.file("cluster/notes.txt", "ignored");
    let message = folder.refused(&["run", "external-ips", "--request", "-", "--cluster", "cluster"], REQUEST);
    assert!(
        message.starts_with("cluster/b.json: items[0]: v1 Namespace a is a duplicate of cluster/a.yaml; "),
        "{message}"
    );
    folder.file(
        "c.yaml",
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: c}\n---\napiVersion: v1\nkind: Pod\n",
    );
    let message = folder.refused(&["run", "external-ips", "--request", "-", "--cluster", "c.yaml"], REQUEST);
    assert!(message.starts_with("c.yaml, document 2: metadata: "), "{message}");
}

#[test]
fn invalid_arguments_have_the_same_status() {
    let folder = Folder::new("arguments");
    for arguments in
        [&["run"][..], &["run", "external-ips"], &["walk"], &["run", "p", "-r", "-", "-o", "xml"]]
    {
        let (status, stdout, stderr) = folder.run(arguments, REQUEST);
        assert_eq!(status, 2, "{arguments:?}");
        assert!(stdout.is_empty() && !stderr.is_empty(), "{arguments:?}");
    }
    assert_eq!(folder.run(&["--help"], "").0, 0);
}
