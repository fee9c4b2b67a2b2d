//! Lists of names in settings, and the form of each kind of name.

use admission::{Node, SettingsError};

use crate::name::is_label;
pub(super) use crate::subject::account_problem;

/// Reads a list of names, each of them once.
///
/// `problem` returns what is wrong with a name, as a predicate and a remedy: `is not valid; remove
/// it`.
pub(super) fn names(
    setting: Node<'_>,
    problem: &dyn Fn(&str) -> Option<&'static str>,
) -> Result<Vec<String>, SettingsError> {
    let mut names: Vec<String> = Vec::new();
    for (item, name) in setting.texts()? {
        let is_duplicate = names.iter().any(|known| known == name);
        let problem = if is_duplicate { Some("is a duplicate; remove it") } else { problem(name) };
        if let Some(problem) = problem {
            return Err(SettingsError::about(item, name, problem));
        }
        names.push(name.to_owned());
    }
    Ok(names)
}

/// The problem with a text that is not the name of a Namespace.
///
/// Source: RFC 1123 labels, as in Kubernetes object names.
pub(super) fn namespace_problem(name: &str) -> Option<&'static str> {
    (!is_label(name)).then_some("is not a valid Namespace name; write it in full, without patterns")
}

/// Whether a text can be the name of an SELinux user, role or type: ASCII letters, digits, `_`, `.`
/// and `-`.
pub(super) fn is_selinux_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}

pub(super) fn selinux_name_problem(name: &str) -> Option<&'static str> {
    (!is_selinux_name(name)).then_some("is not a valid SELinux name; write it in full, without patterns")
}
