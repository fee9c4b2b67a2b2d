//! `portcullis audit` with lists in JSON.

use crate::folder::Folder;

/// JSON is read piece by piece, without what the audit does not need, and a long list item by item.
#[test]
fn a_list_in_json_has_the_findings_of_the_same_objects_in_yaml() {
    let folder = Folder::new();
    let pod = r#"{"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "web", "namespace": "shop", "managedFields": [{"manager": "kubectl"}],
            "labels": {"app": "web"}, "annotations": {"kubernetes.io/config.mirror": "x"}},
        "spec": {"nodeName": "n", "containers": [{"name": "web", "env": [{"name": "A", "value": "b"}],
            "securityContext": {"seLinuxOptions": {"level": "s0:c1,c2", "type": "spc_t"}}}]},
        "status": {"phase": "Running", "podIP": "192.0.2.1"}}"#;
    let namespace = r#"{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}"#;
    let list = |items: &str| format!(r#"{{"apiVersion": "v1", "items": [{items}], "kind": "List"}}"#);
    let found = |arguments: &[&str]| {
        let (status, stdout, stderr) = folder.run(&[&["audit"], arguments].concat(), "");
        assert_eq!((status, stderr.as_str()), (1, ""), "{arguments:?}");
        stdout
    };
    // selinux does not evaluate mirror pods.
    let ordinary = pod.replace("kubernetes.io/config.mirror", "a/b");
    let long =
        namespace.replace("}}", &format!(r#", "annotations": {{"a": "{}"}}}}}}"#, "x".repeat(300_000)));
    let long = long.replace("shop", "long");
    // No list, although it has items.
    let odd = format!(
        r#"{{"apiVersion": "v1", "items": [{long}], "kind": "Pod",
        "metadata": {{"name": "odd", "namespace": "shop"}}, "spec": {{"containers": [{{"name": "a"}}]}}}}"#
    );
    for (name, pod) in [("mirror-labels", pod), ("selinux", &ordinary)] {
        let of = |file: &str, text: String| {
            folder.file(file, text);
            found(&[name, file, "-o", "json"])
        };
        for items in
            [vec![pod, namespace], vec![pod, long.as_str(), namespace], vec![pod, odd.as_str(), namespace]]
        {
            let wanted = of("list.json", list(&items.join(", ")));
            assert_eq!(of("array.json", format!("[{}]", items.join(", "))), wanted);
            if !items.contains(&odd.as_str()) {
                // kubectl would apply the items of such a document.
                assert_eq!(of("objects.yaml", format!("# YAML\n{}\n", items.join("\n---\n"))), wanted);
                assert_eq!(of("stream.json", items.join("\n")), wanted);
            }
            let kind = r#""apiVersion": "v1", "kind": "Namespace", "#;
            let untyped = items[1..].join(", ").replace(kind, "");
            let typed = format!(r#"{{"apiVersion": "v1", "kind": "NamespaceList", "items": [{untyped}]}}"#);
            assert_eq!(of("typed.json", format!("{pod}\n{typed}")), wanted);
        }
    }
    let text = found(&["selinux", "list.json"]);
    assert!(text.contains("Pod shop/web") && text.contains("spc_t"), "{text}");
    // Errors name the place, as in other dumps.
    let refused = |items: &str| folder.refused(&["audit", "selinux", "-"], &list(items));
    assert_eq!(
        refused(&format!("{namespace}, {namespace}")),
        "standard input:1:126: v1 Namespace shop is a duplicate of standard input:1:53; remove one of the two"
    );
    let message = refused(r#"{"kind": "Pod", "kind": "Pod"}"#);
    assert!(message.contains("duplicate"), "{message}");
    let twice = list(&long).replace(r#""kind": "List""#, r#""items": []"#);
    let message = folder.refused(&["audit", "selinux", "-"], &twice);
    assert!(message.contains("duplicate"), "{message}");
}
