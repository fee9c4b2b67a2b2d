//! A `ClusterPolicy` or a `Policy`, with a manifest for each rule.

use serde_json::Value;

use super::check_settings::{self, ViolationAction};
use super::exclude_entries::ExceptedRule;
use super::manifest_names::ManifestNames;
use super::match_resources::MatchResources;
use super::policy_exception::{ExceptionConversion, PolicyException};
use super::reach::Reach;
use super::request_scope::RequestScope;
use super::{not_converted, webhook};
use crate::conversion::{Conversion, FieldProblem, NotConverted};
use crate::fields::Fields;
use crate::kubewarden::{
    ContextAwareResource, PolicyManifest, PolicyMetadata, PolicyMode, PolicySpec, TargetRule,
};
use crate::{InputError, LabelSelector, kubewarden, settings};

/// The annotation that selects the workloads for which Kyverno derives rules.
const CONTROLLERS: &str = "pod-policies.kyverno.io/autogen-controllers";

/// A note on Kyverno's global configuration.
const GLOBAL_CONFIGURATION: &str = "Kyverno's global configuration (resourceFilters, excludeGroups, the \
                                    namespaceSelector of its webhooks) is not part of the input and excludes \
                                    kube-system by default; add a namespaceSelector if you need one.";

/// The fields that all rules of a policy share.
struct KyvernoPolicy<'p, 'd> {
    /// The kind and the name, for messages.
    title: &'p str,
    name: &'d str,
    namespace: Option<&'d str>,
    is_cluster: bool,
    /// The value of the annotation [`CONTROLLERS`].
    controllers: Option<&'d str>,
    spec: &'p Fields<'d>,
}

/// Converts a policy.
///
/// # Errors
/// Fields with values that Kyverno does not accept.
pub(super) fn convert(
    document: &Fields<'_>,
    title: &str,
    is_cluster: bool,
    exceptions: &mut [PolicyException],
    names: &mut ManifestNames,
) -> Result<Vec<Conversion>, InputError> {
    let metadata = document.required_object("metadata")?;
    let name = metadata.required_text("name")?;
    let annotations = metadata.object("annotations")?;
    let controllers = annotations.map(|annotations| annotations.text(CONTROLLERS)).transpose()?.flatten();
    let namespace = metadata.text("namespace")?.filter(|_| !is_cluster);
    let spec = document.required_object("spec")?;
    let policy = KyvernoPolicy { title, name, namespace, is_cluster, controllers, spec: &spec };
    let rules = spec.objects("rules")?;
    if rules.is_empty() {
        return Ok(vec![Conversion::none(title, None, FieldProblem::new(spec.path("rules"), "is empty"))]);
    }
    rules.iter().map(|rule| policy.convert_rule(rule, exceptions, names)).collect()
}

impl KyvernoPolicy<'_, '_> {
    fn convert_rule(
        &self,
        rule: &Fields<'_>,
        exceptions: &mut [PolicyException],
        names: &mut ManifestNames,
    ) -> Result<Conversion, InputError> {
        let name = rule.required_text("name")?;
        let check_path = format!("{}.podSecurity", rule.path("validate"));
        let validate = rule.object("validate")?;
        let check = validate.as_ref().map(|validate| validate.object("podSecurity")).transpose()?.flatten();
        let (Some(validate), Some(check)) = (validate, check) else {
            let problem = FieldProblem::new(check_path, "is missing; only podSecurity is converted");
            return Ok(Conversion::none(self.title, Some(name), problem));
        };
        let matched = MatchResources::read(Some(&rule.required_object("match")?))?;
        if matched.filters.is_empty() {
            return Err(rule.error("match", "is empty"));
        }
        let excluded = MatchResources::read(rule.object("exclude")?.as_ref())?;
        let scope = RequestScope::of(&matched, &excluded, self.controllers, self.is_cluster);
        let mut problems = scope.problems.clone();
        let mut notes = Vec::new();
        if self.is_cluster {
            notes.push(GLOBAL_CONFIGURATION.to_owned());
        }
        let action = ViolationAction::read(self.spec, &validate)?;
        let mut settings = check_settings::convert(&validate, &check, action, &mut problems, &mut notes)?;
        if !scope.reach.has_templates() {
            settings.insert("templates".to_owned(), "Ignore".into());
        }
        let mut exclude = check.list("exclude")?.to_vec();
        let (excepted, mut not_converted) = self.convert_exceptions(exceptions, name, &scope.reach);
        exclude.extend(excepted);
        let looks_up_namespaces = exclude.iter().any(|entry| entry.get("namespaceSelector").is_some());
        if !exclude.is_empty() {
            settings.insert("exclude".to_owned(), exclude.into());
        }
        let mode = match action {
            ViolationAction::Deny | ViolationAction::Warn => PolicyMode::Protect,
            ViolationAction::Report => PolicyMode::Monitor,
        };
        let rules = TargetRule::for_targets(&scope.reach.targets, &scope.reach.operations);
        let mut spec = PolicySpec::new(mode, rules, settings);
        let has_subresources = scope.reach.has_subresources();
        spec.namespace_selector = scope.namespace_selector.map(LabelSelector::into_expressions);
        spec.object_selector = scope.object_selector;
        spec.match_conditions = scope.conditions;
        if looks_up_namespaces {
            spec.context_aware_resources.push(ContextAwareResource::NAMESPACE);
        }
        self.convert_background(has_subresources, &mut spec, &mut notes)?;
        webhook::convert(self.spec, &mut spec, &mut problems)?;
        problems.extend(not_converted::in_rule(self.spec, rule, &validate));
        let obstacle = if spec.rules.is_empty() {
            let problem = "matches no resource that the module judges";
            Some(FieldProblem::new(rule.path("match"), problem))
        } else {
            settings::problem_with(&spec.settings).map(|error| {
                FieldProblem::new(check_path, format!("the module rejects the settings: {error}"))
            })
        };
        let is_deployable = obstacle.is_none();
        problems.extend(obstacle);
        not_converted
            .extend(problems.into_iter().map(|problem| NotConverted::new(self.title, Some(name), problem)));
        if !is_deployable {
            return Ok(Conversion { not_converted, ..Conversion::default() });
        }
        let metadata = PolicyMetadata {
            name: names.unique(self.namespace, self.name, name),
            namespace: self.namespace.map(str::to_owned),
        };
        let kind = if self.is_cluster { "ClusterAdmissionPolicy" } else { "AdmissionPolicy" };
        Ok(Conversion { not_converted, notes, manifest: Some(PolicyManifest::new(kind, metadata, spec)) })
    }

    /// Returns the exceptions for a rule as `exclude` entries, and what was not converted.
    fn convert_exceptions(
        &self,
        exceptions: &mut [PolicyException],
        rule: &str,
        reach: &Reach,
    ) -> (Vec<Value>, Vec<NotConverted>) {
        let policy = match self.namespace {
            Some(namespace) => format!("{namespace}/{}", self.name),
            None => self.name.to_owned(),
        };
        let excepted = ExceptedRule { policy: &policy, name: rule, is_cluster: self.is_cluster, reach };
        let mut exclude = Vec::new();
        let mut not_converted = Vec::new();
        for exception in exceptions {
            let problems = match exception.convert(&excepted) {
                None => continue,
                Some(ExceptionConversion::Entries(entries, problems)) => {
                    exclude.extend(entries);
                    problems
                }
                Some(ExceptionConversion::NotConverted(problems)) => problems
                    .iter()
                    .map(|problem| problem.with_consequence("the exception is not applied"))
                    .collect(),
            };
            let title = format!("{}, for {}", exception.title, self.title);
            not_converted
                .extend(problems.into_iter().map(|problem| NotConverted::new(&title, Some(rule), problem)));
        }
        (exclude, not_converted)
    }

    /// Converts `background`. The audit scanner does not support subresources.
    fn convert_background(
        &self,
        has_subresources: bool,
        spec: &mut PolicySpec,
        notes: &mut Vec<String>,
    ) -> Result<(), InputError> {
        let is_wanted = self.spec.boolean("background")?.unwrap_or(true);
        if !is_wanted || has_subresources {
            spec.background_audit = Some(false);
        }
        if is_wanted && has_subresources {
            notes.push(kubewarden::NO_BACKGROUND_AUDIT.to_owned());
        }
        Ok(())
    }
}
