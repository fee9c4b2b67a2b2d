//! One filter in `match` or `exclude` of a Kyverno rule.

use std::collections::BTreeSet;

use serde_json::Value;

use super::condition::{Condition, LocatedCondition, has_wildcards};
use super::kind_pattern::KindPattern;
use super::selector;
use crate::conversion::FieldProblem;
use crate::fields::{Fields, UNKNOWN};
use crate::target::{OPERATIONS, Target};
use crate::{InputError, Operation};

/// A filter, which matches a request that meets all of its conditions.
#[derive(Clone, Debug, Default)]
pub(super) struct ResourceFilter {
    pub(super) conditions: Vec<LocatedCondition>,
    /// The fields that no condition expresses.
    pub(super) problems: Vec<FieldProblem>,
}

impl ResourceFilter {
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, InputError> {
        let mut filter = Self::default();
        if let Some(resources) = fields.object("resources")? {
            filter.read_resources(&resources)?;
        }
        filter.read_subjects(fields)?;
        if let Some(user) = fields.object("userInfo")? {
            let users: Vec<String> = user.text("username")?.into_iter().map(str::to_owned).collect();
            if !users.is_empty() {
                filter.add(user.path("username"), Condition::Subjects { users, groups: Vec::new() });
            }
            let groups = owned(user.texts("groups")?);
            if !groups.is_empty() {
                filter.add(user.path("groups"), Condition::Subjects { users: Vec::new(), groups });
            }
            filter.add_unknown(&user, &["username", "groups"]);
        }
        for key in ["roles", "clusterRoles"] {
            if !fields.texts(key)?.is_empty() {
                let problem = "a request does not contain the roles of its user";
                filter.problems.push(FieldProblem::new(fields.path(key), problem));
            }
        }
        filter.add_unknown(fields, &["resources", "subjects", "userInfo", "roles", "clusterRoles"]);
        Ok(filter)
    }

    fn add(&mut self, path: String, condition: Condition) {
        self.conditions.push(LocatedCondition { path, condition });
    }

    fn add_unknown(&mut self, fields: &Fields<'_>, known: &[&str]) {
        let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
        self.problems.extend(fields.problems(known, |_, value| (!is_empty(value)).then_some(UNKNOWN)));
    }

    fn read_resources(&mut self, resources: &Fields<'_>) -> Result<(), InputError> {
        for (key, condition) in [
            ("kinds", Condition::Kinds as fn(Vec<String>) -> Condition),
            ("names", Condition::Names),
            ("namespaces", Condition::Namespaces),
        ] {
            let texts = owned(resources.texts(key)?);
            if !texts.is_empty() {
                self.add(resources.path(key), condition(texts));
            }
        }
        if let Some(name) = resources.text("name")?.filter(|name| !name.is_empty()) {
            self.add(resources.path("name"), Condition::Names(vec![name.to_owned()]));
        }
        let operations = resources.texts("operations")?;
        if !operations.is_empty() {
            self.add(
                resources.path("operations"),
                Condition::Operations(evaluated_operations(resources, &operations)?),
            );
        }
        let annotations = resources.pairs("annotations")?;
        if resources.get("annotations").is_some() {
            let pairs = annotations.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned()));
            self.add(resources.path("annotations"), Condition::Annotations(pairs.collect()));
        }
        if let Some(labels) = resources.object("selector")? {
            let selector = selector::read(&labels, &mut self.problems)?;
            self.add(resources.path("selector"), Condition::Labels(selector));
        }
        if let Some(labels) = resources.object("namespaceSelector")? {
            let path = resources.path("namespaceSelector");
            let selector = selector::read(&labels, &mut self.problems)?;
            if has_wildcards(&selector) {
                let problem = "namespace labels cannot be matched with patterns";
                self.problems.push(FieldProblem::new(path, problem));
            } else {
                self.add(path, Condition::NamespaceSelector(selector));
            }
        }
        let known = [
            "kinds",
            "names",
            "name",
            "namespaces",
            "operations",
            "annotations",
            "selector",
            "namespaceSelector",
        ];
        self.add_unknown(resources, &known);
        Ok(())
    }

    fn read_subjects(&mut self, fields: &Fields<'_>) -> Result<(), InputError> {
        let (mut users, mut groups) = (Vec::new(), Vec::new());
        let subjects = fields.objects("subjects")?;
        for subject in &subjects {
            let name = subject.required_text("name")?;
            match subject.text("kind")? {
                Some("User") => users.push(name.to_owned()),
                Some("Group") => groups.push(name.to_owned()),
                Some("ServiceAccount") => {
                    let namespace = subject.text("namespace")?.unwrap_or_default();
                    users.push(format!("system:serviceaccount:{namespace}:{name}"));
                }
                _ => return Err(subject.error("kind", "expected User, Group or ServiceAccount")),
            }
            self.add_unknown(subject, &["kind", "name", "namespace", "apiGroup"]);
        }
        if !subjects.is_empty() {
            self.add(fields.path("subjects"), Condition::Subjects { users, groups });
        }
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.conditions.is_empty() && self.problems.is_empty()
    }

    /// Returns the targets that the filter matches, with those of derived rules.
    ///
    /// In a derived rule, controllers take the place of pods. In that for `CronJob`, they take the
    /// place of all kinds.
    pub(super) fn targets(&self, derived: &BTreeSet<Target>) -> BTreeSet<Target> {
        let mut targets: BTreeSet<Target> = Target::all().collect();
        for kinds in self.kinds() {
            let mut matched: BTreeSet<Target> = kinds
                .iter()
                .filter_map(|kind| KindPattern::parse(kind))
                .flat_map(|kind| kind.targets())
                .collect();
            if has_pod(kinds) {
                matched.extend(derived);
            } else if derived.contains(&Target::CronJob) {
                matched.insert(Target::CronJob);
            }
            targets.retain(|target| matched.contains(target));
        }
        targets
    }

    pub(super) fn operations(&self) -> BTreeSet<Operation> {
        let mut operations = BTreeSet::from(OPERATIONS);
        for LocatedCondition { condition, .. } in &self.conditions {
            if let Condition::Operations(matched) = condition {
                operations.retain(|operation| matched.contains(operation));
            }
        }
        operations
    }

    fn kinds(&self) -> impl Iterator<Item = &Vec<String>> {
        self.conditions.iter().filter_map(|LocatedCondition { condition, .. }| match condition {
            Condition::Kinds(kinds) => Some(kinds),
            _ => None,
        })
    }

    pub(super) fn named_kinds(&self) -> impl Iterator<Item = &String> {
        self.kinds().flatten()
    }
}

pub(super) fn has_pod<'k>(kinds: impl IntoIterator<Item = &'k String>) -> bool {
    kinds.into_iter().filter_map(|kind| KindPattern::parse(kind)).any(|kind| kind.is_pod())
}

fn evaluated_operations(
    resources: &Fields<'_>,
    operations: &[&str],
) -> Result<BTreeSet<Operation>, InputError> {
    let mut evaluated = BTreeSet::new();
    for operation in operations {
        match *operation {
            "CREATE" => drop(evaluated.insert(Operation::Create)),
            "UPDATE" => drop(evaluated.insert(Operation::Update)),
            "*" => evaluated.extend(OPERATIONS),
            // Kyverno evaluates no podSecurity rule for these.
            "DELETE" | "CONNECT" => {}
            _ => return Err(resources.error("operations", "expected CREATE, UPDATE, DELETE or CONNECT")),
        }
    }
    Ok(evaluated)
}

fn owned(texts: Vec<&str>) -> Vec<String> {
    texts.into_iter().map(str::to_owned).collect()
}
