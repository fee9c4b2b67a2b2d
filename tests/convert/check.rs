//! `--check`: manifests compared with models of their sources.

use convert_check::{Comparer, Comparison, KyvernoModel, Object};
use serde_json::{Value, json};

use super::conformance::{cases, documents};
use super::{convert, converted, folder, kyverno_library};

/// The objects of a case: its pods, and Deployments with them.
fn objects(case: &Value) -> Vec<Object> {
    let mut objects = Vec::new();
    for (number, pod) in case["pods"].as_array().into_iter().flatten().enumerate() {
        let annotations = pod.get("annotations").cloned().unwrap_or_else(|| json!({}));
        let metadata = json!({ "name": "p", "namespace": pod["namespace"], "annotations": annotations });
        let template = json!({ "metadata": { "annotations": annotations }, "spec": pod["spec"] });
        for value in [
            json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod["spec"] }),
            json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": { "template": template } }),
        ] {
            objects.push(Object { place: format!("{} {number}", case["source"]), value });
        }
    }
    objects
}

fn compared(case: &Value, manifests: &[Value]) -> Comparison {
    let list: Value = serde_json::from_str(&documents(case, true)).unwrap();
    let configuration = json!({ "data": {} });
    let model = KyvernoModel::read(&[list], Some(&configuration)).unwrap();
    let mut comparer = Comparer::new(manifests, &model, Vec::new()).unwrap();
    for object in &objects(case) {
        comparer.compare(object);
    }
    comparer.finish()
}

fn manifests(case: &Value) -> Vec<Value> {
    converted(&documents(case, true)).1["items"].as_array().unwrap().clone()
}

#[test]
fn the_model_of_kyverno_agrees_with_its_own_cases_and_with_the_manifests() {
    let mut judged = 0;
    for case in cases() {
        let comparison = compared(&case, &manifests(&case));
        assert!(comparison.differences.is_empty(), "{}: {:#?}", case["source"], comparison.differences);
        assert!(comparison.unknown.is_empty(), "{}: {:#?}", case["source"], comparison.unknown);
        judged += comparison.compared;
    }
    assert_eq!(judged, 2 * 122);
}

/// Each of these mistakes in a manifest has to be found by a case.
#[test]
fn a_wrong_manifest_is_found() {
    type Mistake = fn(&mut Value) -> Option<()>;
    let mistakes: [(&str, Mistake); 4] = [
        ("the level", |manifest| {
            let level = manifest.pointer_mut("/spec/settings/level")?;
            *level = "privileged".into();
            manifest["spec"]["settings"].as_object_mut()?.remove("exclude");
            Some(())
        }),
        ("the exclusions", |manifest| {
            manifest["spec"]["settings"].as_object_mut()?.remove("exclude").map(drop)
        }),
        ("the conditions of exclusions", |manifest| {
            for entry in manifest.pointer_mut("/spec/settings/exclude")?.as_array_mut()? {
                entry.as_object_mut()?.remove("namespaces");
            }
            Some(())
        }),
        ("the resources", |manifest| {
            manifest["spec"]["rules"][0]["resources"] = json!(["services"]);
            Some(())
        }),
    ];
    for (name, mistake) in mistakes {
        let mut found = 0;
        for case in cases() {
            let mut manifests = manifests(&case);
            let changed: Vec<Option<()>> = manifests.iter_mut().map(mistake).collect();
            if changed.iter().any(Option::is_some) {
                found += compared(&case, &manifests).differences.len();
            }
        }
        assert!(found > 0, "{name}");
    }
}

const PSA: &str = "{apiVersion: pod-security.admission.config.k8s.io/v1, kind: PodSecurityConfiguration, \
                   defaults: {enforce: baseline}, exemptions: {namespaces: [free], runtimeClasses: [vm]}}";

#[test]
fn pod_security_admission_is_compared_with_its_model() {
    let folder = folder("check-psa");
    let namespace = |name: &str, labels: &str| {
        format!(
            "---\n{{apiVersion: v1, kind: Namespace, metadata: {{name: {name}, labels: {{{labels}}}}}}}\n"
        )
    };
    let pod = |name: &str, namespace: &str, spec: &str| {
        format!(
            "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: {namespace}}}, spec: {{{spec} containers: [{{name: c, image: i}}]}}}}\n"
        )
    };
    let text = [
        namespace("plain", ""),
        namespace("free", ""),
        namespace("strict", "pod-security.kubernetes.io/enforce: restricted"),
        namespace("wrong", "pod-security.kubernetes.io/enforce: other"),
        namespace(
            "wrong-old",
            "pod-security.kubernetes.io/enforce: other, pod-security.kubernetes.io/enforce-version: v1.7",
        ),
        namespace("open", "pod-security.kubernetes.io/enforce: privileged"),
        pod("good", "plain", ""),
        pod("bad", "plain", "hostPID: true,"),
        pod("exempt", "free", "hostPID: true,"),
        pod("class", "plain", "hostPID: true, runtimeClassName: vm,"),
        pod("plain", "strict", ""),
        pod("plain", "wrong", ""),
        // The version counts although the level is invalid.
        pod("old", "wrong-old", "securityContext: {runAsNonRoot: true},"),
        pod("bad", "open", "hostPID: true,"),
        "---\n{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: strict}, spec: {template: {spec: {hostPID: true, containers: [{name: c, image: i}]}}}}\n".to_owned(),
        "---\n{apiVersion: v1, kind: Service, metadata: {name: s, namespace: strict}}\n".to_owned(),
    ]
    .concat();
    std::fs::write(folder.join("objects.yaml"), &text).unwrap();
    let (status, stdout, stderr) = convert(&folder, &["psa", "-", "--check", "objects.yaml"], PSA);
    assert_eq!(stderr, "compared 8 objects with 1 policy: 0 differences, 0 unknown\n");
    assert!(status == 0 && stdout.contains("kind: ClusterAdmissionPolicy"), "{stdout}");
    // The labels of a Namespace decide, so that a verdict is unknown without them.
    std::fs::write(folder.join("other.yaml"), pod("lost", "elsewhere", "")).unwrap();
    let (status, _, stderr) =
        convert(&folder, &["psa", "-", "--check", "objects.yaml", "--check", "other.yaml"], PSA);
    assert_eq!(status, 1);
    let lines: Vec<&str> = stderr.lines().collect();
    let advice = "add the output of `kubectl get namespaces -o yaml` to --check";
    let reason =
        format!("Pod elsewhere/lost: the labels of Namespace elsewhere are not in the input; {advice}");
    assert_eq!(
        lines,
        [
            &*format!("other.yaml:2: unknown: {reason}"),
            "compared 8 objects with 1 policy: 0 differences, 1 unknown"
        ]
    );
    // A comparison of nothing proves nothing.
    // The plugin never denies workloads, so there is nothing to compare of them.
    let job = "---\n{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: plain}}\n";
    std::fs::write(folder.join("none.yaml"), namespace("plain", "") + job).unwrap();
    let refused = |arguments: &[&str], message: &str| {
        let (status, stdout, stderr) = convert(&folder, &[&["psa", "-"], arguments].concat(), PSA);
        assert_eq!((status, stdout.as_str()), (2, ""), "{arguments:?}");
        assert_eq!(stderr, format!("portcullis: {message}\n"), "{arguments:?}");
    };
    refused(
        &["--check", "none.yaml"],
        "--check: nothing could be compared; the input has no object of kind Pod",
    );
    refused(
        &["--check", "other.yaml"],
        &format!("--check: nothing could be compared; the first of 1 unknown verdict is {reason}"),
    );
    refused(&["--check"], "--check: expected a file or a directory, or --live for a running cluster");
    refused(
        &["--check", "objects.yaml", "--live"],
        "--live: reads the objects of a running cluster; pass --check without a file or directory",
    );
    let (status, stdout, stderr) =
        convert(&folder, &["psa", "-", "--check", "--live", "--kubeconfig", "none"], PSA);
    assert_eq!((status, stdout.as_str()), (2, ""));
    assert!(stderr.starts_with("portcullis: none: cannot be read: "), "{stderr}");
    refused(&["--check", "-"], "standard input can be read only once; pass - a single time");
    // The user whose requests are compared is exempt.
    let exempt = PSA.replace("namespaces: [free]", "usernames: [alice], namespaces: [free]");
    let (status, _, stderr) = convert(&folder, &["psa", "-", "--check", "objects.yaml"], &exempt);
    assert_eq!(
        (status, stderr.as_str()),
        (0, "compared 8 objects with 1 policy: 0 differences, 0 unknown\n")
    );
}

#[test]
fn kyverno_is_compared_with_its_model() {
    let folder = folder("check-kyverno");
    let policy = |check: &str| {
        format!(
            "---\n{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{background: false, rules: \
             [{{name: r, match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}, validate: {{failureAction: Enforce, {check}}}}}]}}}}\n"
        )
    };
    let pod = |name: &str, namespace: &str| {
        format!(
            "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: {namespace}}}, spec: {{hostPID: true, containers: [{{name: c, image: i}}]}}}}\n"
        )
    };
    std::fs::create_dir_all(folder.join("objects")).unwrap();
    std::fs::write(folder.join("objects/pods.yaml"), [pod("a", "shop"), pod("b", "kube-system")].concat())
        .unwrap();
    let arguments = ["kyverno", "-", "--check", "objects"];
    let (status, _, stderr) =
        convert(&folder, &arguments, &policy("podSecurity: {level: baseline, version: latest}"));
    assert_eq!(
        (status, stderr.as_str()),
        (0, "compared 2 objects with 1 policy: 0 differences, 0 unknown\n")
    );
    // The manifest checks nothing at this level, where Kyverno runs all checks.
    let (status, _, stderr) =
        convert(&folder, &arguments, &policy("podSecurity: {level: privileged, version: latest}"));
    assert_eq!(status, 1);
    assert!(stderr.contains("objects/pods.yaml:2: differs: Pod shop/a: the source: violates ClusterPolicy p, rule r: PodSecurity privileged:latest: "), "{stderr}");
    assert!(stderr.ends_with("compared 2 objects with 1 policy: 1 difference, 0 unknown\n"), "{stderr}");
    // Checks of the library are evaluated.
    let (status, stdout, stderr) =
        convert(&folder, &arguments, &policy("pattern: {spec: {'=(volumes)': [{'X(hostPath)': 'null'}]}}"));
    assert_eq!(
        (status, stderr.as_str()),
        (0, "compared 2 objects with 1 policy: 0 differences, 0 unknown\n"),
        "{stdout}"
    );
    // The configuration of Kyverno leaves the other pod out.
    let (status, _, stderr) =
        convert(&folder, &arguments, &policy("pattern: {spec: {'(volumes)': [{'X(hostPath)': 'null'}]}}"));
    assert_eq!(status, 1);
    assert!(stderr.contains("unknown: Pod shop/a: the source: unknown, ClusterPolicy p: rule r: --check does not support the anchor (volumes)"), "{stderr}");
    assert!(stderr.ends_with("compared 1 object with 0 policies: 0 differences, 1 unknown\n"), "{stderr}");
}

/// Each case of Kyverno's library, judged by the model and by the manifests.
#[test]
fn the_model_of_kyverno_agrees_with_the_cases_of_its_library() {
    let mut judged = 0;
    let mut found = 0;
    let cases = kyverno_library::cases();
    let manifests: Vec<Vec<Value>> = cases
        .iter()
        .map(|case| {
            converted(&kyverno_library::policy_of(case).to_string()).1["items"].as_array().unwrap().clone()
        })
        .collect();
    for (number, case) in cases.iter().enumerate() {
        let configuration = json!({ "data": {} });
        let model = KyvernoModel::read(&[kyverno_library::policy_of(case)], Some(&configuration)).unwrap();
        let compare = |manifests: &[Value], key: &str| {
            let mut comparer = Comparer::new(manifests, &model, Vec::new()).unwrap();
            for pod in case[key].as_array().unwrap() {
                for (value, _) in kyverno_library::objects(pod) {
                    comparer.compare(&Object { place: format!("{} {pod}", case["policy"]), value });
                }
            }
            comparer.finish()
        };
        for key in ["allowed", "refused"] {
            let Comparison { compared, differences, unknown } = compare(&manifests[number], key);
            assert!(differences.is_empty() && unknown.is_empty(), "{differences:#?} {unknown:#?}");
            judged += compared;
        }
        // Without a manifest, each refused pod is a difference.
        let Comparison { compared, differences, .. } = compare(&[], "refused");
        assert_eq!(differences.len(), compared, "{}", case["policy"]);
        // The manifest of another check is the wrong one.
        let other = &manifests[(number + 1) % manifests.len()];
        found += usize::from(!compare(other, "refused").differences.is_empty());
    }
    assert_eq!(judged, 3 * 67);
    assert!(found > cases.len() / 2, "{found}");
}

#[test]
fn services_and_expressions_are_compared_with_the_model_of_kyverno() {
    let folder = folder("check-kyverno-others");
    let text = "{apiVersion: v1, kind: Service, metadata: {name: plain, namespace: shop}, spec: {ports: [{port: 80}]}}\n---\n\
                {apiVersion: v1, kind: Service, metadata: {name: exposed, namespace: shop}, spec: {externalIPs: [192.0.2.1]}}\n---\n\
                {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: shop}, spec: {volumes: [{name: v, hostPath: {path: /srv}}], containers: [{name: c, image: i}]}}\n";
    std::fs::write(folder.join("objects.yaml"), text).unwrap();
    let arguments = ["kyverno", "-", "--check", "objects.yaml"];
    let services = "{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: p}, spec: {background: false, rules: \
                    [{name: r, match: {any: [{resources: {kinds: [Service]}}]}, validate: {failureAction: Audit, pattern: {spec: {'X(externalIPs)': 'null'}}}}]}}";
    let (_, _, stderr) = convert(&folder, &arguments, services);
    assert!(stderr.ends_with("compared 3 objects with 1 policy: 0 differences, 0 unknown\n"), "{stderr}");
    let volumes = kyverno_library::validating(&json!({})).to_string();
    let (status, _, stderr) = convert(&folder, &arguments, &volumes);
    assert_eq!((status, stderr.as_str()), (0, "compared 1 object with 1 policy: 0 differences, 0 unknown\n"));
}

/// The comparisons that guides show print what they show.
#[test]
fn guides_show_the_summary_of_their_comparison() {
    let folder = folder("check-guides");
    let kyverno = "{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: p}, spec: {background: false, rules: \
                   [{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, validate: {failureAction: Enforce, podSecurity: {level: baseline}}}]}}";
    for (guide, file, source) in
        [("migrate-psa.md", "admission.yaml", PSA), ("migrate-kyverno.md", "policy.yaml", kyverno)]
    {
        let guide = std::fs::read_to_string(tests::root().join("docs").join(guide)).unwrap();
        let (before, summary) = guide.split_once("\ncompared ").unwrap();
        let command = before.lines().last().unwrap();
        let summary = format!("compared {}\n", summary.lines().next().unwrap());
        let count: usize = summary.split(' ').nth(1).unwrap().parse().unwrap();
        let pod = |number| json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": format!("p{number}"), "namespace": "shop" }, "spec": { "hostPID": number % 2 == 0, "containers": [{ "name": "c", "image": "i" }] } });
        let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "shop" } });
        let items: Vec<Value> = (0..count).map(pod).chain([namespace]).collect();
        let list = json!({ "apiVersion": "v1", "kind": "List", "items": items });
        std::fs::write(folder.join("dump.yaml"), list.to_string()).unwrap();
        std::fs::write(folder.join(file), source).unwrap();
        let arguments = command.strip_prefix("$ portcullis convert ").unwrap().split(" > ").next().unwrap();
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let (status, _, stderr) = convert(&folder, &arguments, "");
        assert_eq!((status, stderr), (0, summary), "{command}");
    }
}
