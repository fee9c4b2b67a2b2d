//! `PolicyException`s, as entries of the setting `exclude`.

use rules::pattern::Pattern;
use serde_json::{Map, Value};

use super::exclude_entries::{self, ExceptedRule};
use super::match_resources::MatchResources;
use super::resource_filter::ResourceFilter;
use crate::InputError;
use crate::conversion::FieldProblem;
use crate::fields::Fields;
use crate::target::Target;

/// A `PolicyException`.
#[derive(Debug)]
pub(super) struct PolicyException {
    /// The kind and the name, for messages.
    pub(super) title: String,
    rules: Vec<RuleReference>,
    matched: MatchResources,
    /// The entries of `podSecurity`.
    entries: Vec<Map<String, Value>>,
    problems: Vec<FieldProblem>,
    /// Whether the exception applies to a rule in the same input.
    pub(super) is_used: bool,
}

/// The rules of a policy to which an exception applies.
#[derive(Debug)]
struct RuleReference {
    policy: String,
    /// The names of rules, which may contain wildcards.
    rules: Vec<String>,
}

/// The result of converting an exception for a rule.
#[derive(Debug)]
pub(super) enum ExceptionConversion {
    /// The exception becomes these entries, which exclude slightly more as the problems say.
    Entries(Vec<Value>, Vec<FieldProblem>),
    /// Entries would exclude more or less than the exception, so it is not applied.
    NotConverted(Vec<FieldProblem>),
}

impl PolicyException {
    /// Reads a document.
    ///
    /// # Errors
    /// Fields with values that Kyverno does not accept.
    pub(super) fn read(title: String, document: &Fields<'_>) -> Result<Self, InputError> {
        let spec = document.required_object("spec")?;
        let mut rules = Vec::new();
        let mut problems = Vec::new();
        for reference in spec.objects("exceptions")? {
            let policy = reference.required_text("policyName")?.to_owned();
            let names = reference.texts("ruleNames")?.into_iter().map(str::to_owned).collect();
            rules.push(RuleReference { policy, rules: names });
            problems.extend(reference.unknown(&["policyName", "ruleNames"]));
        }
        let matched = MatchResources::read(spec.object("match")?.as_ref())?;
        let mut entries = Vec::new();
        for entry in spec.objects("podSecurity")? {
            problems.extend(entry.unknown(&["controlName", "images", "restrictedField", "values"]));
            entries.push(entry.iter().map(|(key, value)| (key.to_owned(), value.clone())).collect());
        }
        let mut add = |key: &str, problem: &str| problems.push(FieldProblem::new(spec.path(key), problem));
        if entries.is_empty() {
            add(
                "podSecurity",
                "is missing, so the exception covers the whole rule, which exclude cannot express",
            );
        }
        if spec.get("conditions").is_some() {
            add("conditions", exclude_entries::NOT_EXPRESSIBLE);
        }
        if spec.boolean("background")? == Some(false) {
            add("background", "an exclude entry also applies to background audits");
        }
        let known = ["exceptions", "match", "podSecurity", "conditions", "background"];
        problems.extend(spec.unknown(&known));
        problems.extend(matched.problems.iter().cloned());
        problems.extend(matched.filters.iter().flat_map(|filter| filter.problems.clone()));
        Ok(Self { title, rules, matched, entries, problems, is_used: false })
    }

    /// Converts the exception for a rule; `None` if it does not apply to the rule.
    pub(super) fn convert(&mut self, rule: &ExceptedRule<'_>) -> Option<ExceptionConversion> {
        // The names of the rules that Kyverno derives.
        let derived = format!("autogen-{}", rule.name);
        let derived_for_cron_jobs = format!("autogen-cronjob-{}", rule.name);
        if ![rule.name, &derived, &derived_for_cron_jobs].iter().any(|name| self.applies_to(rule, name)) {
            return None;
        }
        self.is_used = true;
        let is_uncovered = |target: &&Target| {
            let name = match target {
                Target::CronJob if rule.reach.is_derived(**target) => &derived_for_cron_jobs,
                target if rule.reach.is_derived(**target) => &derived,
                _ => rule.name,
            };
            !self.applies_to(rule, name)
        };
        let uncovered: Vec<Target> = rule.reach.targets.iter().filter(is_uncovered).copied().collect();
        let mut problems = self.problems.clone();
        if !uncovered.is_empty() {
            problems.push(FieldProblem::new("spec.exceptions", exclude_entries::too_wide(&uncovered)));
        }
        let filters: Vec<&ResourceFilter> = self.matched.filters.iter().collect();
        let groups: Vec<&[&ResourceFilter]> =
            if self.matched.any { filters.chunks(1).collect() } else { vec![&filters] };
        let mut notes = Vec::new();
        let mut conditions = Vec::new();
        for filters in groups {
            conditions.extend(exclude_entries::conditions(filters, rule, &mut problems, &mut notes));
        }
        if !problems.is_empty() {
            return Some(ExceptionConversion::NotConverted(problems));
        }
        let mut entries = Vec::new();
        for conditions in conditions {
            entries.extend(self.entries.iter().map(|entry| {
                let mut entry = entry.clone();
                entry.extend(conditions.clone());
                Value::Object(entry)
            }));
        }
        Some(ExceptionConversion::Entries(entries, notes))
    }

    /// Whether the exception names a rule of the policy.
    fn applies_to(&self, rule: &ExceptedRule<'_>, name: &str) -> bool {
        let references = self.rules.iter().filter(|reference| reference.policy == rule.policy);
        references.flat_map(|reference| &reference.rules).any(|pattern| Pattern::of(pattern).matches(name))
    }
}
