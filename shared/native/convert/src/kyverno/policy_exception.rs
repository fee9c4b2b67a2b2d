//! `PolicyException`s.
//!
//! Source: `MatchesException` in `pkg/engine/utils/exceptions.go` and `validatePssHandler` in
//! `pkg/engine/handlers/validation/validate_pss.go` of kyverno/kyverno at 111e07b. An exception is
//! compared with the object that is evaluated, and its `operations` are not read. If several
//! exceptions match, one without `podSecurity` skips the rule, and otherwise the entries of all of
//! them apply.

use std::collections::BTreeSet;

use rules::pattern::Pattern;

use super::entry::Entry;
use super::grant::{ExceptedRule, Grant};
use super::match_resources::MatchResources;
use super::resource_filter::ResourceFilter;
use crate::InputError;
use crate::conversion::FieldProblem;
use crate::fields::Fields;
use crate::target::Target;

#[derive(Debug)]
pub(super) struct PolicyException<'d> {
    pub(super) document: &'d str,
    /// The kind and the name, for messages.
    pub(super) title: String,
    pub(super) exceptions_path: String,
    match_path: String,
    rules: Vec<RuleReference>,
    matched: MatchResources,
    /// The entries of `podSecurity`; empty if the exception is from the whole rule.
    entries: Vec<Entry>,
    /// Whether the exception also applies to background scans.
    in_background: bool,
    /// The reasons why the exception is not applied.
    obstacles: Vec<FieldProblem>,
    problems: Vec<FieldProblem>,
    /// Whether the exception applies to a rule in the same input.
    pub(super) is_used: bool,
}

#[derive(Debug)]
struct RuleReference {
    policy: String,
    /// The names of rules, which may contain wildcards.
    rules: Vec<String>,
}

/// The violations that an exception allows in a rule.
#[derive(Debug, Default)]
pub(super) struct ExceptionConversion {
    pub(super) grants: Vec<Grant>,
    pub(super) problems: Vec<FieldProblem>,
}

impl<'d> PolicyException<'d> {
    pub(super) fn read(title: String, document: &Fields<'d>) -> Result<Self, InputError> {
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
        let entries = Entry::list(&spec, "podSecurity", &mut problems)?;
        let mut obstacles = Vec::new();
        if spec.get("conditions").is_some() {
            let problem =
                "is evaluated with variables of Kyverno, which neither an entry nor a match condition has";
            obstacles.push(FieldProblem::new(spec.path("conditions"), problem));
        }
        let known = ["exceptions", "match", "podSecurity", "conditions", "background"];
        problems.extend(spec.unknown(&known));
        problems.extend(matched.problems.iter().cloned());
        Ok(Self {
            document: document.document(),
            title,
            exceptions_path: spec.path("exceptions"),
            match_path: spec.path("match"),
            rules,
            matched,
            entries,
            in_background: spec.boolean("background")?.unwrap_or(true),
            obstacles,
            problems,
            is_used: false,
        })
    }

    /// Converts the exception for a rule; `None` if it does not apply to the rule.
    pub(super) fn convert(&mut self, rule: &ExceptedRule<'_>) -> Option<ExceptionConversion> {
        let covered = self.covered(rule);
        if covered.is_empty() {
            return None;
        }
        self.is_used = true;
        let not_applied = |problem: &FieldProblem| problem.widening("the exception is not applied");
        let mut conversion = ExceptionConversion { problems: self.problems.clone(), ..Default::default() };
        if !self.obstacles.is_empty() {
            conversion.problems.extend(self.obstacles.iter().map(not_applied));
            return Some(conversion);
        }
        let filters: Vec<&ResourceFilter> = self.matched.filters.iter().collect();
        let groups: Vec<&[&ResourceFilter]> =
            if self.matched.any { filters.chunks(1).collect() } else { vec![&filters] };
        for filters in groups {
            if filters.is_empty() || filters.iter().any(|filter| filter.is_empty()) {
                conversion
                    .problems
                    .push(FieldProblem::new(&self.match_path, "is empty, which matches nothing"));
                continue;
            }
            let unreadable: Vec<&FieldProblem> = filters.iter().flat_map(|filter| &filter.problems).collect();
            if !unreadable.is_empty() {
                conversion.problems.extend(unreadable.into_iter().map(not_applied));
                continue;
            }
            let of_filter = |filter: &&ResourceFilter| filter.targets(&BTreeSet::new());
            let targets = filters.iter().map(of_filter).fold(covered.clone(), |all, some| &all & &some);
            if targets.is_empty() {
                continue;
            }
            // Only a podSecurity check has controls that an exception may name; another rule is
            // skipped (`validate_resource.go` and `validate_cel.go` beside `validate_pss.go`).
            let grants = if self.entries.is_empty() || !rule.takes_entries {
                Grant::of_whole_rule(filters, &targets, rule)
            } else {
                Grant::of_entries(&self.entries, filters, &targets, rule, &mut conversion.problems)
            };
            match grants {
                Ok(grants) => conversion.grants.extend(grants),
                Err(problem) => conversion.problems.push(not_applied(&problem)),
            }
        }
        for grant in &mut conversion.grants {
            grant.in_background = self.in_background;
        }
        Some(conversion)
    }

    /// The targets of a rule for which the exception names the rule, or the rule that Kyverno
    /// derives.
    fn covered(&self, rule: &ExceptedRule<'_>) -> BTreeSet<Target> {
        let derived = derived_name("autogen", rule.name);
        let derived_for_cron_jobs = derived_name("autogen-cronjob", rule.name);
        let is_covered = |target: &&Target| {
            let is_derived = rule.reach.is_derived(**target);
            let derived = if **target == Target::CronJob { &derived_for_cron_jobs } else { &derived };
            // If both rules evaluate a target, the exception has to name both.
            let is_named = !is_derived || rule.reach.named.contains(target);
            (!is_derived || self.applies_to(rule, derived)) && (!is_named || self.applies_to(rule, rule.name))
        };
        rule.reach.targets.iter().filter(is_covered).copied().collect()
    }

    fn applies_to(&self, rule: &ExceptedRule<'_>, name: &str) -> bool {
        let references = self.rules.iter().filter(|reference| reference.policy == rule.policy);
        references.flat_map(|reference| &reference.rules).any(|pattern| Pattern::of(pattern).matches(name))
    }
}

/// The name of a derived rule, of which Kyverno keeps 63 bytes.
fn derived_name(prefix: &str, rule: &str) -> String {
    let mut name = format!("{prefix}-{rule}");
    name.truncate(name.floor_char_boundary(63));
    name
}
