//! Keys of labels and annotations: their domains, lists of them in settings, and what a request changes.

use std::cmp::Ordering;

use admission::{Fault, Node, SettingsError};
use text::sorted;

use crate::name::{is_label_key, is_subdomain};

/// The domain of a key: what stands before the first slash; empty where there is none.
///
/// # Example
/// ```
/// use rules::label::domain;
///
/// assert_eq!(domain("node.kubernetes.io/a/b"), "node.kubernetes.io");
/// assert_eq!(domain("team"), "");
/// ```
#[must_use]
pub fn domain(key: &str) -> &str {
    key.split_once('/').map_or("", |(domain, _)| domain)
}

/// Whether a domain is another one or a subdomain of it.
#[must_use]
pub fn is_within(domain: &str, other: &str) -> bool {
    domain.strip_suffix(other).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Domains of a setting.
#[derive(Debug, Default)]
pub struct Domains(Vec<String>);

impl Domains {
    /// Reads a list of domains, each of which `objection` may refuse; one slash at the end is the same as none.
    ///
    /// # Errors
    /// What is no domain, and what `objection` says of one.
    pub fn read(
        setting: Node<'_>,
        objection: &dyn Fn(&str) -> Option<&'static str>,
    ) -> Result<Self, SettingsError> {
        let mut domains = Vec::new();
        for (item, text) in setting.texts()? {
            let domain = text.strip_suffix('/').unwrap_or(text);
            let problem = if is_subdomain(domain) {
                objection(domain)
            } else {
                Some("is no domain of a key; write it as example.com")
            };
            if let Some(problem) = problem {
                return Err(SettingsError::about(item, text, problem));
            }
            domains.push(domain.to_owned());
        }
        Ok(Self(domains))
    }

    /// Whether a key is directly in one of the domains.
    #[must_use]
    pub fn have(&self, key: &str) -> bool {
        self.0.iter().any(|known| domain(key) == known)
    }

    /// Whether a key is in one of the domains or in a subdomain of one.
    #[must_use]
    pub fn cover(&self, key: &str) -> bool {
        self.include(domain(key))
    }

    /// Whether a domain is one of them or a subdomain of one.
    #[must_use]
    pub fn include(&self, domain: &str) -> bool {
        self.0.iter().any(|known| is_within(domain, known))
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Keys of a setting.
#[derive(Debug, Default)]
pub struct Keys(Vec<String>);

impl Keys {
    /// Reads a list of keys, each of which `objection` may refuse.
    ///
    /// # Errors
    /// What is no key, and what `objection` says of one.
    pub fn read(
        setting: Node<'_>,
        objection: &dyn Fn(&str) -> Option<&'static str>,
    ) -> Result<Self, SettingsError> {
        let mut keys = Vec::new();
        for (item, key) in setting.texts()? {
            let problem = if is_label_key(key) {
                objection(key)
            } else {
                Some("is no key; write it as team or example.com/team, without patterns")
            };
            if let Some(problem) = problem {
                return Err(SettingsError::about(item, key, problem));
            }
            keys.push(key.to_owned());
        }
        Ok(Self(keys))
    }

    /// The keys of a list that the program knows.
    #[must_use]
    pub fn of(keys: &[&str]) -> Self {
        Self(keys.iter().map(|key| (*key).to_owned()).collect())
    }

    /// The keys of a text, between commas; blanks around them do not count.
    #[must_use]
    pub fn between_commas(text: &str) -> Self {
        Self(text.split(',').map(str::trim_ascii).filter(|key| !key.is_empty()).map(str::to_owned).collect())
    }

    /// Whether a key is one of them, exactly.
    #[must_use]
    pub fn have(&self, key: &str) -> bool {
        self.iter().any(|known| known == key)
    }

    /// The keys, in the order in which they are written.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A key of a map of strings that a request adds, changes or removes.
#[derive(Clone, Copy, Debug)]
pub struct LabelChange<'d> {
    /// The key.
    pub key: &'d str,
    /// Its place: in the new object, or in the old one if it is removed.
    pub at: Node<'d>,
    /// Whether it is removed.
    pub removed: bool,
}

/// Tells what differs between the labels or annotations of an old and a new object, by key.
///
/// As for the API server, an empty value is a value, and an absent map is an empty one. Without an old object
/// everything is new. The changes are told one by one, as a list of them might be more than an instance has room
/// for.
///
/// # Errors
/// What is no map of strings.
pub fn changes<'d>(
    old: Option<Node<'d>>,
    new: Node<'d>,
    tell: &mut dyn FnMut(LabelChange<'d>),
) -> Result<(), Fault> {
    let old = old.map_or(Ok(Vec::new()), entries)?;
    let new = entries(new)?;
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return Ok(()),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(was), Some(is)) => was.cmp(is),
        };
        let was = if order == Ordering::Greater { None } else { old.next() };
        let is = if order == Ordering::Less { None } else { new.next() };
        match (was, is) {
            (Some(LabelEntry { key, at, .. }), None) => tell(LabelChange { key, at: *at, removed: true }),
            (was, Some(LabelEntry { key, value, at })) if was.is_none_or(|was| was.value != *value) => {
                tell(LabelChange { key, at: *at, removed: false });
            }
            _ => {}
        }
    }
}

/// An entry of a map of strings; in order of keys, no two of which are the same.
#[derive(Clone, Copy, Debug)]
struct LabelEntry<'d> {
    key: &'d str,
    value: &'d str,
    at: Node<'d>,
}

impl Ord for LabelEntry<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(other.key)
    }
}

impl PartialOrd for LabelEntry<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for LabelEntry<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for LabelEntry<'_> {}

/// The entries of a map of strings, by key.
fn entries(map: Node<'_>) -> Result<Vec<LabelEntry<'_>>, Fault> {
    let mut entries: Vec<LabelEntry<'_>> = Vec::new();
    let mut rising = true;
    for (key, at) in map.fields()? {
        rising = rising && entries.last().is_none_or(|last| last.key < key);
        entries.push(LabelEntry { key, value: at.text()?.unwrap_or_default(), at });
    }
    // A host sorts the keys, so that there is most often nothing to do.
    Ok(if rising { entries } else { sorted(&entries) })
}

#[cfg(test)]
mod tests {
    use admission::{Document, Shape};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn subdomains_are_told_from_other_domains() {
        for within in ["kubernetes.io", "a.kubernetes.io", "a.b.kubernetes.io"] {
            assert!(is_within(within, "kubernetes.io"), "{within}");
        }
        for outside in ["", "io", "evilkubernetes.io", "kubernetes.io.evil.com", "Kubernetes.io"] {
            assert!(!is_within(outside, "kubernetes.io"), "{outside}");
        }
        assert_eq!(domain("/x"), "");
    }

    proptest! {
        #[test]
        fn changes_are_those_of_two_maps(
            old in prop::collection::btree_map("[a-e]{1,2}", "[xy]?", 0..12),
            new in prop::collection::btree_map("[a-e]{1,2}", "[xy]?", 0..12),
            backwards: bool,
        ) {
            let json = |map: &BTreeMap<String, String>| {
                let mut fields: Vec<String> =
                    map.iter().map(|(key, value)| format!("\"{key}\":\"{value}\"")).collect();
                if backwards {
                    fields.reverse();
                }
                fields.join(",")
            };
            let text = format!("{{\"old\":{{{}}},\"new\":{{{}}}}}", json(&old), json(&new));
            let document = Document::parse(text.as_bytes(), Shape::ALL, document::Origin::Settings).unwrap();
            let (at_old, at_new) = (document.root().at("old"), document.root().at("new"));
            let mut found = Vec::new();
            changes(Some(at_old), at_new, &mut |change| {
                assert_eq!(change.removed, change.at.path().starts_with("old"));
                found.push((change.key.to_owned(), !change.removed));
            })
            .unwrap();
            let mut expected = BTreeMap::new();
            for key in old.keys().chain(new.keys()).filter(|key| old.get(*key) != new.get(*key)) {
                expected.insert(key.clone(), new.contains_key(key));
            }
            prop_assert_eq!(found, Vec::from_iter(expected));
        }
    }
}
