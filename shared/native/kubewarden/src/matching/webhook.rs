//! The requests that a webhook receives.

use std::cell::Cell;
use std::sync::Arc;

use kubernetes::kinds::{Kinds, Resource};
use serde_json::Value;

use crate::matching::condition::{Condition, Variables};
use crate::matching::condition_error::ConditionError;
use crate::matching::decision::{Decision, GroupVersion, Match, Reason};
use crate::matching::made_up::Variants;
use crate::matching::never_sent::is_never_sent;
use crate::matching::selector::{LabelSelector, Labels, Selection, SelectorSpec};
use crate::matching::webhook_spec::{InvalidWebhook, MatchPolicy, WebhookSpec, compiled, invalid};
use crate::rule::{RuleWithOperations, Target};

/// The requests that a policy receives.
#[derive(Debug)]
pub struct Webhook {
    pub(crate) rules: Vec<RuleWithOperations>,
    match_policy: MatchPolicy,
    namespace_selector: LabelSelector,
    object_selector: LabelSelector,
    conditions: Vec<Condition>,
    /// The namespace in which the policy server admits each request.
    pub(crate) admitted_namespace: Option<Arc<str>>,
    /// Whether the manifest has a selector of namespaces, and not the controller alone.
    pub(crate) has_own_namespace_selector: bool,
}

/// How the rules of a webhook fit a resource.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Fit {
    /// The webhook never receives its objects.
    None,
    /// The webhook receives its objects in another version or group, if the API server converts
    /// them.
    Equivalent,
    /// The webhook receives its objects.
    Exact,
}

pub(crate) enum Hit {
    /// The request as it is.
    Exact(usize),
    /// The request after a conversion.
    Equivalent { rule: usize, to: GroupVersion, changes_version_alone: bool },
    /// The request, if its resource has a version that the rule lists.
    Versions { rule: usize },
}

impl Hit {
    /// Returns the rule, and the request that the webhook receives.
    pub(crate) fn found(self) -> Result<Match, Reason> {
        match self {
            Self::Exact(rule) => Ok(Match { rule, converted: None }),
            Self::Equivalent { rule, to, changes_version_alone: true } => {
                Ok(Match { rule, converted: Some(to) })
            }
            Self::Equivalent { rule, to, .. } => Err(Reason::Conversion { rule, to }),
            Self::Versions { rule } => Err(Reason::Versions { rule }),
        }
    }
}

impl Webhook {
    /// Reads the `spec` of a policy: `rules`, `matchPolicy`, `namespaceSelector`, `objectSelector`
    /// and `matchConditions`.
    ///
    /// The webhook is that of the specification alone.
    /// [`PolicyManifest`](crate::matching::PolicyManifest) also makes the changes of Kubewarden's
    /// controller.
    ///
    /// # Errors
    /// A field that is missing or malformed, with its path, and an expression that is not CEL.
    pub fn from_spec(spec: &Value) -> Result<Self, InvalidWebhook> {
        let spec: WebhookSpec =
            serde_path_to_error::deserialize(spec).map_err(|error| invalid("spec", &error))?;
        Self::new(spec)
    }

    pub(crate) fn new(spec: WebhookSpec) -> Result<Self, InvalidWebhook> {
        if spec.rules.is_empty() {
            let problem =
                "spec.rules: Required value: a policy without rules receives no requests; add a rule";
            return Err(InvalidWebhook(problem.to_owned()));
        }
        for (at, rule) in spec.rules.iter().enumerate() {
            if let Some((path, problem)) = rule.problem() {
                return Err(InvalidWebhook(format!("spec.rules[{at}].{path}: {problem}")));
            }
        }
        let selector = |name: &str, spec: Option<SelectorSpec>| {
            LabelSelector::new(spec.unwrap_or_default())
                .map_err(|error| InvalidWebhook(format!("spec.{name}.{error}")))
        };
        let namespace_selector = selector("namespaceSelector", spec.namespace_selector)?;
        Ok(Self {
            conditions: compiled(&spec.match_conditions.unwrap_or_default())?,
            has_own_namespace_selector: !namespace_selector.is_empty(),
            namespace_selector,
            object_selector: selector("objectSelector", spec.object_selector)?,
            match_policy: spec.match_policy.unwrap_or_default(),
            rules: spec.rules,
            admitted_namespace: None,
        })
    }

    /// Returns whether the API server calls the webhook for an `AdmissionRequest`. `namespace` is
    /// the stored Namespace of a namespaced object, or of a Namespace that is deleted; with `None`,
    /// only its name is known.
    ///
    /// The kinds are those of Kubernetes; [`Webhook::decide_with`] also knows others.
    #[must_use]
    pub fn decide(&self, request: &Value, namespace: Option<&Value>) -> Decision {
        self.decide_with(&Kinds::default(), request, namespace)
    }

    /// Decides as [`Webhook::decide`] with further kinds, whose versions `matchPolicy: Equivalent`
    /// depends on.
    #[must_use]
    pub fn decide_with(&self, kinds: &Kinds, request: &Value, namespace: Option<&Value>) -> Decision {
        self.decide_noting(kinds, request, namespace, false, &mut false)
    }

    /// Decides as [`Webhook::decide_with`] about a request with objects of files, which are
    /// completed with values that are made up ([`kubernetes::completion`]). A decision that depends
    /// on one is unknown.
    #[must_use]
    pub fn decide_unstored(&self, kinds: &Kinds, request: &Value, namespace: Option<&Value>) -> Decision {
        self.decide_noting(kinds, request, namespace, true, &mut false)
    }

    /// Decides as [`Webhook::decide_with`] about a request whose objects lack fields. A decision
    /// that takes more of them than their kind, namespace and name is [`Reason::Objects`].
    #[must_use]
    pub fn decide_without_objects(
        &self,
        kinds: &Kinds,
        request: &Value,
        namespace: Option<&Value>,
    ) -> Decision {
        let mut reads_objects = false;
        let decision = self.decide_noting(kinds, request, namespace, false, &mut reads_objects);
        if reads_objects { Decision::Unknown(Reason::Objects) } else { decision }
    }

    fn decide_noting(
        &self,
        kinds: &Kinds,
        request: &Value,
        namespace: Option<&Value>,
        is_unstored: bool,
        reads_objects: &mut bool,
    ) -> Decision {
        let target = Target::of(request);
        if is_never_sent(request) {
            return Decision::NeverSent;
        }
        // The API server evaluates rules after selectors, but a webhook needs both, and no rule may
        // match without a Namespace.
        let Some(hit) = self.hit(kinds, &target) else { return Decision::NoRuleMatches };
        // A Namespace is selected by its own labels.
        *reads_objects |= self.has_namespace_selector() && target.resource == "namespaces";
        let missing = match self.select_namespace(&target, request, namespace) {
            Selection::Selected => None,
            Selection::Left(requirement) => return Decision::NamespaceIsNotSelected(requirement),
            Selection::Unknown(requirement) => Some(requirement),
        };
        *reads_objects |= self.has_object_selector();
        let missing = match self.select_object(request, is_unstored) {
            Selection::Selected => missing.map(Reason::Namespace),
            Selection::Left(requirement) => return Decision::ObjectIsNotSelected(requirement),
            Selection::Unknown(requirement) => Some(Reason::Label(requirement)),
        };
        let found = match hit.found() {
            Ok(found) => found,
            Err(reason) => return Decision::Unknown(reason),
        };
        match (self.evaluate_conditions(&found, request, is_unstored, reads_objects), missing) {
            (Decision::Called(_), _) if self.is_admitted(&target) => Decision::AdmittedByServer,
            // A condition that is false decides, whatever the labels of the Namespace are.
            (decision @ Decision::ConditionIsFalse(_), _) | (decision, None) => decision,
            (_, Some(reason)) => Decision::Unknown(reason),
        }
    }

    /// Returns whether the policy server admits a request because of its namespace.
    ///
    /// Source: `evaluate` in `crates/policy-server/src/api/service.rs` of kubewarden-controller.
    pub(crate) fn is_admitted(&self, target: &Target<'_>) -> bool {
        self.admitted_namespace.as_deref().is_some_and(|namespace| target.namespace == namespace)
    }

    /// The match conditions.
    #[must_use]
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// Returns whether labels of Namespaces decide about requests, other than the label with the
    /// name, which every Namespace has.
    #[must_use]
    pub fn reads_labels_of_namespaces(&self) -> bool {
        self.namespace_selector.reads_more_than_the_name()
    }

    pub(crate) fn has_namespace_selector(&self) -> bool {
        !self.namespace_selector.is_empty()
    }

    pub(crate) fn has_object_selector(&self) -> bool {
        !self.object_selector.is_empty()
    }

    /// Returns how the rules fit objects of a resource when they are subject to an operation. The
    /// selectors and conditions decide about each object.
    #[must_use]
    pub fn fit(&self, kinds: &Kinds, operation: &str, resource: &Resource) -> Fit {
        let target = Target {
            operation,
            group: &resource.group,
            version: &resource.version,
            resource: &resource.plural,
            subresource: "",
            namespace: if resource.is_namespaced == Some(false) { "" } else { "any" },
        };
        match self.hit(kinds, &target) {
            Some(Hit::Exact(_)) => Fit::Exact,
            Some(Hit::Equivalent { .. } | Hit::Versions { .. }) => Fit::Equivalent,
            None => Fit::None,
        }
    }

    /// Returns whether a rule names an API group, or all groups.
    #[must_use]
    pub fn names_group(&self, group: &str) -> bool {
        self.rules.iter().any(|rule| rule.names_group(group))
    }

    /// Finds the first rule that matches, or else the first that matches an equivalent resource.
    pub(crate) fn hit(&self, kinds: &Kinds, target: &Target<'_>) -> Option<Hit> {
        if let Some(rule) = self.rules.iter().position(|rule| rule.matches(target)) {
            return Some(Hit::Exact(rule));
        }
        if self.match_policy == MatchPolicy::Exact {
            return None;
        }
        let has_equivalents = Kinds::is_cohabiting(target.resource)
            || self.rules.iter().any(|rule| rule.matches_but_version(target));
        if !has_equivalents {
            return None;
        }
        self.rules.iter().enumerate().find_map(|(at, rule)| {
            let mut equivalents = kinds.equivalents(target.group, target.version, target.resource);
            let found = equivalents.find(|(other, _)| {
                rule.matches(&Target { group: &other.group, version: &other.version, ..*target })
            });
            match found {
                Some((other, is_same)) => Some(Hit::Equivalent {
                    rule: at,
                    to: GroupVersion { group: other.group.to_string(), version: other.version.to_string() },
                    // A subresource has a kind of its own, which a conversion may change.
                    changes_version_alone: is_same && ["", "status"].contains(&target.subresource),
                }),
                None if !kinds.knows_group(target.group) && rule.matches_but_version(target) => {
                    Some(Hit::Versions { rule: at })
                }
                None => None,
            }
        })
    }

    /// One condition that is false outweighs others that are errors or not known.
    fn evaluate_conditions(
        &self,
        found: &Match,
        request: &Value,
        is_unstored: bool,
        reads_objects: &mut bool,
    ) -> Decision {
        if self.conditions.is_empty() {
            return Decision::Called(found.clone());
        }
        let sent = found.sent(request);
        let variables = Variables::of(&sent);
        let variants = is_unstored.then(|| Variants::of(&sent));
        let (mut failed, mut unknown) = (None, None);
        for condition in &self.conditions {
            let result = evaluate(condition, &variables, variants.as_ref());
            *reads_objects |= variables.objects_are_read();
            match result {
                Ok(true) => {}
                Ok(false) => return Decision::ConditionIsFalse(condition.name().to_owned()),
                Err(error) if error.is_unknown => unknown = unknown.or(Some(error)),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        match (unknown, failed) {
            (Some(unknown), _) => Decision::Unknown(Reason::Condition(unknown)),
            (None, Some(failed)) => Decision::ConditionFailed(failed),
            (None, None) => Decision::Called(found.clone()),
        }
    }

    pub(crate) fn select_namespace(
        &self,
        target: &Target<'_>,
        request: &Value,
        stored: Option<&Value>,
    ) -> Selection {
        let is_namespace = target.resource == "namespaces";
        // A cluster-scoped object other than a Namespace is never left out.
        if self.namespace_selector.is_empty() || target.namespace.is_empty() && !is_namespace {
            return Selection::Selected;
        }
        let name = Some(target.namespace).filter(|name| !name.is_empty());
        let is_written = ["CREATE", "UPDATE"].contains(&target.operation);
        let labels = if is_namespace && target.subresource.is_empty() && is_written {
            // The labels that the object would have. The server adds the name to those of a
            // Namespace, and not to those of a custom resource that is called `namespaces`.
            let object = request.get("object").filter(|object| object.is_object());
            Labels::of_namespace(name.filter(|_| target.group.is_empty()), object)
        } else {
            Labels::of_namespace(name, stored)
        };
        self.namespace_selector.select(labels)
    }

    /// Selects one of the objects, whose labels may be made up.
    pub(crate) fn select_object(&self, request: &Value, is_unstored: bool) -> Selection {
        if self.object_selector.is_empty() {
            return Selection::Selected;
        }
        let mut found: Option<Selection> = None;
        for name in ["object", "oldObject"] {
            let Some(labels) = request.get(name).and_then(Labels::of) else { continue };
            let labels = if is_unstored { labels.with_made_up_values() } else { labels };
            match (self.object_selector.select(labels), &found) {
                (Selection::Selected, _) => return Selection::Selected,
                (selection @ Selection::Unknown(_), _) | (selection, None) => found = Some(selection),
                (Selection::Left(_), Some(_)) => {}
            }
        }
        found.unwrap_or_else(|| Selection::Left("the request has no object with metadata".into()))
    }
}

/// Evaluates a condition. A result that depends on a value that is made up is not known.
pub(crate) fn evaluate(
    condition: &Condition,
    variables: &Variables<'_>,
    variants: Option<&Variants<'_>>,
) -> Result<bool, ConditionError> {
    let result = condition.holds(variables);
    let is_unknown = result.as_ref().is_err_and(|error| error.is_unknown);
    let Some(variants) = variants.filter(|_| !is_unknown && variables.objects_are_read()) else {
        return result;
    };
    // All errors have the same effect.
    let value = result.as_ref().ok().copied();
    let spent = Cell::new(0_u64);
    let is_same = |request: &Value| {
        // All values together cost no more than a server allows for one.
        if spent.get() > Condition::LIMIT {
            return false;
        }
        let result = condition.holds(&Variables::of(request));
        spent.set(spent.get().saturating_add(Condition::spent()));
        match result {
            Ok(holds) => value == Some(holds),
            Err(error) => value.is_none() && !error.is_unknown,
        }
    };
    // A stored object that the condition lets pass has a verdict, even if a new one has none.
    let is_called = value == Some(true);
    let Some(field) = variants.deciding(condition.literals(), is_called, is_same) else { return result };
    let problem = if spent.get() > Condition::LIMIT {
        "costs too much to evaluate it with all values that the API server may set; simplify it".to_owned()
    } else {
        format!("depends on {field}, which the API server sets")
    };
    Err(ConditionError { condition: condition.name().to_owned(), problem, is_unknown: true })
}

#[cfg(test)]
mod tests;
