//! The objects that policies can receive.

use std::collections::BTreeSet;

use kubernetes::kinds::{Kinds, Resource};
use kubewarden::matching::Fit;
use scan::{Operation, Policy};

use crate::discovery::{Discovery, Served};
use crate::pages::Listing;

/// Returns the name of an operation in rules, and its verb. A resource without the verb never is
/// subject to the operation.
fn names(operation: Operation) -> (&'static str, &'static str) {
    match operation {
        Operation::Create => ("CREATE", "create"),
        Operation::Update => ("UPDATE", "update"),
        Operation::Delete => ("DELETE", "delete"),
    }
}

/// Returns the lists of all objects that the rules of a policy fit, each object in one of them:
/// Namespaces first, and the rest by group and resource. Nothing else is read.
pub(crate) fn plan(
    discovery: &Discovery,
    policies: &[Policy],
    operation: Operation,
    namespace: Option<&str>,
) -> Vec<Listing> {
    let kinds = discovery.kinds();
    let mut chosen: Vec<(&Resource, Reached)> = Vec::new();
    let (operation, verb) = names(operation);
    let served: Vec<&Served> =
        discovery.resources().iter().filter(|one| one.has("list") && one.has(verb)).collect();
    let mut names: BTreeSet<(&str, &str)> =
        served.iter().map(|one| (&*one.resource.group, &*one.resource.plural)).collect();
    names.retain(|(group, _)| *group != "admissionregistration.k8s.io");
    for (group, plural) in names {
        let versions =
            served.iter().map(|one| &one.resource).filter(|one| one.group == group && one.plural == plural);
        // The preferred version comes first and wins, unless rules fit another one better.
        let mut best: Option<(&Resource, Reached)> = None;
        for version in versions {
            let reached = Reached::of(&kinds, policies, operation, version);
            if best.as_ref().is_none_or(|(_, best)| reached.rank() > best.rank()) {
                best = Some((version, reached));
            }
        }
        let Some((resource, reached)) = best.filter(|(_, reached)| reached.rank() > (0, 0)) else { continue };
        // Groups that share a storage have the same objects.
        let twin = chosen.iter_mut().find(|(other, _)| {
            other.plural == resource.plural && Kinds::cohabit(plural, &other.group, &resource.group)
        });
        match twin {
            Some(twin) if reached.rank() > twin.1.rank() => *twin = (resource, reached),
            Some(_) => {}
            None => chosen.push((resource, reached)),
        }
    }
    chosen.sort_by_key(|(resource, _)| {
        (!is_namespaces(resource), resource.group.clone(), resource.plural.clone())
    });
    chosen.iter().flat_map(|(resource, reached)| listings(resource, reached, namespace)).collect()
}

fn listings(resource: &Resource, reached: &Reached, only: Option<&str>) -> Vec<Listing> {
    let listing = |namespace: Option<&str>, name: Option<&str>| Listing {
        resource: resource.clone(),
        namespace: namespace.map(str::to_owned),
        name: name.map(str::to_owned),
    };
    match only {
        Some(only) if is_namespaces(resource) => vec![listing(None, Some(only))],
        Some(_) if resource.is_namespaced == Some(false) => Vec::new(),
        Some(only) if reached.covers(only) => vec![listing(Some(only), None)],
        Some(_) => Vec::new(),
        None => match &reached.namespaces {
            None => vec![listing(None, None)],
            Some(namespaces) => namespaces.iter().map(|namespace| listing(Some(namespace), None)).collect(),
        },
    }
}

pub(crate) fn is_namespaces(resource: &Resource) -> bool {
    resource.group.is_empty() && resource.plural == "namespaces"
}

/// The policies that a resource reaches.
struct Reached {
    exactly: usize,
    converted: usize,
    /// The namespaces of the policies, if each has one; `None` if objects of all count.
    namespaces: Option<BTreeSet<String>>,
}

impl Reached {
    fn of(kinds: &Kinds, policies: &[Policy], operation: &str, resource: &Resource) -> Self {
        let mut reached = Self { exactly: 0, converted: 0, namespaces: Some(BTreeSet::new()) };
        for policy in policies {
            let count = match policy.webhook.fit(kinds, operation, resource) {
                Fit::Exact => &mut reached.exactly,
                Fit::Equivalent => &mut reached.converted,
                Fit::None => continue,
            };
            *count += 1;
            match (&mut reached.namespaces, &policy.reference.namespace) {
                (Some(namespaces), Some(namespace)) => {
                    namespaces.insert(namespace.clone());
                }
                (namespaces, _) => *namespaces = None,
            }
        }
        reached
    }

    fn rank(&self) -> (usize, usize) {
        (self.exactly, self.converted)
    }

    fn covers(&self, namespace: &str) -> bool {
        self.namespaces.as_ref().is_none_or(|namespaces| namespaces.contains(namespace))
    }
}
