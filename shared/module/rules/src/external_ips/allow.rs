//! Who may claim what: the allow rules.

use std::net::IpAddr;

use admission::{Cluster, Fault, Get, Kind, Node, Quoted, Request, Setting, SettingsError};

use crate::address::{Range, covered, ranges};
use crate::name::is_label;
use crate::selector::{SELECTOR, Selector};
use crate::subject::{GROUPS, Subjects, USERS, not_empty};
use crate::view;

/// The keys of an allow rule.
pub(super) const RULE: &[Setting] = &[
    Setting::new("cidrs", Kind::List(&Kind::Text)),
    Setting::new("namespaces", Kind::List(&Kind::Text)),
    Setting::new("namespaceSelector", Kind::Object(SELECTOR)),
    USERS,
    GROUPS,
];

/// Rules of which each is enough.
#[derive(Debug)]
pub(super) struct AllowRules(Vec<AllowRule>);

/// Conditions that all have to be met.
#[derive(Debug)]
struct AllowRule {
    cidrs: Vec<Range>,
    namespaces: Namespaces,
    subjects: Option<Subjects>,
}

#[derive(Debug)]
enum Namespaces {
    Every,
    Named(Vec<String>),
    Selected(Selector),
}

impl AllowRules {
    pub(super) fn read(setting: Node<'_>, reject: &[Range]) -> Result<Self, SettingsError> {
        let mut rules = Vec::new();
        for rule in setting.items()? {
            rules.push(AllowRule {
                cidrs: cidrs(rule.at("cidrs"), reject)?,
                namespaces: Namespaces::read(rule)?,
                subjects: Subjects::read(rule)?,
            });
        }
        Ok(Self(rules))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The ranges of a rule, of each of which something is left when the rejected ranges are taken away.
fn cidrs(setting: Node<'_>, reject: &[Range]) -> Result<Vec<Range>, SettingsError> {
    let cidrs = ranges(setting)?;
    if cidrs.is_empty() {
        return Err(SettingsError::at(
            setting,
            "is missing or empty, so that the rule allows nothing; list what may be claimed, such as 192.0.2.0/24",
        ));
    }
    for ((item, text), range) in setting.texts()?.into_iter().zip(&cidrs) {
        if reject.iter().any(|rejected| rejected.contains(range)) {
            let problem = "lies within a range of reject, so that it allows nothing; remove one of the two";
            return Err(SettingsError::about(item, text, problem));
        }
    }
    Ok(cidrs)
}

impl Namespaces {
    fn read(rule: Node<'_>) -> Result<Self, SettingsError> {
        let names = not_empty(
            rule.at("namespaces"),
            "an empty list means no namespace or every namespace; leave the key out or name at least one",
        )?;
        for (item, name) in &names {
            if !is_label(name) {
                let problem = "is no name of a namespace; write at most 63 lower-case letters and digits, with - between them";
                return Err(SettingsError::about(*item, name, problem));
            }
        }
        let setting = rule.at("namespaceSelector");
        match (names.is_empty(), Selector::read(setting)?) {
            (true, None) => Ok(Namespaces::Every),
            (true, Some(selector)) => Ok(Namespaces::Selected(selector)),
            (false, None) => {
                Ok(Namespaces::Named(names.into_iter().map(|(_, name)| name.to_owned()).collect()))
            }
            (false, Some(_)) => Err(SettingsError::at(
                setting,
                "stands beside namespaces; keep one of the two, or write two rules",
            )),
        }
    }
}

/// What the rules allow a request; the Namespace is looked up once, and only when it decides.
pub(super) struct Coverage<'a, 'd> {
    /// The ranges that are open whatever the labels of the namespace are.
    open: Vec<&'a [Range]>,
    /// The ranges that depend on the labels.
    by_labels: Vec<(&'a Selector, &'a [Range])>,
    namespace: Option<&'d str>,
    cluster: &'a dyn Cluster,
    /// Why the labels could not be read, once they were needed.
    doubt: Option<String>,
}

impl<'a, 'd> Coverage<'a, 'd> {
    pub(super) fn new(
        rules: &'a AllowRules,
        request: &Request<'d>,
        cluster: &'a dyn Cluster,
    ) -> Result<Self, Fault> {
        let namespace = request.namespace()?;
        let mut coverage = Self { open: Vec::new(), by_labels: Vec::new(), namespace, cluster, doubt: None };
        for rule in &rules.0 {
            if let Some(subjects) = &rule.subjects
                && !subjects.contain(request)?
            {
                continue;
            }
            match &rule.namespaces {
                Namespaces::Every => coverage.open.push(&rule.cidrs),
                Namespaces::Named(names) => {
                    if namespace.is_some_and(|namespace| names.iter().any(|name| name == namespace)) {
                        coverage.open.push(&rule.cidrs);
                    }
                }
                Namespaces::Selected(selector) => coverage.by_labels.push((selector, &rule.cidrs)),
            }
        }
        Ok(coverage)
    }

    /// Whether a rule allows the address.
    pub(super) fn of(&mut self, address: IpAddr) -> bool {
        let open = |coverage: &Self| coverage.open.iter().any(|ranges| covered(ranges, address));
        if open(self) {
            return true;
        }
        if self.doubt.is_some() || !self.depends_on_labels(address) {
            return false;
        }
        match self.selected() {
            Ok(selected) => {
                self.open.extend(selected);
                self.by_labels.clear();
            }
            // A rule whose condition cannot be judged allows nothing; the message says so.
            Err(fault) => self.doubt = Some(fault.to_string()),
        }
        open(self)
    }

    fn depends_on_labels(&self, address: IpAddr) -> bool {
        self.by_labels.iter().any(|(_, ranges)| covered(ranges, address))
    }

    /// The ranges whose selector selects the namespace.
    fn selected(&self) -> Result<Vec<&'a [Range]>, Fault> {
        let Some(name) = self.namespace else {
            return Err(Fault::in_payload(&["request", "namespace"], "is not there"));
        };
        let get = Get {
            api_version: "v1",
            kind: "Namespace",
            namespace: None,
            name,
            shape: view::Namespace::LABELLED,
        };
        let Some(answer) = get.ask(self.cluster)? else {
            return Err(Fault::in_lookup(get.to_string(), "not found"));
        };
        let document = answer.document()?;
        let root = document.root();
        if !root.object()? {
            return Err(root.fault("expected an object, found nothing"));
        }
        let labels = view::Namespace::of(root).metadata().labels();
        let mut selected = Vec::new();
        for (selector, ranges) in &self.by_labels {
            if selector.matches(labels)? {
                selected.push(*ranges);
            }
        }
        Ok(selected)
    }

    /// That no rule allows the address, and what could not be known, if it matters.
    pub(super) fn refusal(&self, address: IpAddr) -> String {
        let mut refusal = "no rule allows this address".to_owned();
        if let Some(namespace) = self.namespace {
            refusal.push_str(" in namespace ");
            refusal.push_str(&Quoted(namespace).to_string());
        }
        if let Some(doubt) = &self.doubt
            && self.depends_on_labels(address)
        {
            refusal.push_str(" (rules with a namespaceSelector did not apply: ");
            refusal.push_str(doubt);
            refusal.push(')');
        }
        refusal
    }
}
