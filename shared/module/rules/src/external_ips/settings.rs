use admission::{Choice, Kind, Node, Setting, SettingsError, advice, choices};

use super::allow::{AllowRules, RULE};
use super::claim::{Comparison, Field, annotation_key};
use crate::address::{CidrBlock, cidr_blocks};
use crate::subject::{GROUPS, Subjects, USERS, not_empty, refuse_everyone};
use crate::view::address_annotation::KEYS;

choices! {
    /// How values that the stored Service already has are handled.
    pub enum ExistingValues {
        /// Each stored value is tolerated.
        Tolerate,
        /// Stored values are reviewed like new ones on every update.
        Recheck,
    }

    /// How the addresses that load balancers assigned to a Service are handled.
    pub enum LoadBalancerIngress {
        /// They are not considered.
        Ignore,
        /// The Service may claim them as external IPs.
        AllowAsExternalIP,
    }

    /// How an address that another Service already uses is handled.
    pub enum Conflicts {
        /// Services may share addresses.
        Ignore,
        /// Services may share an address only with different ports.
        DenySamePort,
    }
}

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new("allow", Kind::List(&Kind::Object(RULE))),
    Setting::new("reject", Kind::List(&Kind::Text)),
    Setting::new("exempt", Kind::Object(&[USERS, GROUPS])),
    Setting::new("existingValues", Kind::Choice(ExistingValues::NAMES)),
    Setting::new("comparison", Kind::Choice(Comparison::NAMES)),
    Setting::new("loadBalancerIngress", Kind::Choice(LoadBalancerIngress::NAMES)),
    Setting::new("conflicts", Kind::Choice(Conflicts::NAMES)),
    Setting::new("fields", Kind::List(&Kind::Text)),
];

pub(super) const DOCS: &[(&str, &str)] = &[
    (
        "allow",
        "Rules that allow addresses. A value needs one matching rule; a rule matches if all of its conditions are met.",
    ),
    ("allow.cidrs", "Required. Addresses that may be claimed, as CIDR blocks or single addresses."),
    (
        "allow.namespaces",
        "Names of namespaces. If absent, the rule applies to all namespaces. Cannot be combined with `namespaceSelector`.",
    ),
    (
        "allow.namespaceSelector",
        "Label selector for namespaces. The policy looks up the Namespace; if that fails, the rule allows nothing.",
    ),
    ("allow.namespaceSelector.matchLabels", "Labels that the Namespace must have, with their values."),
    ("allow.namespaceSelector.matchExpressions", "Requirements that the Namespace must meet."),
    ("allow.namespaceSelector.matchExpressions.key", "Label key."),
    ("allow.namespaceSelector.matchExpressions.operator", "Comparison operator."),
    ("allow.namespaceSelector.matchExpressions.values", "Values for `In` and `NotIn`."),
    (
        "allow.users",
        "Full user names, such as `system:serviceaccount:ingress:controller`. The requesting user must be in `users` or `groups`; if both are absent, the rule applies to all users.",
    ),
    ("allow.groups", "Group names."),
    (
        "allow.can",
        "Permission that the requesting user must have in the namespace of the Service, by RBAC or another authorizer. The policy asks the API server; if that fails, the request is denied.",
    ),
    ("allow.can.verb", "Verb, such as `create`. A permission has a verb and a resource."),
    ("allow.can.group", "API group; the core group if absent."),
    ("allow.can.resource", "Resource, such as `services`. It need not exist."),
    ("allow.can.subresource", "Subresource, such as `externalips`."),
    ("allow.can.name", "Name of the object; all objects if absent."),
    (
        "reject",
        "CIDR blocks or addresses that no rule allows, such as the ranges of pods, Services and nodes. Requires `allow`.",
    ),
    (
        "exempt",
        "Users and groups whose requests are not reviewed. Do not exempt a controller that copies addresses from users; write a rule with ranges for it instead.",
    ),
    ("exempt.users", "Full user names."),
    ("exempt.groups", "Group names."),
    (
        "existingValues",
        "`Tolerate`: stored values may stay. `Recheck`: stored values are reviewed on every update, unless the Service is being deleted; requires `allow`.",
    ),
    (
        "comparison",
        "`Text`: a stored address in another notation is a new value. `Address`: it is the same value.",
    ),
    (
        "loadBalancerIngress",
        "`AllowAsExternalIP`: a stored Service of type LoadBalancer may claim the addresses in its own status.",
    ),
    (
        "conflicts",
        "`DenySamePort`: denies an address and port that another Service uses. The policy lists all Services; the check is best effort.",
    ),
    (
        "fields",
        "Fields to review: `spec.externalIPs` (the default), `spec.loadBalancerIP`, `metadata.annotations`, `metadata.annotations[KEY]`, `status.loadBalancer.ingress`. The README lists the annotations.",
    ),
];

#[derive(Debug)]
pub(super) struct Settings {
    pub(super) allow: AllowRules,
    pub(super) reject: Vec<CidrBlock>,
    pub(super) exempt: Option<Subjects>,
    pub(super) existing_values: ExistingValues,
    pub(super) comparison: Comparison,
    pub(super) load_balancer_ingress: LoadBalancerIngress,
    pub(super) conflicts: Conflicts,
    /// In the order of [`Field`].
    pub(super) fields: Vec<Field>,
}

impl Settings {
    pub(super) fn read(setting: Node<'_>) -> Result<Self, SettingsError> {
        let reject = cidr_blocks(setting.at("reject"))?;
        let settings = Self {
            allow: AllowRules::read(setting.at("allow"), &reject)?,
            reject,
            exempt: exempt(setting.at("exempt"))?,
            existing_values: Choice::read(setting.at("existingValues"))?,
            comparison: Choice::read(setting.at("comparison"))?,
            load_balancer_ingress: Choice::read(setting.at("loadBalancerIngress"))?,
            conflicts: Choice::read(setting.at("conflicts"))?,
            fields: fields(setting.at("fields"))?,
        };
        match settings.needs_rules() {
            Some((name, problem)) => Err(SettingsError::at(setting.at(name), problem)),
            None => Ok(settings),
        }
    }

    /// Returns a setting that is useless or harmful without allow rules, and its problem.
    fn needs_rules(&self) -> Option<(&'static str, &'static str)> {
        if !self.allow.is_empty() {
            None
        } else if !self.reject.is_empty() {
            Some((
                "reject",
                "has no effect without allow rules, because no address is allowed; remove it, or allow all \
                 other addresses with the cidrs 0.0.0.0/0 and ::/0",
            ))
        } else if self.existing_values == ExistingValues::Recheck {
            Some((
                "existingValues",
                "Recheck without allow rules would deny every update of a Service that has a value; \
                 add allow rules or use Tolerate",
            ))
        } else if self.fields.contains(&Field::Ingress) && self.exempt.is_none() {
            Some((
                "fields",
                "status.loadBalancer.ingress without allow rules or exempt subjects would block every load \
                 balancer controller; add allow rules or exempt the controller",
            ))
        } else {
            None
        }
    }
}

fn exempt(setting: Node<'_>) -> Result<Option<Subjects>, SettingsError> {
    refuse_everyone(setting)?;
    let subjects = Subjects::read(setting)?;
    if subjects.is_none() && setting.is_present()? {
        return Err(SettingsError::at(setting, "is empty; remove the key or add users or groups"));
    }
    Ok(subjects)
}

fn fields(setting: Node<'_>) -> Result<Vec<Field>, SettingsError> {
    let paths =
        not_empty(setting, "the empty list disables the policy; remove the key or add at least one field")?;
    if paths.is_empty() {
        return Ok(vec![Field::ExternalIps]);
    }
    let mut fields = Vec::new();
    for field in Field::all() {
        let mut named = paths.iter().filter(|(_, name)| field.is_named(name));
        if named.next().is_some() {
            fields.push(field);
        }
        if let Some((duplicate, path)) = named.next() {
            return Err(SettingsError::about(*duplicate, path, "is a duplicate; remove one"));
        }
    }
    for (item, name) in paths {
        if !fields.iter().any(|field| field.is_named(name)) {
            return Err(unknown_field(item, name));
        }
    }
    Ok(fields)
}

#[cold]
fn unknown_field(item: Node<'_>, name: &str) -> SettingsError {
    let problem = match annotation_key(name) {
        Some(key) => advice("is not a known annotation", key, &KEYS),
        None if KEYS.contains(&name) => {
            "is the key of an annotation; write metadata.annotations[KEY]".to_owned()
        }
        None => advice("is not a valid value", name, &Field::NAMES),
    };
    SettingsError::about(item, name, &problem)
}
