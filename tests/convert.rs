//! The manifests that `portcullis convert` writes.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use harness::{Case, CaseOutcome, judge};
use serde_json::{Value, json};

/// Runs `convert` in a directory; returns its status, standard output and standard error.
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
    // A tool that does not read its input closes the pipe.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// The directory of a test.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("convert-{test}"));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Converts documents; returns the status and the JSON output. The YAML output must contain the
/// same manifests.
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

/// The parts that are not converted, as `path: problem`.
fn missing(list: &Value) -> Vec<String> {
    let text = |item: &Value, key: &str| item[key].as_str().unwrap().to_owned();
    let items = list["notConverted"].as_array().unwrap().iter();
    items.map(|item| format!("{}: {}", text(item, "path"), text(item, "problem"))).collect()
}

/// A `ClusterPolicy` named p with one rule named r, which has a podSecurity check.
fn policy(spec: &str, rule: &str) -> String {
    format!(
        "---\n{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{{spec} rules: [{{name: r, \
         {rule}, validate: {{podSecurity: {{level: baseline, version: latest}}}}}}]}}}}"
    )
}

/// A policy for all pods.
fn pods(spec: &str, rule: &str) -> String {
    policy(spec, &format!("match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}{rule}"))
}

/// Converts documents completely; returns the only manifest.
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

/// Runs `convert` without success; returns its message.
fn refused(arguments: &[&str], input: &str) -> String {
    let (status, stdout, stderr) = convert(&tests::root(), arguments, input);
    assert_eq!((status, stdout.as_str()), (2, ""), "{input} {stderr}");
    let message = stderr.strip_prefix("portcullis: ").unwrap().strip_suffix('\n').unwrap();
    assert!(!message.contains('\n'), "{message}");
    message.to_owned()
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

const GLOBAL_CONFIGURATION: &str = "\
# Kyverno's global configuration (resourceFilters, excludeGroups, the namespaceSelector of its webhooks) is not part of the input and excludes kube-system by default; add a namespaceSelector if you need one.
";

const NEWER: &str = "\
# Kyverno also checks Host Probes / Lifecycle Hooks, which v1.24 does not include.
";

const NO_AUDIT: &str = "\
# The audit scanner skips policies that have rules for subresources; for background audits, add a second policy without these rules.
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

/// The beginning of a manifest for the examples.
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
fn converts_the_examples_of_the_design_document() {
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
        "{GLOBAL_CONFIGURATION}{NEWER}{}{CONTROLLERS}{NAMESPACES}{user}    existingViolations: Tolerate\n    profile: restricted\n    version: v1.24\n",
        beginning("exclude-all-capabilities", all)
    );
    let second = format!(
        "{GLOBAL_CONFIGURATION}{}{CONTROLLERS}{NAMESPACES}{user}      restrictedField: spec.containers[*].securityContext.capabilities.add
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
    // A workload does not have the labels of its pods, so no template is judged.
    let third = format!(
        "{GLOBAL_CONFIGURATION}{NEWER}{}{NAMESPACES}  matchConditions:
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
fn the_action_determines_mode_warnings_and_existing_violations() {
    let of = |spec: &str| {
        let spec = manifest(&pods(spec, ""))["spec"].take();
        (spec["mode"].clone(), spec["settings"].clone())
    };
    let plain = json!({ "level": "baseline", "version": "latest" });
    assert_eq!(of(""), (json!("monitor"), plain.clone()));
    assert_eq!(of("validationFailureAction: AUDIT,"), (json!("monitor"), plain.clone()));
    let tolerant = json!({ "level": "baseline", "version": "latest", "existingViolations": "Tolerate" });
    assert_eq!(of("validationFailureAction: Enforce, emitWarning: true,"), (json!("protect"), tolerant));
    // In mode monitor, the module would deny and not warn.
    let warning = json!({ "level": "privileged", "audit": plain, "warn": plain });
    assert_eq!(of("emitWarning: true,"), (json!("protect"), warning));
    let named =
        pods("emitWarning: true,", "").replace("level: baseline, version: latest", "profile: restricted");
    let restricted = json!({ "level": "restricted", "version": "latest" });
    assert_eq!(
        manifest(&named)["spec"]["settings"],
        json!({ "profile": "privileged", "audit": restricted, "warn": restricted })
    );
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

/// Converts documents completely; returns the notes.
fn notes(input: &str) -> Vec<String> {
    let (status, list) = converted(input);
    assert_eq!(status, 0, "{list}");
    serde_json::from_value(list["notes"].clone()).unwrap()
}

#[test]
fn a_note_names_controls_that_kyverno_checks_in_older_versions() {
    let newer = |level: &str, version: &str| {
        let input = pods("", "")
            .replace("level: baseline, version: latest", &format!("level: {level}, version: {version}"));
        let notes = notes(&input).into_iter();
        let mut newer = notes.filter_map(|note| Some(note.strip_prefix("Kyverno also checks ")?.to_owned()));
        (newer.next(), newer.next())
    };
    let probes = "Host Probes / Lifecycle Hooks";
    for (level, version, controls) in [
        ("baseline", "v1.0", probes.to_owned()),
        ("baseline", "v1.33", probes.to_owned()),
        // At restricted, the check of /proc mounts since v1.35 equals the earlier check at
        // baseline.
        ("restricted", "v1.24", probes.to_owned()),
        ("restricted", "v1.21", format!("{probes}, Capabilities at restricted and Running as Non-root user")),
        ("restricted", "v1.22", format!("{probes} and Running as Non-root user")),
        (
            "restricted",
            "v1.7",
            format!(
                "{probes}, Privilege Escalation, Capabilities at restricted, Running as Non-root user and Seccomp at restricted"
            ),
        ),
    ] {
        assert_eq!(
            newer(level, version),
            (Some(format!("{controls}, which {version} does not include.")), None)
        );
    }
    for (level, version) in
        [("baseline", "v1.34"), ("restricted", "v1.34"), ("restricted", "v1.99"), ("restricted", "latest")]
    {
        assert_eq!(newer(level, version), (None, None), "{level} {version}");
    }
}

#[test]
fn notes_describe_differences_in_complete_conversions() {
    let configured = GLOBAL_CONFIGURATION.trim_matches(['#', ' ', '\n']);
    let no_audit = NO_AUDIT.trim_matches(['#', ' ', '\n']);
    let warns = "The module does not warn about requests that it denies, and mode monitor discards denials. Therefore \
                 this policy runs in mode protect at level privileged, which denies nothing, and warns and audits at \
                 the level of the rule. For reports on violations, add a second policy in mode monitor.";
    assert_eq!(notes(&pods("", "")), [configured, no_audit]);
    assert_eq!(notes(&pods("background: true,", "")), [configured, no_audit]);
    assert_eq!(notes(&pods("background: false,", "")), [configured]);
    assert_eq!(notes(&pods("emitWarning: true, background: false,", "")), [configured, warns]);
    assert_eq!(
        notes(&pods("emitWarning: true, validationFailureAction: Enforce, background: false,", "")),
        [configured]
    );
    // A namespaced policy is written for its namespace.
    let namespaced = pods("background: false,", "").replace("ClusterPolicy", "Policy");
    assert_eq!(
        notes(&namespaced.replace("{name: p}", "{name: p, namespace: kube-system}")),
        Vec::<String>::new()
    );
    let templates = policy("background: true,", "match: {any: [{resources: {kinds: [Deployment]}}]}");
    assert_eq!(notes(&templates), [configured]);
}

/// Judges a request with the settings of a manifest.
fn judged(manifest: &Value, old: Option<&Value>, new: &Value) -> CaseOutcome {
    let case = json!({
        "name": "converted",
        "settings": manifest["spec"]["settings"],
        "object": new,
        "oldObject": old,
        "cluster": { "objects": [{ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "shop" } }] },
        "want": {},
    });
    let case: Case = serde_json::from_value(case).unwrap();
    judge::natively(rules::find("pod-security").unwrap(), &case).unwrap().outcome
}

/// A pod with one container, with an image and further fields.
fn pod(image: &str, container: &Value) -> Value {
    let mut pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": "web", "namespace": "shop" },
        "spec": { "containers": [{ "name": "web", "image": image }] },
    });
    let fields = pod["spec"]["containers"][0].as_object_mut().unwrap();
    fields.extend(container.as_object().unwrap().clone());
    pod
}

/// The visible outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Visible {
    Admitted,
    /// Admitted, while the policy server logs a denial.
    Logged,
    Warned(&'static str),
    Denied,
}

#[test]
fn manifests_judge_requests_as_kyverno_does() {
    use Visible::{Admitted, Denied, Logged, Warned};
    let privileged = json!({ "securityContext": { "privileged": true } });
    let port = json!({ "ports": [{ "containerPort": 80, "hostPort": 80 }] });
    let both = json!({ "securityContext": { "privileged": true }, "ports": [{ "containerPort": 80, "hostPort": 80 }] });
    let probe = json!({ "livenessProbe": { "httpGet": { "port": 80, "host": "10.0.0.1" } } });
    let time = json!({ "securityContext": { "capabilities": { "add": ["SYS_TIME"] } } });
    let admin = json!({ "securityContext": { "capabilities": { "add": ["SYS_TIME", "SYS_ADMIN"] } } });
    let plain = pod("trusted/a:1", &json!({}));
    let bad = pod("trusted/a:1", &privileged);
    let mut deployment = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": "web", "namespace": "shop" },
        "spec": { "template": {} },
    });
    deployment["spec"]["template"] = json!({ "metadata": {}, "spec": bad["spec"] });
    let rule = |spec: &str, check: &str| {
        pods(spec, "").replace("version: latest", &format!("version: latest{check}"))
    };
    let enforce = "validationFailureAction: Enforce,";
    let audited = rule("", "");
    let enforced = rule(enforce, "");
    let warned = rule("emitWarning: true,", "");
    let strict = enforced.replace("validate: {", "validate: {allowExistingViolations: false, ");
    let tolerant = enforced.replace("validate: {", "validate: {allowExistingViolations: true, ");
    let images = ", exclude: [{controlName: Privileged Containers, images: ['trusted/*']}]";
    let excluded = rule(enforce, images);
    let values = ", exclude: [{controlName: Capabilities, images: ['*'], restrictedField: \
                  'spec.containers[*].securityContext.capabilities.add', values: [SYS_TIME]}]";
    let capable = rule(enforce, values);
    let pinned = enforced.replace("version: latest", "version: v1.24");
    let excepted = format!(
        "{enforced}\n---\n{{apiVersion: kyverno.io/v2, kind: PolicyException, metadata: {{name: e}}, spec: {{exceptions: \
         [{{policyName: p, ruleNames: ['*']}}], match: {{any: [{{resources: {{namespaces: [shop]}}}}]}}, podSecurity: \
         [{{controlName: Privileged Containers, images: ['trusted/*']}}]}}}}"
    );
    let refused = Warned("would violate PodSecurity \"baseline:latest\": Privileged Containers: web");
    let other = |container: &Value| pod("other/a:1", container);
    let newer = |container: &Value| pod("trusted/a:2", container);
    for (name, rule, old, new, visible) in [
        ("Audit, a good pod", &audited, None, plain.clone(), Admitted),
        ("Audit, a bad pod", &audited, None, bad.clone(), Logged),
        ("Audit, a bad template", &audited, None, deployment.clone(), Logged),
        ("Audit and emitWarning, a good pod", &warned, None, plain.clone(), Admitted),
        ("Audit and emitWarning, a bad pod", &warned, None, bad.clone(), refused),
        ("Audit and emitWarning, a bad template", &warned, None, deployment.clone(), refused),
        ("Audit and emitWarning, an old violation", &warned, Some(&bad), newer(&privileged), refused),
        (
            "Audit and emitWarning, an excluded violation",
            &rule("emitWarning: true,", images),
            None,
            bad.clone(),
            Admitted,
        ),
        ("Enforce, a good pod", &enforced, None, plain.clone(), Admitted),
        ("Enforce, a bad pod", &enforced, None, bad.clone(), Denied),
        ("Enforce, a bad template", &enforced, None, deployment.clone(), Denied),
        (
            "Enforce and emitWarning",
            &rule("validationFailureAction: Enforce, emitWarning: true,", ""),
            None,
            bad.clone(),
            Denied,
        ),
        ("no allowExistingViolations, an old violation", &enforced, Some(&bad), newer(&privileged), Admitted),
        ("allowExistingViolations, an old violation", &tolerant, Some(&bad), newer(&privileged), Admitted),
        ("allowExistingViolations, a new violation", &tolerant, Some(&plain), newer(&privileged), Denied),
        ("allowExistingViolations, one more violation", &tolerant, Some(&bad), newer(&both), Denied),
        ("allowExistingViolations: false, an old violation", &strict, Some(&bad), newer(&privileged), Denied),
        ("allowExistingViolations: false, no change of the pod", &strict, Some(&bad), bad.clone(), Admitted),
        ("an excluded image", &excluded, None, bad.clone(), Admitted),
        ("an excluded image with another violation", &excluded, None, pod("trusted/a:1", &port), Denied),
        ("another image", &excluded, None, other(&privileged), Denied),
        ("an excluded image replaces an excluded one", &excluded, Some(&bad), newer(&privileged), Admitted),
        ("another image replaces an excluded one", &excluded, Some(&bad), other(&privileged), Denied),
        (
            "another image replaces one with an old violation",
            &excluded,
            Some(&pod("other/a:0", &privileged)),
            other(&privileged),
            Admitted,
        ),
        ("an excluded value", &capable, None, pod("a", &time), Admitted),
        ("an excluded value and another one", &capable, None, pod("a", &admin), Denied),
        ("an exception, a covered image", &excepted, None, bad.clone(), Admitted),
        ("an exception, another image", &excepted, None, other(&privileged), Denied),
        (
            "an exception, another image replaces a covered one",
            &excepted,
            Some(&bad),
            other(&privileged),
            Denied,
        ),
        ("latest, a probe with a host", &enforced, None, pod("a", &probe), Denied),
        ("v1.24, a probe with a host, which a note mentions", &pinned, None, pod("a", &probe), Admitted),
    ] {
        let manifest = manifest(rule);
        let outcome = judged(&manifest, old, &new);
        let monitors = manifest["spec"]["mode"] == "monitor";
        let found = (outcome.admitted, outcome.denied.is_some(), monitors, outcome.warnings.as_slice());
        let is_expected = match visible {
            Admitted => matches!(found, (Some(true), false, _, [])),
            Logged => matches!(found, (None, true, true, [])),
            Warned(text) => matches!(found, (Some(true), false, false, [warning]) if warning == text),
            Denied => matches!(found, (None, true, false, [])),
        };
        assert!(is_expected, "{name}: {visible:?} expected of {manifest}, found {outcome:?}");
    }
}

#[test]
fn judges_controllers_for_which_kyverno_derives_rules() {
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
            "matchExpressions": [
                { "key": "env", "operator": "In", "values": ["prod"] },
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
fn lists_conditions_that_cannot_be_expressed_and_leaves_them_out() {
    let rule = "match: {any: [{resources: {kinds: [Pod, Service]}, clusterRoles: [admin]}]}, \
                preconditions: {all: []}, context: [], celPreconditions: [{name: a}], skipBackgroundRequests: true";
    let spec = "background: true, applyRules: One, newThing: 1, \
                validationFailureActionOverrides: [{action: Enforce, namespaces: [prod]}],";
    let (status, list) = converted(&policy(spec, rule));
    assert_eq!(status, 1);
    assert_eq!(list["items"].as_array().unwrap().len(), 1);
    let missing = missing(&list).join("\n");
    for line in [
        "spec.rules[0].match.any[0].resources.kinds: Service is neither a pod nor a workload with a pod template",
        "spec.rules[0].match.any[0].clusterRoles: a request does not contain the roles of its user; without it, the policy judges more requests",
        "spec.rules[0].preconditions: the policy judges requests regardless of it; write it as a matchCondition",
        "spec.rules[0].context: nothing in the policy can use it",
        "spec.rules[0].celPreconditions: the policy judges requests regardless of it; write it as a matchCondition",
        "spec.rules[0].skipBackgroundRequests: requests of the background controller are judged like any other",
        "spec.applyRules: each rule becomes a separate policy, which judges requests independently of the others",
        "spec.newThing: has no equivalent",
        "spec.validationFailureActionOverrides: a policy has a single mode; create a policy for each mode, with a namespaceSelector",
    ] {
        assert!(missing.lines().any(|found| found == line), "{line}\n{missing}");
    }
    assert_eq!(missing.lines().count(), 9, "{missing}");
    assert_eq!(list["notConverted"][0]["policy"], "ClusterPolicy p");
    assert_eq!(list["notConverted"][0]["rule"], "r");
}

#[test]
fn a_filter_that_cannot_be_expressed_excludes_nothing() {
    for (filter, problem) in [
        (
            "{resources: {namespaces: [a]}, roles: ['b:c']}",
            "exclude.any[0].roles: a request does not contain the roles of its user",
        ),
        ("{resources: {namespaces: [a], newThing: 1}}", "exclude.any[0].resources.newThing: unknown field"),
        (
            "{resources: {namespaceSelector: {matchLabels: {a: b, c: d}}}}",
            "exclude.any[0].resources.namespaceSelector: only a single requirement on namespace labels, without other conditions, can be inverted",
        ),
        (
            "{resources: {namespaceSelector: {matchLabels: {a: '*'}}}}",
            "exclude.any[0].resources.namespaceSelector: namespace labels cannot be matched with patterns",
        ),
        (
            "{resources: {kinds: [Pod]}}",
            "exclude.any[0].resources.kinds: excludes everything that the rule matches",
        ),
    ] {
        let (_, list) = converted(&pods("", &format!(", exclude: {{any: [{filter}]}}")));
        assert_eq!(missing(&list), [format!("spec.rules[0].{problem}; the policy judges what it excludes")]);
        let spec = &list["items"][0]["spec"];
        assert_eq!((spec.get("matchConditions"), spec.get("namespaceSelector")), (None, None), "{spec}");
    }
}

#[test]
fn writes_no_manifest_with_settings_that_the_module_rejects() {
    let input = pods("", "").replace(
        "version: latest",
        "version: latest, exclude: [{controlName: Sysctls, restrictedField: spec.nothing, values: [a]}]",
    );
    let (_, list) = converted(&input);
    assert_eq!(list["items"], json!([]));
    let missing = missing(&list);
    let beginning =
        "spec.rules[0].validate.podSecurity: the module rejects the settings: exclude[0].restrictedField: ";
    assert!(missing.len() == 1 && missing[0].starts_with(beginning), "{missing:?}");
    let privileged = pods("", "").replace("level: baseline", "level: privileged");
    assert_eq!(
        self::missing(&converted(&privileged).1),
        [
            "spec.rules[0].validate.podSecurity.level: the level privileged allows everything, so nothing is checked"
        ]
    );
}

#[test]
fn a_namespaced_policy_stays_in_its_namespace() {
    let input = policy("background: false,", "match: {any: [{resources: {kinds: [Pod], namespaceSelector: {matchLabels: {a: b}}}}]}, exclude: {any: [{resources: {namespaces: [x]}}]}")
        .replace("ClusterPolicy", "Policy")
        .replace("{name: p}", "{name: p, namespace: team}");
    let (_, list) = converted(&input);
    assert_eq!(
        missing(&list),
        [
            "spec.rules[0].match.any[0].resources.namespaceSelector: a namespaced policy cannot select namespaces by label; without it, the policy judges more requests"
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
fn converts_exceptions_into_entries_with_conditions() {
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
            "spec.podSecurity: is missing, so the exception covers the whole rule, which exclude cannot express",
        ),
        (
            "'*'",
            "{resources: {names: [web]}}",
            checks,
            "spec.match.any[0].resources.names: exclude cannot express it",
        ),
        ("'*'", "{}", checks, "spec.match: is empty, which matches nothing"),
        (
            "'*'",
            "{resources: {namespaces: [a]}, roles: [b]}",
            checks,
            "spec.match.any[0].roles: a request does not contain the roles of its user",
        ),
        (
            "'*'",
            "{resources: {selector: {matchLabels: {a: b}}}}",
            checks,
            "spec.match.any[0].resources.selector: an exclude entry reads the labels of the template, not those of the workload",
        ),
        (
            "r",
            namespaces,
            checks,
            "spec.exceptions: an exclude entry would also apply to replicationcontrollers, daemonsets, deployments, replicasets, statefulsets, cronjobs, jobs",
        ),
        (
            "'*'",
            "{resources: {kinds: [Pod, Deployment, '*Set', '*Controller', Job]}}",
            checks,
            "spec.match.any[0].resources.kinds: an exclude entry would also apply to cronjobs",
        ),
        (
            "'*'",
            namespaces,
            ", conditions: {any: []}, podSecurity: [{controlName: Host Namespaces}]",
            "spec.conditions: exclude cannot express it",
        ),
    ] {
        let (_, list) = converted(&exception(rules, match_, more));
        assert_eq!(missing(&list), [format!("{problem}; the exception is not applied")]);
        assert_eq!(list["notConverted"][0]["policy"], "PolicyException k/e, for ClusterPolicy p");
        assert_eq!(list["items"][0]["spec"]["settings"].get("exclude"), None);
    }
    let (_, list) = converted(&exception("other", namespaces, checks));
    assert_eq!(missing(&list), ["spec.exceptions: names no rule with podSecurity in the input"]);
}

#[test]
fn an_exception_can_select_labels_if_only_pods_are_judged() {
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
            "spec.match.any[0].resources.kinds: an exclude entry also applies to pods/ephemeralcontainers, which the exception does not name"
        ]
    );
    let named = exception.replace("kinds: [Pod]", "kinds: [Pod, Pod/ephemeralcontainers]");
    manifest(&format!("{input}\n---\n{named}"));
}

#[test]
fn lists_documents_and_rules_without_a_check() {
    let input = "---\n{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Service, metadata: {name: web, namespace: \
                 shop}}, {apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: p}, spec: {rules: [{name: a, \
                 match: {}, validate: {pattern: {}}}, {name: b, mutate: {}}]}}, {apiVersion: policies.kyverno.io/v1, \
                 kind: PolicyException, metadata: {name: e}}]}";
    let (status, stdout, _) = convert(&tests::root(), &["kyverno", "-"], input);
    assert_eq!(status, 1);
    assert_eq!(
        stdout,
        "\
# not converted: Service shop/web: items[0].kind: is not a ClusterPolicy, Policy or PolicyException of kyverno.io
# not converted: ClusterPolicy p, rule a: items[1].spec.rules[0].validate.podSecurity: is missing; only podSecurity is converted
# not converted: ClusterPolicy p, rule b: items[1].spec.rules[1].validate.podSecurity: is missing; only podSecurity is converted
# not converted: PolicyException e: items[2].kind: is not a ClusterPolicy, Policy or PolicyException of kyverno.io
"
    );
    let (_, list) = converted(input);
    assert_eq!(list["items"], json!([]));
}

#[test]
fn names_are_valid_and_unique_across_files() {
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
fn rejects_invalid_input_with_one_line() {
    for (input, message) in [
        ("", "standard input: is empty; expected Kyverno policies"),
        ("[1]", "standard input: expected an object, found a list"),
        ("{}", "standard input: kind: is missing; expected Kyverno policies"),
        (
            "---\n{apiVersion: v1, kind: List, items: []}",
            "standard input: items: is empty; expected Kyverno policies",
        ),
        (
            "---\n{apiVersion: v1, kind: List, items: [{apiVersion: kyverno.io/v1, kind: PolicyList, items: []}]}",
            "standard input: items[0].items: is empty; expected Kyverno policies",
        ),
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
        assert_eq!(refused(&["kyverno", "-"], input), message);
    }
    let yaml = refused(&["kyverno", "-"], "a: [1\nb: 2");
    assert!(yaml.starts_with("standard input: line ") && yaml.contains("not valid YAML: "), "{yaml}");
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
fn converts_the_configuration_of_the_plugin() {
    let (status, stdout, stderr) = convert(&tests::root(), &["psa", "-"], CONFIGURATION);
    assert_eq!((status, stderr.as_str()), (0, ""));
    let begin = beginning("", "    - pods\n    - replicationcontrollers\n    - podtemplates\n");
    let begin = begin.replace("name: psa-", "name: pod-security");
    assert_eq!(
        stdout,
        format!(
            "\
# The labels pod-security.kubernetes.io/* of a namespace take precedence over these levels.
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
    // A namespace label can set a level without a version.
    let pinned = CONFIGURATION
        .replace("audit: privileged", "audit-version: v1.25")
        .replace("warn: restricted", "warn: privileged\n  warn-version: v1.26");
    let (_, stdout, _) = convert(&tests::root(), &["psa", "-"], &pinned);
    let settings = &documents(&stdout)[0]["spec"]["settings"];
    assert_eq!(settings["audit"], json!({ "level": "privileged", "version": "v1.25" }));
    assert_eq!(settings["warn"], json!({ "level": "privileged", "version": "v1.26" }));
}

#[test]
fn rejects_a_configuration_that_the_api_server_would_reject() {
    let plugins = |plugins: &str| {
        format!(
            "---\n{{apiVersion: apiserver.config.k8s.io/v1, kind: AdmissionConfiguration, plugins: [{plugins}]}}"
        )
    };
    for (input, message) in [
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
            "defaults.warning: unknown field; known fields are enforce, enforce-version, audit, audit-version, warn, warn-version",
        ),
        (
            CONFIGURATION.replace("exemptions:", "exempt:"),
            "exempt: unknown field; known fields are apiVersion, kind, defaults, exemptions",
        ),
        (
            CONFIGURATION.replace("[kube-system]", "[a, a]"),
            "exemptions.namespaces[1]: \"a\" is a duplicate; remove it",
        ),
        (
            CONFIGURATION.replace("[kube-system]", "['a*']"),
            "exemptions.namespaces[0]: \"a*\" is not a valid namespace name",
        ),
        (plugins("{name: Other}"), "plugins: does not contain PodSecurity"),
        (
            plugins("{name: PodSecurity, path: other.yaml}"),
            "plugins[0].path: the configuration is in another file; convert that file instead",
        ),
        (plugins("{name: PodSecurity}"), "plugins[0].configuration: is missing"),
    ] {
        assert_eq!(refused(&["psa", "-"], &input), format!("standard input: {message}"));
    }
}
