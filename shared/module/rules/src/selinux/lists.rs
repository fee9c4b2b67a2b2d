//! Lists of names in settings.

use admission::{Node, SettingsError};

/// Reads a list of names, each of which `objection` may refuse.
///
/// # Errors
/// A name that is refused, and one that is there twice.
pub(super) fn names(
    setting: Node<'_>,
    objection: &dyn Fn(&str) -> Option<&'static str>,
) -> Result<Vec<String>, SettingsError> {
    let mut names: Vec<String> = Vec::new();
    for (item, name) in setting.texts()? {
        let is_known = names.iter().any(|known| known == name);
        let problem = if is_known { Some("is there twice; remove one") } else { objection(name) };
        if let Some(problem) = problem {
            return Err(SettingsError::about(item, name, problem));
        }
        names.push(name.to_owned());
    }
    Ok(names)
}
