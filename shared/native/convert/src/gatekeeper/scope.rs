//! The match of a constraint.

use std::collections::BTreeSet;

use serde_json::Map;

use super::action::Action;
use super::config::Surroundings;
use super::expansion::place;
use crate::InputError;
use crate::cel::{self, CelExpression, is_pattern};
use crate::controls::Outcome;
use crate::conversion::{Effect, FieldProblem};
use crate::fields::Fields;
use crate::kubewarden::{PolicySpec, TargetRule};
use crate::kyverno::selector;
use crate::target::Target;
use crate::{LabelSelector, LabelSelectorRequirement, MatchCondition};

/// The label that every Namespace has, with its name as the value.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// The objects of a kind that a constraint evaluates, in requests and in audits.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    namespaces: Vec<LabelSelectorRequirement>,
    objects: Option<LabelSelector>,
    conditions: Vec<MatchCondition>,
    audited_namespaces: Vec<LabelSelectorRequirement>,
    /// Whether other namespaces are left out of audits than of requests.
    audits_differ: bool,
    /// Whether the constraint leaves objects out of audits that no selector can leave out.
    audits_more: bool,
    /// The objects that are evaluated: `All`, `Generated` or `Original`.
    source: Source,
}

/// The objects that a constraint evaluates, by their origin.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Source {
    /// Those of requests and those of expansions.
    #[default]
    All,
    /// Those of expansions.
    Generated,
    /// Those of requests.
    Original,
}

/// The problem with labels of pod templates that are in different places.
const SEVERAL_PLACES: &str = "selects by the labels of pod templates, which are in different places of these \
     workloads; the manifest evaluates all of them";

const HAS_NAME: &str = "has-its-name";

impl Scope {
    /// Reads the match of a constraint whose template evaluates a kind of the core group. Returns
    /// `Ok(Err(reason))` if the constraint evaluates nothing.
    ///
    /// Source: `pkg/mutation/match` in open-policy-agent/gatekeeper.
    pub(super) fn read(
        spec: Option<&Fields<'_>>,
        kind: &str,
        evaluates_updates: bool,
        surroundings: &Surroundings,
        outcome: &mut Outcome,
    ) -> Result<Result<Self, String>, InputError> {
        let mut scope = Self::default();
        let matched = spec.map(|spec| spec.object("match")).transpose()?.flatten();
        if let Some(matched) = &matched
            && let Some(reason) = scope.read_match(matched, kind, evaluates_updates, outcome)?
        {
            return Ok(Err(reason));
        }
        scope.audits_more = !scope.conditions.is_empty();
        scope.audited_namespaces.clone_from(&scope.namespaces);
        scope.audits_differ = surroundings.excluded_from_audits != surroundings.excluded_from_requests;
        scope.exclude(&surroundings.excluded_from_requests, "is-not-excluded-by-config");
        let (literal, wild) = split(&surroundings.excluded_from_audits);
        scope.audits_more |= !wild.is_empty();
        add(&mut scope.audited_namespaces, "NotIn", literal);
        let ignored = LabelSelectorRequirement {
            key: "admission.gatekeeper.sh/ignore".to_owned(),
            operator: "DoesNotExist".to_owned(),
            values: Vec::new(),
        };
        scope.namespaces.push(ignored);
        add(&mut scope.namespaces, "NotIn", vec!["gatekeeper-system".to_owned()]);
        Ok(Ok(scope))
    }

    /// Reads a match; returns why it matches nothing.
    fn read_match(
        &mut self,
        matched: &Fields<'_>,
        kind: &str,
        evaluates_updates: bool,
        outcome: &mut Outcome,
    ) -> Result<Option<String>, InputError> {
        let has = |values: &[&str], wanted: &str| {
            values.is_empty() || values.contains(&"*") || values.contains(&wanted)
        };
        let kinds = matched.objects("kinds")?;
        let mut is_matched = kinds.is_empty();
        for entry in &kinds {
            is_matched |= has(&entry.texts("kinds")?, kind) && has(&entry.texts("apiGroups")?, "");
        }
        if !is_matched {
            return Ok(Some(format!(
                "The kinds of the match do not contain {kind}, which the template reads alone, so the constraint refuses nothing."
            )));
        }
        if matched.text("scope")? == Some("Cluster") {
            return Ok(Some("The scope of the match is Cluster, so the constraint evaluates nothing in namespaces and refuses nothing.".to_owned()));
        }
        self.source = match matched.text("source")? {
            None | Some("" | "All") => Source::All,
            Some("Original") => Source::Original,
            Some("Generated") => Source::Generated,
            Some(_) => return Err(matched.error("source", "expected All, Generated or Original")),
        };
        if let Some(fields) = matched.object("namespaceSelector")? {
            let selector = selector::read(&fields, &mut outcome.problems)?;
            self.namespaces.append(&mut selector.into_expressions().match_expressions);
        }
        if let Some(fields) = matched.object("labelSelector")? {
            self.objects = Some(selector::read(&fields, &mut outcome.problems)?);
        }
        let namespaces = matched.strings("namespaces")?;
        if namespaces.iter().any(|pattern| is_pattern(pattern)) {
            let patterns: Vec<&str> = namespaces.iter().map(String::as_str).collect();
            self.condition("is-in-its-namespaces", &cel::matches_any("request.namespace", &patterns));
        } else if !namespaces.is_empty() {
            add(&mut self.namespaces, "In", namespaces);
        }
        self.exclude(&matched.strings("excludedNamespaces")?, "is-not-in-excluded-namespaces");
        if let Some(name) = matched.text("name")?.filter(|name| !name.is_empty()) {
            let has_name = |object: &str| cel::has_name(object, &[name]);
            let expression = if evaluates_updates {
                CelExpression::of_either_object(has_name)
            } else {
                has_name("object")
            };
            self.condition(HAS_NAME, &expression);
        }
        let unknown = matched.unknown(&[
            "kinds",
            "scope",
            "source",
            "namespaceSelector",
            "labelSelector",
            "namespaces",
            "excludedNamespaces",
            "name",
        ]);
        outcome.problems.extend(unknown.into_iter().map(|problem| problem.with(Effect::Refuses)));
        Ok(None)
    }

    fn exclude(&mut self, patterns: &[String], name: &str) {
        let (literal, wild) = split(patterns);
        add(&mut self.namespaces, "NotIn", literal);
        if !wild.is_empty() {
            let patterns: Vec<&str> = wild.iter().map(String::as_str).collect();
            self.condition(name, &cel::matches_any("request.namespace", &patterns).negated());
        }
    }

    /// The problem that reports have more objects than the constraint evaluates, if there are any.
    pub(super) fn audit_problem(&self) -> Option<FieldProblem> {
        let problem = "the audit scanner ignores match conditions, so reports also contain the objects that patterns \
                       of namespaces and the name leave out";
        self.audits_more.then(|| FieldProblem::new("spec.match", problem).with(Effect::Reports))
    }

    fn condition(&mut self, name: &str, expression: &CelExpression) {
        self.conditions.push(MatchCondition { name: name.to_owned(), expression: expression.to_string() });
    }

    pub(super) fn source(&self) -> Source {
        self.source
    }

    /// The scope of the workloads whose templates are evaluated as pods, and what of it they cannot
    /// have.
    pub(super) fn of_workloads(&self, targets: &BTreeSet<Target>) -> (Self, Option<&'static str>) {
        let mut scope = self.clone();
        let mut problem = None;
        scope.conditions.retain(|condition| condition.name != HAS_NAME);
        if scope.conditions.len() < self.conditions.len() {
            problem = Some(
                "is the name of a pod, which an expansion makes up; the manifest evaluates workloads of all names",
            );
        }
        if let Some(selector) = scope.objects.take() {
            let places: BTreeSet<&str> = targets.iter().map(|target| place(*target)).collect();
            match places.into_iter().collect::<Vec<_>>().as_slice() {
                [place] => {
                    let template = format!("object.{place}");
                    scope
                        .condition("has-the-labels-in-its-template", &cel::is_selected(&template, &selector));
                }
                _ => {
                    problem = Some(SEVERAL_PLACES);
                }
            }
        }
        (scope, problem)
    }

    /// Narrows the scope by an expression. Audits ignore it.
    pub(super) fn narrow(&mut self, name: &str, expression: &CelExpression) {
        self.condition(name, expression);
    }

    /// The specifications for requests and for audits, without settings. One policy does both, if
    /// it can.
    pub(super) fn specs(
        self,
        policy: &'static str,
        action: Action,
        rules: Vec<TargetRule>,
        audited: Vec<TargetRule>,
    ) -> (PolicySpec, Option<PolicySpec>) {
        let selector = |requirements: Vec<LabelSelectorRequirement>| {
            (!requirements.is_empty())
                .then(|| LabelSelector { match_expressions: requirements, ..LabelSelector::default() })
        };
        let is_one =
            self.conditions.is_empty() && !action.warns && !self.audits_differ && same(&rules, &audited);
        let mut spec = PolicySpec::new(policy, action.mode, rules, Map::new());
        spec.namespace_selector = selector(self.namespaces);
        spec.object_selector.clone_from(&self.objects);
        spec.match_conditions = self.conditions;
        spec.failure_policy = Some("Ignore".to_owned());
        if !is_one || !action.audits {
            spec.background_audit = Some(false);
        }
        let mut audit = PolicySpec::new(policy, action.mode, audited, Map::new());
        audit.namespace_selector = selector(self.audited_namespaces);
        audit.object_selector = self.objects;
        let is_separate = action.audits && (!is_one || !action.evaluates_requests);
        (spec, is_separate.then_some(audit))
    }
}

fn same(rules: &[TargetRule], others: &[TargetRule]) -> bool {
    let key = |rules: &[TargetRule]| serde_json::json!(rules);
    key(rules) == key(others)
}

/// The patterns without wildcards, and those with wildcards.
fn split(patterns: &[String]) -> (Vec<String>, Vec<String>) {
    let (wild, literal) = patterns.iter().cloned().partition(|pattern| is_pattern(pattern));
    (literal, wild)
}

fn add(requirements: &mut Vec<LabelSelectorRequirement>, operator: &str, values: Vec<String>) {
    if !values.is_empty() {
        requirements.push(LabelSelectorRequirement {
            key: NAME_LABEL.to_owned(),
            operator: operator.to_owned(),
            values,
        });
    }
}
