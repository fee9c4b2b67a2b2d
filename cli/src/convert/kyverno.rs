//! Rules of Kyverno with `validate.podSecurity`.

use std::collections::BTreeSet;

use rules::name::is_subdomain;
use rules::pod_security::standard::{CHECKS, Check, Revision};
use rules::pod_security::{Level, Version};
use serde_json::{Map, Value, json};

use super::exception::{Asking, Exception, Said};
use super::fields::Fields;
use super::filter::Block;
use super::manifest::{
    Converted, Manifest, MatchCondition, Metadata, Mode, NotConverted, Problem, Resource, Spec, refusal,
};
use super::reach::Reach;
use super::target;
use crate::failure::Failure;
use crate::parse;
use crate::source::{Name, Reader};

/// Where a policy says for which controllers rules are derived.
const CONTROLLERS: &str = "pod-policies.kyverno.io/autogen-controllers";

/// What is missing when nothing is.
const EXPECTED: &str = "expected policies of Kyverno";

/// What a reader of the manifest should know of Kyverno's own configuration.
const CONFIGURATION: &str = "Kyverno's own configuration (resourceFilters, excludeGroups, the namespaceSelector of its \
                             webhooks) is not in these files and by default leaves out kube-system; add a \
                             namespaceSelector where wanted.";

/// Why a policy that only warns has another mode and level than its rule.
const WARNS: &str = "The module does not warn where it denies, and mode monitor drops the denial; so this policy \
                     protects at level privileged, which denies nothing, and warns and audits at the level of the \
                     rule. For reports on violations add a second policy in mode monitor.";

/// What messages call a document, and the document.
type Document = (Name, Value);

/// Converts all rules of some files, in order.
///
/// # Errors
/// The first file that cannot be read, and what is no policy that Kyverno would take.
pub(super) fn convert(files: &[String]) -> Result<Vec<Converted>, Failure> {
    let documents = read(files)?;
    let mut objects = Vec::new();
    for (name, document) in &documents {
        collect(Fields::of(name, String::new(), document)?, &mut objects)?;
    }
    let mut exceptions = Vec::new();
    for object in &objects {
        if let (Kind::Exception, title) = kind(object)? {
            exceptions.push(Exception::read(title, object)?);
        }
    }
    let mut names = BTreeSet::new();
    let mut converted = Vec::new();
    for object in &objects {
        match kind(object)? {
            (Kind::Policy { is_cluster }, title) => {
                converted.extend(policy(object, &title, is_cluster, &mut exceptions, &mut names)?);
            }
            (Kind::Exception, _) => {}
            (Kind::Other, title) => {
                let problem = "is skipped: it is no ClusterPolicy, Policy or PolicyException of kyverno.io";
                converted.push(nothing(&title, None, Problem::new(object.path("kind"), problem)));
            }
        }
    }
    for exception in exceptions.iter().filter(|exception| !exception.is_met) {
        let problem = "names no rule with podSecurity that is in these files";
        converted.push(nothing(&exception.title, None, Problem::new("spec.exceptions", problem)));
    }
    Ok(converted)
}

fn nothing(title: &str, rule: Option<&str>, problem: Problem) -> Converted {
    Converted { missing: vec![NotConverted::new(title, rule, problem)], ..Converted::default() }
}

fn read(files: &[String]) -> Result<Vec<Document>, Failure> {
    let mut reader = Reader::default();
    let mut all = Vec::new();
    for file in files {
        let source = reader.text(file)?;
        let documents = parse::documents(&source)?;
        if documents.is_empty() {
            return Err(Failure::about(source.name, format!("is empty; {EXPECTED}")));
        }
        let count = documents.len();
        let named = |(index, document)| (source.name.document(index, count), document);
        all.extend(documents.into_iter().enumerate().map(named));
    }
    Ok(all)
}

/// An object, or all items of a list of them.
fn collect<'d>(object: Fields<'d>, objects: &mut Vec<Fields<'d>>) -> Result<(), Failure> {
    let kind =
        object.text("kind")?.ok_or_else(|| object.failure("kind", &format!("is missing; {EXPECTED}")))?;
    if kind.ends_with("List") && object.get("items").is_some() {
        let items = object.objects("items")?;
        if items.is_empty() {
            return Err(object.failure("items", &format!("is empty; {EXPECTED}")));
        }
        for item in items {
            collect(item, objects)?;
        }
    } else {
        objects.push(object);
    }
    Ok(())
}

/// What an object is.
#[derive(Debug)]
enum Kind {
    Policy { is_cluster: bool },
    Exception,
    Other,
}

/// What an object is, and what messages call it.
fn kind(object: &Fields<'_>) -> Result<(Kind, String), Failure> {
    let group = object.text("apiVersion")?.unwrap_or_default().split_once('/').map(|(group, _)| group);
    let text = object.text("kind")?.unwrap_or_default();
    let metadata = object.object("metadata")?;
    let named = |key| metadata.as_ref().map(|metadata| metadata.text(key)).transpose().map(Option::flatten);
    let (namespace, name) = (named("namespace")?, named("name")?.unwrap_or("without a name"));
    let title = match namespace {
        Some(namespace) => format!("{text} {namespace}/{name}"),
        None => format!("{text} {name}"),
    };
    let kind = match (group, text) {
        (Some("kyverno.io"), "ClusterPolicy") => Kind::Policy { is_cluster: true },
        (Some("kyverno.io"), "Policy") => Kind::Policy { is_cluster: false },
        (Some("kyverno.io"), "PolicyException") => Kind::Exception,
        _ => Kind::Other,
    };
    Ok((kind, title))
}

/// What becomes of a violation.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Action {
    Deny,
    Record,
    /// It is recorded, and whoever asks is warned.
    Warn,
}

/// What all rules of a policy have in common.
struct Policy<'p, 'd> {
    title: &'p str,
    name: &'d str,
    namespace: Option<&'d str>,
    is_cluster: bool,
    controllers: Option<&'d str>,
    spec: &'p Fields<'d>,
}

fn policy(
    object: &Fields<'_>,
    title: &str,
    is_cluster: bool,
    exceptions: &mut [Exception],
    names: &mut BTreeSet<String>,
) -> Result<Vec<Converted>, Failure> {
    let metadata = object.object("metadata")?.ok_or_else(|| object.failure("metadata", "is missing"))?;
    let name = metadata.text("name")?.ok_or_else(|| metadata.failure("name", "is missing"))?;
    let annotations = metadata.object("annotations")?;
    let controllers = annotations.map(|annotations| annotations.text(CONTROLLERS)).transpose()?.flatten();
    let namespace = metadata.text("namespace")?.filter(|_| !is_cluster);
    let spec = object.object("spec")?.ok_or_else(|| object.failure("spec", "is missing"))?;
    let policy = Policy { title, name, namespace, is_cluster, controllers, spec: &spec };
    let rules = spec.objects("rules")?;
    if rules.is_empty() {
        return Ok(vec![nothing(title, None, Problem::new(spec.path("rules"), "there are none"))]);
    }
    rules.iter().map(|rule| policy.rule(rule, exceptions, names)).collect()
}

impl Policy<'_, '_> {
    fn rule(
        &self,
        rule: &Fields<'_>,
        exceptions: &mut [Exception],
        names: &mut BTreeSet<String>,
    ) -> Result<Converted, Failure> {
        let name = rule.text("name")?.ok_or_else(|| rule.failure("name", "is missing"))?;
        let validate = rule.object("validate")?;
        let Some((validate, check)) = validate
            .map(|validate| Ok(validate.object("podSecurity")?.map(|check| (validate, check))))
            .transpose()?
            .flatten()
        else {
            let path = format!("{}.podSecurity", rule.path("validate"));
            return Ok(nothing(self.title, Some(name), Problem::new(path, "the rule has none")));
        };
        let matched = rule.object("match")?.ok_or_else(|| rule.failure("match", "is missing"))?;
        let matched = Block::read(Some(&matched))?;
        if matched.filters.is_empty() {
            return Err(rule.failure("match", "is empty"));
        }
        let excluded = Block::read(rule.object("exclude")?.as_ref())?;
        let reach = Reach::of(&matched, &excluded, self.controllers, self.is_cluster);
        let mut problems = reach.problems.clone();
        let action = self.action(&validate)?;
        let mut notes = Vec::new();
        if self.is_cluster {
            notes.push(CONFIGURATION.to_owned());
        }
        let mut settings = settings(&validate, &check, action, &mut problems, &mut notes)?;
        if !reach.has_templates() {
            settings.insert("templates".to_owned(), "Ignore".into());
        }
        let mut missing = Vec::new();
        let mut exclude = check.list("exclude")?.to_vec();
        exclude.extend(self.except(exceptions, name, &reach, &mut missing));
        let looks_up = exclude.iter().any(|entry| entry.get("namespaceSelector").is_some());
        if !exclude.is_empty() {
            settings.insert("exclude".to_owned(), exclude.into());
        }
        let rules = target::rules(&reach.targets, &reach.operations);
        let has_subresources = target::have_subresources(&rules);
        let mode = match action {
            Action::Deny | Action::Warn => Mode::Protect,
            Action::Record => Mode::Monitor,
        };
        let mut spec = Spec::new(mode, rules, settings);
        spec.namespace_selector = reach.namespace_selector;
        spec.object_selector = reach.object_selector;
        spec.match_conditions = reach.conditions;
        if looks_up {
            spec.context_aware_resources.push(Resource::NAMESPACE);
        }
        self.audit(has_subresources, &mut spec, &mut notes)?;
        self.webhook(&mut spec, &mut problems)?;
        self.walk(rule, &validate, &mut problems);
        let is_refused = if spec.rules.is_empty() {
            problems.push(Problem::new(rule.path("match"), "matches nothing that can be judged"));
            true
        } else if let Some(Problem { path, problem }) = refusal(&spec.settings)? {
            let problem = format!("the module refuses the settings: {path}: {problem}");
            problems.push(Problem::new(format!("{}.podSecurity", rule.path("validate")), problem));
            true
        } else {
            false
        };
        missing
            .extend(problems.into_iter().map(|problem| NotConverted::new(self.title, Some(name), problem)));
        if is_refused {
            return Ok(Converted { missing, ..Converted::default() });
        }
        let metadata =
            Metadata { name: self.unique(name, names), namespace: self.namespace.map(str::to_owned) };
        let kind = if self.is_cluster { "ClusterAdmissionPolicy" } else { "AdmissionPolicy" };
        let manifest = Manifest { api_version: "policies.kubewarden.io/v1", kind, metadata, spec };
        Ok(Converted { missing, notes, manifest: Some(manifest) })
    }

    fn action(&self, validate: &Fields<'_>) -> Result<Action, Failure> {
        let (fields, key) = match validate.get("failureAction") {
            Some(_) => (validate, "failureAction"),
            None => (self.spec, "validationFailureAction"),
        };
        let warns = self.spec.boolean("emitWarning")? == Some(true);
        match fields.text(key)? {
            Some(action) if action.eq_ignore_ascii_case("enforce") => Ok(Action::Deny),
            Some(action) if !action.eq_ignore_ascii_case("audit") => {
                Err(fields.failure(key, "expected Enforce or Audit"))
            }
            _ if warns => Ok(Action::Warn),
            _ => Ok(Action::Record),
        }
    }

    /// What exceptions say for a rule, as entries of `exclude`.
    fn except(
        &self,
        exceptions: &mut [Exception],
        rule: &str,
        reach: &Reach,
        missing: &mut Vec<NotConverted>,
    ) -> Vec<Value> {
        let name = match self.namespace {
            Some(namespace) => format!("{namespace}/{}", self.name),
            None => self.name.to_owned(),
        };
        let mut exclude = Vec::new();
        let asking = Asking { policy: &name, rule, is_cluster: self.is_cluster, reach };
        for exception in exceptions {
            let Some(said) = exception.entries(&asking) else { continue };
            let problems = match said {
                Said::Entries(entries, problems) => {
                    exclude.extend(entries);
                    problems
                }
                Said::Nothing(problems) => {
                    let applied = |Problem { path, problem }| {
                        Problem::new(path, format!("{problem}; the exception is not applied"))
                    };
                    problems.into_iter().map(applied).collect()
                }
            };
            let title = format!("{}, for {}", exception.title, self.title);
            missing
                .extend(problems.into_iter().map(|problem| NotConverted::new(&title, Some(rule), problem)));
        }
        exclude
    }

    /// Background audits; the audit scanner cannot do them with subresources.
    fn audit(&self, has_subresources: bool, spec: &mut Spec, notes: &mut Vec<String>) -> Result<(), Failure> {
        let wanted = self.spec.boolean("background")?.unwrap_or(true);
        if !wanted || has_subresources {
            spec.background_audit = Some(false);
        }
        if wanted && has_subresources {
            notes.push(super::NO_AUDIT.to_owned());
        }
        Ok(())
    }

    fn webhook(&self, spec: &mut Spec, problems: &mut Vec<Problem>) -> Result<(), Failure> {
        let webhook = self.spec.object("webhookConfiguration")?;
        let mut fields = vec![(self.spec, "failurePolicy", "webhookTimeoutSeconds")];
        fields.extend(webhook.as_ref().map(|webhook| (webhook, "failurePolicy", "timeoutSeconds")));
        for (fields, policy, timeout) in fields {
            match fields.text(policy)? {
                None => {}
                Some(answer @ ("Fail" | "Ignore")) => spec.failure_policy = Some(answer.to_owned()),
                Some(_) => return Err(fields.failure(policy, "expected Fail or Ignore")),
            }
            match fields.get(timeout).map(Value::as_u64) {
                None => {}
                Some(Some(seconds @ 2..=30)) => spec.timeout_seconds = Some(seconds),
                Some(_) => problems.push(Problem::new(fields.path(timeout), "is not between 2 and 30")),
            }
        }
        let Some(webhook) = webhook else { return Ok(()) };
        for condition in webhook.objects("matchConditions")? {
            let needed = |key: &str| {
                let text = condition.text(key)?.ok_or_else(|| condition.failure(key, "is missing"))?;
                Ok::<String, Failure>(text.to_owned())
            };
            spec.match_conditions
                .push(MatchCondition { name: needed("name")?, expression: needed("expression")? });
        }
        let known = ["failurePolicy", "timeoutSeconds", "matchConditions"];
        problems.extend(unlike(&webhook, &known));
        Ok(())
    }

    /// Lists all that says something about the rule and is not looked at.
    fn walk(&self, rule: &Fields<'_>, validate: &Fields<'_>, problems: &mut Vec<Problem>) {
        let known = [
            "rules",
            "validationFailureAction",
            "emitWarning",
            "background",
            "failurePolicy",
            "webhookTimeoutSeconds",
            "webhookConfiguration",
        ];
        // As it is without them.
        let applies_all = |key: &str, value: &Value| {
            key == "applyRules" && value == "All" || key == "admission" && *value == Value::Bool(true)
        };
        let differs = |key: &str, value: &Value| (!applies_all(key, value)).then(|| why(key));
        problems.extend(self.spec.problems(&known, differs));
        problems.extend(unlike(rule, &["name", "match", "exclude", "validate"]));
        problems.extend(unlike(validate, &["podSecurity", "failureAction", "allowExistingViolations"]));
    }

    /// A name that no other manifest has.
    fn unique(&self, rule: &str, names: &mut BTreeSet<String>) -> String {
        let name = subdomain(&format!("{}-{rule}", self.name));
        let place = self.namespace.unwrap_or_default();
        let mut unique = name.clone();
        let mut count = 1_usize;
        while !names.insert(format!("{place}/{unique}")) {
            count = count.saturating_add(1);
            unique = format!("{name}-{count}");
        }
        unique
    }
}

/// The block of a rule as it is, with what else decides about violations.
fn settings(
    validate: &Fields<'_>,
    check: &Fields<'_>,
    action: Action,
    problems: &mut Vec<Problem>,
    notes: &mut Vec<String>,
) -> Result<Map<String, Value>, Failure> {
    let mut settings = Map::new();
    for key in ["level", "profile", "version"] {
        if let Some(value) = check.get(key).filter(|value| value.as_str() != Some("")) {
            settings.insert(key.to_owned(), value.clone());
        }
    }
    problems.extend(check.unknown(&["level", "profile", "version", "exclude"]));
    let level = settings.get("level").or_else(|| settings.get("profile")).cloned();
    let level = level.unwrap_or_else(|| "restricted".into());
    let key = if settings.contains_key("profile") { "profile" } else { "level" };
    settings.entry(key).or_insert_with(|| level.clone());
    if level == "privileged" {
        problems.push(Problem::new(check.path(key), "privileged allows everything: nothing is checked"));
    }
    let version = settings.entry("version").or_insert_with(|| "latest".into()).clone();
    if let (Some(level), Some(version)) = (level.as_str(), version.as_str()) {
        notes.extend(newer(level, version));
    }
    let tolerates = validate.boolean("allowExistingViolations")?.unwrap_or(true);
    match action {
        Action::Deny => {
            let answer = if tolerates { "Tolerate" } else { "Recheck" };
            settings.insert("existingViolations".to_owned(), answer.into());
        }
        Action::Record => {}
        Action::Warn => {
            let standard = json!({ "level": level, "version": version });
            settings.remove("version");
            settings.insert(key.to_owned(), "privileged".into());
            settings.insert("audit".to_owned(), standard.clone());
            settings.insert("warn".to_owned(), standard);
            notes.push(WARNS.to_owned());
        }
    }
    Ok(settings)
}

/// What Kyverno checks at a level and the module does not, as a version of the standards does not have it: Kyverno
/// takes the first revision of a check for all versions before it.
fn newer(level: &str, version: &str) -> Option<String> {
    let (level, minor) = (Level::named(level)?, Version::parse(version)?.minor());
    let checks = CHECKS.iter().filter(|check| check.level <= level);
    let (known, unknown): (Vec<&Check>, Vec<&Check>) = checks.partition(|check| check.at(minor).is_some());
    let fields = |revision: Option<&Revision>| -> BTreeSet<String> {
        revision.iter().flat_map(|revision| revision.rules).flat_map(|rule| rule.field.paths()).collect()
    };
    let name = |check: &&Check| match known.iter().find(|other| other.control == check.control) {
        None => Some(check.control.to_owned()),
        // Another level has the control. What it reads already it demands already.
        Some(other) if fields(other.at(minor)).is_superset(&fields(check.revisions.first())) => None,
        Some(_) => Some(format!("{} at {}", check.control, check.level.name())),
    };
    let names: Vec<String> = unknown.iter().filter_map(name).collect();
    let (last, others) = names.split_last()?;
    let names = if others.is_empty() { last.clone() } else { format!("{} and {last}", others.join(", ")) };
    Some(format!("Kyverno also checks {names}, which {version} does not have."))
}

/// The nearest name that the API server takes, with room for a number at the end.
fn subdomain(text: &str) -> String {
    const ROOM: usize = 240;
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { '-' };
    let name: String = text.chars().map(plain).take(ROOM).collect();
    let parts: Vec<&str> =
        name.split('.').map(|part| part.trim_matches('-')).filter(|part| !part.is_empty()).collect();
    let name = parts.join(".");
    if is_subdomain(&name) { name } else { super::manifest::POLICY.to_owned() }
}

fn unlike(fields: &Fields<'_>, known: &[&str]) -> Vec<Problem> {
    fields.problems(known, |key, _| Some(why(key)))
}

/// Why a field is not converted, and what to do instead.
fn why(key: &str) -> &'static str {
    match key {
        "preconditions" | "celPreconditions" => {
            "the rule is judged without it; write what it says as a matchCondition"
        }
        "context" => "nothing can use it",
        "message" => "the module names each violation; spec.message would replace that",
        "validationFailureActionOverrides" | "failureActionOverrides" => {
            "a policy has one mode; make a policy for each mode, with a namespaceSelector"
        }
        "skipBackgroundRequests" => "requests of the background controller are judged as all others",
        "applyRules" => "each rule is a policy of its own and judges whatever the others do",
        "admission" => "the policy judges requests",
        "mutate" | "generate" | "verifyImages" | "pattern" | "anyPattern" | "deny" | "foreach" | "cel"
        | "manifests" | "assert" => "only podSecurity is converted",
        _ => "nothing corresponds to it",
    }
}
