//! The manifests that `portcullis convert` writes, as a user gets them.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use harness::{Case, CaseOutcome, judge};
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

const CONFIGURED: &str = "\
# Kyverno's own configuration (resourceFilters, excludeGroups, the namespaceSelector of its webhooks) is not in these files and by default leaves out kube-system; add a namespaceSelector where wanted.
";

const NEWER: &str = "\
# Kyverno also checks Host Probes / Lifecycle Hooks, which v1.24 does not have.
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
        "{CONFIGURED}{NEWER}{}{CONTROLLERS}{NAMESPACES}{user}    existingViolations: Tolerate\n    profile: restricted\n    version: v1.24\n",
        beginning("exclude-all-capabilities", all)
    );
    let second = format!(
        "{CONFIGURED}{}{CONTROLLERS}{NAMESPACES}{user}      restrictedField: spec.containers[*].securityContext.capabilities.add
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
        "{CONFIGURED}{NEWER}{}{NAMESPACES}  matchConditions:
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
    // A monitor would deny, and so not warn.
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

/// The notes on what is converted without a problem.
fn notes(input: &str) -> Vec<String> {
    let (status, list) = converted(input);
    assert_eq!(status, 0, "{list}");
    serde_json::from_value(list["notes"].clone()).unwrap()
}

#[test]
fn a_note_names_what_kyverno_checks_before_there_is_a_check() {
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
        // The check of /proc mounts at restricted, of v1.35, says what that at baseline said before.
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
            (Some(format!("{controls}, which {version} does not have.")), None)
        );
    }
    for (level, version) in
        [("baseline", "v1.34"), ("restricted", "v1.34"), ("restricted", "v1.99"), ("restricted", "latest")]
    {
        assert_eq!(newer(level, version), (None, None), "{level} {version}");
    }
}

#[test]
fn notes_say_what_differs_though_nothing_is_missing() {
    let configured = CONFIGURED.trim_matches(['#', ' ', '\n']);
    let no_audit = NO_AUDIT.trim_matches(['#', ' ', '\n']);
    let warns = "The module does not warn where it denies, and mode monitor drops the denial; so this policy protects at \
                 level privileged, which denies nothing, and warns and audits at the level of the rule. For reports on \
                 violations add a second policy in mode monitor.";
    assert_eq!(notes(&pods("", "")), [configured, no_audit]);
    assert_eq!(notes(&pods("background: true,", "")), [configured, no_audit]);
    assert_eq!(notes(&pods("background: false,", "")), [configured]);
    assert_eq!(notes(&pods("emitWarning: true, background: false,", "")), [configured, warns]);
    assert_eq!(
        notes(&pods("emitWarning: true, validationFailureAction: Enforce, background: false,", "")),
        [configured]
    );
    // A policy of a namespace is written for it.
    let namespaced = pods("background: false,", "").replace("ClusterPolicy", "Policy");
    assert_eq!(
        notes(&namespaced.replace("{name: p}", "{name: p, namespace: kube-system}")),
        Vec::<String>::new()
    );
    let templates = policy("background: true,", "match: {any: [{resources: {kinds: [Deployment]}}]}");
    assert_eq!(notes(&templates), [configured]);
}

/// What comes of a request with the settings and the mode of a manifest.
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

/// A pod with one container, of which an image and what is besides is given.
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

/// What a user gets to see.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Seen {
    Admitted,
    /// Admitted, while the policy server logs a denial.
    Logged,
    Warned(&'static str),
    Denied,
}

#[test]
fn requests_are_judged_with_what_is_written_as_kyverno_judges_them() {
    use Seen::{Admitted, Denied, Logged, Warned};
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
    for (what, rule, old, new, seen) in [
        ("Audit, a good pod", &audited, None, plain.clone(), Admitted),
        ("Audit, a bad pod", &audited, None, bad.clone(), Logged),
        ("Audit, a bad template", &audited, None, deployment.clone(), Logged),
        ("Audit and emitWarning, a good pod", &warned, None, plain.clone(), Admitted),
        ("Audit and emitWarning, a bad pod", &warned, None, bad.clone(), refused),
        ("Audit and emitWarning, a bad template", &warned, None, deployment.clone(), refused),
        ("Audit and emitWarning, an old violation", &warned, Some(&bad), newer(&privileged), refused),
        (
            "Audit and emitWarning, what is excluded",
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
        (
            "allowExistingViolations: false, a change of nothing that runs",
            &strict,
            Some(&bad),
            bad.clone(),
            Admitted,
        ),
        ("an excluded image", &excluded, None, bad.clone(), Admitted),
        ("an excluded image with another violation", &excluded, None, pod("trusted/a:1", &port), Denied),
        ("another image", &excluded, None, other(&privileged), Denied),
        (
            "an excluded image in place of an excluded one",
            &excluded,
            Some(&bad),
            newer(&privileged),
            Admitted,
        ),
        ("another image in place of an excluded one", &excluded, Some(&bad), other(&privileged), Denied),
        (
            "another image in place of one with an old violation",
            &excluded,
            Some(&pod("other/a:0", &privileged)),
            other(&privileged),
            Admitted,
        ),
        ("an excluded value", &capable, None, pod("a", &time), Admitted),
        ("an excluded value beside another", &capable, None, pod("a", &admin), Denied),
        ("an exception, an image of it", &excepted, None, bad.clone(), Admitted),
        ("an exception, another image", &excepted, None, other(&privileged), Denied),
        (
            "an exception, another image in place of one of it",
            &excepted,
            Some(&bad),
            other(&privileged),
            Denied,
        ),
        ("latest, a probe of a host", &enforced, None, pod("a", &probe), Denied),
        ("v1.24, a probe of a host, of which a note tells", &pinned, None, pod("a", &probe), Admitted),
    ] {
        let manifest = manifest(rule);
        let outcome = judged(&manifest, old, &new);
        let monitors = manifest["spec"]["mode"] == "monitor";
        let found = (outcome.admitted, outcome.denied.is_some(), monitors, outcome.warnings.as_slice());
        let is_as_wanted = match seen {
            Admitted => matches!(found, (Some(true), false, _, [])),
            Logged => matches!(found, (None, true, true, [])),
            Warned(text) => matches!(found, (Some(true), false, false, [warning]) if warning == text),
            Denied => matches!(found, (None, true, false, [])),
        };
        assert!(is_as_wanted, "{what}: {seen:?} expected of {manifest}, found {outcome:?}");
    }
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
        "spec.applyRules: each rule is a policy of its own and judges whatever the others do",
        "spec.newThing: nothing corresponds to it",
        "spec.validationFailureActionOverrides: a policy has one mode; make a policy for each mode, with a namespaceSelector",
    ] {
        assert!(missing.lines().any(|found| found == line), "{line}\n{missing}");
    }
    assert_eq!(missing.lines().count(), 9, "{missing}");
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
            "---\n{apiVersion: v1, kind: List, items: []}",
            "standard input: items: is empty; expected policies of Kyverno",
        ),
        (
            "---\n{apiVersion: v1, kind: List, items: [{apiVersion: kyverno.io/v1, kind: PolicyList, items: []}]}",
            "standard input: items[0].items: is empty; expected policies of Kyverno",
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
    // A namespace may have labels of levels alone.
    let pinned = CONFIGURATION
        .replace("audit: privileged", "audit-version: v1.25")
        .replace("warn: restricted", "warn: privileged\n  warn-version: v1.26");
    let (_, stdout, _) = convert(&tests::root(), &["psa", "-"], &pinned);
    let settings = &documents(&stdout)[0]["spec"]["settings"];
    assert_eq!(settings["audit"], json!({ "level": "privileged", "version": "v1.25" }));
    assert_eq!(settings["warn"], json!({ "level": "privileged", "version": "v1.26" }));
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
