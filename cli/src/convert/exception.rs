//! `PolicyException`s of Kyverno as entries of `exclude`.

use std::collections::BTreeSet;

use rules::pattern::Pattern;
use serde_json::{Map, Value, json};

use super::cel::is_pattern;
use super::fields::Fields;
use super::filter::{Block, Condition, Filter, What, is_wild};
use super::manifest::Problem;
use super::reach::Reach;
use super::target::Target;
use crate::failure::Failure;

/// An exception.
#[derive(Debug)]
pub(super) struct Exception {
    /// What messages call it.
    pub(super) title: String,
    policies: Vec<Excepted>,
    matched: Block,
    entries: Vec<Map<String, Value>>,
    problems: Vec<Problem>,
    /// Whether a rule among the files has asked for it.
    pub(super) is_met: bool,
}

/// The rules of a policy that an exception is for.
#[derive(Debug)]
struct Excepted {
    policy: String,
    rules: Vec<String>,
}

/// The rule that asks for exceptions.
#[derive(Debug)]
pub(super) struct Asking<'r> {
    /// As an exception names it: with the namespace of a policy in one.
    pub(super) policy: &'r str,
    pub(super) rule: &'r str,
    pub(super) is_cluster: bool,
    pub(super) reach: &'r Reach,
}

/// What `exclude` can say of an exception.
#[derive(Debug)]
pub(super) enum Said {
    /// The entries, and for what they hold besides.
    Entries(Vec<Value>, Vec<Problem>),
    /// Why there are none.
    Nothing(Vec<Problem>),
}

impl Exception {
    /// Reads a document.
    ///
    /// # Errors
    /// Fields that are not what Kyverno expects in them.
    pub(super) fn read(title: String, document: &Fields<'_>) -> Result<Self, Failure> {
        let spec = document.object("spec")?.ok_or_else(|| document.failure("spec", "is missing"))?;
        let mut policies = Vec::new();
        let mut problems = Vec::new();
        for excepted in spec.objects("exceptions")? {
            let policy = excepted.text("policyName")?;
            let policy = policy.ok_or_else(|| excepted.failure("policyName", "is missing"))?.to_owned();
            let rules = excepted.texts("ruleNames")?.into_iter().map(str::to_owned).collect();
            policies.push(Excepted { policy, rules });
            problems.extend(excepted.unknown(&["policyName", "ruleNames"]));
        }
        let matched = Block::read(spec.object("match")?.as_ref())?;
        let mut entries = Vec::new();
        for entry in spec.objects("podSecurity")? {
            problems.extend(entry.unknown(&["controlName", "images", "restrictedField", "values"]));
            entries.push(entry.iter().map(|(key, value)| (key.to_owned(), value.clone())).collect());
        }
        if entries.is_empty() {
            let problem = "without it the exception is for the whole rule, which no entry of exclude can say";
            problems.push(Problem::new(spec.path("podSecurity"), problem));
        }
        if spec.get("conditions").is_some() {
            problems.push(Problem::new(spec.path("conditions"), "no entry of exclude can say it"));
        }
        if spec.boolean("background")? == Some(false) {
            let problem = "an entry of exclude holds for background audits, too";
            problems.push(Problem::new(spec.path("background"), problem));
        }
        let known = ["exceptions", "match", "podSecurity", "conditions", "background"];
        problems.extend(spec.unknown(&known));
        problems.extend(matched.problems.iter().cloned());
        problems.extend(matched.filters.iter().flat_map(|filter| filter.problems.clone()));
        Ok(Self { title, policies, matched, entries, problems, is_met: false })
    }

    /// The entries with which `exclude` says the exception for a rule; `None` if the exception is for something
    /// else.
    pub(super) fn entries(&mut self, asking: &Asking<'_>) -> Option<Said> {
        let is_for = |rule: &str| {
            let excepted = self.policies.iter().filter(|excepted| excepted.policy == asking.policy);
            excepted.flat_map(|excepted| &excepted.rules).any(|pattern| Pattern::of(pattern).matches(rule))
        };
        // Kyverno calls the rules that it derives so.
        let (others, cronjobs) =
            (format!("autogen-{}", asking.rule), format!("autogen-cronjob-{}", asking.rule));
        let rules = [asking.rule, &others, &cronjobs];
        if !rules.iter().any(|rule| is_for(rule)) {
            return None;
        }
        let unmet = |target: &&Target| {
            !is_for(match target {
                Target::CronJob if asking.reach.is_derived(**target) => &cronjobs,
                target if asking.reach.is_derived(**target) => &others,
                _ => asking.rule,
            })
        };
        let unmet: Vec<Target> = asking.reach.targets.iter().filter(unmet).copied().collect();
        self.is_met = true;
        let mut problems = self.problems.clone();
        if !unmet.is_empty() {
            let problem = format!("an entry of exclude would hold for {}, too", listed(&unmet));
            problems.push(Problem::new("spec.exceptions", problem));
        }
        let mut notes = Vec::new();
        let mut narrowings = Vec::new();
        if self.matched.any {
            for filter in &self.matched.filters {
                narrowings.extend(narrowed(&[filter], asking, &mut problems, &mut notes));
            }
        } else {
            let filters: Vec<&Filter> = self.matched.filters.iter().collect();
            narrowings.extend(narrowed(&filters, asking, &mut problems, &mut notes));
        }
        if !problems.is_empty() {
            return Some(Said::Nothing(problems));
        }
        let mut entries = Vec::new();
        for narrowing in narrowings {
            entries.extend(self.entries.iter().map(|entry| {
                let mut entry = entry.clone();
                entry.extend(narrowing.clone());
                Value::Object(entry)
            }));
        }
        Some(Said::Entries(entries, notes))
    }
}

/// The conditions that entries of `exclude` have for all of some filters; one for each alternative.
fn narrowed(
    filters: &[&Filter],
    asking: &Asking<'_>,
    problems: &mut Vec<Problem>,
    notes: &mut Vec<Problem>,
) -> Vec<Map<String, Value>> {
    let mut alternatives = vec![Map::new()];
    let mut used = BTreeSet::new();
    if filters.is_empty() || filters.iter().any(|filter| filter.is_empty()) {
        problems.push(Problem::new("spec.match", "is empty, which matches nothing"));
    }
    for Condition { path, what } in filters.iter().flat_map(|filter| &filter.conditions) {
        let mut add = |values: Vec<(&'static str, Value)>| {
            let known = used.len();
            used.extend(values.iter().map(|(key, _)| *key));
            if used.len() != known.saturating_add(values.len()) {
                problems.push(Problem::new(path, "an entry of exclude can say it once only"));
            }
            let with = |alternative: &Map<String, Value>| {
                let with = |(key, value): &(&str, Value)| {
                    let mut alternative = alternative.clone();
                    alternative.insert((*key).to_owned(), value.clone());
                    alternative
                };
                values.iter().map(with).collect::<Vec<_>>()
            };
            alternatives = alternatives.iter().flat_map(with).collect();
        };
        let problem = match what {
            What::Namespaces(names) => {
                add(vec![("namespaces", json!(names))]);
                continue;
            }
            What::NamespaceSelector(selector) if asking.is_cluster => {
                add(vec![("namespaceSelector", json!(selector))]);
                continue;
            }
            What::Labels(selector)
                if !asking.reach.has_templates() && !selector.match_labels.iter().any(is_wild) =>
            {
                add(vec![("podSelector", json!(selector))]);
                continue;
            }
            What::Subjects { users, groups } if !users.iter().chain(groups).any(|name| is_pattern(name)) => {
                let ways = [("users", users), ("groups", groups)].into_iter();
                add(ways
                    .filter(|(_, names)| !names.is_empty())
                    .map(|(key, names)| (key, json!(names)))
                    .collect());
                continue;
            }
            What::Kinds(_) | What::Operations(_) => continue,
            What::Labels(_) if asking.reach.has_templates() => {
                "an entry of exclude looks at the labels of the template and not of the workload".to_owned()
            }
            _ => "no entry of exclude can say it".to_owned(),
        };
        problems.push(Problem::new(path, problem));
    }
    for filter in filters {
        let reached = filter.targets(&BTreeSet::new());
        let path = |wanted: fn(&What) -> bool| {
            let condition = filter.conditions.iter().find(|condition| wanted(&condition.what));
            condition.map(|condition| condition.path.clone()).unwrap_or_default()
        };
        let kinds = path(|what| matches!(what, What::Kinds(_)));
        let more: Vec<Target> = asking.reach.targets.difference(&reached).copied().collect();
        if !more.is_empty() {
            let problem = format!("an entry of exclude would hold for {}, too", listed(&more));
            problems.push(Problem::new(kinds, problem));
        } else if !filter.names_ephemeral_containers()
            && asking.reach.targets.contains(&Target::EphemeralContainers)
        {
            let problem = "the entries of exclude hold for pods/ephemeralcontainers, too, which the exception does not name";
            notes.push(Problem::new(kinds, problem));
        }
        if !asking.reach.operations.is_subset(&filter.operations()) {
            let problem = "an entry of exclude holds for each operation";
            problems.push(Problem::new(path(|what| matches!(what, What::Operations(_))), problem));
        }
    }
    alternatives
}

fn listed(targets: &[Target]) -> String {
    let resources: Vec<&str> = targets.iter().map(|target| target.resource()).collect();
    resources.join(", ")
}
