//! Test files of Kyverno, as a check of a migration: their rules are converted, and have to give
//! the results that the file lists.
//!
//! Source: `cmd/cli/kubectl-kyverno/apis/v1alpha1/{test,test_result}.go` of kyverno/kyverno at
//! 0df7ef97 and 03cf29d0.

use std::path::{Path, PathBuf};

use admission_review::Draft;
use convert::Document;
use matching::PolicyManifest;
use scan::{Cluster, Pods, Policy, Question, Request};
use serde_json::{Value, json};

use crate::Mistake;
use crate::compare::Difference;
use crate::cursor::Cursor;
use crate::files::Files;
use crate::got::{Got, Verdict};
use crate::policies::{Modules, Wanted};
use crate::results::{CaseResult, FileResult, Status};
use crate::written;

/// The keys of a test.
const KEYS: [&str; 10] = [
    "apiVersion",
    "kind",
    "metadata",
    "name",
    "policies",
    "resources",
    "results",
    "exceptions",
    "clusterResources",
    "description",
];

/// The keys that only Kyverno can honour.
const REFUSED: [&str; 9] = [
    "variables",
    "userinfo",
    "checks",
    "values",
    "context",
    "targetResources",
    "paramResources",
    "jsonPayload",
    "jsonPayloads",
];

/// The keys of a result.
const RESULT: [&str; 9] = [
    "policy",
    "rule",
    "result",
    "status",
    "kind",
    "resource",
    "resources",
    "namespace",
    "isValidatingPolicy",
];

/// Returns whether a document is a test of Kyverno.
pub(crate) fn is_test(value: &Value) -> bool {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    text("apiVersion").starts_with("cli.kyverno.io/") && text("kind") == "Test"
        || value.get("results").is_some() && value.get("resources").is_some() && value.get("cases").is_none()
}

/// A test with what it names.
pub(crate) struct Test<'r> {
    pub(crate) dir: &'r Path,
    pub(crate) files: &'r Files,
    pub(crate) modules: &'r dyn Modules,
    pub(crate) filter: Option<&'r regex::Regex>,
}

/// A rule as its conversion judges, or why it is not converted.
type Converted = Result<Vec<Policy>, String>;

impl Test<'_> {
    /// Runs the results of a test.
    pub(crate) fn run(&self, at: &Cursor<'_>, result: &mut FileResult) {
        if let Err(mistake) = self.all(at, result) {
            result.mistakes.push(mistake);
        }
    }

    fn all(&self, at: &Cursor<'_>, result: &mut FileResult) -> Result<(), Mistake> {
        at.check_keys(&[&KEYS[..], &REFUSED].concat())?;
        for key in REFUSED {
            if let Some(refused) = at.get(key) {
                return Err(refused.mistake("only Kyverno can honour this; write a test file of portcullis"));
            }
        }
        let policies = self.objects(at, "policies")?;
        let exceptions = self.objects(at, "exceptions")?;
        let resources = self.objects(at, "resources")?;
        let cluster = self.objects(at, "clusterResources")?;
        let cluster = resources.iter().chain(&cluster).cloned().collect();
        let cluster = Cluster::of_objects(cluster).map_err(|problem| at.mistake(problem))?;
        let results = at.get("results").ok_or_else(|| at.mistake("has no results, so it tests nothing"))?;
        let items = results.items()?;
        if items.is_empty() {
            return Err(results.mistake("has no result, so it tests nothing"));
        }
        let mut rules: Vec<(String, String, Converted)> = Vec::new();
        for item in items {
            let line = item.position().map(|at| at.line);
            let chosen = match Chosen::read(&item) {
                Ok(chosen) => chosen,
                Err(mistake) => {
                    let name = "a result that cannot be read".to_owned();
                    result.cases.push(CaseResult { name, line, status: Status::Broken(mistake) });
                    continue;
                }
            };
            let Chosen { policy, rule, .. } = &chosen;
            let known = rules.iter().position(|(of, name, _)| of == policy && name == rule);
            if known.is_none() {
                let converted = self.convert(policy, rule, &policies, &exceptions);
                rules.push((policy.clone(), rule.clone(), converted));
            }
            let converted = rules.iter().find(|(of, name, _)| of == policy && name == rule);
            let Some((_, _, converted)) = converted else { continue };
            for resource in &chosen.resources {
                let of_rule = if rule.is_empty() { String::new() } else { format!(", {rule}") };
                let name = format!("{policy}{of_rule}, {} {resource}", chosen.kind);
                if self.filter.is_some_and(|filter| !filter.is_match(&name)) {
                    continue;
                }
                let status = match judge(&chosen, resource, converted, &resources, &cluster) {
                    Ok(None) => Status::Passed,
                    Ok(Some(difference)) => Status::Failed(vec![difference]),
                    Err(problem) => Status::Broken(item.mistake(problem)),
                };
                result.cases.push(CaseResult { name, line, status });
            }
        }
        result.policies = rules
            .into_iter()
            .map(|(policy, rule, _)| if rule.is_empty() { policy } else { format!("{policy}/{rule}") })
            .collect();
        Ok(())
    }

    /// Reads the objects of the files below a key.
    fn objects(&self, at: &Cursor<'_>, key: &str) -> Result<Vec<Value>, Mistake> {
        let mut objects = Vec::new();
        for file in at.get(key).map(|files| files.items()).transpose()?.into_iter().flatten() {
            let path: PathBuf = self.dir.join(file.text()?);
            objects.extend(self.files.objects(&path).map_err(|problem| file.mistake(problem))?);
        }
        Ok(objects)
    }

    /// Converts a rule, or a policy in CEL, which has no rules.
    fn convert(&self, policy: &str, rule: &str, policies: &[Value], exceptions: &[Value]) -> Converted {
        let name = |object: &Value| {
            let text = |pointer: &str| {
                object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
            };
            (text("/metadata/namespace"), text("/metadata/name"))
        };
        let is_policy = |object: &&Value| {
            let (namespace, name) = name(object);
            name == policy || format!("{namespace}/{name}") == policy
        };
        let found = policies.iter().find(is_policy);
        let found = found.ok_or_else(|| {
            let names: Vec<String> = policies.iter().map(|object| name(object).1).collect();
            match text::nearest(policy, &names.iter().map(String::as_str).collect::<Vec<_>>()) {
                Some(near) => format!("no policy has the name {policy}; did you mean {near}?"),
                None => format!("no policy has the name {policy}; the policies are {}", names.join(", ")),
            }
        })?;
        let mut alone = found.clone();
        if !rule.is_empty() {
            let rules = alone.pointer_mut("/spec/rules").and_then(Value::as_array_mut);
            let rules = rules.ok_or_else(|| format!("policy {policy} has no spec.rules"))?;
            rules.retain(|one| one.get("name").and_then(Value::as_str) == Some(rule));
            if rules.is_empty() {
                return Err(format!("policy {policy} has no rule {rule}; correct the name"));
            }
        }
        let documents: Vec<Document> = [&alone]
            .into_iter()
            .chain(exceptions)
            .map(|value| Document { name: name(value).1, value: value.clone() })
            .collect();
        let conversions = convert::kyverno(&documents).map_err(|error| error.to_string())?;
        // Exceptions for other rules name nothing here.
        let mut lost = conversions.iter().flat_map(|conversion| &conversion.not_converted);
        let is_elsewhere =
            |path: &str| path.starts_with("spec.exceptions") || path.starts_with("spec.policyRefs");
        if let Some(lost) = lost.find(|lost| !is_elsewhere(&lost.path)) {
            return Err(format!("{}: {}: {}", titled(policy, rule), lost.path, lost.problem));
        }
        // A rule can need several policies, for other namespaces or exceptions.
        let manifests = conversions.iter().filter_map(|conversion| conversion.manifest.as_ref());
        let converted: Vec<Policy> =
            manifests.map(|manifest| self.load(manifest)).collect::<Result<_, _>>()?;
        if converted.is_empty() {
            return Err(format!("{} is not converted", titled(policy, rule)));
        }
        Ok(converted)
    }

    fn load(&self, manifest: &convert::PolicyManifest) -> Result<Policy, String> {
        let manifest = serde_json::to_value(manifest).map_err(|error| error.to_string())?;
        let manifest = PolicyManifest::read_for(&manifest, &self.modules.installation())
            .map_err(|error| error.to_string())?;
        let name = manifest.name.clone();
        let converted = Policy::of_manifest(manifest, &mut |module, is_mutating| {
            self.modules.engine(&Wanted { policy: &name, module, is_mutating, file: None })
        });
        match converted.problem() {
            Some(problem) => Err(format!("policy {name} cannot be loaded: {problem}")),
            None => Ok(converted),
        }
    }
}

/// The policy and the rule, for messages; a policy in CEL has no rules.
fn titled(policy: &str, rule: &str) -> String {
    if rule.is_empty() { format!("policy {policy}") } else { format!("rule {rule} of policy {policy}") }
}

/// A result that a test lists.
struct Chosen {
    policy: String,
    /// The name of the rule; empty for a policy in CEL.
    rule: String,
    kind: String,
    resources: Vec<String>,
    namespace: Option<String>,
    /// `pass`, `fail` or `skip`.
    result: String,
}

impl Chosen {
    fn read(at: &Cursor<'_>) -> Result<Self, Mistake> {
        at.check_keys(&RESULT)?;
        let text = |key: &str| at.get(key).map(|one| one.text().map(str::to_owned)).transpose();
        let needed = |key: &str| text(key)?.ok_or_else(|| at.mistake(format!("has no {key}")));
        let in_cel = at.get("isValidatingPolicy").map(|one| one.flag()).transpose()?.unwrap_or(false);
        let rule = if in_cel { text("rule")?.unwrap_or_default() } else { needed("rule")? };
        // Kyverno makes rules for controllers of rules for pods.
        let rule =
            rule.strip_prefix("autogen-cronjob-").or_else(|| rule.strip_prefix("autogen-")).unwrap_or(&rule);
        let result = text("result")?.or(text("status")?).ok_or_else(|| at.mistake("has no result"))?;
        if !["pass", "fail", "skip"].contains(&result.as_str()) {
            let advice = match text::nearest(&result, &["pass", "fail", "skip"]) {
                Some(near) => format!("did you mean {near}?"),
                None => "only pass, fail and skip can be compared".to_owned(),
            };
            return Err(at.mistake(format!("result {result}: {advice}")));
        }
        let mut resources = at.get("resources").map(|all| all.texts()).transpose()?.unwrap_or_default();
        resources.extend(text("resource")?);
        if resources.is_empty() {
            return Err(at.mistake("has no resources"));
        }
        Ok(Self {
            policy: needed("policy")?,
            rule: rule.to_owned(),
            kind: needed("kind")?,
            resources,
            namespace: text("namespace")?,
            result,
        })
    }
}

/// Judges a resource by a converted rule; returns the difference from the listed result.
fn judge(
    chosen: &Chosen,
    resource: &str,
    converted: &Converted,
    resources: &[Value],
    cluster: &Cluster,
) -> Result<Option<Difference>, String> {
    let policies = converted.as_ref().map_err(Clone::clone)?;
    let (namespace, name) = match resource.split_once('/') {
        Some((namespace, name)) => (Some(namespace), name),
        None => (chosen.namespace.as_deref(), resource),
    };
    let is = |object: &&Value| {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str);
        text("/kind") == chosen.kind.rsplit('/').next()
            && text("/metadata/name") == Some(name)
            && namespace.is_none_or(|wanted| text("/metadata/namespace").unwrap_or("default") == wanted)
    };
    // Without a namespace, a name can be that of several resources, which all have the result.
    let named: Vec<&Value> = resources.iter().filter(is).collect();
    if named.is_empty() {
        return Err(format!("no resource is a {} with the name {resource}", chosen.kind));
    }
    for object in named {
        if let Some(difference) = judge_one(chosen, object, policies, cluster)? {
            return Ok(Some(difference));
        }
    }
    Ok(None)
}

/// Judges an object; returns the difference from the listed result.
fn judge_one(
    chosen: &Chosen,
    object: &Value,
    policies: &[Policy],
    cluster: &Cluster,
) -> Result<Option<Difference>, String> {
    let user = Draft::ordinary_user();
    let question = Question {
        user: user.clone(),
        object: Some(object.clone()),
        namespace: "default".to_owned(),
        ..Question::default()
    };
    let request = question.request(cluster.kinds()).unwrap_or(json!({}));
    let mut got: Option<Got> = None;
    scan::ask_with_pods(
        policies,
        &mut Request::new(request),
        Pods::Off,
        &user,
        cluster,
        &mut |answer, asked| {
            let new = Got::of(answer, asked);
            match &mut got {
                Some(known) => known.add(new),
                None => got = Some(new),
            }
        },
    );
    let got = got.ok_or("the policy has no verdict")?;
    let result = match &got.verdict {
        Verdict::Skipped(..) => "skip",
        Verdict::Admitted | Verdict::Mutated(_) => "pass",
        Verdict::Denied(_) | Verdict::Monitored(_) => "fail",
        Verdict::Fault(problem) | Verdict::Unknown(problem) | Verdict::SettingsError(problem) => {
            return Err(problem.clone());
        }
    };
    Ok((result != chosen.result).then(|| {
        let got = [format!("result: {result}")].into_iter().chain(written::got(&got, None)).collect();
        Difference::of_result(&chosen.policy, vec![format!("result: {}", chosen.result)], got)
    }))
}
