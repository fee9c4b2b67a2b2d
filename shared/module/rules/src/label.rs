//! Keys of labels and annotations: their domains, lists of keys and domains in settings, and the
//! changes that a request makes.

use std::cmp::Ordering;

use admission::{Fault, Node, SettingsError};
use text::sorted;

use crate::name::{is_label_key, is_subdomain};

/// Returns the domain of a key: the part before the first slash, empty if the key has no slash.
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

/// Returns whether `domain` is `other` or a subdomain of it. The comparison is case-sensitive.
#[must_use]
pub fn is_within(domain: &str, other: &str) -> bool {
    domain.strip_suffix(other).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// A list of domains in settings.
#[derive(Debug, Default)]
pub struct Domains(Vec<String>);

impl Domains {
    /// Reads a list of domains. One trailing slash is ignored. `objection` returns the problem with
    /// a domain that is valid but not acceptable for this setting, or `None`.
    ///
    /// # Errors
    /// Returns an error for a text that is not an RFC 1123 subdomain, and for every objection.
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
                Some("is not a domain; use a form such as example.com")
            };
            if let Some(problem) = problem {
                return Err(SettingsError::about(item, text, problem));
            }
            domains.push(domain.to_owned());
        }
        Ok(Self(domains))
    }

    /// Returns whether the key is in one of the domains itself, not in a subdomain.
    #[must_use]
    pub fn have(&self, key: &str) -> bool {
        self.0.iter().any(|known| domain(key) == known)
    }

    /// Returns whether the key is in one of the domains or in a subdomain of one.
    #[must_use]
    pub fn cover(&self, key: &str) -> bool {
        self.include(domain(key))
    }

    /// Returns whether the domain is in the list or is a subdomain of one that is.
    #[must_use]
    pub fn include(&self, domain: &str) -> bool {
        self.0.iter().any(|known| is_within(domain, known))
    }

    /// Returns whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Label or annotation keys, sorted. Keys are compared exactly.
#[derive(Debug, Default)]
pub struct Keys(Vec<String>);

impl Keys {
    /// Reads a list of keys. `objection` returns the problem with a key that is valid but not
    /// acceptable for this setting, or `None`.
    ///
    /// # Errors
    /// Returns an error for a text that is not a label key, and for every objection.
    pub fn read(
        setting: Node<'_>,
        objection: &dyn Fn(&str) -> Option<&'static str>,
    ) -> Result<Self, SettingsError> {
        let mut keys = Vec::new();
        for (item, key) in setting.texts()? {
            let problem = if is_label_key(key) {
                objection(key)
            } else {
                Some("is not a key; use a form such as team or example.com/team, without patterns")
            };
            if let Some(problem) = problem {
                return Err(SettingsError::about(item, key, problem));
            }
            keys.push(key);
        }
        Ok(Self::new(&keys))
    }

    fn new(keys: &[&str]) -> Self {
        Self(sorted(keys).into_iter().map(str::to_owned).collect())
    }

    /// Creates a list of keys that are known to be valid.
    #[must_use]
    pub fn of(keys: &[&str]) -> Self {
        Self::new(keys)
    }

    /// Splits a comma-separated list of keys. White space around keys and empty elements are
    /// ignored; the keys are not validated.
    #[must_use]
    pub fn between_commas(text: &str) -> Self {
        let keys = text.split(',').map(str::trim_ascii).filter(|key| !key.is_empty());
        Self::new(&keys.collect::<Vec<_>>())
    }

    /// Returns whether the list has the key.
    #[must_use]
    pub fn have(&self, key: &str) -> bool {
        self.0.binary_search_by(|known| known.as_str().cmp(key)).is_ok()
    }

    /// Returns the keys, sorted.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Returns whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A label or annotation that a request adds, changes or removes.
#[derive(Clone, Copy, Debug)]
pub struct LabelChange<'d> {
    /// The key of the label or annotation.
    pub key: &'d str,
    /// The place of the value: in the old object if it is removed, in the new object otherwise.
    pub at: Node<'d>,
    /// Whether the request removes it.
    pub removed: bool,
    /// Whether the old object does not have the key.
    pub added: bool,
}

/// Compares the labels or annotations of an old and a new object, and passes each change to
/// `report`, sorted by key. `old` is `None` for a new object, whose entries all count as added.
///
/// As in the API server, an entry with an empty value differs from an absent one, and an absent map
/// equals an empty one. The changes are not collected, because a list of them could exceed the
/// memory of a module instance.
///
/// # Errors
/// Returns a fault, possibly after some changes were reported, if a map is not an object of
/// strings.
pub fn changes<'d>(
    old: Option<Node<'d>>,
    new: Node<'d>,
    report: &mut dyn FnMut(LabelChange<'d>),
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
            (Some(LabelEntry { key, at, .. }), None) => {
                report(LabelChange { key, at: *at, removed: true, added: false });
            }
            (was, Some(LabelEntry { key, value, at })) if was.is_none_or(|was| was.value != *value) => {
                report(LabelChange { key, at: *at, removed: false, added: was.is_none() });
            }
            _ => {}
        }
    }
}

/// An entry of a map of strings, ordered by its key, which is unique in the map.
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

/// Returns the entries of a map of strings, sorted by key.
fn entries(map: Node<'_>) -> Result<Vec<LabelEntry<'_>>, Fault> {
    let mut entries: Vec<LabelEntry<'_>> = Vec::new();
    let mut rising = true;
    for (key, at) in map.fields()? {
        rising = rising && entries.last().is_none_or(|last| last.key < key);
        entries.push(LabelEntry { key, value: at.text()?.unwrap_or_default(), at });
    }
    // The host sorts keys, so the entries are usually sorted already.
    Ok(if rising { entries } else { sorted(&entries) })
}

#[cfg(test)]
mod tests {
    use admission::{Document, Shape};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn recognizes_subdomains() {
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
        fn reports_the_difference_of_two_maps(
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
