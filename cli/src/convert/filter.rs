//! The filters of `match` and `exclude` in a rule of Kyverno.

use std::collections::BTreeSet;

use serde_json::Value;

use super::cel::{self, Expression};
use super::fields::{Fields, UNKNOWN};
use super::manifest::{Problem, Requirement, Selector};
use super::target::{Kind, Operation, Target};
use crate::failure::Failure;

/// A filter: all of its conditions together.
#[derive(Debug, Default)]
pub(super) struct Filter {
    pub(super) conditions: Vec<Condition>,
    /// What it asks for and no condition says.
    pub(super) problems: Vec<Problem>,
}

/// A condition, and where it stands.
#[derive(Debug)]
pub(super) struct Condition {
    pub(super) path: String,
    pub(super) what: What,
}

/// What a condition is about. Of texts, one has to fit.
#[derive(Debug)]
pub(super) enum What {
    Kinds(Vec<String>),
    Operations(BTreeSet<Operation>),
    Names(Vec<String>),
    Namespaces(Vec<String>),
    NamespaceSelector(Selector),
    Labels(Selector),
    Annotations(Vec<(String, String)>),
    /// Users and groups; one of either kind has to fit.
    Subjects {
        users: Vec<String>,
        groups: Vec<String>,
    },
}

/// Several filters.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) filters: Vec<Filter>,
    /// One of them is enough.
    pub(super) any: bool,
    /// What belongs to no filter.
    pub(super) problems: Vec<Problem>,
}

impl Block {
    /// Reads `match` or `exclude`.
    ///
    /// # Errors
    /// Fields that are not what Kyverno expects in them.
    pub(super) fn read(block: Option<&Fields<'_>>) -> Result<Self, Failure> {
        let Some(block) = block else { return Ok(Self::default()) };
        for (key, any) in [("any", true), ("all", false)] {
            let filters = block.objects(key)?;
            if !filters.is_empty() {
                let beside = |(other, _)| {
                    Problem::new(block.path(other), format!("does not count beside {}", block.path(key)))
                };
                let problems = block.others(&[key]).map(beside).collect();
                let filters: Result<Vec<Filter>, Failure> = filters.iter().map(Filter::read).collect();
                return Ok(Self { filters: filters?, any, problems });
            }
        }
        let filter = Filter::read(block)?;
        let filters = if filter.is_empty() { Vec::new() } else { vec![filter] };
        Ok(Self { filters, any: false, problems: Vec::new() })
    }
}

impl Filter {
    /// Reads one filter.
    ///
    /// # Errors
    /// Fields that are not what Kyverno expects in them.
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, Failure> {
        let mut filter = Self::default();
        if let Some(resources) = fields.object("resources")? {
            filter.resources(&resources)?;
        }
        filter.subjects(fields)?;
        if let Some(user) = fields.object("userInfo")? {
            let users: Vec<String> = user.text("username")?.into_iter().map(str::to_owned).collect();
            if !users.is_empty() {
                filter.add(user.path("username"), What::Subjects { users, groups: Vec::new() });
            }
            let groups = owned(user.texts("groups")?);
            if !groups.is_empty() {
                filter.add(user.path("groups"), What::Subjects { users: Vec::new(), groups });
            }
            filter.unknown(&user, &["username", "groups"]);
        }
        for key in ["roles", "clusterRoles"] {
            if !fields.texts(key)?.is_empty() {
                let problem = "a request does not say which roles its user has";
                filter.problems.push(Problem::new(fields.path(key), problem));
            }
        }
        let known = ["resources", "subjects", "userInfo", "roles", "clusterRoles"];
        filter.unknown(fields, &known);
        Ok(filter)
    }

    fn add(&mut self, path: String, what: What) {
        self.conditions.push(Condition { path, what });
    }

    fn unknown(&mut self, fields: &Fields<'_>, known: &[&str]) {
        let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
        self.problems.extend(fields.problems(known, |_, value| (!is_empty(value)).then_some(UNKNOWN)));
    }

    fn resources(&mut self, resources: &Fields<'_>) -> Result<(), Failure> {
        let mut texts = |key: &str, what: fn(Vec<String>) -> What| {
            let texts = owned(resources.texts(key)?);
            if !texts.is_empty() {
                self.conditions.push(Condition { path: resources.path(key), what: what(texts) });
            }
            Ok::<(), Failure>(())
        };
        texts("kinds", What::Kinds)?;
        texts("names", What::Names)?;
        texts("namespaces", What::Namespaces)?;
        if let Some(name) = resources.text("name")?.filter(|name| !name.is_empty()) {
            self.add(resources.path("name"), What::Names(vec![name.to_owned()]));
        }
        let operations = resources.texts("operations")?;
        if !operations.is_empty() {
            self.add(resources.path("operations"), What::Operations(judged(resources, &operations)?));
        }
        let annotations = resources.pairs("annotations")?;
        if resources.get("annotations").is_some() {
            let pairs = annotations.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned()));
            self.add(resources.path("annotations"), What::Annotations(pairs.collect()));
        }
        if let Some(labels) = resources.object("selector")? {
            let what = What::Labels(self.selector(&labels)?);
            self.add(resources.path("selector"), what);
        }
        if let Some(labels) = resources.object("namespaceSelector")? {
            let path = resources.path("namespaceSelector");
            let selector = self.selector(&labels)?;
            if selector.match_labels.iter().any(is_wild) {
                let problem = "the labels of a namespace cannot be compared with patterns";
                self.problems.push(Problem::new(path, problem));
            } else {
                self.add(path, What::NamespaceSelector(selector));
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
        self.unknown(resources, &known);
        Ok(())
    }

    fn selector(&mut self, fields: &Fields<'_>) -> Result<Selector, Failure> {
        let labels = fields.pairs("matchLabels")?;
        let mut selector = Selector {
            match_labels: labels
                .into_iter()
                .map(|(key, value)| (key.to_owned(), Value::from(value)))
                .collect(),
            match_expressions: Vec::new(),
        };
        for requirement in fields.objects("matchExpressions")? {
            let needed = |key: &str| {
                let text = requirement.text(key)?.filter(|text| !text.is_empty());
                text.map(str::to_owned).ok_or_else(|| requirement.failure(key, "is missing"))
            };
            let (key, operator) = (needed("key")?, needed("operator")?);
            let values = owned(requirement.texts("values")?);
            let takes_values = match operator.as_str() {
                "In" | "NotIn" => true,
                "Exists" | "DoesNotExist" => false,
                _ => {
                    let problem = "unknown operator; write In, NotIn, Exists or DoesNotExist";
                    return Err(requirement.failure("operator", problem));
                }
            };
            if takes_values == values.is_empty() {
                let problem =
                    if takes_values { "needs some for this operator" } else { "has none for this operator" };
                return Err(requirement.failure("values", problem));
            }
            selector.match_expressions.push(Requirement { key, operator, values });
            self.unknown(&requirement, &["key", "operator", "values"]);
        }
        self.unknown(fields, &["matchLabels", "matchExpressions"]);
        Ok(selector)
    }

    fn subjects(&mut self, fields: &Fields<'_>) -> Result<(), Failure> {
        let (mut users, mut groups) = (Vec::new(), Vec::new());
        let subjects = fields.objects("subjects")?;
        for subject in &subjects {
            let name = subject.text("name")?.ok_or_else(|| subject.failure("name", "is missing"))?;
            match subject.text("kind")? {
                Some("User") => users.push(name.to_owned()),
                Some("Group") => groups.push(name.to_owned()),
                Some("ServiceAccount") => {
                    let namespace = subject.text("namespace")?.unwrap_or_default();
                    users.push(format!("system:serviceaccount:{namespace}:{name}"));
                }
                _ => return Err(subject.failure("kind", "expected User, Group or ServiceAccount")),
            }
            self.unknown(subject, &["kind", "name", "namespace", "apiGroup"]);
        }
        if !subjects.is_empty() {
            self.add(fields.path("subjects"), What::Subjects { users, groups });
        }
        Ok(())
    }

    /// Whether it asks for nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.conditions.is_empty() && self.problems.is_empty()
    }

    /// The resources that it fits, where a pod stands for some controllers as well.
    pub(super) fn targets(&self, controllers: &BTreeSet<Target>) -> BTreeSet<Target> {
        let mut targets = BTreeSet::from(Target::ALL);
        for kinds in self.kinds() {
            let mut fitting = BTreeSet::new();
            for kind in kinds.iter().filter_map(|kind| Kind::parse(kind)) {
                fitting.append(&mut kind.targets());
                if kind.is_pod() {
                    fitting.extend(controllers);
                }
            }
            targets.retain(|target| fitting.contains(target));
        }
        targets
    }

    /// The operations that it fits.
    pub(super) fn operations(&self) -> BTreeSet<Operation> {
        let mut operations = BTreeSet::from(Operation::ALL);
        for condition in &self.conditions {
            if let What::Operations(some) = &condition.what {
                operations.retain(|operation| some.contains(operation));
            }
        }
        operations
    }

    fn kinds(&self) -> impl Iterator<Item = &Vec<String>> {
        self.conditions.iter().filter_map(|condition| match &condition.what {
            What::Kinds(kinds) => Some(kinds),
            _ => None,
        })
    }

    /// Whether Kyverno derives rules for controllers from a rule with this filter.
    pub(super) fn lets_derive(&self) -> bool {
        self.conditions.iter().all(|condition| match &condition.what {
            What::Names(_) | What::Labels(_) | What::Annotations(_) => false,
            What::Kinds(kinds) => kinds.len() == 1 || !has_pod(kinds),
            _ => true,
        })
    }

    /// Whether it is for ephemeral containers where a pod does not stand for what is below it.
    pub(super) fn names_ephemeral_containers(&self) -> bool {
        let named = |kind: &String| {
            Kind::parse(kind).is_some_and(|kind| {
                kind.names_a_subresource() && kind.targets().contains(&Target::EphemeralContainers)
            })
        };
        self.kinds().all(|kinds| kinds.iter().any(named))
    }

    /// Whether it asks for pods.
    pub(super) fn asks_for_pods(&self) -> bool {
        self.kinds().any(|kinds| has_pod(kinds))
    }
}

fn has_pod(kinds: &[String]) -> bool {
    kinds.iter().filter_map(|kind| Kind::parse(kind)).any(|kind| kind.is_pod())
}

impl What {
    /// The condition as an expression about the request and an object in it.
    ///
    /// Kinds and operations are no matter of a filter alone, and of a Namespace a request has only the name: such
    /// conditions are always true.
    pub(super) fn cel(&self, object: &str) -> Expression {
        match self {
            Self::Kinds(_) | Self::Operations(_) | Self::NamespaceSelector(_) => Expression::All(Vec::new()),
            Self::Names(names) => cel::name(object, &borrowed(names)),
            Self::Namespaces(namespaces) => cel::fits("request.namespace", &borrowed(namespaces)),
            Self::Labels(selector) => cel::selected(object, selector),
            Self::Annotations(pairs) => {
                let pairs = pairs.iter().map(|(key, value)| (key.as_str(), value.as_str()));
                cel::pairs(object, "annotations", pairs)
            }
            Self::Subjects { users, groups } => cel::subject(&borrowed(users), &borrowed(groups)),
        }
    }

    /// Whether it is about the object, which an update may change.
    pub(super) fn is_of_object(&self) -> bool {
        matches!(self, Self::Labels(_) | Self::Annotations(_))
    }
}

/// Whether a label selector can say it.
pub(super) fn is_wild((key, value): (&String, &Value)) -> bool {
    cel::is_pattern(key) || value.as_str().is_some_and(cel::is_pattern)
}

fn judged(resources: &Fields<'_>, operations: &[&str]) -> Result<BTreeSet<Operation>, Failure> {
    let mut judged = BTreeSet::new();
    for operation in operations {
        match *operation {
            "CREATE" => drop(judged.insert(Operation::Create)),
            "UPDATE" => drop(judged.insert(Operation::Update)),
            "*" => judged.extend(Operation::ALL),
            // No rule about pods is evaluated for these.
            "DELETE" | "CONNECT" => {}
            _ => {
                let problem = "expected CREATE, UPDATE, DELETE or CONNECT";
                return Err(resources.failure("operations", problem));
            }
        }
    }
    Ok(judged)
}

fn owned(texts: Vec<&str>) -> Vec<String> {
    texts.into_iter().map(str::to_owned).collect()
}

fn borrowed(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}
