//! The configuration of Kyverno itself, which leaves out requests for every policy.
//!
//! Source: `pkg/config/config.go`, `pkg/config/types.go` and the values of the chart in
//! kyverno/kyverno at 111e07b.

use std::collections::BTreeSet;

use rules::name::is_label;
use rules::pattern::Pattern;
use serde_json::Value;

use super::condition::{NAME_LABEL, namespaces_by_name};
use super::kind_pattern::KindPattern;
use super::request_scope::RequestScope;
use super::selector;
use crate::cel::{self, CelExpression};
use crate::conversion::FieldProblem;
use crate::fields::Fields;
use crate::target::Target;
use crate::{Document, InputError, LabelSelector, MatchCondition};

/// The filters of Kyverno's chart that concern pods, workloads and Services.
const DEFAULT_FILTERS: &str =
    "[*/*,kyverno,*][*/*,kube-system,*][*/*,kube-public,*][*/*,kube-node-lease,*][ReplicaSet,*,*]";

/// The group of kubelets, which Kyverno's chart excludes.
const NODES: &str = "system:nodes";

/// The `ConfigMap` of Kyverno, which leaves out requests for every policy.
#[derive(Clone, Debug)]
pub struct KyvernoConfiguration {
    /// The name of the document; `None` for the defaults of Kyverno's chart.
    document: Option<String>,
    filters: Vec<Filter>,
    excluded: Subjects,
    /// Subjects that are evaluated although they are excluded.
    included: Subjects,
    namespace_selector: LabelSelector,
    object_selector: LabelSelector,
    match_conditions: Vec<MatchCondition>,
    problems: Vec<FieldProblem>,
}

/// A resource filter: kinds, namespaces and names that are left out.
#[derive(Clone, Debug)]
struct Filter {
    kind: String,
    namespace: String,
    name: String,
}

#[derive(Clone, Debug, Default)]
struct Subjects {
    users: Vec<String>,
    groups: Vec<String>,
}

/// The defaults of Kyverno's chart.
impl Default for KyvernoConfiguration {
    fn default() -> Self {
        Self {
            document: None,
            filters: filters(DEFAULT_FILTERS),
            excluded: Subjects { users: Vec::new(), groups: vec![NODES.to_owned()] },
            included: Subjects::default(),
            namespace_selector: LabelSelector::default(),
            object_selector: LabelSelector::default(),
            match_conditions: Vec::new(),
            problems: Vec::new(),
        }
    }
}

impl KyvernoConfiguration {
    /// Reads Kyverno's `ConfigMap`.
    ///
    /// # Errors
    /// Another kind, and values that Kyverno could not parse.
    pub fn read(document: &Document) -> Result<Self, InputError> {
        let fields = Fields::of(document)?;
        if fields.text("kind")? != Some("ConfigMap") || fields.text("apiVersion")? != Some("v1") {
            return Err(fields.error("kind", "expected the ConfigMap of Kyverno, of apiVersion v1"));
        }
        let data = fields.required_object("data")?;
        let text = |key: &str| Ok::<_, InputError>(data.text(key)?.unwrap_or_default());
        let (users, all_users) = exclusions(text("excludeUsernames")?);
        let (groups, all_groups) = exclusions(text("excludeGroups")?);
        let mut read = Self {
            document: Some(document.name.clone()),
            filters: filters(text("resourceFilters")?),
            excluded: Subjects { users, groups },
            included: Subjects { users: all_users, groups: all_groups },
            namespace_selector: LabelSelector::default(),
            object_selector: LabelSelector::default(),
            match_conditions: Vec::new(),
            problems: Vec::new(),
        };
        for key in ["excludeRoles", "excludeClusterRoles"] {
            if !text(key)?.trim().is_empty() {
                let problem =
                    FieldProblem::new(data.path(key), "a request does not contain the roles of its user");
                read.problems.push(problem.widening("the policy evaluates the requests of these users"));
            }
        }
        if let Some(webhooks) = embedded(&data, document, "webhooks")? {
            // Older versions of Kyverno read a list and use its first element.
            let webhooks = match webhooks {
                Value::Array(items) => items.into_iter().next().unwrap_or_default(),
                other => other,
            };
            let webhooks = Document { name: document.name.clone(), value: webhooks };
            read.read_webhooks(&webhooks).map_err(|error| within(&data, "webhooks", error))?;
        }
        if let Some(conditions) = embedded(&data, document, "matchConditions")? {
            let conditions = serde_json::json!({ "matchConditions": conditions });
            let conditions = Document { name: document.name.clone(), value: conditions };
            for condition in Fields::of(&conditions)?.objects("matchConditions")? {
                let name = condition.required_text("name")?.to_owned();
                let expression = condition.required_text("expression")?.to_owned();
                read.match_conditions.push(MatchCondition { name, expression });
            }
        }
        Ok(read)
    }

    fn read_webhooks(&mut self, webhooks: &Document) -> Result<(), InputError> {
        let fields = Fields::of(webhooks)?;
        if let Some(labels) = fields.object("namespaceSelector")? {
            self.namespace_selector = selector::read(&labels, &mut self.problems)?;
        }
        if let Some(labels) = fields.object("objectSelector")? {
            self.object_selector = selector::read(&labels, &mut self.problems)?;
        }
        Ok(())
    }

    /// Leaves out of a scope what the configuration leaves out. `namespace` is that of a namespaced
    /// policy.
    ///
    /// Returns a sentence about what was left out.
    pub(super) fn apply(&self, scope: &mut RequestScope, namespace: Option<&str>) -> String {
        scope.problems.extend(self.problems.iter().cloned());
        let mut left_out = Vec::new();
        self.remove_targets(scope, namespace, &mut left_out);
        let (namespaces, has_condition) = self.remove_namespaces(scope, namespace);
        left_out.splice(..0, named("namespace", &namespaces));
        if has_condition {
            left_out.push("the requests that the condition is-not-filtered keeps away".to_owned());
        }
        self.add_selectors(scope, namespace, &mut left_out);
        self.exclude_subjects(scope, &mut left_out);
        scope.conditions.extend(self.match_conditions.iter().cloned());
        if !self.match_conditions.is_empty() {
            left_out.push("the requests that its match conditions do not match".to_owned());
        }
        let left_out =
            enumeration(&left_out).unwrap_or_else(|| "nothing of what the rule matches".to_owned());
        match &self.document {
            None => format!(
                "Kyverno's default configuration is applied: it leaves out {left_out}. For the configuration of a \
                 cluster, pass its ConfigMap with --kyverno-config."
            ),
            Some(document) => format!("Kyverno's configuration in {document} leaves out {left_out}."),
        }
    }

    /// Removes targets that are left out in all namespaces.
    fn remove_targets(&self, scope: &mut RequestScope, namespace: Option<&str>, left_out: &mut Vec<String>) {
        for filter in self.filters_in(namespace) {
            if filter.name == "*" && (namespace.is_some() || filter.namespace == "*") {
                let removed = &filter.targets() & &scope.reach.targets;
                scope.reach.targets.retain(|target| !removed.contains(target));
                left_out.extend(removed.iter().map(|target| format!("all {}", target.path())));
            }
        }
    }

    /// Selects the namespaces that no filter leaves out; returns those that are left out. Filters
    /// that a selector cannot express become a condition; returns also whether there are any.
    fn remove_namespaces(&self, scope: &mut RequestScope, namespace: Option<&str>) -> (Vec<String>, bool) {
        let mut names: Vec<String> = Vec::new();
        let mut others = Vec::new();
        for filter in self.filters_in(namespace) {
            let targets = &filter.targets() & &scope.reach.targets;
            let is_whole = filter.name == "*" && targets == scope.reach.targets;
            if targets.is_empty() || names.contains(&filter.namespace) {
            } else if is_whole && namespace.is_none() && is_label(&filter.namespace) {
                names.push(filter.namespace.clone());
            } else {
                others.push((filter, targets));
            }
        }
        others.retain(|(filter, _)| !names.contains(&filter.namespace));
        let filtered = |(filter, targets): &(&Filter, BTreeSet<Target>)| {
            let mut parts = scope.reach.narrowed_to(targets, &scope.reach.operations);
            if namespace.is_none() && filter.namespace != "*" {
                parts.push(cel::matches_any("request.namespace", &[filter.namespace.as_str()]));
            }
            if filter.name != "*" {
                let name = "(has(request.name) ? request.name : '')";
                parts.push(cel::matches_any(name, &[filter.name.as_str()]));
            }
            CelExpression::All(parts).negated()
        };
        let filtered = CelExpression::All(others.iter().map(filtered).collect());
        let has_condition = !filtered.is_always_true();
        scope.add_condition("is-not-filtered", &filtered);
        if !names.is_empty() {
            scope.select_namespaces(namespaces_by_name("NotIn", &names));
        }
        (names, has_condition)
    }

    /// The filters that concern the namespace of a namespaced policy, or all filters.
    fn filters_in(&self, namespace: Option<&str>) -> impl Iterator<Item = &Filter> {
        self.filters.iter().filter(move |filter| {
            // A filter with an empty namespace concerns cluster-wide objects.
            !filter.namespace.is_empty()
                && namespace.is_none_or(|namespace| Pattern::of(&filter.namespace).matches(namespace))
        })
    }

    fn add_selectors(&self, scope: &mut RequestScope, namespace: Option<&str>, left_out: &mut Vec<String>) {
        let selector = self.namespace_selector.clone().into_expressions();
        if !selector.match_expressions.is_empty() {
            match namespace {
                None => {
                    let by_name = |requirement: &&crate::LabelSelectorRequirement| {
                        requirement.key == NAME_LABEL && requirement.operator == "NotIn"
                    };
                    let names = selector.match_expressions.iter().filter(by_name);
                    let names: Vec<String> =
                        names.flat_map(|requirement| requirement.values.clone()).collect();
                    let others = selector.match_expressions.iter().any(|other| !by_name(&other));
                    left_out
                        .extend(named("namespace", &names).map(|names| format!("{names} in its webhooks")));
                    if others {
                        left_out.push(
                            "the namespaces that the selector of its webhooks does not select".to_owned(),
                        );
                    }
                    scope.select_namespaces(selector);
                }
                Some(namespace) => Self::check_namespace(&selector, scope, namespace, left_out),
            }
        }
        let selector = &self.object_selector;
        if !(selector.match_labels.is_empty() && selector.match_expressions.is_empty()) {
            left_out.push("the objects that the selector of its webhooks does not select".to_owned());
            scope.object_selector.get_or_insert_default().narrow(selector.clone());
        }
    }

    /// Decides the requirements on the name of the namespace of a namespaced policy.
    fn check_namespace(
        selector: &LabelSelector,
        scope: &mut RequestScope,
        namespace: &str,
        left_out: &mut Vec<String>,
    ) {
        for requirement in &selector.match_expressions {
            let is_named = requirement.values.iter().any(|value| value == namespace);
            match (requirement.key.as_str(), requirement.operator.as_str()) {
                (NAME_LABEL, "Exists") => {}
                (NAME_LABEL, "In") if is_named => {}
                (NAME_LABEL, "NotIn") if !is_named => {}
                (NAME_LABEL, _) => {
                    scope.reach.targets.clear();
                    left_out.push(format!("the namespace {namespace}"));
                }
                _ => {
                    let path = "data.webhooks".to_owned();
                    let problem = "a namespaced policy cannot select namespaces by label";
                    let problem = FieldProblem::new(path, problem);
                    scope.problems.push(problem.widening("without it, the policy evaluates more requests"));
                }
            }
        }
    }

    fn exclude_subjects(&self, scope: &mut RequestScope, left_out: &mut Vec<String>) {
        let requested_by = |Subjects { users, groups }: &Subjects| {
            let users: Vec<&str> = users.iter().map(String::as_str).collect();
            let groups: Vec<&str> = groups.iter().map(String::as_str).collect();
            cel::is_requested_by(&users, &groups)
        };
        if self.excluded.users.is_empty() && self.excluded.groups.is_empty() {
            return;
        }
        left_out.extend(named("user", &self.excluded.users));
        left_out.extend(named("group", &self.excluded.groups));
        let mut parts = vec![requested_by(&self.excluded)];
        if !(self.included.users.is_empty() && self.included.groups.is_empty()) {
            parts.push(requested_by(&self.included).negated());
        }
        scope.add_condition("is-not-excluded-by-kyverno", &CelExpression::All(parts).negated());
    }
}

impl Filter {
    /// The targets of the filter. Unlike in a rule, a pod does not include its subresources.
    fn targets(&self) -> BTreeSet<Target> {
        KindPattern::parse(&self.kind).map(|kind| kind.exact_targets()).unwrap_or_default()
    }
}

/// Parses resource filters: `[kind,namespace,name]`, with anything between them.
fn filters(text: &str) -> Vec<Filter> {
    let inside = text.split('[').skip(1).filter_map(|part| part.split_once(']'));
    let filter = |(inside, _): (&str, &str)| {
        let mut parts = inside.split(',');
        let mut next = || parts.next().unwrap_or_default().to_owned();
        Filter { kind: next(), namespace: next(), name: next() }
    };
    inside.map(filter).collect()
}

/// Splits a list of excluded names from those that an exclamation mark includes.
fn exclusions(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut excluded, mut included) = (Vec::new(), Vec::new());
    for name in text.split(',').map(str::trim) {
        let (list, name) = match name.strip_prefix('!') {
            Some(name) => (&mut included, name.trim()),
            None => (&mut excluded, name),
        };
        if !name.is_empty() {
            list.push(name.to_owned());
        }
    }
    (excluded, included)
}

/// Parses JSON in a value of the `ConfigMap`.
fn embedded(data: &Fields<'_>, document: &Document, key: &str) -> Result<Option<Value>, InputError> {
    let Some(text) = data.text(key)?.filter(|text| !text.trim().is_empty()) else { return Ok(None) };
    let invalid = |error: serde_json::Error| InputError {
        document: document.name.clone(),
        path: data.path(key),
        problem: format!("invalid JSON: {error}"),
    };
    serde_json::from_str(text).map(Some).map_err(invalid)
}

fn within(data: &Fields<'_>, key: &str, error: InputError) -> InputError {
    let problem =
        if error.path.is_empty() { error.problem } else { format!("{}: {}", error.path, error.problem) };
    InputError { document: error.document, path: data.path(key), problem }
}

/// Names things of a kind: `the group a`, `the groups a and b`; `None` without names.
fn named(kind: &str, names: &[String]) -> Option<String> {
    let plural = if names.len() > 1 { "s" } else { "" };
    Some(format!("the {kind}{plural} {}", enumeration(names)?))
}

/// Joins names: `a`, `a and b`, `a, b and c`; `None` without names.
fn enumeration(names: &[String]) -> Option<String> {
    let (last, others) = names.split_last()?;
    Some(if others.is_empty() { last.clone() } else { format!("{} and {last}", others.join(", ")) })
}
