//! The settings of conditions. A name that no object can have is invalid.

use admission::{Choice, Kind, Node, Setting, SettingsError};

use crate::pattern::Patterns;
use crate::selector::{SELECTOR, Selector};
use crate::view::ContainerKind;

const TEXTS: Kind = Kind::List(&Kind::Text);
pub(crate) const IMAGES: Setting = Setting::new("images", TEXTS);
pub(crate) const CONTAINERS: Setting = Setting::new("containers", TEXTS);
pub(crate) const CONTAINER_KINDS: Setting =
    Setting::new("containerKinds", Kind::List(&Kind::Choice(ContainerKind::NAMES)));
pub(crate) const POD_SELECTOR: Setting = Setting::new("podSelector", Kind::Object(SELECTOR));
pub(crate) const NAMESPACES: Setting = Setting::new("namespaces", TEXTS);

/// A label selector for the Namespace, which is looked up.
pub(crate) const NAMESPACE_SELECTOR: Setting = Setting::new("namespaceSelector", Kind::Object(SELECTOR));

/// Patterns of the pod's service account, `namespace/name`.
pub(crate) const SERVICE_ACCOUNTS: Setting = Setting::new("serviceAccounts", TEXTS);
pub(crate) const RUNTIME_CLASSES: Setting = Setting::new("runtimeClasses", TEXTS);

/// Workloads, `KIND/NAME` with a pattern as the name.
pub(crate) const WORKLOADS: Setting = Setting::new("workloads", TEXTS);

/// Reads a selector. An empty one is not a condition, as it selects everything.
pub(crate) fn selector(setting: Node<'_>) -> Result<Option<Selector>, SettingsError> {
    let labels = setting.at("matchLabels").fields()?.next().is_some();
    let expressions = setting.at("matchExpressions").items()?.next().is_some();
    if labels || expressions { Selector::read(setting) } else { Ok(None) }
}

/// Reads a list. An empty one is not a condition.
pub(super) fn some(
    setting: Node<'_>,
    read: fn(Node<'_>) -> Result<Vec<String>, SettingsError>,
) -> Result<Vec<String>, SettingsError> {
    if setting.items()?.next().is_some() { read(setting) } else { Ok(Vec::new()) }
}

pub(super) const IMPOSSIBLE: &str = "cannot match any valid name; correct or remove it";

/// Reads patterns of names, each of which must be able to match a name; the others have `problem`.
pub(super) fn name_patterns(
    setting: Node<'_>,
    problem: &str,
    is_possible: &dyn Fn(&str) -> bool,
) -> Result<Patterns, SettingsError> {
    let mut patterns = Vec::new();
    for (item, text) in setting.texts()? {
        if text.is_empty() || !is_possible(text) {
            return Err(SettingsError::about(item, text, problem));
        }
        patterns.push(text);
    }
    Ok(Patterns::of(&patterns))
}

/// Returns whether a pattern can match an RFC 1123 label.
pub(crate) fn is_pattern_of_label(pattern: &str) -> bool {
    is_pattern_of_subdomain(pattern) && !pattern.contains('.')
}

/// Returns whether a pattern can match an RFC 1123 subdomain.
pub(crate) fn is_pattern_of_subdomain(pattern: &str) -> bool {
    !pattern.is_empty()
        && pattern
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.*?".contains(&byte))
}
