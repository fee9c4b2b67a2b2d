//! The manifests that `portcullis convert` writes, as a user gets them.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// Status, standard output and standard error of `convert`, in a folder.
fn convert(folder: &Path, arguments: &[&str], input: &str) -> (i32, String, String) {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let mut child = Command::new(target.join("debug/portcullis"))
        .current_dir(folder)
        .arg("convert")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the tool is built with ./justw modules");
    // A tool that does not read it closes the pipe.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// A folder of a test's own.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("convert-{test}"));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The status and the list that become of some documents; the documents of the YAML output are the same manifests.
fn converted(input: &str) -> (i32, Value) {
    let (status, stdout, stderr) = convert(&tests::root(), &["kyverno", "-", "-o", "json"], input);
    assert_eq!(stderr, "", "{input}");
    let list: Value = serde_json::from_str(&stdout).unwrap();
    let (_, yaml, _) = convert(&tests::root(), &["kyverno", "-"], input);
    assert_eq!(documents(&yaml), *list["items"].as_array().unwrap(), "{yaml}");
    let missing = list["notConverted"].as_array().unwrap();
    assert_eq!(yaml.lines().filter(|line| line.starts_with("# not converted: ")).count(), missing.len());
    assert_eq!(status, i32::from(!missing.is_empty()), "{yaml}");
    (status, list)
}

fn documents(yaml: &str) -> Vec<Value> {
    let documents: Vec<Value> = serde_saphyr::from_multiple(yaml).unwrap();
    documents.into_iter().filter(|document| !document.is_null()).collect()
}

/// What is not converted, as `path: problem`.
fn missing(list: &Value) -> Vec<String> {
    let text = |item: &Value, key: &str| item[key].as_str().unwrap().to_owned();
    let items = list["notConverted"].as_array().unwrap().iter();
    items.map(|item| format!("{}: {}", text(item, "path"), text(item, "problem"))).collect()
}

/// A `ClusterPolicy` p with one rule r that has a check.
fn policy(spec: &str, rule: &str) -> String {
    format!(
        "---\n{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{{spec} rules: [{{name: r, \
         {rule}, validate: {{podSecurity: {{level: baseline, version: latest}}}}}}]}}}}"
    )
}

/// The same for all pods.
fn pods(spec: &str, rule: &str) -> String {
    policy(spec, &format!("match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}{rule}"))
}

/// The only manifest of what is converted without a remark.
fn manifest(input: &str) -> Value {
    let (status, mut list) = converted(input);
    assert_eq!(status, 0, "{list}");
    assert_eq!(list["items"].as_array().unwrap().len(), 1, "{list}");
    list["items"][0].take()
}

/// The expression of the only match condition.
fn expression(input: &str) -> String {
    let manifest = manifest(input);
    let conditions = manifest["spec"]["matchConditions"].as_array().unwrap();
    assert_eq!(conditions.len(), 1, "{manifest}");
    conditions[0]["expression"].as_str().unwrap().to_owned()
}

/// The sentence with which something is refused; nothing is printed then.
fn refused(arguments: &[&str], input: &str) -> String {
    let (status, stdout, stderr) = convert(&tests::root(), arguments, input);
    assert_eq!((status, stdout.as_str()), (2, ""), "{input} {stderr}");
    let sentence = stderr.strip_prefix("portcullis: ").unwrap().strip_suffix('\n').unwrap();
    assert!(!sentence.contains('\n'), "{sentence}");
    sentence.to_owned()
}

const DOCUMENT: &str = "\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: psa
spec:
  validationFailureAction: enforce
  rules:
    - name: exclude-all-capabilities
      match:
        any:
          - resources:
              kinds:
                - Pod
              namespaces:
                - test
                - staging
      exclude:
        any:
          - userInfo:
              username: some-user
      validate:
        podSecurity:
          profile: restricted
          version: v1.24
          exclude:
            - controlName: Capabilities
              images:
                - ghcr.io/example/nginx:1.2.3
    - name: exclude-capabilities
      match:
        any:
          - resources:
              kinds:
                - Pod
              namespaces:
                - test
                - staging
      exclude:
        any:
          - userInfo:
              username: some-user
      validate:
        podSecurity:
          profile: restricted
          version: latest
          exclude:
            - controlName: Capabilities
              images:
                - ghcr.io/example/nginx:1.2.3
              restrictedField: spec.containers[*].securityContext.capabilities.add
              values:
                - \"KILL\"
                - \"SETGID\"
                - \"SETUID\"
    - name: exclude-all-volumes
      match:
        any:
          - resources:
              kinds:
                - Pod
              namespaces:
                - test
                - staging
      exclude:
        any:
          - resources:
              selector:
                matchLabels:
                  app: nginx
      validate:
        podSecurity:
          profile: restricted
          version: v1.24
          exclude:
            - controlName: Volumes
";

const NO_AUDIT: &str = "\
# The audit scanner does not audit what has rules for subresources; add a second policy without them for background audits.
";

const SUBRESOURCES: &str = "  - apiGroups:
    - \"\"
    apiVersions:
    - v1
    resources:
    - pods/ephemeralcontainers
    - pods/resize
    operations:
    - UPDATE
";

const CONTROLLERS: &str = "  - apiGroups:
    - apps
    apiVersions:
    - v1
    resources:
    - daemonsets
    - deployments
    - replicasets
    - statefulsets
    operations:
    - CREATE
    - UPDATE
  - apiGroups:
    - batch
    apiVersions:
    - v1
    resources:
    - cronjobs
    - jobs
    operations:
    - CREATE
    - UPDATE
";

const NAMESPACES: &str = "  namespaceSelector:
    matchExpressions:
    - key: kubernetes.io/metadata.name
      operator: In
      values:
      - test
      - staging
";

/// The beginning of a manifest of the document.
fn beginning(name: &str, resources: &str) -> String {
    format!(
        "\
{NO_AUDIT}apiVersion: policies.kubewarden.io/v1
kind: ClusterAdmissionPolicy
metadata:
  name: psa-{name}
spec:
  module: registry://ghcr.io/portcullis/policies/pod-security:v0.1.0
  mode: protect
  mutating: false
  rules:
  - apiGroups:
    - \"\"
    apiVersions:
    - v1
    resources:
{resources}    operations:
    - CREATE
    - UPDATE
{SUBRESOURCES}"
    )
}

#[test]
fn the_examples_of_the_document_become_manifests() {
    let all = "    - pods\n    - replicationcontrollers\n";
    let user = "  matchConditions:
  - name: is-not-excluded
    expression: \"!(has(request.userInfo.username) && request.userInfo.username == 'some-user')\"
  backgroundAudit: false
  settings:
    exclude:
    - controlName: Capabilities
      images:
      - ghcr.io/example/nginx:1.2.3
";
    let first = format!(
        "{}{CONTROLLERS}{NAMESPACES}{user}    existingViolations: Tolerate\n    profile: restricted\n    version: v1.24\n",
        beginning("exclude-all-capabilities", all)
    );
    let second = format!(
        "{}{CONTROLLERS}{NAMESPACES}{user}      restrictedField: spec.containers[*].securityContext.capabilities.add
      values:
      - KILL
      - SETGID
      - SETUID
    existingViolations: Tolerate
    profile: restricted
    version: latest
",
        beginning("exclude-capabilities", all)
    );
    // The labels of a workload are not those of its pods: no template is judged.
    let third = format!(
        "{}{NAMESPACES}  matchConditions:
  - name: is-not-excluded
    expression: \"!(has(object.metadata.labels) && 'app' in object.metadata.labels && object.metadata.labels['app'] == \
         'nginx' && (oldObject == null || (has(oldObject.metadata.labels) && 'app' in oldObject.metadata.labels && \
         oldObject.metadata.labels['app'] == 'nginx')))\"
  backgroundAudit: false
  settings:
    exclude:
    - controlName: Volumes
    existingViolations: Tolerate
    profile: restricted
    templates: Ignore
    version: v1.24
",
        beginning("exclude-all-volumes", "    - pods\n")
    );
    let (status, stdout, stderr) = convert(&tests::root(), &["kyverno", "-"], DOCUMENT);
    assert_eq!((status, stderr.as_str()), (0, ""));
    assert_eq!(stdout, [first, second, third].join("---\n"));
    converted(DOCUMENT);
}

#[test]
fn the_action_decides_on_mode_warnings_and_existing_violations() {
    let of = |spec: &str| {
        let spec = manifest(&pods(spec, ""))["spec"].take();
        (spec["mode"].clone(), spec["settings"].clone())
    };
    let plain = json!({ "level": "baseline", "version": "latest" });
    assert_eq!(of(""), (json!("monitor"), plain.clone()));
    assert_eq!(of("validationFailureAction: AUDIT,"), (json!("monitor"), plain.clone()));
    let tolerant = json!({ "level": "baseline", "version": "latest", "existingViolations": "Tolerate" });
    assert_eq!(of("validationFailureAction: Enforce, emitWarning: true,"), (json!("protect"), tolerant));
    let warning = json!({ "level": "baseline", "version": "latest", "warn": plain });
    assert_eq!(of("emitWarning: true,"), (json!("monitor"), warning));
    let strict = pods("", "")
        .replace("validate: {", "validate: {failureAction: enforce, allowExistingViolations: false, ");
    let strict = manifest(&strict);
    assert_eq!(strict["spec"]["mode"], "protect");
    assert_eq!(strict["spec"]["settings"]["existingViolations"], "Recheck");
    assert_eq!(
        refused(&["kyverno", "-"], &pods("validationFailureAction: block,", "")),
        "standard input: spec.validationFailureAction: expected Enforce or Audit"
    );
}

#[test]
fn controllers_are_judged_where_kyverno_derives_rules_for_them() {
    let resources = |input: &str| {
        let manifest = manifest(input);
        let rules = manifest["spec"]["rules"].as_array().unwrap().iter();
        let resources = rules.flat_map(|rule| rule["resources"].as_array().unwrap().clone());
        let resources: Vec<String> =
            resources.map(|resource| resource.as_str().unwrap().to_owned()).collect();
        let templates = resources.iter().any(|resource| !resource.starts_with("pods"));
        assert_eq!(manifest["spec"]["settings"].get("templates").is_none(), templates, "{manifest}");
        resources.join(" ")
    };
    let annotated = |controllers: &str| {
        let annotations = format!(
            "{{name: p, annotations: {{pod-policies.kyverno.io/autogen-controllers: '{controllers}'}}}}"
        );
        pods("", "").replace("{name: p}", &annotations)
    };
    let pod = "pods pods/ephemeralcontainers pods/resize";
    let all = "pods replicationcontrollers pods/ephemeralcontainers pods/resize daemonsets deployments replicasets \
               statefulsets cronjobs jobs";
    let matching = |filter: &str| policy("", &format!("match: {{any: [{{resources: {{{filter}}}}}]}}"));
    assert_eq!(resources(&pods("", "")), all);
    assert_eq!(resources(&annotated("all")), all);
    assert_eq!(resources(&annotated("none")), pod);
    assert_eq!(resources(&annotated("Deployment, Job")), format!("{pod} deployments jobs"));
    assert_eq!(resources(&matching("kinds: [Pod], name: web")), pod);
    assert_eq!(resources(&matching("kinds: [Pod], selector: {matchLabels: {a: b}}")), pod);
    assert_eq!(resources(&matching("kinds: [v1/Pod], annotations: {a: b}")), pod);
    assert_eq!(resources(&matching("kinds: [Pod, apps/v1/Deployment]")), format!("{pod} deployments"));
    assert_eq!(
        resources(&matching("kinds: ['*/*Set', Pod/ephemeralcontainers]")),
        "pods/ephemeralcontainers daemonsets replicasets statefulsets"
    );
    assert_eq!(resources(&matching("kinds: [Pod], names: [a], operations: [CREATE, DELETE]")), "pods");
    assert_eq!(resources(&pods("", ", exclude: {any: [{resources: {names: [a]}}]}")), pod);
    assert_eq!(resources(&pods("", ", exclude: {any: [{resources: {kinds: [Pod], namespaces: [a]}}]}")), all);
}

#[test]
fn simple_conditions_become_selectors() {
    let spec = |match_: &str, exclude: &str| {
        let rule = format!(
            "match: {{all: [{{resources: {{kinds: [Pod], {match_}}}}}]}}, exclude: {{any: [{exclude}]}}"
        );
        manifest(&policy("", &rule))["spec"].take()
    };
    let name = |operator: &str, names: Value| json!({ "key": "kubernetes.io/metadata.name", "operator": operator, "values": names });
    let found = spec(
        "namespaces: [a], namespaceSelector: {matchLabels: {env: prod}}, selector: {matchLabels: {app: 'yes'}}",
        "{resources: {namespaces: [b, c]}}, {resources: {kinds: [Pod], namespaceSelector: {matchLabels: {tier: x}}}}, \
         {resources: {namespaceSelector: {matchExpressions: [{key: open, operator: DoesNotExist}]}}}",
    );
    assert_eq!(
        found["namespaceSelector"],
        json!({
            "matchLabels": { "env": "prod" },
            "matchExpressions": [
                name("In", json!(["a"])),
                name("NotIn", json!(["b", "c"])),
                { "key": "tier", "operator": "NotIn", "values": ["x"] },
                { "key": "open", "operator": "Exists" },
            ],
        })
    );
    assert_eq!(found["objectSelector"], json!({ "matchLabels": { "app": "yes" } }));
    assert_eq!(found.get("matchConditions"), None);
}

#[test]
fn patterns_and_alternatives_become_expressions() {
    let any = |filters: &str| policy("", &format!("match: {{any: [{filters}]}}"));
    assert_eq!(
        expression(&any("{resources: {kinds: [Pod], namespaces: ['team-*', 'a.b?', x]}}")),
        r"request.namespace == 'x' || request.namespace.matches('^team-.*$') || request.namespace.matches('^a\\.b.$')"
    );
    assert_eq!(
        expression(&any("{resources: {kinds: [Pod], namespaces: [a], operations: [CREATE]}}, \
             {resources: {kinds: [Pod]}, subjects: [{kind: Group, name: devs}, {kind: User, name: 'jo*'}, \
             {kind: ServiceAccount, name: ci, namespace: build}]}")),
        "(request.operation == 'CREATE' && request.namespace == 'a') || (has(request.userInfo.username) && \
         (request.userInfo.username == 'system:serviceaccount:build:ci' || \
         request.userInfo.username.matches('^jo.*$'))) || (has(request.userInfo.groups) && 'devs' in \
         request.userInfo.groups)"
    );
    assert_eq!(
        expression(&any("{resources: {kinds: [Pod], namespaces: [a]}}, {resources: {kinds: [Deployment]}}")),
        "request.namespace == 'a' || request.resource.resource == 'deployments'"
    );
    assert_eq!(
        expression(&pods(
            "",
            ", exclude: {all: [{resources: {namespaces: [kube-system]}}, {subjects: [{kind: Group, name: 'system:*'}]}]}"
        )),
        "!(request.namespace == 'kube-system' && has(request.userInfo.groups) && \
         request.userInfo.groups.exists(group, group.matches('^system:.*$')))"
    );
    assert_eq!(
        expression(&pods("", ", exclude: {any: [{resources: {kinds: [Deployment], operations: [UPDATE]}}]}")),
        "!(request.resource.resource == 'deployments' && request.operation == 'UPDATE')"
    );
}

#[test]
fn what_narrows_a_match_and_cannot_be_said_is_left_out_and_listed() {
    let rule = "match: {any: [{resources: {kinds: [Pod, Service]}, clusterRoles: [admin]}]}, \
                preconditions: {all: []}, context: [], celPreconditions: [{name: a}], skipBackgroundRequests: true";
    let spec = "background: true, applyRules: One, newThing: 1, \
                validationFailureActionOverrides: [{action: Enforce, namespaces: [prod]}],";
    let (status, list) = converted(&policy(spec, rule));
    assert_eq!(status, 1);
    assert_eq!(list["items"].as_array().unwrap().len(), 1);
    let missing = missing(&list).join("\n");
    for line in [
        "spec.rules[0].match.any[0].resources.kinds: Service is no pod and no workload with a template of pods",
        "spec.rules[0].match.any[0].clusterRoles: a request does not say which roles its user has; without it more is judged",
        "spec.rules[0].preconditions: the rule is judged without it; write what it says as a matchCondition",
        "spec.rules[0].context: nothing can use it",
        "spec.rules[0].celPreconditions: the rule is judged without it; write what it says as a matchCondition",
        "spec.rules[0].skipBackgroundRequests: requests of the background controller are judged as all others",
        "spec.background: the audit scanner does not audit what has rules for subresources of pods; add a second policy without them for it",
        "spec.applyRules: each rule is a policy of its own and judges whatever the others do",
        "spec.newThing: nothing corresponds to it",
        "spec.validationFailureActionOverrides: a policy has one mode; make a policy for each mode, with a namespaceSelector",
    ] {
        assert!(missing.lines().any(|found| found == line), "{line}\n{missing}");
    }
    assert_eq!(missing.lines().count(), 10, "{missing}");
    assert_eq!(list["notConverted"][0]["policy"], "ClusterPolicy p");
    assert_eq!(list["notConverted"][0]["rule"], "r");
}

#[test]
fn a_filter_of_exclude_with_a_part_that_cannot_be_said_excludes_nothing() {
    for (filter, problem) in [
        (
            "{resources: {namespaces: [a]}, roles: ['b:c']}",
            "exclude.any[0].roles: a request does not say which roles its user has",
        ),
        ("{resources: {namespaces: [a], newThing: 1}}", "exclude.any[0].resources.newThing: unknown field"),
        (
            "{resources: {namespaceSelector: {matchLabels: {a: b, c: d}}}}",
            "exclude.any[0].resources.namespaceSelector: only a single requirement on the labels of a namespace, alone, can be turned round",
        ),
        (
            "{resources: {namespaceSelector: {matchLabels: {a: '*'}}}}",
            "exclude.any[0].resources.namespaceSelector: the labels of a namespace cannot be compared with patterns",
        ),
        ("{resources: {kinds: [Pod]}}", "exclude.any[0].resources.kinds: excludes all that is matched"),
    ] {
        let (_, list) = converted(&pods("", &format!(", exclude: {{any: [{filter}]}}")));
        assert_eq!(missing(&list), [format!("spec.rules[0].{problem}; what it excludes is judged")]);
        let spec = &list["items"][0]["spec"];
        assert_eq!((spec.get("matchConditions"), spec.get("namespaceSelector")), (None, None), "{spec}");
    }
}

#[test]
fn settings_that_the_module_refuses_give_no_manifest() {
    let input = pods("", "").replace(
        "version: latest",
        "version: latest, exclude: [{controlName: Sysctls, restrictedField: spec.nothing, values: [a]}]",
    );
    let (_, list) = converted(&input);
    assert_eq!(list["items"], json!([]));
    let missing = missing(&list);
    let beginning =
        "spec.rules[0].validate.podSecurity: the module refuses the settings: exclude[0].restrictedField: ";
    assert!(missing.len() == 1 && missing[0].starts_with(beginning), "{missing:?}");
    let privileged = pods("", "").replace("level: baseline", "level: privileged");
    assert_eq!(
        self::missing(&converted(&privileged).1),
        ["spec.rules[0].validate.podSecurity.level: privileged allows everything: nothing is checked"]
    );
}

#[test]
fn a_policy_of_a_namespace_stays_in_it() {
    let input = policy("background: false,", "match: {any: [{resources: {kinds: [Pod], namespaceSelector: {matchLabels: {a: b}}}}]}, exclude: {any: [{resources: {namespaces: [x]}}]}")
        .replace("ClusterPolicy", "Policy")
        .replace("{name: p}", "{name: p, namespace: team}");
    let (_, list) = converted(&input);
    assert_eq!(
        missing(&list),
        [
            "spec.rules[0].match.any[0].resources.namespaceSelector: a policy of a namespace cannot select namespaces by their labels; without it more is judged"
        ]
    );
    let manifest = &list["items"][0];
    assert_eq!(manifest["kind"], "AdmissionPolicy");
    assert_eq!(manifest["metadata"], json!({ "name": "p-r", "namespace": "team" }));
    let spec = &manifest["spec"];
    assert_eq!((spec.get("namespaceSelector"), spec.get("contextAwareResources")), (None, None));
    assert_eq!(spec["matchConditions"][0]["expression"], "!(request.namespace == 'x')");
}

#[test]
fn an_exception_becomes_entries_with_its_conditions() {
    let exception = |rules: &str, match_: &str, more: &str| {
        format!(
            "{}\n---\n{{apiVersion: kyverno.io/v2, kind: PolicyException, metadata: {{name: e, namespace: k}}, spec: \
             {{exceptions: [{{policyName: p, ruleNames: [{rules}]}}], match: {{any: [{match_}]}}{more}}}}}",
            pods("", "")
        )
    };
    let checks = ", podSecurity: [{controlName: Host Namespaces}]";
    let exclude = |match_: &str| {
        let manifest = manifest(&exception("'*'", match_, checks));
        assert_eq!(
            manifest["spec"].get("contextAwareResources").is_some(),
            match_.contains("namespaceSelector")
        );
        manifest["spec"]["settings"]["exclude"].clone()
    };
    let control = "Host Namespaces";
    assert_eq!(
        exclude("{resources: {namespaces: [delta, 'x-*']}}"),
        json!([{ "controlName": control, "namespaces": ["delta", "x-*"] }])
    );
    assert_eq!(
        exclude(
            "{resources: {namespaceSelector: {matchLabels: {a: b}}}}, {subjects: [{kind: User, name: u}, {kind: Group, name: g}]}"
        ),
        json!([
            { "controlName": control, "namespaceSelector": { "matchLabels": { "a": "b" } } },
            { "controlName": control, "users": ["u"] },
            { "controlName": control, "groups": ["g"] },
        ])
    );
    let namespaces = "{resources: {namespaces: [delta]}}";
    for (rules, match_, more, problem) in [
        (
            "'*'",
            namespaces,
            "",
            "spec.podSecurity: without it the exception is for the whole rule, which no entry of exclude can say",
        ),
        (
            "'*'",
            "{resources: {names: [web]}}",
            checks,
            "spec.match.any[0].resources.names: no entry of exclude can say it",
        ),
        ("'*'", "{}", checks, "spec.match: is empty, which matches nothing"),
        (
            "'*'",
            "{resources: {namespaces: [a]}, roles: [b]}",
            checks,
            "spec.match.any[0].roles: a request does not say which roles its user has",
        ),
        (
            "'*'",
            "{resources: {selector: {matchLabels: {a: b}}}}",
            checks,
            "spec.match.any[0].resources.selector: an entry of exclude looks at the labels of the template and not of the workload",
        ),
        (
            "r",
            namespaces,
            checks,
            "spec.exceptions: an entry of exclude would hold for replicationcontrollers, daemonsets, deployments, replicasets, statefulsets, cronjobs, jobs, too",
        ),
        (
            "'*'",
            "{resources: {kinds: [Pod, Deployment, '*Set', '*Controller', Job]}}",
            checks,
            "spec.match.any[0].resources.kinds: an entry of exclude would hold for cronjobs, too",
        ),
        (
            "'*'",
            namespaces,
            ", conditions: {any: []}, podSecurity: [{controlName: Host Namespaces}]",
            "spec.conditions: no entry of exclude can say it",
        ),
    ] {
        let (_, list) = converted(&exception(rules, match_, more));
        assert_eq!(missing(&list), [format!("{problem}; the exception is not applied")]);
        assert_eq!(list["notConverted"][0]["policy"], "PolicyException k/e, for ClusterPolicy p");
        assert_eq!(list["items"][0]["spec"]["settings"].get("exclude"), None);
    }
    let (_, list) = converted(&exception("other", namespaces, checks));
    assert_eq!(missing(&list), ["spec.exceptions: names no rule with podSecurity that is in these files"]);
}

#[test]
fn an_exception_for_pods_may_go_by_labels_where_only_pods_are_judged() {
    let input = policy("", "match: {any: [{resources: {kinds: [Pod], name: '*'}}]}");
    let exception = "{apiVersion: kyverno.io/v2, kind: PolicyException, metadata: {name: e}, spec: {exceptions: \
                     [{policyName: p, ruleNames: [r]}], match: {any: [{resources: {kinds: [Pod], selector: \
                     {matchLabels: {a: b}}}}]}, podSecurity: [{controlName: Sysctls}]}}";
    let (_, list) = converted(&format!("{input}\n---\n{exception}"));
    let settings = &list["items"][0]["spec"]["settings"];
    assert_eq!(
        settings["exclude"],
        json!([{ "controlName": "Sysctls", "podSelector": { "matchLabels": { "a": "b" } } }])
    );
    assert_eq!(
        missing(&list),
        [
            "spec.match.any[0].resources.kinds: the entries of exclude hold for pods/ephemeralcontainers, too, which the exception does not name"
        ]
    );
    let named = exception.replace("kinds: [Pod]", "kinds: [Pod, Pod/ephemeralcontainers]");
    manifest(&format!("{input}\n---\n{named}"));
}

#[test]
fn what_is_no_rule_with_a_check_is_listed() {
    let input = "---\n{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Service, metadata: {name: web, namespace: \
                 shop}}, {apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: p}, spec: {rules: [{name: a, \
                 match: {}, validate: {pattern: {}}}, {name: b, mutate: {}}]}}, {apiVersion: policies.kyverno.io/v1, \
                 kind: PolicyException, metadata: {name: e}}]}";
    let (status, stdout, _) = convert(&tests::root(), &["kyverno", "-"], input);
    assert_eq!(status, 1);
    assert_eq!(
        stdout,
        "\
# not converted: Service shop/web: items[0].kind: is skipped: it is no ClusterPolicy, Policy or PolicyException of kyverno.io
# not converted: ClusterPolicy p, rule a: items[1].spec.rules[0].validate.podSecurity: the rule has none
# not converted: ClusterPolicy p, rule b: items[1].spec.rules[1].validate.podSecurity: the rule has none
# not converted: PolicyException e: items[2].kind: is skipped: it is no ClusterPolicy, Policy or PolicyException of kyverno.io
"
    );
    let (_, list) = converted(input);
    assert_eq!(list["items"], json!([]));
}

#[test]
fn names_are_valid_and_different_and_several_files_are_read_in_order() {
    let folder = folder("files");
    std::fs::write(folder.join("a.yaml"), pods("", "").replace("name: p", "name: My_Policy")).unwrap();
    std::fs::write(
        folder.join("b.json"),
        json!(documents(&pods("", "").replace("name: p", "name: my.policy"))[0]).to_string(),
    )
    .unwrap();
    let input = pods("", "").replace("name: p", "name: my-policy");
    let (status, stdout, stderr) =
        convert(&folder, &["kyverno", "a.yaml", "b.json", "-", "-o", "json"], &input);
    assert_eq!((status, stderr.as_str()), (0, ""));
    let list: Value = serde_json::from_str(&stdout).unwrap();
    let names: Vec<&str> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["metadata"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["my-policy-r", "my.policy-r", "my-policy-r-2"]);
}

#[test]
fn what_cannot_be_read_is_one_sentence() {
    for (input, sentence) in [
        ("", "standard input: is empty; expected policies of Kyverno"),
        ("[1]", "standard input: expected an object, found a list"),
        ("{}", "standard input: kind: is missing; expected policies of Kyverno"),
        (
            "---\n{kind: ClusterPolicy, apiVersion: kyverno.io/v1, metadata: {name: p}}",
            "standard input: spec: is missing",
        ),
        (
            &pods("", ", exclude: 1"),
            "standard input: spec.rules[0].exclude: expected an object, found a number",
        ),
        (&policy("", "match: {}"), "standard input: spec.rules[0].match: is empty"),
        (
            &policy("", "match: {any: [{resources: {kinds: Pod}}]}"),
            "standard input: spec.rules[0].match.any[0].resources.kinds: expected a list, found a string",
        ),
        (
            &format!(
                "{}\n---\n{}",
                pods("", ""),
                pods("", ", exclude: {any: [{subjects: [{kind: Robot, name: r}]}]}")
            ),
            "standard input, document 2: spec.rules[0].exclude.any[0].subjects[0].kind: expected User, Group or ServiceAccount",
        ),
    ] {
        assert_eq!(refused(&["kyverno", "-"], input), sentence);
    }
    let yaml = refused(&["kyverno", "-"], "a: [1\nb: 2");
    assert!(yaml.starts_with("standard input: line ") && yaml.contains("no valid YAML: "), "{yaml}");
    assert_eq!(
        refused(&["kyverno", "nothing.yaml"], ""),
        "nothing.yaml: cannot be read: No such file or directory (os error 2)"
    );
}

const CONFIGURATION: &str = "\
apiVersion: pod-security.admission.config.k8s.io/v1
kind: PodSecurityConfiguration
defaults:
  enforce: baseline
  enforce-version: v1.30
  audit: privileged
  warn: restricted
exemptions:
  usernames: []
  namespaces: [kube-system]
  runtimeClasses: [kata]
";

#[test]
fn the_configuration_of_the_plugin_becomes_a_manifest() {
    let (status, stdout, stderr) = convert(&tests::root(), &["psa", "-"], CONFIGURATION);
    assert_eq!((status, stderr.as_str()), (0, ""));
    let begin = beginning("", "    - pods\n    - replicationcontrollers\n    - podtemplates\n");
    let begin = begin.replace("name: psa-", "name: pod-security");
    assert_eq!(
        stdout,
        format!(
            "\
# The labels pod-security.kubernetes.io/* of a namespace count before these levels.
{begin}{CONTROLLERS}  backgroundAudit: false
  contextAwareResources:
  - apiVersion: v1
    kind: Namespace
  settings:
    exemptions:
      namespaces:
      - kube-system
      runtimeClasses:
      - kata
    level: baseline
    namespaceLabels: Honor
    templates: Warn
    version: v1.30
    warn:
      level: restricted
      version: latest
"
        )
    );
    let inside = format!(
        "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n- name: Other\n- name: \
         PodSecurity\n  configuration:\n    {}",
        CONFIGURATION.trim_end().replace('\n', "\n    ")
    );
    assert_eq!(convert(&tests::root(), &["psa", "-"], &inside).1, stdout);
    let (_, json, _) = convert(&tests::root(), &["psa", "-", "-o", "json"], &inside);
    let list: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(*list["items"].as_array().unwrap(), documents(&stdout));
    assert_eq!(list["notConverted"], json!([]));
    let bare =
        "---\n{apiVersion: pod-security.admission.config.k8s.io/v1beta1, kind: PodSecurityConfiguration}";
    let (status, stdout, _) = convert(&tests::root(), &["psa", "-"], bare);
    assert_eq!(status, 0);
    assert_eq!(
        documents(&stdout)[0]["spec"]["settings"],
        json!({ "level": "privileged", "version": "latest", "namespaceLabels": "Honor", "templates": "Warn" })
    );
}

#[test]
fn a_configuration_that_the_api_server_would_refuse_is_one_sentence() {
    let plugins = |plugins: &str| {
        format!(
            "---\n{{apiVersion: apiserver.config.k8s.io/v1, kind: AdmissionConfiguration, plugins: [{plugins}]}}"
        )
    };
    for (input, sentence) in [
        (String::new(), "is empty; expected a PodSecurityConfiguration or an AdmissionConfiguration"),
        ("kind: Pod".to_owned(), "kind: expected a PodSecurityConfiguration or an AdmissionConfiguration"),
        (
            CONFIGURATION.replace("k8s.io/v1", "k8s.io/v2"),
            "apiVersion: expected pod-security.admission.config.k8s.io/v1, v1beta1 or v1alpha1",
        ),
        (
            CONFIGURATION.replace("baseline", "strict"),
            "defaults.enforce: expected privileged, baseline or restricted",
        ),
        (
            CONFIGURATION.replace("v1.30", "'1.30'"),
            "defaults.enforce-version: expected latest or a minor version such as v1.30",
        ),
        (
            CONFIGURATION.replace("v1.30", "v1.030"),
            "defaults.enforce-version: expected latest or a minor version such as v1.30",
        ),
        (
            CONFIGURATION.replace("warn:", "warning:"),
            "defaults.warning: unknown field; known are enforce, enforce-version, audit, audit-version, warn, warn-version",
        ),
        (
            CONFIGURATION.replace("exemptions:", "exempt:"),
            "exempt: unknown field; known are apiVersion, kind, defaults, exemptions",
        ),
        (
            CONFIGURATION.replace("[kube-system]", "[a, a]"),
            "exemptions.namespaces[1]: \"a\" is there already; remove one",
        ),
        (
            CONFIGURATION.replace("[kube-system]", "['a*']"),
            "exemptions.namespaces[0]: \"a*\" is not the name of a namespace",
        ),
        (plugins("{name: Other}"), "plugins: has no PodSecurity"),
        (
            plugins("{name: PodSecurity, path: other.yaml}"),
            "plugins[0].path: the configuration is in another file; convert that one",
        ),
        (plugins("{name: PodSecurity}"), "plugins[0].configuration: is missing"),
    ] {
        assert_eq!(refused(&["psa", "-"], &input), format!("standard input: {sentence}"));
    }
}
