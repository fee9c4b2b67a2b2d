//! The manifests that `portcullis convert` writes.

mod conformance;
mod external_ips;
mod generated;
mod kyverno_library;
mod single_controls;

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

/// Converts documents with a configuration of Kyverno that leaves out nothing; returns the status
/// and the JSON output.
fn converted(input: &str) -> (i32, Value) {
    converted_with(&["--kyverno-config", &empty_configuration()], input)
}

/// The path of a ConfigMap that leaves out nothing.
fn empty_configuration() -> String {
    tests::root().join("tests/convert/empty-configuration.yaml").display().to_string()
}

/// Converts documents of Kyverno, as [`converted_from`].
fn converted_with(options: &[&str], input: &str) -> (i32, Value) {
    converted_from("kyverno", options, input)
}

/// Converts documents of a source; returns the status and the JSON output. A second run must print
/// the same bytes, the YAML output contain the same manifests, and standard error each part that is
/// not converted.
fn converted_from(source: &str, options: &[&str], input: &str) -> (i32, Value) {
    let arguments = [&[source, "-"], options].concat();
    let as_json = [&arguments[..], &["-o", "json"]].concat();
    let (status, stdout, stderr) = convert(&tests::root(), &as_json, input);
    assert_eq!(convert(&tests::root(), &as_json, input).1, stdout);
    let list: Value = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stderr}"));
    assert_eq!(stderr.lines().count(), list["notConverted"].as_array().unwrap().len(), "{stderr}");
    for line in stderr.lines() {
        assert!(line.starts_with("standard input:") && line.contains(": not converted: "), "{line}");
    }
    let (_, yaml, _) = convert(&tests::root(), &arguments, input);
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

/// A `ClusterPolicy` named p with one rule named r, which has a podSecurity check. Without another
/// value in `spec`, it has no background audits.
fn policy(spec: &str, rule: &str) -> String {
    let background = if spec.contains("background") { "" } else { "background: false, " };
    let spec = format!("{background}{spec}");
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

/// A message without the line and the column of the problem.
fn without_place(message: &str) -> String {
    let rest = message.strip_prefix("standard input:").unwrap();
    let problem = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
    format!("standard input:{problem}")
}

/// Runs `convert` without success; returns its message.
fn refused(arguments: &[&str], input: &str) -> String {
    let (status, stdout, stderr) = convert(&tests::root(), arguments, input);
    assert_eq!((status, stdout.as_str()), (2, ""), "{input} {stderr}");
    let message = stderr.strip_prefix("portcullis: ").unwrap().strip_suffix('\n').unwrap();
    assert!(!message.contains('\n'), "{message}");
    message.to_owned()
}

#[test]
fn a_policy_needs_the_namespace_that_it_judges() {
    let input = pods("", "").replace("ClusterPolicy", "Policy");
    let message = refused(&["kyverno", "-"], &input);
    assert!(message.ends_with("metadata.namespace: is missing; a Policy judges its own namespace, so write the namespace into it"), "{message}");
}

#[test]
fn a_pattern_for_labels_of_an_override_is_not_converted() {
    let spec = "validationFailureAction: Enforce, validationFailureActionOverrides: [{action: Audit, namespaceSelector: {matchLabels: {team: 'a*'}}}], ";
    let (status, list) = converted(&pods(spec, ""));
    assert_eq!(status, 1, "{list}");
    let selectors = list["items"].to_string();
    assert!(!selectors.contains("a*"), "{selectors}");
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

const CONFIGURATION_NOTE: &str = "\
# Kyverno's default configuration is applied: it leaves out the namespaces kyverno, kube-system, kube-public and kube-node-lease, all replicasets and the group system:nodes. For the configuration of a cluster, pass its ConfigMap with --kyverno-config.
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

/// The beginning of a manifest for the examples.
fn beginning(name: &str, resources: &str) -> String {
    format!(
        "\
apiVersion: policies.kubewarden.io/v1
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

/// The namespaces that Kyverno's default configuration leaves out.
const LEFT_OUT: &str = "    - key: kubernetes.io/metadata.name
      operator: NotIn
      values:
      - kyverno
      - kube-system
      - kube-public
      - kube-node-lease
";
const NODES: &str = "  - name: is-not-excluded-by-kyverno
    expression: \"!(has(request.userInfo.groups) && 'system:nodes' in request.userInfo.groups)\"
  backgroundAudit: false
";

const AUDITS: &str = "  matchConditions:
  - name: is-for-the-audit-scanner-alone
    expression: \"false\"
  failurePolicy: Ignore
  backgroundAudit: true
";

/// The manifest of an example in YAML, for requests or for background audits.
fn example(name: &str, requests: bool, rest: &str) -> String {
    let (suffix, mode, operations) =
        if requests { ("", "protect", "CREATE\n    - UPDATE") } else { ("-audit", "monitor", "CREATE") };
    let rule = |group: &str, resources: &[&str], operations: &str| {
        let resources: Vec<String> = resources.iter().map(|resource| format!("    - {resource}\n")).collect();
        let resources = resources.concat();
        format!(
            "  - apiGroups:\n    - {group}\n    apiVersions:\n    - v1\n    resources:\n{resources}    operations:\n    - {operations}\n"
        )
    };
    let mut rules = rule("\"\"", &["pods"], operations);
    if requests {
        rules += &rule("\"\"", &["pods/ephemeralcontainers"], "UPDATE");
    }
    format!(
        "apiVersion: policies.kubewarden.io/v1
kind: ClusterAdmissionPolicy
metadata:
  name: psa-{name}{suffix}
spec:
  module: registry://ghcr.io/portcullis/policies/pod-security:v0.1.0
  mode: {mode}
  mutating: false
  rules:
{rules}  namespaceSelector:
    matchExpressions:
    - key: kubernetes.io/metadata.name
      operator: In
      values:
      - test
      - staging
{rest}"
    )
}

#[test]
fn converts_the_examples_of_the_design_document() {
    let user = format!(
        "{LEFT_OUT}  matchConditions:
  - name: is-not-excluded
    expression: \"!(has(request.userInfo.username) && request.userInfo.username == 'some-user')\"
{NODES}"
    );
    let labels = format!(
        "{LEFT_OUT}  matchConditions:
  - name: is-not-excluded
    expression: \"!(has(object.metadata.labels) && 'app' in object.metadata.labels && object.metadata.labels['app'] == \
         'nginx' && (oldObject == null || (has(oldObject.metadata.labels) && 'app' in oldObject.metadata.labels && \
         oldObject.metadata.labels['app'] == 'nginx')))\"
{NODES}"
    );
    let image = "    exclude:
    - controlName: Capabilities
      images:
      - ghcr.io/example/nginx:1.2.3
";
    let field = "      restrictedField: spec.containers[*].securityContext.capabilities.add
      values:
      - KILL
      - SETGID
      - SETUID
";
    let tolerate = "    existingViolations: Tolerate\n";
    let note = CONFIGURATION_NOTE.replace(", all replicasets", "");
    let newer = |rule: &str, index: usize| {
        format!(
            "not converted: ClusterPolicy psa, rule {rule}: spec.rules[{index}].validate.podSecurity.version: Kyverno also \
             checks Host Probes / Lifecycle Hooks, which v1.24 does not include; to check it, raise the version"
        )
    };
    let ignored = "not converted: ClusterPolicy psa, rule exclude-all-volumes: spec.background: the audit scanner ignores \
                   match conditions, so reports also contain the objects that the conditions leave out";
    let (first, third) = (newer("exclude-all-capabilities", 0), newer("exclude-all-volumes", 2));
    let all = "profile: restricted\n    templates: Ignore\n    version: v1.24\n";
    let volumes = "    exclude:\n    - controlName: Volumes\n";
    // A workload does not have the labels of its pods, and one rule of a policy decides for all: no
    // template is judged.
    let documents = [
        format!("# {first}\n{note}")
            + &*example(
                "exclude-all-capabilities",
                true,
                &format!("{user}  settings:\n{image}{tolerate}    {all}"),
            ),
        example("exclude-all-capabilities", false, &format!("{AUDITS}  settings:\n{image}    {all}")),
        note.clone()
            + &*example(
                "exclude-capabilities",
                true,
                &format!(
                    "{user}  settings:\n{image}{field}{tolerate}    profile: restricted\n    templates: Ignore\n    version: latest\n"
                ),
            ),
        example(
            "exclude-capabilities",
            false,
            &format!(
                "{AUDITS}  settings:\n{image}{field}    profile: restricted\n    templates: Ignore\n    version: latest\n"
            ),
        ),
        format!("# {third}\n# {ignored}\n{note}")
            + &*example(
                "exclude-all-volumes",
                true,
                &format!(
                    "{labels}  settings:\n{volumes}{tolerate}    profile: restricted\n    templates: Ignore\n    version: v1.24\n"
                ),
            ),
        example(
            "exclude-all-volumes",
            false,
            &format!(
                "{AUDITS}  settings:\n{volumes}    profile: restricted\n    templates: Ignore\n    version: v1.24\n"
            ),
        ),
    ];
    let (status, stdout, stderr) = convert(&tests::root(), &["kyverno", "-"], DOCUMENT);
    assert_eq!(stdout, documents.join("---\n"));
    // The places of the version, and of the nearest field of one that is absent.
    let places = format!(
        "standard input:24:11: {first}\nstandard input:73:11: {third}\nstandard input:5:1: {ignored}\n"
    );
    assert_eq!((status, stderr), (1, places));
    // A second run prints the same bytes.
    assert_eq!(convert(&tests::root(), &["kyverno", "-"], DOCUMENT).1, stdout);
    converted(DOCUMENT);
}

#[test]
fn the_migration_page_shows_what_the_tool_prints() {
    for source in ["kyverno", "psa"] {
        let page = tests::root().join(format!("docs/migrate-{source}.md"));
        let page = std::fs::read_to_string(page).unwrap();
        let blocks: Vec<&str> =
            page.split("```yaml\n").skip(1).map(|block| block.split_once("```").unwrap().0).collect();
        let [before, after, ..] = blocks.as_slice() else { panic!("{blocks:?}") };
        let (status, stdout, stderr) = convert(&tests::root(), &[source, "-"], before);
        assert_eq!((status, stderr.as_str()), (0, ""));
        assert_eq!(stdout, *after);
    }
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
        "standard input:2:97: spec.validationFailureAction: expected Enforce or Audit"
    );
}

#[test]
fn lists_controls_that_kyverno_checks_in_older_versions() {
    let newer = |level: &str, version: &str| {
        let input = pods("", "")
            .replace("level: baseline, version: latest", &format!("level: {level}, version: {version}"));
        missing(&converted(&input).1)
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
        let path = "spec.rules[0].validate.podSecurity.version";
        let problem = format!(
            "{path}: Kyverno also checks {controls}, which {version} does not include; to check it, raise the version"
        );
        assert_eq!(newer(level, version), [problem]);
    }
    for (level, version) in
        [("baseline", "v1.34"), ("restricted", "v1.34"), ("restricted", "v1.99"), ("restricted", "latest")]
    {
        assert_eq!(newer(level, version), Vec::<String>::new(), "{level} {version}");
    }
}

#[test]
fn notes_describe_what_kyverno_leaves_out_and_why_a_mode_differs() {
    let default = CONFIGURATION_NOTE.trim_matches(['#', ' ', '\n']);
    let warns = "The module does not warn about requests that it denies, and mode monitor discards denials. Therefore \
                 this policy runs in mode protect at level privileged, which denies nothing, and warns and audits at \
                 the level of the rule.";
    let notes = |input: &str| {
        let (status, list) = converted_with(&[], input);
        assert_eq!(status, 0, "{list}");
        serde_json::from_value::<Vec<String>>(list["notes"].clone()).unwrap()
    };
    assert_eq!(notes(&pods("", "")), [default]);
    assert_eq!(notes(&pods("background: true,", "")), [default]);
    assert_eq!(notes(&pods("emitWarning: true,", "")), [default, warns]);
    assert_eq!(notes(&pods("emitWarning: true, validationFailureAction: Enforce,", "")), [default]);
    let namespaced = |namespace: &str| {
        pods("", "")
            .replace("ClusterPolicy", "Policy")
            .replace("{name: p}", &format!("{{name: p, namespace: {namespace}}}"))
    };
    let templates = "Kyverno's default configuration is applied: it leaves out all replicasets and the group \
                     system:nodes. For the configuration of a cluster, pass its ConfigMap with --kyverno-config.";
    assert_eq!(notes(&namespaced("team")), [templates]);
    assert_eq!(
        notes(&namespaced("kube-system")),
        [
            "Policy kube-system/p, rule r, has no manifest, because its exclude, the exceptions for it, the configuration \
         of Kyverno, or admission and background, which are both false, leave nothing to judge."
        ]
    );
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
        ("v1.24, a probe with a host, which is listed", &pinned, None, pod("a", &probe), Admitted),
    ] {
        let manifest = converted(rule).1["items"][0].take();
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
    let pod = "pods pods/ephemeralcontainers";
    let all = "pods replicationcontrollers pods/ephemeralcontainers daemonsets deployments replicasets \
               statefulsets cronjobs jobs";
    let matching = |filter: &str| policy("", &format!("match: {{any: [{{resources: {{{filter}}}}}]}}"));
    assert_eq!(resources(&pods("", "")), all);
    // Kyverno compares the parts of the annotation as they are.
    assert_eq!(resources(&annotated("all")), pod);
    assert_eq!(resources(&annotated("none")), pod);
    assert_eq!(resources(&annotated("Deployment,Job")), format!("{pod} deployments jobs"));
    assert_eq!(resources(&annotated("Deployment, Job")), format!("{pod} deployments"));
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
    // A kind has to be literal, excluded kinds have to contain pods, and one rule decides for all.
    assert_eq!(resources(&matching("kinds: [v1/Pod]")), pod);
    assert_eq!(resources(&pods("", ", exclude: {any: [{resources: {kinds: [Service]}}]}")), pod);
    assert_eq!(
        resources(&pods(
            "",
            ", exclude: {any: [{resources: {selector: {matchLabels: {a: b}}, kinds: [Service]}}]}"
        )),
        pod
    );
    let with_rule = |rule: &str| {
        let input = pods("", "").replace("rules: [", &format!("rules: [{{name: other, {rule}}}, "));
        let (_, list) = converted(&input);
        let rules = list["items"][0]["spec"]["rules"].as_array().unwrap();
        rules.iter().any(|rule| rule["apiGroups"] == json!(["apps"]))
    };
    assert!(with_rule("match: {any: [{resources: {kinds: [Service]}}]}"));
    assert!(!with_rule("match: {any: [{resources: {kinds: [Service], names: [a]}}]}"));
    assert!(!with_rule("match: {resources: {kinds: [Namespace]}}, generate: {kind: Secret}"));
    assert!(!with_rule("match: {resources: {kinds: [Namespace]}}, mutate: {patchesJson6902: x}"));
    assert!(!with_rule(
        "match: {resources: {kinds: [Namespace]}}, mutate: {foreach: [{patchesJson6902: x}]}"
    ));
    // In the rule for CronJobs, they take the place of all kinds.
    let alternatives = policy(
        "",
        "match: {any: [{resources: {kinds: [Pod], namespaces: [a]}}, {resources: {kinds: [Service], namespaces: [b]}}]}",
    );
    let (_, list) = converted(&alternatives);
    assert_eq!(
        list["items"][0]["spec"]["matchConditions"][0]["expression"],
        "request.namespace == 'a' || (request.resource.resource == 'cronjobs' && request.namespace == 'b')"
    );
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
        "request.namespace == 'a' || request.resource.resource in ['deployments', 'cronjobs']"
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
        expression(&policy(
            "",
            "match: {any: [{resources: {kinds: [Deployment, StatefulSet]}}]}, exclude: {any: [{resources: {kinds: \
             [Deployment], operations: [UPDATE]}}]}"
        )),
        "!(request.resource.resource == 'deployments' && request.operation == 'UPDATE')"
    );
}

#[test]
fn lists_conditions_that_cannot_be_expressed_and_leaves_them_out() {
    let rule = "match: {any: [{resources: {kinds: [Pod, Service]}, clusterRoles: [admin]}]}, \
                preconditions: {all: []}, context: [], celPreconditions: [{name: a}], skipBackgroundRequests: true";
    let spec = "background: true, applyRules: One, newThing: 1, \
                validationFailureActionOverrides: [{action: Enforce, namespaces: [prod]}],";
    let input = policy(spec, rule).replace("rules: [", "rules: [{name: other, mutate: {}}, ");
    let (status, list) = converted(&input);
    assert_eq!(status, 1);
    // One for each action, which does not deny here, and one for background audits.
    let modes: Vec<&Value> =
        list["items"].as_array().unwrap().iter().map(|item| &item["spec"]["mode"]).collect();
    assert_eq!(modes, ["monitor", "monitor", "monitor"]);
    let missing = missing(&list).join("\n");
    for line in [
        "spec.rules[1].match.any[0].resources.kinds: Service is neither a pod nor a workload with a pod template",
        "spec.rules[1].match.any[0].clusterRoles: a request does not contain the roles of its user; without it, the policy judges more requests",
        "spec.rules[1].preconditions: the policy judges requests regardless of it; write it as a matchCondition",
        "spec.rules[1].context: nothing in the policy can use it",
        "spec.rules[1].celPreconditions: the policy judges requests regardless of it; write it as a matchCondition",
        "spec.applyRules: each rule becomes a separate policy, which judges requests independently of the others",
        "spec.newThing: has no equivalent",
        "spec.rules[0].validate.podSecurity: is missing; only podSecurity and the checks of pods and external IPs in Kyverno's library are converted",
    ] {
        assert!(missing.lines().any(|found| found == line), "{line}\n{missing}");
    }
    assert_eq!(missing.lines().count(), 8, "{missing}");
    assert_eq!(list["notConverted"][1]["policy"], "ClusterPolicy p");
    assert_eq!(list["notConverted"][1]["rule"], "r");
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
            "{resources: {namespaceSelector: {matchLabels: {a: b, c: d, e: f, g: h, i: j}}}}",
            "exclude.any[0].resources.namespaceSelector: the exclude takes more than 4 selectors of namespaces",
        ),
        (
            "{resources: {names: [a], namespaceSelector: {matchLabels: {a: b}}}}",
            "exclude.any[0].resources.namespaceSelector: requirements on namespace labels can only be inverted without other conditions",
        ),
        (
            "{resources: {namespaceSelector: {matchLabels: {a: '*'}}}}",
            "exclude.any[0].resources.namespaceSelector: namespace labels cannot be matched with patterns",
        ),
    ] {
        let (_, list) = converted(&pods("", &format!(", exclude: {{any: [{filter}]}}")));
        assert_eq!(missing(&list), [format!("spec.rules[0].{problem}; the policy judges what it excludes")]);
        let spec = &list["items"][0]["spec"];
        assert_eq!((spec.get("matchConditions"), spec.get("namespaceSelector")), (None, None), "{spec}");
    }
}

#[test]
fn several_requirements_on_namespaces_are_inverted_one_by_one() {
    let rule = pods(
        "validationFailureAction: Enforce,",
        ", exclude: {any: [{resources: {namespaceSelector: {matchLabels: {a: b, c: d}}}}, {resources: {namespaces: [x]}}]}",
    );
    let (status, list) = converted(&rule);
    assert_eq!((status, list["items"].as_array().unwrap().len()), (0, 2), "{list}");
    for (labels, is_admitted) in [
        (json!({ "a": "b", "c": "d" }), true),
        (json!({ "a": "b" }), false),
        (json!({ "a": "x", "c": "d" }), false),
        (json!({}), false),
    ] {
        let (object, plural) = privileged("Pod", &json!({}));
        let refusals = conformance::refusals(list["items"].as_array().unwrap(), &object, plural, &labels);
        assert_eq!(refusals.is_empty(), is_admitted, "{labels}: {refusals:?}");
    }
}

#[test]
fn excluded_kinds_are_not_judged() {
    let input = |kinds: &str| pods("", &format!(", exclude: {{any: [{{resources: {{kinds: [{kinds}]}}}}]}}"));
    let (status, list) = converted(&input("Pod"));
    assert_eq!((status, &list["items"]), (0, &json!([])));
    let note = list["notes"][0].as_str().unwrap();
    assert!(note.starts_with("ClusterPolicy p, rule r, has no manifest, because its exclude"), "{note}");
    let rules = manifest(&input("Pod/ephemeralcontainers"))["spec"]["rules"].take();
    assert!(!rules.to_string().contains("ephemeralcontainers"), "{rules}");
}

#[test]
fn writes_no_manifest_with_settings_that_the_module_rejects() {
    let input = pods("", "").replace(
        "version: latest",
        "version: latest, exclude: [{controlName: Sysctls, restrictedField: spec.nothing, values: [a]}]",
    );
    // An entry that excludes nothing is left out.
    let (_, list) = converted(&input);
    assert_eq!(list["items"][0]["spec"]["settings"].get("exclude"), None);
    let entry = "spec.rules[0].validate.podSecurity.exclude[0]";
    let beginning = format!(
        "{entry}: is left out, because Kyverno refuses it or it excludes nothing: {entry}.restrictedField: "
    );
    let left_out = missing(&list);
    assert!(left_out.len() == 1 && left_out[0].starts_with(&beginning), "{left_out:?}");
    let (_, list) = converted(&pods("", "").replace("level: baseline", "level: strict"));
    assert_eq!(list["items"], json!([]));
    let missing = missing(&list);
    let beginning = "spec.rules[0].validate.podSecurity: the module rejects the settings: level: ";
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
    for (match_, more, problem) in [
        (
            "{resources: {namespaces: [a]}, roles: [b]}",
            checks,
            "spec.match.any[0].roles: a request does not contain the roles of its user; the exception is not applied",
        ),
        (
            namespaces,
            ", conditions: {any: []}, podSecurity: [{controlName: Host Namespaces}]",
            "spec.conditions: is evaluated with variables of Kyverno, which neither an entry nor a match condition has; the exception is not applied",
        ),
        (
            "{resources: {namespaces: [a], namespaceSelector: {matchLabels: {a: b}}}}",
            "",
            "spec.match.any[0].resources.namespaceSelector: an exception from the whole rule by namespace labels can only be inverted if it is from all kinds of a cluster-wide policy, by a single requirement without other conditions; the exception is not applied",
        ),
        ("{}", checks, "spec.match: is empty, which matches nothing"),
    ] {
        let (_, list) = converted(&exception("'*'", match_, more));
        assert_eq!(missing(&list), [problem]);
        assert_eq!(list["notConverted"][0]["policy"], "PolicyException k/e, for ClusterPolicy p");
        assert_eq!(list["items"][0]["spec"]["settings"].get("exclude"), None);
    }
    let (_, list) = converted(&exception("other", namespaces, checks));
    assert_eq!(
        missing(&list),
        ["spec.exceptions: names no rule with podSecurity or a check of Kyverno's library in the input"]
    );
}

#[test]
fn an_exception_can_select_labels_if_only_pods_are_judged() {
    let input = policy("", "match: {any: [{resources: {kinds: [Pod], name: '*'}}]}");
    let exception = "{apiVersion: kyverno.io/v2, kind: PolicyException, metadata: {name: e}, spec: {exceptions: \
                     [{policyName: p, ruleNames: [r]}], match: {any: [{resources: {kinds: [Pod], selector: \
                     {matchLabels: {a: b}}}}]}, podSecurity: [{controlName: Sysctls}]}}";
    let manifest = manifest(&format!("{input}\n---\n{exception}"));
    assert_eq!(
        manifest["spec"]["settings"]["exclude"],
        json!([{ "controlName": "Sysctls", "podSelector": { "matchLabels": { "a": "b" } } }])
    );
}

#[test]
fn lists_documents_and_rules_without_a_check() {
    let input = "---\n{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Service, metadata: {name: web, namespace: \
                 shop}}, {apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: p}, spec: {rules: [{name: a, \
                 match: {}, validate: {pattern: {}}}, {name: b, mutate: {}}]}}, {apiVersion: policies.kyverno.io/v1, \
                 kind: DeletingPolicy, metadata: {name: e}}]}";
    let (status, stdout, _) = convert(&tests::root(), &["kyverno", "-"], input);
    assert_eq!(status, 1);
    assert_eq!(
        stdout,
        "\
# not converted: Service shop/web: items[0].kind: is not a ClusterPolicy, Policy or PolicyException of kyverno.io, nor a ValidatingPolicy, NamespacedValidatingPolicy or PolicyException of policies.kyverno.io
# not converted: ClusterPolicy p, rule a: items[1].spec.rules[0].validate.podSecurity: is missing; only podSecurity and the checks of pods and external IPs in Kyverno's library are converted
# not converted: ClusterPolicy p, rule b: items[1].spec.rules[1].validate.podSecurity: is missing; only podSecurity and the checks of pods and external IPs in Kyverno's library are converted
# not converted: DeletingPolicy e: items[2].kind: is not a ClusterPolicy, Policy or PolicyException of kyverno.io, nor a ValidatingPolicy, NamespacedValidatingPolicy or PolicyException of policies.kyverno.io
"
    );
    let (_, list) = converted(input);
    assert_eq!(list["items"], json!([]));
}

/// A `PolicyException` for the rule r of the policy p.
fn exception(name: &str, rules: &str, match_: &str, more: &str) -> String {
    format!(
        "\n---\n{{apiVersion: kyverno.io/v2, kind: PolicyException, metadata: {{name: {name}}}, spec: {{exceptions: \
         [{{policyName: p, ruleNames: [{rules}]}}], match: {{any: [{match_}]}}{more}}}}}"
    )
}

const PRIVILEGED: &str = ", podSecurity: [{controlName: Privileged Containers, images: ['*']}]";

/// A pod or a Deployment with a privileged container, and the plural of its kind.
fn privileged(kind: &str, metadata: &Value) -> (Value, &'static str) {
    let spec =
        json!({ "containers": [{ "name": "c", "image": "a", "securityContext": { "privileged": true } }] });
    let mut whole = json!({ "name": "web", "namespace": "shop" });
    whole.as_object_mut().unwrap().extend(metadata.as_object().unwrap().clone());
    if kind == "Pod" {
        (json!({ "apiVersion": "v1", "kind": "Pod", "metadata": whole, "spec": spec }), "pods")
    } else {
        let spec = json!({ "template": { "metadata": {}, "spec": spec } });
        (
            json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": whole, "spec": spec }),
            "deployments",
        )
    }
}

#[test]
fn exceptions_apply_to_the_rules_kinds_and_objects_that_they_name() {
    let enforced = pods("validationFailureAction: Enforce,", "");
    let everywhere = "{resources: {kinds: [Pod, Deployment]}}";
    let named = "{resources: {names: ['we*']}}";
    let labelled = "{resources: {selector: {matchLabels: {a: b}}}}";
    let annotated = "{resources: {annotations: {a: b}}}";
    let whole = "";
    let other = json!({ "name": "api" });
    let labels = json!({ "labels": { "a": "b" } });
    let annotations = json!({ "annotations": { "a": "b" } });
    let plain = json!({});
    // The kinds of the rule, and whether Kyverno admits a pod and a Deployment with the metadata.
    for (rules, match_, more, metadata, pod, deployment) in [
        ("r", everywhere, PRIVILEGED, &plain, true, false),
        ("autogen-r", everywhere, PRIVILEGED, &plain, false, true),
        ("autogen-cronjob-r", everywhere, PRIVILEGED, &plain, false, false),
        ("'*'", everywhere, PRIVILEGED, &plain, true, true),
        ("'*'", "{resources: {kinds: [Pod]}}", PRIVILEGED, &plain, true, false),
        ("'*'", "{resources: {kinds: ['*/Deployment']}}", PRIVILEGED, &plain, false, true),
        ("'*'", "{resources: {namespaces: [shop]}}", PRIVILEGED, &plain, true, true),
        ("'*'", "{resources: {namespaces: [shops]}}", PRIVILEGED, &plain, false, false),
        ("'*'", "{resources: {namespaceSelector: {matchLabels: {team: x}}}}", PRIVILEGED, &plain, true, true),
        ("'*'", named, PRIVILEGED, &plain, true, true),
        ("'*'", named, PRIVILEGED, &other, false, false),
        ("r", named, PRIVILEGED, &plain, true, false),
        ("'*'", labelled, PRIVILEGED, &labels, true, true),
        ("'*'", labelled, PRIVILEGED, &plain, false, false),
        ("'*'", annotated, PRIVILEGED, &annotations, true, true),
        ("'*'", annotated, PRIVILEGED, &plain, false, false),
        // Operations of exceptions are not read.
        ("'*'", "{resources: {kinds: [Pod], operations: [UPDATE]}}", PRIVILEGED, &plain, true, false),
        (
            "'*'",
            "{resources: {kinds: [Pod]}}",
            ", podSecurity: [{controlName: Host Namespaces}]",
            &plain,
            false,
            false,
        ),
        // Exceptions from the whole rule.
        ("'*'", everywhere, whole, &plain, true, true),
        ("r", everywhere, whole, &plain, true, false),
        ("'*'", "{resources: {kinds: [Deployment]}}", whole, &plain, false, true),
        ("'*'", "{resources: {namespaces: [shop]}}", whole, &plain, true, true),
        ("'*'", "{resources: {namespaces: ['sh*']}}", whole, &plain, true, true),
        ("r", "{resources: {namespaces: [shop]}}", whole, &plain, true, false),
        ("'*'", "{resources: {namespaceSelector: {matchLabels: {team: x}}}}", whole, &plain, true, true),
        ("'*'", named, whole, &plain, true, true),
        ("'*'", named, whole, &other, false, false),
        ("'*'", labelled, whole, &labels, true, true),
        ("'*'", labelled, whole, &plain, false, false),
    ] {
        let (status, list) = converted(&format!("{enforced}{}", exception("e", rules, match_, more)));
        assert_eq!(status, 0, "{list}");
        for (kind, is_admitted) in [("Pod", pod), ("Deployment", deployment)] {
            let (object, plural) = privileged(kind, metadata);
            let refusals = conformance::refusals(
                list["items"].as_array().unwrap(),
                &object,
                plural,
                &json!({ "team": "x" }),
            );
            assert_eq!(
                refusals.is_empty(),
                is_admitted,
                "{rules} {match_} {more} {metadata} {kind}: {refusals:?}"
            );
        }
    }
}

#[test]
fn a_controller_that_two_rules_judge_is_left_out_only_if_both_leave_it_out() {
    let rule = |exclude: &str| {
        policy(
            "validationFailureAction: Enforce,",
            &format!(
                "match: {{any: [{{resources: {{kinds: [Pod]}}}}, {{resources: {{kinds: [Deployment]}}}}]}}{exclude}"
            ),
        )
    };
    let everywhere = "{resources: {kinds: ['*']}}";
    for (input, status, is_admitted) in [
        (rule("") + &*exception("e", "autogen-r", everywhere, PRIVILEGED), 0, false),
        (rule("") + &*exception("e", "r", everywhere, PRIVILEGED), 0, false),
        (rule("") + &*exception("e", "'*r'", everywhere, PRIVILEGED), 0, true),
        (rule(", exclude: {any: [{resources: {kinds: [Pod], namespaces: [shop]}}]}"), 1, false),
        (rule(", exclude: {any: [{resources: {namespaces: [shop]}}]}"), 0, true),
    ] {
        let (found, list) = converted(&input);
        assert_eq!(found, status, "{list}");
        let (object, plural) = privileged("Deployment", &json!({}));
        let refusals = conformance::refusals(list["items"].as_array().unwrap(), &object, plural, &json!({}));
        assert_eq!(refusals.is_empty(), is_admitted, "{input}: {refusals:?}");
    }
}

#[test]
fn several_exceptions_apply_together() {
    let enforced = pods("validationFailureAction: Enforce,", "");
    let port = "ports: [{containerPort: 1, hostPort: 1}]";
    let ports = ", podSecurity: [{controlName: Host Ports, images: ['*']}]";
    let container = format!("{{name: c, image: a, securityContext: {{privileged: true}}, {port}}}");
    let input = enforced
        + &*exception("one", "'*'", "{resources: {names: [web]}}", PRIVILEGED)
        + &*exception("two", "'*'", "{resources: {annotations: {a: b}}}", ports)
        + &*exception("three", "'*'", "{resources: {annotations: {skip: '*'}}}", "");
    let (status, list) = converted(&input);
    assert_eq!(status, 0, "{list}");
    for (name, annotations, is_admitted) in [
        ("web", "{a: b}", true),
        ("web", "{}", false),
        ("api", "{a: b}", false),
        ("api", "{}", false),
        ("api", "{skip: x}", true),
        ("web", "{skip: x}", true),
    ] {
        let pod = format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: shop, annotations: {annotations}}}, spec: \
             {{containers: [{container}]}}}}"
        );
        let pod: Value = serde_saphyr::from_str(&pod).unwrap();
        let refusals = conformance::refusals(list["items"].as_array().unwrap(), &pod, "pods", &json!({}));
        assert_eq!(refusals.is_empty(), is_admitted, "{name} {annotations}: {refusals:?}");
    }
}

#[test]
fn background_audits_have_a_manifest_of_their_own() {
    let input = pods("background: true, validationFailureAction: Enforce,", "")
        + &*exception("e", "r", "{resources: {namespaces: [shop]}}", PRIVILEGED)
        + &*exception(
            "f",
            "r",
            "{resources: {namespaces: [bank]}}",
            &format!(", background: false{PRIVILEGED}"),
        );
    let (status, list) = converted_with(&[], &input);
    assert_eq!(status, 0, "{list}");
    let items = list["items"].as_array().unwrap();
    let audits: Vec<&Value> = items.iter().filter(|item| item["spec"]["backgroundAudit"] == true).collect();
    let names: Vec<&Value> = audits.iter().map(|item| &item["metadata"]["name"]).collect();
    // Pods have the exception, templates do not.
    assert_eq!(names, ["p-r-audit", "p-r-audit-2"]);
    for audit in &audits {
        let spec = &audit["spec"];
        assert_eq!(spec["mode"], "monitor");
        assert!(
            !spec["rules"].to_string().contains('/') && !spec["rules"].to_string().contains("UPDATE"),
            "{spec}"
        );
        // Resource filters are not applied in background scans.
        assert_eq!(spec.get("namespaceSelector"), None);
        assert_eq!(spec["settings"].get("existingViolations"), None);
    }
    let exclude =
        json!([{ "controlName": "Privileged Containers", "images": ["*"], "namespaces": ["shop"] }]);
    assert_eq!(audits[0]["spec"]["settings"]["exclude"], exclude);
    assert_eq!(audits[1]["spec"]["settings"].get("exclude"), None);
    assert_eq!(items[0]["spec"]["settings"]["exclude"].as_array().unwrap().len(), 2);
    // Requests of users and operations do not occur in background scans, names do.
    let differs = |filter: &str| {
        let rule = format!("match: {{any: [{{resources: {{kinds: [Pod], {filter}}}}}]}}");
        converted(&policy("background: true,", &rule)).0 == 1
    };
    assert!(differs("names: [a]") && differs("namespaces: ['a*']"));
    assert!(
        !differs("namespaces: [a]")
            && !differs("operations: [CREATE]")
            && !differs("selector: {matchLabels: {a: b}}")
    );
    // Rules that are not for requests have no manifest for them.
    let (_, list) = converted(&pods("background: true, admission: false,", ""));
    let names: Vec<&Value> =
        list["items"].as_array().unwrap().iter().map(|item| &item["metadata"]["name"]).collect();
    assert_eq!(names, ["p-r-audit"]);
}

#[test]
fn the_configuration_of_kyverno_leaves_out_requests() {
    let folder = folder("configuration");
    let file = folder.join("kyverno.yaml");
    let with = |data: &str, input: &str| {
        let map = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: kyverno}}\ndata:\n{data}");
        std::fs::write(&file, map).unwrap();
        converted_with(&["--kyverno-config", file.to_str().unwrap()], input)
    };
    let data = "  excludeGroups: 'system:nodes, !admins'
  excludeUsernames: 'system:*'
  resourceFilters: '[*/*,kube-system,*][*/*,infra-*,*] [Job,*,*][Pod,shop,web-*][Service,*,*][Event,*,*][CronJob]'
  webhooks: '{\"namespaceSelector\": {\"matchExpressions\": [{\"key\": \"open\", \"operator\": \"DoesNotExist\"}], \"matchLabels\": null}, \"objectSelector\": {\"matchLabels\": {\"a\": \"b\"}}}'
  matchConditions: '[{\"name\": \"is-matched\", \"expression\": \"true\"}]'
";
    let input = policy("", "match: {any: [{resources: {kinds: [Pod], namespaces: ['x*', shop]}}]}");
    let (status, list) = with(data, &input);
    assert_eq!(status, 0, "{list}");
    let spec = &list["items"][0]["spec"];
    assert!(!spec["rules"].to_string().contains("\"jobs\""), "{spec}");
    assert!(spec["rules"].to_string().contains("\"cronjobs\""), "{spec}");
    assert_eq!(
        spec["namespaceSelector"],
        json!({ "matchExpressions": [
            { "key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["kube-system"] },
            { "key": "open", "operator": "DoesNotExist" },
        ] })
    );
    assert_eq!(spec["objectSelector"], json!({ "matchLabels": { "a": "b" } }));
    assert_eq!(
        spec["matchConditions"],
        json!([
            { "name": "is-matched-2", "expression": "request.namespace == 'shop' || request.namespace.matches('^x.*$')" },
            { "name": "is-not-filtered", "expression": "!(request.namespace.matches('^infra-.*$')) && \
              !(request.resource.resource == 'pods' && (has(request.subResource) ? request.subResource : '') == '' && \
              request.namespace == 'shop' && (has(request.name) ? request.name : '').matches('^web-.*$'))" },
            { "name": "is-not-excluded-by-kyverno", "expression": "!(((has(request.userInfo.username) && \
              request.userInfo.username.matches('^system:.*$')) || (has(request.userInfo.groups) && 'system:nodes' in \
              request.userInfo.groups)) && !(has(request.userInfo.groups) && 'admins' in request.userInfo.groups))" },
            { "name": "is-matched", "expression": "true" },
        ])
    );
    let note = list["notes"][0].as_str().unwrap();
    assert!(
        note.ends_with(
            " leaves out the namespace kube-system, all jobs, the requests that the condition is-not-filtered keeps away, the \
             namespaces that the selector of its webhooks does not select, the objects that the selector of its webhooks \
             does not select, the user system:*, the group system:nodes and the requests that its match conditions do not \
             match."
        ),
        "{note}"
    );
    let conditions = "  webhooks: '{\"matchConditions\": []}'\n  matchConditions: '[{\"name\": \"a\", \"expression\": \"false\"}]'\n";
    let (_, list) = with(conditions, &pods("", ""));
    let note = list["notes"][0].as_str().unwrap();
    assert!(note.ends_with(" leaves out the requests that its match conditions do not match."), "{note}");
    // A namespaced policy cannot select namespaces: the name of its own decides.
    let namespaced = |namespace: &str| {
        let input = pods("", "").replace("ClusterPolicy", "Policy");
        with(data, &input.replace("{name: p}", &format!("{{name: p, namespace: {namespace}}}")))
    };
    assert_eq!(namespaced("kube-system").1["items"], json!([]));
    assert_eq!(namespaced("infra-x").1["items"], json!([]));
    let (status, list) = namespaced("shop");
    assert_eq!((status, list["items"][0]["spec"].get("namespaceSelector")), (1, None));
    let roles = with("  excludeRoles: a\n", &input);
    assert_eq!(roles.0, 1);
    assert_eq!(
        missing(&roles.1),
        [
            "data.excludeRoles: a request does not contain the roles of its user; the policy judges the requests of these users"
        ]
    );
    for (data, problem) in [
        (
            "  webhooks: '{'\n",
            "5:3: data.webhooks: invalid JSON: EOF while parsing an object at line 1 column 1",
        ),
        (
            "  webhooks: '[{\"namespaceSelector\": 1}]'\n",
            "5:3: data.webhooks: namespaceSelector: expected an object, found a number",
        ),
        ("  excludeGroups: 1\n", "5:3: data.excludeGroups: expected a string, found a number"),
    ] {
        let map = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: kyverno}}\ndata:\n{data}");
        std::fs::write(&file, map).unwrap();
        let path = file.to_str().unwrap();
        let message = refused(&["kyverno", "-", "--kyverno-config", path], &input);
        assert_eq!(message, format!("{path}:{problem}"));
    }
    std::fs::write(&file, "kind: Pod\napiVersion: v1\n").unwrap();
    let path = file.to_str().unwrap();
    assert_eq!(
        refused(&["kyverno", "-", "--kyverno-config", path], &input),
        format!("{path}:1:1: kind: expected the ConfigMap of Kyverno, of apiVersion v1")
    );
}

#[test]
fn overrides_and_alternatives_become_manifests_of_their_own() {
    // The mode and the namespaceSelector of each manifest for requests.
    let modes = |spec: &str, rule: &str| -> Vec<(Value, Value)> {
        let (_, list) = converted(&pods(spec, rule));
        let specs = list["items"].as_array().unwrap().iter().map(|item| &item["spec"]);
        specs.map(|spec| (spec["mode"].clone(), spec["namespaceSelector"].clone())).collect()
    };
    let named = |operator: &str, names: Value| json!({ "matchExpressions": [{ "key": "kubernetes.io/metadata.name", "operator": operator, "values": names }] });
    assert_eq!(
        modes("validationFailureActionOverrides: [{action: enforce, namespaces: [a, b]}],", ""),
        [
            (json!("monitor"), named("NotIn", json!(["a", "b"]))),
            (json!("protect"), named("In", json!(["a", "b"]))),
        ]
    );
    let label = |operator: &str| json!({ "matchExpressions": [{ "key": "env", "operator": operator, "values": ["prod"] }] });
    assert_eq!(
        modes(
            "validationFailureAction: Enforce, validationFailureActionOverrides: [{action: Audit, namespaceSelector: \
             {matchLabels: {env: prod}}}],",
            ""
        ),
        [(json!("protect"), label("NotIn")), (json!("monitor"), label("In"))]
    );
    // The first override decides, and one without namespaces never does.
    assert_eq!(
        modes(
            "validationFailureActionOverrides: [{action: Enforce}, {action: Enforce, namespaces: ['x-*']}, {action: \
             Audit, namespaces: ['*']}],",
            ""
        ),
        [(json!("monitor"), Value::Null), (json!("protect"), Value::Null), (json!("monitor"), Value::Null)]
    );
    let spec = "validationFailureActionOverrides: [{action: Audit, namespaces: [a], namespaceSelector: {matchLabels: \
                {a: b}}}], validationFailureAction: Enforce,";
    let (status, list) = converted(&pods(spec, ""));
    assert_eq!(status, 1);
    assert!(
        missing(&list)[0]
            .starts_with("spec.validationFailureActionOverrides[0].namespaceSelector: the other")
    );
    // Nothing is denied that the rule admits.
    assert_eq!(list["items"][0]["spec"]["mode"], "monitor");
    assert_eq!(modes(spec, "").len(), 1);
    let input = policy(
        "validationFailureAction: Enforce,",
        "match: {any: [{resources: {kinds: [Pod], namespaceSelector: {matchLabels: {a: b}}}}, {resources: {kinds: [Pod], \
         namespaceSelector: {matchLabels: {c: d}}}}, {resources: {kinds: [Deployment], namespaces: [x]}}]}",
    );
    let (status, list) = converted(&input);
    assert_eq!(status, 0, "{list}");
    let selectors: Vec<&Value> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| &item["spec"]["namespaceSelector"]["matchExpressions"][0]["values"][0])
        .collect();
    assert_eq!(selectors, ["x", "b", "d"]);
}

#[test]
fn options_change_modes_registries_and_names() {
    let input = pods("background: true,", "");
    let options =
        ["--mode", "protect", "--registry", "registry://registry.example.com/a/", "--name-prefix", "psa-"];
    let (status, list) = converted_with(&options, &input);
    assert_eq!(status, 0);
    let found: Vec<(&Value, &Value, &Value)> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (&item["metadata"]["name"], &item["spec"]["mode"], &item["spec"]["module"]))
        .collect();
    let module = json!("registry://registry.example.com/a/pod-security:v0.1.0");
    assert_eq!(
        found,
        [
            (&json!("psa-p-r"), &json!("protect"), &module),
            (&json!("psa-p-r-audit"), &json!("monitor"), &module),
        ]
    );
    // Mode monitor would discard the warnings.
    let (_, list) = converted_with(&["--mode", "monitor"], &pods("emitWarning: true,", ""));
    assert_eq!(list["items"][0]["spec"]["mode"], "protect");
    for prefix in ["A", "-a", "a-much-too-long-prefix"] {
        let message = refused(&["kyverno", "-", &format!("--name-prefix={prefix}")], &input);
        assert!(message.starts_with("--name-prefix: expected at most 12 "), "{message}");
    }
    assert_eq!(
        refused(&["kyverno", "-", "--registry", ""], &input),
        "--registry: expected a registry and a path"
    );
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
        let found = refused(&["kyverno", "-"], input);
        assert_eq!(without_place(&found), message.replace(", document 2", ""));
    }
    let second =
        format!("{}\n---\napiVersion: kyverno.io/v1\nkind: ClusterPolicy\nspec: {{}}\n", pods("", ""));
    assert_eq!(refused(&["kyverno", "-"], &second), "standard input:5:1: metadata: is missing");
    // A document without any known field has a place as well.
    assert_eq!(
        refused(&["kyverno", "-"], "# Policies\n[1]"),
        "standard input:2:1: expected an object, found a list"
    );
    assert_eq!(
        refused(&["kyverno", "-"], "---\na: 1"),
        "standard input:2:1: kind: is missing; expected Kyverno policies"
    );
    let yaml = refused(&["kyverno", "-"], "a: [1\nb: 2");
    assert!(
        yaml.starts_with("standard input: line 2, column 2: ") && yaml.contains("invalid YAML: "),
        "{yaml}"
    );
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
    // The first version still exists, and of both fields, the API server uses the configuration.
    let older = inside.replace("apiserver.config.k8s.io/v1", "apiserver.k8s.io/v1alpha1");
    let older = older.replace("  configuration:", "  path: other.yaml\n  configuration:");
    assert_eq!(convert(&tests::root(), &["psa", "-"], &older).1, stdout);
    // The plugin has no patterns, so what looks like one exempts nobody.
    let wild = CONFIGURATION.replace("usernames: []", "usernames: ['system:*', ann]");
    let (status, wild, stderr) = convert(&tests::root(), &["psa", "-"], &wild);
    assert_eq!(status, 1);
    assert!(
        stderr.starts_with(
            "standard input:9:3: not converted: PodSecurityConfiguration: exemptions.usernames: \"system:*\" is not a pattern"
        ),
        "{stderr}"
    );
    assert_eq!(documents(&wild)[0]["spec"]["settings"]["exemptions"]["usernames"], json!(["ann"]));
    let options = ["psa", "-", "--mode", "monitor", "--name-prefix", "a-"];
    let (_, monitored, _) = convert(&tests::root(), &options, CONFIGURATION);
    assert_eq!(documents(&monitored)[0]["spec"]["mode"], "monitor");
    assert_eq!(documents(&monitored)[0]["metadata"]["name"], "a-pod-security");
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

/// Source: `admission/admission.go` and `api/helpers.go` in kubernetes/pod-security-admission.
#[test]
fn the_manifest_judges_pods_as_the_plugin_does() {
    let configuration = json!({
        "apiVersion": "pod-security.admission.config.k8s.io/v1",
        "kind": "PodSecurityConfiguration",
        "defaults": { "enforce": "baseline" },
        "exemptions": { "namespaces": ["free"], "runtimeClasses": ["vm"] },
    });
    let (status, list) = converted_from("psa", &[], &configuration.to_string());
    assert_eq!(status, 0, "{list}");
    let manifests = list["items"].as_array().unwrap();
    let enforce = |level: &str| json!({ "pod-security.kubernetes.io/enforce": level });
    let invalid = json!({
        "pod-security.kubernetes.io/enforce": "other",
        "pod-security.kubernetes.io/enforce-version": "v1.7",
    });
    let host = json!({ "hostPID": true });
    let non_root = json!({ "securityContext": { "runAsNonRoot": true } });
    for (namespace, labels, fields, is_admitted) in [
        ("shop", json!({}), json!({}), true),
        ("shop", json!({}), host.clone(), false),
        ("free", json!({}), host.clone(), true),
        ("shop", json!({}), json!({ "hostPID": true, "runtimeClassName": "vm" }), true),
        ("shop", enforce("restricted"), json!({}), false),
        ("shop", enforce("privileged"), host.clone(), true),
        // An invalid level is restricted. The version counts although the level is invalid.
        ("shop", enforce("other"), non_root.clone(), false),
        ("shop", invalid, non_root, true),
    ] {
        let mut spec = fields;
        spec["containers"] = json!([{ "name": "c", "image": "i" }]);
        let metadata = json!({ "name": "p", "namespace": namespace });
        let pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec });
        let refusals = conformance::refusals(manifests, &pod, "pods", &labels);
        assert_eq!(refusals.is_empty(), is_admitted, "{labels} {pod}: {refusals:?}");
        // The plugin never denies workloads.
        let job = json!({ "apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": { "template": { "spec": spec } } });
        let refusals = conformance::refusals(manifests, &job, "jobs", &labels);
        assert!(refusals.is_empty(), "{labels} {job}: {refusals:?}");
    }
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
            "apiVersion: expected pod-security.admission.config.k8s.io/v1 or pod-security.admission.config.k8s.io/v1beta1 or pod-security.admission.config.k8s.io/v1alpha1",
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
        (
            plugins("{name: PodSecurity}").replace("k8s.io/v1,", "k8s.io/v1beta1,"),
            "apiVersion: expected apiserver.config.k8s.io/v1 or apiserver.k8s.io/v1alpha1",
        ),
    ] {
        assert_eq!(without_place(&refused(&["psa", "-"], &input)), format!("standard input: {message}"));
    }
}
