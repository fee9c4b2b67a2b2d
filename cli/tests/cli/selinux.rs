//! `portcullis audit selinux`, `portcullis selinux allocate` and `portcullis selinux level`.
#![expect(clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

use serde_json::{Value, json};

use crate::folder::Folder;

/// Audits `dump`; returns the status, standard output and standard error.
fn audit(folder: &Folder, dump: &[Value], arguments: &[&str]) -> (i32, String, String) {
    folder.file("dump.json", json!(dump).to_string());
    folder.run(&[&["audit", "selinux", "dump.json"], arguments].concat(), "")
}

/// Audits `dump` with settings; returns the JSON output.
fn found(folder: &Folder, dump: &[Value], settings: &Value) -> Value {
    let arguments = ["-o", "json", "--settings-json", &settings.to_string()];
    let (status, stdout, stderr) = audit(folder, dump, &arguments);
    assert_eq!(stderr, "", "{settings}");
    let found: Value = serde_json::from_str(&stdout).unwrap();
    let lists = ["collisions", "foreign", "denied", "changed"];
    let is_empty = lists.iter().all(|list| found[list].as_array().unwrap().is_empty());
    assert_eq!(status, i32::from(!is_empty), "{stdout}");
    found
}

/// Audits standard input without success; returns the message.
fn refused(folder: &Folder, input: &str, settings: &str) -> String {
    folder.refused(&["audit", "selinux", "-", "--settings-json", settings], input)
}

/// Runs `selinux level`; returns its output.
fn level(folder: &Folder, arguments: &[&str]) -> String {
    let (status, stdout, stderr) = folder.run(&[&["selinux", "level"], arguments].concat(), "");
    assert_eq!((status, stderr.as_str()), (0, ""), "{arguments:?}");
    stdout
}

fn namespace(name: &str, metadata: &Value) -> Value {
    let mut metadata = metadata.clone();
    metadata["name"] = name.into();
    json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": metadata })
}

fn bare(name: &str) -> Value {
    namespace(name, &json!({}))
}

fn annotated(name: &str, level: &str) -> Value {
    namespace(name, &json!({ "annotations": { "portcullis.dev/selinux-level": level } }))
}

/// A pod with SELinux options for itself and for its container.
fn pod(namespace: &str, name: &str, own: &Value, containers: &Value) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": name, "namespace": namespace },
        "spec": {
            "securityContext": { "seLinuxOptions": own },
            "containers": [
                { "name": "main", "image": "i", "securityContext": { "seLinuxOptions": containers } },
            ],
        },
    })
}

fn plain(namespace: &str, name: &str) -> Value {
    pod(namespace, name, &Value::Null, &Value::Null)
}

fn deployment(namespace: &str, name: &str, level: &str) -> Value {
    let template = pod(namespace, name, &Value::Null, &json!({ "level": level }));
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": name, "namespace": namespace },
        "spec": { "template": { "spec": template["spec"] } },
    })
}

/// A field of each element of a list.
fn each<'v>(list: &'v Value, field: &str) -> Vec<&'v Value> {
    list.as_array().unwrap().iter().map(|element| &element[field]).collect()
}

/// A dump with findings of each kind.
fn dump() -> Vec<Value> {
    let mut on_node = plain("shop", "on-node");
    on_node["spec"]["hostPID"] = true.into();
    vec![
        bare("team-a"),
        bare("shop"),
        bare("tenant-327"),
        bare("tenant-286"),
        plain("team-a", "web"),
        pod("team-a", "done", &json!({ "level": "s0:c138,c78" }), &Value::Null),
        pod("shop", "thief", &json!({ "level": "s0:c138,c78" }), &Value::Null),
        on_node,
        deployment("shop", "all", "s0-s0:c0.c1023"),
        json!({
            "apiVersion": "v1", "kind": "PersistentVolume", "metadata": { "name": "etc" },
            "spec": { "local": { "path": "/etc" } },
        }),
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a", "namespace": "shop" } }),
    ]
}

#[test]
fn writes_all_findings_as_text() {
    let folder = Folder::new("selinux-text");
    let (status, stdout, stderr) = audit(&folder, &dump(), &[]);
    assert_eq!((status, stderr.as_str()), (1, ""));
    assert_eq!(
        stdout,
        "\
Namespaces with the same level:
  s0:c136,c179: tenant-286 (hash of namespace:tenant-286), tenant-327 (hash of namespace:tenant-327)

Levels of other Namespaces:
  Pod shop/thief: spec.securityContext.seLinuxOptions.level: s0:c138,c78 is the level of team-a
  Deployment shop/all: spec.template.spec.containers[0].securityContext.seLinuxOptions.level: s0-s0:c0.c1023 \
         reaches the level of team-a, tenant-286, tenant-327

Would be denied:
  Namespace tenant-286: metadata.name: Invalid value: \"tenant-286\": has the level of Namespace \
         \"tenant-327\", s0:c136,c179; choose another name, or put both in one of allocation.sharedGroups
  Namespace tenant-327: metadata.name: Invalid value: \"tenant-327\": has the level of Namespace \
         \"tenant-286\", s0:c136,c179; choose another name, or put both in one of allocation.sharedGroups
  PersistentVolume etc: spec.local.path: Invalid value: \"/etc\": the runtime would relabel a system path; \
         use a path that holds nothing else
  Pod shop/thief: spec.securityContext.seLinuxOptions.level: Invalid value: \"s0:c138,c78\": is not the level of \
         namespace \"shop\"; use SHOP
  Deployment shop/all: spec.template.spec.containers[0].securityContext.seLinuxOptions.level: Invalid value: \
         \"s0-s0:c0.c1023\": container \"main\": is a range, which gives access to the files of others; use SHOP

Would be changed:
  Pod shop/on-node: spec.securityContext.seLinuxOptions.level: set to SHOP
  Pod shop/on-node: spec.securityContext.seLinuxOptions.type: set to spc_t
  Pod team-a/web: spec.securityContext.seLinuxOptions.level: set to s0:c78,c138

1 shared level, 2 objects with the level of another Namespace, 5 denied, 2 changed.
"
        .replace("SHOP", level(&folder, &["shop"]).split(' ').nth(1).unwrap())
    );
}

#[test]
fn writes_all_findings_as_json() {
    let folder = Folder::new("selinux-json");
    let found = found(&folder, &dump(), &json!({}));
    let tenant = |name: &str| {
        let key = format!("namespace:{name}");
        json!({
            "namespace": name, "level": "s0:c136,c179", "origin": "Hash", "key": key,
            "explanation": format!("hash of {key}"),
        })
    };
    assert_eq!(
        found["collisions"],
        json!([{ "level": "s0:c136,c179", "namespaces": [tenant("tenant-286"), tenant("tenant-327")] }])
    );
    assert_eq!(
        found["foreign"],
        json!([
            {
                "kind": "Pod", "namespace": "shop", "name": "thief",
                "path": "spec.securityContext.seLinuxOptions.level",
                "level": "s0:c138,c78", "reaches": ["team-a"], "equal": true,
            },
            {
                "kind": "Deployment", "namespace": "shop", "name": "all",
                "path": "spec.template.spec.containers[0].securityContext.seLinuxOptions.level",
                "level": "s0-s0:c0.c1023", "reaches": ["team-a", "tenant-286", "tenant-327"], "equal": false,
            },
        ])
    );
    assert_eq!(each(&found["denied"], "name"), ["tenant-286", "tenant-327", "etc", "thief", "all"]);
    let shop = &Value::from("shop");
    assert_eq!(each(&found["denied"], "namespace"), [&Value::Null, &Value::Null, &Value::Null, shop, shop]);
    assert_eq!(found["denied"][0]["messages"].as_array().unwrap().len(), 1);
    assert_eq!(
        found["changed"][1],
        json!({
            "kind": "Pod", "namespace": "team-a", "name": "web",
            "changes": { "spec.securityContext.seLinuxOptions.level": "s0:c78,c138" },
        })
    );
    assert_eq!(found["notes"], json!([]));
}

#[test]
fn reports_a_dump_without_findings() {
    let folder = Folder::new("selinux-nothing");
    let dump = [bare("team-a"), pod("team-a", "a", &json!({ "level": "s0:c78,c138" }), &Value::Null)];
    let nothing = "No two Namespaces share a level, no pod uses the level of another Namespace, and nothing would be denied or changed.\n";
    assert_eq!(audit(&folder, &dump, &[]), (0, nothing.to_owned(), String::new()));
    let none = json!({ "collisions": [], "foreign": [], "denied": [], "changed": [], "notes": [] });
    assert_eq!(found(&folder, &dump, &json!({})), none);
}

#[test]
fn levels_shared_on_purpose_are_not_findings() {
    let folder = Folder::new("selinux-shared");
    let group = json!({ "allocation": {
        "sharedGroups": [{ "name": "shop", "namespaces": ["shop-front", "shop-back"] }],
    } });
    let output = level(&folder, &["shop-back", "--settings-json", &group.to_string()]);
    let (_, shop) = output.split_once(": ").unwrap();
    let (shop, origin) = shop.split_once(' ').unwrap();
    assert_eq!(origin, "(hash of group:shop)\n");
    let dump = [
        bare("shop-front"),
        bare("shop-back"),
        bare("thief"),
        pod("shop-back", "a", &json!({ "level": shop }), &Value::Null),
        pod("thief", "a", &json!({ "level": shop }), &Value::Null),
    ];
    let audited = found(&folder, &dump, &group);
    assert_eq!(audited["collisions"], json!([]));
    assert_eq!(each(&audited["foreign"], "namespace"), ["thief"]);
    assert_eq!(audited["foreign"][0]["reaches"], json!(["shop-back", "shop-front"]));

    let labelled = |name: &str, tenant: &str| namespace(name, &json!({ "labels": { "tenant": tenant } }));
    let dump = [labelled("a", "x"), labelled("b", "x"), labelled("c", "y"), bare("d")];
    let by_label = json!({ "allocation": { "scope": "NamespaceLabel", "namespaceLabel": "tenant" } });
    assert_eq!(found(&folder, &dump, &by_label)["collisions"], json!([]));
}

#[test]
fn compares_annotations_by_meaning() {
    let folder = Folder::new("selinux-annotations");
    let settings = json!({ "mode": "Validate", "allocation": { "source": "NamespaceAnnotation" } });
    let dump = [
        annotated("a", "s0:c1,c2"),
        annotated("b", "s0:c2,c1"),
        annotated("bad", "s0:zzz"),
        bare("c"),
        pod("c", "thief", &Value::Null, &json!({ "level": "s0-s0:c1.c9" })),
        plain("bad", "a"),
    ];
    let audited = found(&folder, &dump, &settings);
    assert_eq!(each(&audited["collisions"], "level"), ["s0:c1,c2"]);
    let namespaces = &audited["collisions"][0]["namespaces"];
    assert_eq!(each(namespaces, "namespace"), ["a", "b"]);
    assert_eq!(each(namespaces, "origin"), ["Annotation", "Annotation"]);
    assert_eq!(each(namespaces, "key"), ["portcullis.dev/selinux-level"; 2]);
    assert_eq!(audited["foreign"][0]["reaches"], json!(["a", "b"]));
    assert_eq!(audited["foreign"][0]["equal"], false);
    let denied: Vec<String> = audited["denied"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{} {}", one["kind"].as_str().unwrap(), one["name"].as_str().unwrap()))
        .collect();
    assert_eq!(denied, ["Namespace a", "Namespace b", "Namespace bad", "Pod a", "Pod thief"]);
    // A mutating policy does not change existing Namespaces.
    let mutating = json!({ "allocation": { "source": "NamespaceAnnotation" } });
    assert_eq!(found(&folder, &[bare("a"), bare("b")], &mutating)["changed"], json!([]));
}

#[test]
fn using_its_own_level_is_not_a_finding_even_if_it_is_shared() {
    let folder = Folder::new("selinux-own");
    let own =
        pod("tenant-286", "a", &json!({ "level": "s0:c179,c136" }), &json!({ "level": "s0:c136,c179" }));
    let wide = pod("tenant-286", "b", &json!({ "level": "s0:c136,c179,c500" }), &Value::Null);
    let audited = found(&folder, &[bare("tenant-286"), bare("tenant-327"), own, wide], &json!({}));
    assert_eq!(each(&audited["foreign"], "name"), ["b"]);
    assert_eq!(audited["foreign"][0]["reaches"], json!(["tenant-327"]));
}

#[test]
fn an_exempt_namespace_owns_no_level_and_can_use_a_foreign_one() {
    let folder = Folder::new("selinux-exempt");
    let settings = json!({ "exempt": { "namespaces": ["tenant-286"] } });
    let thief = pod("tenant-286", "a", &json!({ "level": "s0:c78,c138" }), &Value::Null);
    let dump = [bare("tenant-286"), bare("tenant-327"), bare("team-a"), thief];
    let audited = found(&folder, &dump, &settings);
    assert_eq!(audited["collisions"], json!([]));
    assert_eq!(audited["denied"], json!([]));
    assert_eq!(each(&audited["foreign"], "name"), ["a"]);
}

#[test]
fn mode_validate_denies_what_mode_mutate_would_change() {
    let folder = Folder::new("selinux-guard");
    let audited = found(&folder, &[bare("team-a"), plain("team-a", "web")], &json!({ "mode": "Validate" }));
    assert_eq!(audited["changed"], json!([]));
    assert_eq!(
        audited["denied"],
        json!([{
            "kind": "Pod", "namespace": "team-a", "name": "web",
            "messages": [
                "spec.securityContext.seLinuxOptions.level: Required value: pods must have the level of namespace \
                 \"team-a\"; set it to s0:c78,c138",
            ],
        }])
    );
}

#[test]
fn notes_that_namespaces_own_no_levels() {
    let folder = Folder::new("selinux-notes");
    let dump = [bare("a"), bare("b"), pod("b", "x", &json!({ "level": "s0:c1,c2" }), &Value::Null)];
    for (allocation, origin) in [
        (json!({ "source": "Runtime" }), "the runtime draws one for each pod"),
        (
            json!({ "source": "Fixed", "fixed": { "level": "s0:c1,c2" } }),
            "allocation.fixed.level, for every pod",
        ),
        (json!({ "scope": "Workload" }), "workloads own levels; the Namespace alone does not determine them"),
    ] {
        let audited = found(&folder, &dump, &json!({ "allocation": allocation }));
        assert_eq!(
            audited["notes"],
            json!([format!("Namespaces have no levels of their own, so they were not compared: {origin}")])
        );
        assert_eq!((&audited["collisions"], &audited["foreign"]), (&json!([]), &json!([])));
    }
}

#[test]
fn judges_a_dump_without_some_namespaces_as_far_as_possible() {
    let folder = Folder::new("selinux-lacking");
    let dump = [bare("tenant-286"), plain("tenant-327", "a")];
    let audited = found(&folder, &dump, &json!({}));
    assert_eq!(each(&audited["collisions"], "level"), ["s0:c136,c179"]);
    assert_eq!((each(&audited["changed"], "name"), &audited["notes"]), (vec![&"a".into()], &json!([])));

    let settings = json!({ "allocation": { "source": "NamespaceAnnotation" } });
    let audited = found(&folder, &dump, &settings);
    assert_eq!((&audited["denied"], &audited["changed"]), (&json!([]), &json!([])));
    let note = audited["notes"][0].as_str().unwrap();
    let beginning = "Some objects were not judged because the dump lacks Namespaces (tenant-327); create the dump with kubectl get ";
    assert!(note.starts_with(beginning), "{note}");
}

#[test]
fn rejects_an_invalid_dump_with_the_place() {
    let folder = Folder::new("selinux-bad");
    let command = "kubectl get namespaces,pods,deployments,statefulsets,daemonsets,replicasets,\
                   replicationcontrollers,jobs,cronjobs,podtemplates,persistentvolumes --all-namespaces -o json";
    let missing = format!("standard input: has no v1 Namespace; create the dump with {command}");
    let in_namespace = |pod: Value| json!([bare("a"), pod]).to_string();
    let mut mistyped = plain("a", "b");
    mistyped["spec"]["securityContext"] = 7.into();
    let mut nowhere = plain("a", "b");
    nowhere["metadata"] = json!({ "name": "b" });
    for (input, message) in [
        ("", "standard input: is empty; expected Kubernetes objects or lists of objects"),
        ("[]", &*missing),
        (r#"{"apiVersion": "v1", "kind": "List", "items": []}"#, &missing),
        (
            &in_namespace(mistyped),
            "standard input: Pod a/b: spec.securityContext: expected an object, found a number",
        ),
        (
            &in_namespace(nowhere),
            "standard input: Pod b: metadata.namespace: expected a string, found nothing",
        ),
        ("7", "standard input: expected a Kubernetes object; give one with apiVersion and kind"),
    ] {
        assert_eq!(refused(&folder, input, "{}"), message, "{input}");
    }
    for (settings, message) in [
        (r#"{"alocation": {}}"#, "--settings-json: alocation: unknown key; did you mean allocation?"),
        (
            r#"{"allocation": {"scope": "NamespaceLabel"}}"#,
            "--settings-json: allocation.namespaceLabel: is missing; set the label key that scope: NamespaceLabel needs",
        ),
        ("[]", "--settings-json: expected an object with settings, found a list"),
    ] {
        assert_eq!(refused(&folder, "[]", settings), message);
        assert_eq!(folder.refused(&["selinux", "level", "a", "--settings-json", settings], ""), message);
    }
    assert_eq!(
        folder.refused(&["audit", "selinux", "-", "--settings", "-"], "{}"),
        "standard input can be read only once; pass - a single time"
    );
}

#[test]
fn shows_levels_with_their_origin() {
    let folder = Folder::new("selinux-level");
    assert_eq!(
        level(&folder, &["team-a", "tenant-286"]),
        "team-a: s0:c78,c138 (hash of namespace:team-a)\ntenant-286: s0:c136,c179 (hash of namespace:tenant-286)\n"
    );
    assert_eq!(
        level(&folder, &["team-a", "-o", "json"]),
        concat!(
            r#"{"namespaces":[{"namespace":"team-a","level":"s0:c78,c138","origin":"Hash","#,
            r#""key":"namespace:team-a","explanation":"hash of namespace:team-a"}]}"#,
            "\n"
        )
    );
    folder.file(
        "namespaces.json",
        json!([
            namespace("a", &json!({ "annotations": { "openshift.io/sa.scc.mcs": "s0:c27,c14" } })),
            namespace("b", &json!({ "labels": { "tenant": "x" } })),
        ])
        .to_string(),
    );
    for (name, allocation, text) in [
        ("a", json!({ "salt": "blue" }), "HASH (hash of namespace:a)"),
        ("a", json!({ "source": "Runtime" }), "no level of its own (the runtime draws one for each pod)"),
        (
            "a",
            json!({ "source": "Fixed", "fixed": { "level": "s0:c2,c1" } }),
            "s0:c1,c2 (allocation.fixed.level, for every pod)",
        ),
        (
            "a",
            json!({ "source": "Fixed", "fixed": { "type": "container_t" } }),
            "no level of its own (the runtime draws one for each pod)",
        ),
        (
            "a",
            json!({ "scope": "ServiceAccount" }),
            "no level of its own (service accounts own levels; the Namespace alone does not determine them)",
        ),
        (
            "a",
            json!({ "scope": "StatefulPod" }),
            "no level of its own (single pods own levels; the Namespace alone does not determine them)",
        ),
        ("a", json!({ "source": "NamespaceAnnotation" }), "s0:c14,c27 (annotation openshift.io/sa.scc.mcs)"),
        ("b", json!({ "source": "NamespaceAnnotation" }), "HASH (hash of namespace:b)"),
        (
            "b",
            json!({ "source": "NamespaceAnnotation", "onMissingAnnotation": "Reject" }),
            "no level of its own (its pods are denied until it is annotated with portcullis.dev/selinux-level)",
        ),
        (
            "b",
            json!({ "scope": "NamespaceLabel", "namespaceLabel": "tenant" }),
            "HASH (hash of label:tenant=x)",
        ),
        ("a", json!({ "scope": "NamespaceLabel", "namespaceLabel": "tenant" }), "HASH (hash of namespace:a)"),
    ] {
        let settings = json!({ "allocation": allocation });
        let output =
            level(&folder, &[name, "--settings-json", &settings.to_string(), "--cluster", "namespaces.json"]);
        let given = output.strip_prefix(&format!("{name}: ")).unwrap().strip_suffix('\n').unwrap();
        let hashed = given.split(' ').next().unwrap();
        assert_eq!(given, text.replace("HASH", hashed), "{settings}");
        if text.starts_with("HASH") {
            assert!(hashed.starts_with("s0:c"), "{output}");
            // The policy gives a pod the same level.
            let pods: Value =
                serde_json::from_str(&std::fs::read_to_string(folder.0.join("namespaces.json")).unwrap())
                    .unwrap();
            let dump = [pods.as_array().unwrap().clone(), vec![plain(name, "x")]].concat();
            assert_eq!(
                found(&folder, &dump, &settings)["changed"][0]["changes"],
                json!({ "spec.securityContext.seLinuxOptions.level": hashed }),
                "{settings}"
            );
        }
    }
    let exempt = r#"{"exempt": {"namespaces": ["a"]}}"#;
    assert_eq!(
        level(&folder, &["a", "--settings-json", exempt]),
        "a: no level of its own (exempt; the runtime draws one for each pod)\n"
    );
}

#[test]
fn asks_for_a_namespace_that_decides_the_level() {
    let folder = Folder::new("selinux-unknown");
    folder.file("other.json", bare("other").to_string());
    folder.file("bad.json", annotated("a", "s0:c5.c2").to_string());
    let annotation = r#"{"allocation": {"source": "NamespaceAnnotation"}}"#;
    let strict = r#"{"allocation": {"source": "NamespaceAnnotation", "onMissingAnnotation": "Reject"}}"#;
    let label = r#"{"allocation": {"scope": "NamespaceLabel", "namespaceLabel": "tenant"}}"#;
    assert_eq!(
        level(&folder, &["team-a", "--settings-json", annotation, "--cluster", "other.json"]),
        "team-a: s0:c78,c138 (hash of namespace:team-a; an annotation on the Namespace would take precedence; \
         pass the Namespace with --cluster)\n"
    );
    for (arguments, message) in [
        (
            ["a", "--settings-json", strict, "--cluster", "other.json"],
            "a: the level depends on the Namespace: its annotations decide; pass the Namespace with --cluster",
        ),
        (
            ["a", "--settings-json", label, "--cluster", "other.json"],
            "a: the level depends on the Namespace: its labels decide; pass the Namespace with --cluster",
        ),
        (
            ["a", "--settings-json", annotation, "--cluster", "bad.json"],
            "bad.json: Namespace a: metadata.annotations[portcullis.dev/selinux-level]: has a range of categories \
             that does not ascend",
        ),
        (
            ["other", "--settings-json", annotation, "--cluster", "gone.json"],
            "gone.json: cannot be read: No such file or directory (os error 2)",
        ),
    ] {
        assert_eq!(folder.refused(&[&["selinux", "level"], &arguments[..]].concat(), ""), message);
    }
    for name in ["Team", "a.b", "", "a b", "*"] {
        assert_eq!(
            folder.refused(&["selinux", "level", "good", name], ""),
            format!(
                "{name:?}: is not a valid Namespace name; use at most 63 of a-z, 0-9 and -, with a letter or digit at both ends"
            )
        );
    }
}

/// Runs `selinux allocate`; returns the status and the output.
fn allocated(folder: &Folder, dump: &[Value], arguments: &[&str]) -> (i32, String) {
    folder.file("namespaces.json", json!(dump).to_string());
    let (status, stdout, stderr) =
        folder.run(&[&["selinux", "allocate", "namespaces.json"], arguments].concat(), "");
    assert_eq!(stderr, "", "{arguments:?}");
    (status, stdout)
}

#[test]
fn allocate_writes_a_script_that_annotates_namespaces() {
    let folder = Folder::new("allocate-script");
    let dump = [bare("team-a"), bare("tenant-286"), bare("tenant-327"), annotated("done", "s0:c1,c2")];
    let (status, script) = allocated(&folder, &dump, &[]);
    let expected = "# tenant-327: not s0:c136,c179, which tenant-286 has\n\
                    kubectl annotate namespace tenant-327 portcullis.dev/selinux-level=s0:c475,c586\n\
                    kubectl annotate namespace team-a portcullis.dev/selinux-level=s0:c78,c138\n\
                    kubectl annotate namespace tenant-286 portcullis.dev/selinux-level=s0:c136,c179\n\
                    # 3 to annotate, 1 annotated, 0 with the same level, 0 without a level.\n";
    assert_eq!((status, script.as_str()), (0, expected));
}

#[test]
fn allocate_reports_what_it_cannot_solve() {
    let folder = Folder::new("allocate-problems");
    let dump = [annotated("one", "s0:c1,c2"), annotated("two", "s0:c2,c1"), annotated("bad", "s0:c1")];
    let (status, script) = allocated(&folder, &dump, &[]);
    assert_eq!(status, 1, "{script}");
    assert!(script.lines().all(|line| line.starts_with("# ")), "{script}");
    assert!(script.contains("# same level: s0:c1,c2: one ("), "{script}");
    assert!(script.contains("# bad: "), "{script}");
    let (status, json) = allocated(&folder, &dump, &["-o", "json"]);
    let found: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((status, found["collisions"][0]["level"].as_str()), (1, Some("s0:c1,c2")), "{json}");
}

#[test]
fn allocate_needs_namespaces_that_own_levels() {
    let folder = Folder::new("allocate-settings");
    let settings = r#"{"allocation": {"source": "Runtime"}}"#;
    let input = json!([bare("team-a")]).to_string();
    let message = folder.refused(&["selinux", "allocate", "-", "--settings-json", settings], &input);
    assert_eq!(
        message,
        "--settings-json: allocation.source: gives Namespaces no levels; set NamespaceAnnotation"
    );
}
