//! The settings, understood.

use admission::{Choice, Kind, Node, Setting, SettingsError, choices};

use super::ExternalIps;
use super::allow::{AllowRules, RULE};
use super::claim::Field;
use crate::address::ranges;
use crate::subject::{GROUPS, Subjects, USERS, not_empty};

choices! {
    /// What becomes of values that are stored already.
    pub enum ExistingValues {
        /// They stay, one by one.
        Tolerate,
        /// They are judged like new ones at every update.
        Recheck,
    }

    /// When two spellings are the same value.
    pub enum Comparison {
        /// When they are the same text, as in-tree.
        Text,
        /// When the API server reads the same address in them.
        Address,
    }

    /// What the addresses mean that load balancers gave a Service.
    pub enum LoadBalancerIngress {
        /// Nothing.
        Ignore,
        /// The Service may claim them as external IPs.
        AllowAsExternalIP,
    }

    /// What becomes of an address that another Service has.
    pub enum Conflicts {
        /// It may be shared.
        Ignore,
        /// It may be shared with other ports only.
        DenySamePort,
    }
}

/// The keys of the settings.
pub(super) const SETTINGS: &[Setting] = &[
    Setting::new("allow", Kind::List(&Kind::Object(RULE))),
    Setting::new("reject", Kind::List(&Kind::Text)),
    Setting::new("exempt", Kind::Object(&[USERS, GROUPS])),
    Setting::new("existingValues", Kind::Choice(ExistingValues::NAMES)),
    Setting::new("comparison", Kind::Choice(Comparison::NAMES)),
    Setting::new("loadBalancerIngress", Kind::Choice(LoadBalancerIngress::NAMES)),
    Setting::new("conflicts", Kind::Choice(Conflicts::NAMES)),
    Setting::new("fields", Kind::List(&Kind::Choice(Field::PATHS))),
];

/// What the settings mean.
pub(super) const DOCS: &[(&str, &str)] = &[
    (
        "allow",
        "Rules of which each is enough; all conditions of a rule have to be met. Each value may match another rule.",
    ),
    ("allow.cidrs", "Required. The addresses that may be claimed, as CIDR blocks or single addresses."),
    (
        "allow.namespaces",
        "Names of namespaces; every namespace if absent. Not together with `namespaceSelector`.",
    ),
    (
        "allow.namespaceSelector",
        "Namespaces by label, as a Kubernetes label selector. Looks the Namespace up; if that fails, the rule allows nothing.",
    ),
    ("allow.namespaceSelector.matchLabels", "Labels that have to be there with these values."),
    ("allow.namespaceSelector.matchExpressions", "Requirements that all have to be met."),
    ("allow.namespaceSelector.matchExpressions.key", "The key of a label."),
    ("allow.namespaceSelector.matchExpressions.operator", "How the label is compared."),
    ("allow.namespaceSelector.matchExpressions.values", "The values, with `In` and `NotIn`."),
    (
        "allow.users",
        "Full names of users, such as `system:serviceaccount:ingress:controller`. Users and groups are alternatives; anyone if both are absent.",
    ),
    ("allow.groups", "Names of groups."),
    (
        "reject",
        "CIDR blocks or addresses that no rule allows, such as the ranges of pods, Services and nodes. Needs `allow`.",
    ),
    (
        "exempt",
        "Subjects that are not judged at all. A controller that copies what users write needs a rule with ranges instead.",
    ),
    ("exempt.users", "Full names of users."),
    ("exempt.groups", "Names of groups."),
    (
        "existingValues",
        "`Tolerate`: stored values stay. `Recheck`: they are judged at every update, unless the Service is being deleted; needs `allow`.",
    ),
    ("comparison", "`Text`: another spelling of a stored address is a new value. `Address`: it is not."),
    (
        "loadBalancerIngress",
        "`AllowAsExternalIP`: a stored Service of type LoadBalancer may claim the addresses in its own status.",
    ),
    (
        "conflicts",
        "`DenySamePort`: an address and port that another Service has is refused. Looks all Services up; best effort.",
    ),
    (
        "fields",
        "What is judged; `spec.externalIPs` alone if absent. `status.loadBalancer.ingress` needs a rule for `services/status`.",
    ),
];

pub(super) fn configure(settings: Node<'_>) -> Result<ExternalIps, SettingsError> {
    let reject = ranges(settings.at("reject"))?;
    let policy = ExternalIps {
        allow: AllowRules::read(settings.at("allow"), &reject)?,
        reject,
        exempt: exempt(settings.at("exempt"))?,
        existing_values: Choice::read(settings.at("existingValues"))?,
        comparison: Choice::read(settings.at("comparison"))?,
        ingress: Choice::read(settings.at("loadBalancerIngress"))?,
        conflicts: Choice::read(settings.at("conflicts"))?,
        fields: fields(settings.at("fields"))?,
    };
    if !policy.allow.is_empty() {
        return Ok(policy);
    }
    let (name, problem) = if !policy.reject.is_empty() {
        (
            "reject",
            "has nothing to reject, as no rule allows anything; remove it or add allow rules, \
             for all other addresses with the cidrs 0.0.0.0/0 and ::/0",
        )
    } else if policy.existing_values == ExistingValues::Recheck {
        (
            "existingValues",
            "Recheck without allow rules would refuse every update of a Service that has a value; \
             add allow rules, or write Tolerate",
        )
    } else if policy.fields.contains(&Field::Ingress) && policy.exempt.is_none() {
        (
            "fields",
            "status.loadBalancer.ingress without allow rules and exempt subjects would stop every load balancer \
             controller; add one of the two",
        )
    } else {
        return Ok(policy);
    };
    Err(SettingsError::at(settings.at(name), problem))
}

fn exempt(setting: Node<'_>) -> Result<Option<Subjects>, SettingsError> {
    let subjects = Subjects::read(setting)?;
    if subjects.is_none() && setting.is_present()? {
        return Err(SettingsError::at(setting, "names nobody; leave the key out, or name users or groups"));
    }
    Ok(subjects)
}

fn fields(setting: Node<'_>) -> Result<Vec<Field>, SettingsError> {
    let paths =
        not_empty(setting, "an empty list judges nothing; leave the key out, or name at least one field")?;
    if paths.is_empty() {
        return Ok(vec![Field::ExternalIps]);
    }
    // In the order of the object, whatever the order of the setting.
    let mut fields = Vec::new();
    for (field, path) in Field::ALL.into_iter().zip(Field::PATHS) {
        let mut named = paths.iter().filter(|(_, name)| name == path);
        if named.next().is_some() {
            fields.push(field);
        }
        if let Some((twin, path)) = named.next() {
            return Err(SettingsError::about(*twin, path, "is there twice; remove one"));
        }
    }
    Ok(fields)
}
