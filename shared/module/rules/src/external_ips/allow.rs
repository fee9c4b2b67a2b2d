//! The allow rules: which addresses may be claimed, and by whom.

use std::net::IpAddr;

use admission::{Cluster, Fault, Kind, Node, Quoted, Request, Setting, SettingsError};

use crate::address::{CidrBlock, cidr_blocks, covered};
use crate::name::is_label;
use crate::namespace_lookup;
use crate::permission::{PERMISSION, Permission};
use crate::selector::{SELECTOR, Selector};
use crate::subject::{GROUPS, Subjects, USERS, not_empty};
use crate::view::Namespace;

pub(super) const RULE: &[Setting] = &[
    Setting::new("cidrs", Kind::List(&Kind::Text)),
    Setting::new("namespaces", Kind::List(&Kind::Text)),
    Setting::new("namespaceSelector", Kind::Object(SELECTOR)),
    USERS,
    GROUPS,
    Setting::new("can", Kind::Object(PERMISSION)),
];

/// The allow rules. An address is allowed if at least one of them matches.
#[derive(Debug)]
pub(super) struct AllowRules(Vec<AllowRule>);

/// An allow rule. It matches if all of its conditions are met.
#[derive(Debug)]
struct AllowRule {
    cidrs: Vec<CidrBlock>,
    namespaces: Namespaces,
    subjects: Option<Subjects>,
    permission: Option<Permission>,
}

#[derive(Debug)]
enum Namespaces {
    All,
    Named(Vec<String>),
    Selected(Selector),
}

impl AllowRules {
    pub(super) fn read(setting: Node<'_>, reject: &[CidrBlock]) -> Result<Self, SettingsError> {
        let mut rules = Vec::new();
        for rule in setting.items()? {
            rules.push(AllowRule {
                cidrs: cidrs(rule.at("cidrs"), reject)?,
                namespaces: Namespaces::read(rule)?,
                subjects: Subjects::read(rule)?,
                permission: Permission::read(rule.at("can"))?,
            });
        }
        Ok(Self(rules))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Reads the ranges of a rule. A range within a rejected one is an error.
fn cidrs(setting: Node<'_>, reject: &[CidrBlock]) -> Result<Vec<CidrBlock>, SettingsError> {
    let cidrs = cidr_blocks(setting)?;
    if cidrs.is_empty() {
        return Err(SettingsError::at(
            setting,
            "is missing or empty, so the rule allows nothing; add at least one range, such as 192.0.2.0/24",
        ));
    }
    for ((item, text), range) in setting.texts()?.into_iter().zip(&cidrs) {
        if reject.iter().any(|rejected| rejected.contains(range)) {
            let problem = "lies within a range of reject, so it allows nothing; remove one of the two";
            return Err(SettingsError::about(item, text, problem));
        }
    }
    Ok(cidrs)
}

impl Namespaces {
    fn read(rule: Node<'_>) -> Result<Self, SettingsError> {
        let names = not_empty(
            rule.at("namespaces"),
            "the empty list is ambiguous; remove the key or add at least one namespace",
        )?;
        for (item, name) in &names {
            if !is_label(name) {
                let problem = "is not a namespace name; write at most 63 lowercase letters, digits and -, with a letter or digit at both ends";
                return Err(SettingsError::about(*item, name, problem));
            }
        }
        let setting = rule.at("namespaceSelector");
        match (names.is_empty(), Selector::read(setting)?) {
            (true, None) => Ok(Namespaces::All),
            (true, Some(selector)) => Ok(Namespaces::Selected(selector)),
            (false, None) => {
                Ok(Namespaces::Named(names.into_iter().map(|(_, name)| name.to_owned()).collect()))
            }
            (false, Some(_)) => Err(SettingsError::at(
                setting,
                "cannot be combined with namespaces; remove one of the two, or write two rules",
            )),
        }
    }
}

/// The ranges that the allow rules open for a request. The Namespace is looked up at most once, and
/// each permission at most once, only if an address depends on it.
pub(super) struct AllowedRanges<'a, 'd> {
    /// The ranges of the rules whose conditions are all met.
    allowed: Vec<&'a [CidrBlock]>,
    /// The rules that still depend on look-ups.
    undecided: Vec<Undecided<'a>>,
    request: &'a Request<'d>,
    cluster: &'a dyn Cluster,
    /// The reason why the labels could not be read, if that was tried.
    lookup_error: Option<String>,
}

/// The conditions of a rule that are not known to be met.
struct Undecided<'a> {
    cidrs: &'a [CidrBlock],
    selector: Option<&'a Selector>,
    permission: Option<&'a Permission>,
}

impl<'a, 'd> AllowedRanges<'a, 'd> {
    pub(super) fn new(
        rules: &'a AllowRules,
        request: &'a Request<'d>,
        cluster: &'a dyn Cluster,
    ) -> Result<Self, Fault> {
        let namespace = request.namespace()?;
        let mut ranges =
            Self { allowed: Vec::new(), undecided: Vec::new(), request, cluster, lookup_error: None };
        for AllowRule { cidrs, namespaces, subjects, permission } in &rules.0 {
            if let Some(subjects) = subjects
                && !subjects.contain(request)?
            {
                continue;
            }
            let selector = match namespaces {
                Namespaces::All => None,
                Namespaces::Named(names) => {
                    if !namespace.is_some_and(|namespace| names.iter().any(|name| name == namespace)) {
                        continue;
                    }
                    None
                }
                Namespaces::Selected(selector) => Some(selector),
            };
            ranges.add(Undecided { cidrs, selector, permission: permission.as_ref() });
        }
        Ok(ranges)
    }

    /// Adds a rule whose other conditions are met.
    fn add(&mut self, rule: Undecided<'a>) {
        if rule.selector.is_none() && rule.permission.is_none() {
            self.allowed.push(rule.cidrs);
        } else {
            self.undecided.push(rule);
        }
    }

    pub(super) fn contain(&mut self, address: IpAddr) -> Result<bool, Fault> {
        if self.are_open(address) {
            return Ok(true);
        }
        if self.lookup_error.is_none() && self.depend_on_labels(address) {
            match self.selected() {
                Ok(selected) => {
                    self.undecided.clear();
                    for rule in selected {
                        self.add(rule);
                    }
                }
                // A rule that cannot be evaluated allows nothing; the message gives the reason.
                Err(fault) => self.lookup_error = Some(fault.to_string()),
            }
        }
        while !self.are_open(address) {
            let depends = |rule: &Undecided<'_>| rule.selector.is_none() && covered(rule.cidrs, address);
            let Some(index) = self.undecided.iter().position(depends) else { return Ok(false) };
            let Undecided { cidrs, permission, .. } = self.undecided.remove(index);
            if permission.map_or(Ok(true), |permission| permission.is_granted(self.request, self.cluster))? {
                self.allowed.push(cidrs);
            }
        }
        Ok(true)
    }

    fn are_open(&self, address: IpAddr) -> bool {
        self.allowed.iter().any(|cidrs| covered(cidrs, address))
    }

    fn depend_on_labels(&self, address: IpAddr) -> bool {
        self.undecided.iter().any(|rule| rule.selector.is_some() && covered(rule.cidrs, address))
    }

    /// Looks up the Namespace and returns the undecided rules without those whose selector does not
    /// match its labels, and without selectors.
    fn selected(&self) -> Result<Vec<Undecided<'a>>, Fault> {
        let answer = namespace_lookup::require(self.request.namespace()?, self.cluster, Namespace::LABELLED)?;
        let document = answer.document()?;
        let labels = Namespace::of(document.root()).metadata().labels();
        let mut selected = Vec::new();
        for Undecided { cidrs, selector, permission } in &self.undecided {
            let matches = match selector {
                Some(selector) => selector.matches(labels)?,
                None => true,
            };
            if matches {
                selected.push(Undecided { cidrs, selector: None, permission: *permission });
            }
        }
        Ok(selected)
    }

    /// Returns the rule of the denial of an address that is not allowed, with the reason why rules
    /// could not be evaluated if they could have allowed it.
    pub(super) fn denial(&self, address: IpAddr) -> String {
        let mut denial = "no rule allows this address".to_owned();
        if let Ok(Some(namespace)) = self.request.namespace() {
            denial.push_str(" in namespace ");
            denial.push_str(&Quoted(namespace).to_string());
        }
        if let Some(error) = &self.lookup_error
            && self.depend_on_labels(address)
        {
            denial.push_str(" (rules with a namespaceSelector did not apply: ");
            denial.push_str(error);
            denial.push(')');
        }
        denial
    }
}
