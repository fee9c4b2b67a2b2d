//! The specification of a policy.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::modules::{MODULES, Module};
use super::{EXPECTED, labels, se_linux};
use crate::controls::{Converted, Outcome, Part};
use crate::conversion::{Conversion, Effect, FieldProblem};
use crate::fields::Fields;
use crate::kubewarden::{PolicyMode, PolicySpec, TargetRule};
use crate::kyverno::selector;
use crate::manifest_names::ManifestNames;
use crate::settings::POD_SECURITY;
use crate::target::{OPERATIONS, Target};
use crate::{InputError, LabelSelector, MatchCondition, Operation};

#[derive(Clone, Copy, Debug)]
pub(super) struct PolicyKind {
    is_cluster: bool,
    is_group: bool,
}

impl PolicyKind {
    pub(super) fn named(kind: &str) -> Option<Self> {
        let (is_cluster, is_group) = match kind {
            "ClusterAdmissionPolicy" => (true, false),
            "AdmissionPolicy" => (false, false),
            "ClusterAdmissionPolicyGroup" => (true, true),
            "AdmissionPolicyGroup" => (false, true),
            _ => return None,
        };
        Some(Self { is_cluster, is_group })
    }
}

/// The fields of `spec` that are converted or make no difference.
const SPEC: &[&str] = &[
    "policyServer",
    "module",
    "mode",
    "mutating",
    "rules",
    "settings",
    "namespaceSelector",
    "objectSelector",
    "matchConditions",
    "failurePolicy",
    "timeoutSeconds",
    "backgroundAudit",
    "contextAwareResources",
    "sideEffects",
    "policies",
    "expression",
];

/// Keeps the name of an existing policy from manifests.
pub(super) fn reserve_name(
    object: &Fields<'_>,
    kind: PolicyKind,
    names: &mut ManifestNames,
) -> Result<(), InputError> {
    if let Some(metadata) = object.object("metadata")?
        && let Some(name) = metadata.text("name")?
    {
        names.unique(namespace(&metadata, kind)?, name, POD_SECURITY);
    }
    Ok(())
}

/// The namespace of a policy. A manifest without one gets that of the command that applies it.
fn namespace<'d>(metadata: &Fields<'d>, kind: PolicyKind) -> Result<Option<&'d str>, InputError> {
    if kind.is_cluster {
        return Ok(None);
    }
    Ok(Some(metadata.text("namespace")?.unwrap_or("default")))
}

pub(super) fn convert(
    object: &Fields<'_>,
    title: &str,
    kind: PolicyKind,
    names: &mut ManifestNames,
) -> Result<Vec<Converted>, InputError> {
    let metadata = object.required_object("metadata")?;
    let name = metadata.required_text("name")?;
    let namespace = namespace(&metadata, kind)?;
    let spec = object.required_object("spec")?;
    let policy = Policy { object, title, namespace, spec: &spec };
    if !kind.is_group {
        return Ok(vec![policy.convert_module(&spec, name, title, Vec::new(), names)?]);
    }
    let members = spec.required_object("policies")?;
    let Some(wanted) = conjunction(spec.required_text("expression")?) else {
        let problem = "only a conjunction such as a() && b() is equal to separate policies; write the alternatives as \
                       exclusions of a policy pod-security";
        let problem = FieldProblem::new(spec.path("expression"), problem);
        return Ok(vec![policy.none(problem)]);
    };
    let mut converted = Vec::new();
    for member in wanted {
        let Some(fields) = members.object(&member)? else {
            return Err(spec.error("expression", format!("names {member:?}, which is not in policies")));
        };
        let title = format!("{title}, {member}");
        let unknown = fields.unknown(&["module", "settings", "contextAwareResources"]);
        converted.push(policy.convert_module(
            &fields,
            &format!("{name}-{member}"),
            &title,
            unknown,
            names,
        )?);
    }
    Ok(converted)
}

/// The members of an expression `a() && b()`; `None` for another expression.
fn conjunction(expression: &str) -> Option<BTreeSet<String>> {
    let member = |part: &str| {
        let name = part.trim().strip_suffix("()")?.trim_end();
        let is_name =
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        is_name.then(|| name.to_owned())
    };
    expression.split("&&").map(member).collect()
}

/// The id of the module: the last part of its name, without tag and digest.
fn module_id(reference: &str) -> &str {
    let name = reference.rsplit('/').next().unwrap_or(reference);
    let name = name.split('@').next().unwrap_or(name);
    name.split(':').next().unwrap_or(name)
}

struct Policy<'p, 'd> {
    object: &'p Fields<'d>,
    title: &'p str,
    namespace: Option<&'p str>,
    spec: &'p Fields<'d>,
}

impl Policy<'_, '_> {
    fn none(&self, problem: FieldProblem) -> Converted {
        Converted::whole(Conversion::none(self.object.document(), self.title, None, problem))
    }

    /// Converts a module with its settings, `member` being the policy or the member of the group.
    fn convert_module(
        &self,
        member: &Fields<'_>,
        name: &str,
        title: &str,
        mut problems: Vec<FieldProblem>,
        names: &mut ManifestNames,
    ) -> Result<Converted, InputError> {
        let reference = member.required_text("module")?;
        let id = module_id(reference);
        let settings = member.optional("settings")?;
        let (mut scope, mut scope_problems) = self.scope()?;
        problems.append(&mut scope_problems);
        if id == labels::ID {
            let conversion = labels::convert(self.object, title, &settings, scope, problems, names)?;
            return Ok(Converted::whole(conversion));
        }
        let Some(module) = MODULES.iter().find(|module| module.id == id) else {
            let known: Vec<&str> = MODULES.iter().map(|module| module.id).chain([labels::ID]).collect();
            let problem = format!(
                "{reference} is not a module that is converted; those are the official modules {}; keep the policy",
                known.join(", ")
            );
            let problem = FieldProblem::new(member.path("module"), problem);
            return Ok(self.none(problem));
        };
        let mut outcome = Outcome::default();
        outcome.problems.append(&mut problems);
        outcome.problems.extend(settings.unknown(module.keys));
        if id == se_linux::ID && settings.text("rule")? == Some("MustRunAs") {
            let rules = self.rules(module, &mut outcome)?;
            let policy = se_linux::Policy {
                object: self.object,
                title,
                name,
                namespace: self.namespace,
                scope,
                rules,
            };
            return Ok(Converted::whole(policy.convert(&settings, outcome, names)?));
        }
        (module.require)(&settings, &mut outcome)?;
        scope.rules = self.rules(module, &mut outcome)?;
        let is_evaluated = !scope.rules.is_empty();
        if !is_evaluated {
            outcome.lacks(self.spec.path("rules"), "matches no resource that the module evaluates");
        }
        Ok(Converted::Part(Box::new(Part {
            document: self.object.document().to_owned(),
            title: title.to_owned(),
            name: format!("{POD_SECURITY}-{name}"),
            namespace: self.namespace.map(str::to_owned),
            spec: is_evaluated.then_some(scope),
            audit: None,
            warns: false,
            outcome,
        })))
    }

    /// The specification without rules and settings, and what of it is not converted.
    fn scope(&self) -> Result<(PolicySpec, Vec<FieldProblem>), InputError> {
        let spec = self.spec;
        let mut problems = Vec::new();
        let mode = match spec.text("mode")? {
            None | Some("protect") => PolicyMode::Protect,
            Some("monitor") => PolicyMode::Monitor,
            Some(_) => return Err(spec.error("mode", "expected protect or monitor")),
        };
        let mut scope = PolicySpec::new(POD_SECURITY, mode, Vec::new(), Map::new());
        scope.policy_server =
            spec.text("policyServer")?.filter(|server| *server != "default").map(str::to_owned);
        let mut select = |key: &str| -> Result<Option<LabelSelector>, InputError> {
            spec.object(key)?.map(|fields| selector::read(&fields, &mut problems)).transpose()
        };
        scope.namespace_selector = select("namespaceSelector")?.map(LabelSelector::into_expressions);
        scope.object_selector = select("objectSelector")?;
        for condition in spec.objects("matchConditions")? {
            let name = condition.required_text("name")?.to_owned();
            let expression = condition.required_text("expression")?.to_owned();
            scope.match_conditions.push(MatchCondition { name, expression });
        }
        scope.failure_policy = match spec.text("failurePolicy")? {
            None => None,
            Some(policy @ ("Fail" | "Ignore")) => Some(policy.to_owned()),
            Some(_) => return Err(spec.error("failurePolicy", "expected Fail or Ignore")),
        };
        scope.timeout_seconds = match spec.get("timeoutSeconds").map(Value::as_u64) {
            None => None,
            Some(Some(seconds @ 2..=30)) => Some(seconds),
            Some(_) => return Err(spec.error("timeoutSeconds", "expected 2 to 30")),
        };
        scope.background_audit = spec.boolean("backgroundAudit")?;
        for (key, value) in spec.others(SPEC) {
            let path = spec.path(key);
            problems.push(match key {
                "message" => {
                    FieldProblem::new(path, "the module describes each violation").with(Effect::Text)
                }
                "matchPolicy" if value == "Equivalent" => continue,
                "severity" | "category" | "title" | "description" => {
                    FieldProblem::new(path, "add it to the manifest where you need it").with(Effect::Text)
                }
                _ => {
                    FieldProblem::new(path, "is not converted; add it to the manifest if the module needs it")
                }
            });
        }
        Ok((scope, problems))
    }

    /// The rules for the resources that a module and `pod-security` evaluate.
    fn rules(&self, module: &Module, outcome: &mut Outcome) -> Result<Vec<TargetRule>, InputError> {
        let mut rules: Vec<TargetRule> = Vec::new();
        let (mut leaves_out, mut has_templates) = (false, false);
        for rule in self.spec.objects("rules")? {
            let (mut targets, operations) = reach(&rule)?;
            has_templates |= targets.remove(&Target::PodTemplate);
            if module.evaluates_pods_alone {
                let count = targets.len();
                targets.retain(|target| target.is_pod());
                leaves_out |= targets.len() < count;
            }
            rules.extend(TargetRule::for_targets(&targets, &operations));
        }
        if self.spec.list("rules")?.is_empty() {
            return Err(self.spec.error("rules", format!("is missing; {EXPECTED}")));
        }
        let evaluates_pods_alone = leaves_out || module.evaluates_pods_alone && has_templates;
        if has_templates && module.refuses_pod_templates {
            let problem = "the module refuses each PodTemplate, which it cannot read; the manifest has no rule for \
                           them";
            outcome.admits(self.spec.path("rules"), problem);
        } else if has_templates && !evaluates_pods_alone {
            outcome.notes.push(format!(
                "{} admits each PodTemplate, which it cannot read, so its rules for podtemplates are left out.",
                module.id
            ));
        }
        if evaluates_pods_alone {
            outcome.notes.push(format!(
                "{} evaluates pods alone, so its rules for workloads are left out.",
                module.id
            ));
        }
        Ok(rules)
    }
}

/// The resources and operations of a rule that `pod-security` evaluates.
fn reach(rule: &Fields<'_>) -> Result<(BTreeSet<Target>, BTreeSet<Operation>), InputError> {
    let has = |values: &[&str], wanted: &[&str]| values.iter().any(|value| wanted.contains(value));
    let (groups, versions) = (rule.texts("apiGroups")?, rule.texts("apiVersions")?);
    let (resources, operations) = (rule.texts("resources")?, rule.texts("operations")?);
    let is_reached = |target: &Target| {
        let (resource, path) = (target.resource(), target.path());
        let is_named = match target.subresource() {
            None => has(&resources, &["*", "*/*", path]),
            Some(subresource) => {
                let (all, any) = (format!("{resource}/*"), format!("*/{subresource}"));
                has(&resources, &["*/*", path, &all, &any])
            }
        };
        has(&groups, &["*", target.group()]) && has(&versions, &["*", "v1"]) && is_named
    };
    let is_cluster = rule.text("scope")? == Some("Cluster");
    let targets =
        Target::OF_POD_SECURITY.into_iter().filter(|target| !is_cluster && is_reached(target)).collect();
    let operations =
        OPERATIONS.into_iter().filter(|operation| has(&operations, &["*", operation.name()])).collect();
    Ok((targets, operations))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_named_by_the_last_part_of_their_reference() {
        for reference in [
            "registry://ghcr.io/kubewarden/policies/pod-privileged:v1.0.13",
            "ghcr.io/kubewarden/policies/pod-privileged@sha256:00",
            "https://registry.example.com:5000/mirror/pod-privileged",
        ] {
            assert_eq!(module_id(reference), "pod-privileged");
        }
    }

    #[test]
    fn only_conjunctions_are_equal_to_separate_policies() {
        let names =
            |expression: &str| conjunction(expression).map(|names| names.into_iter().collect::<Vec<_>>());
        assert_eq!(names("a() && b_1()"), Some(vec!["a".to_owned(), "b_1".to_owned()]));
        for expression in ["a() || b()", "!a()", "(a() && b())", "", "a"] {
            assert_eq!(names(expression), None, "{expression}");
        }
    }
}
