//! Types, users and roles: which processes may have them.

use admission::{Kind, Node, Setting, SettingsError};

use super::lists::names;
use crate::pattern::Pattern;

/// The keys of `types`.
pub(super) const TYPES: &[Setting] = &[
    Setting::new("allowed", Kind::List(&Kind::Text)),
    Setting::new("unconfined", Kind::List(&Kind::Text)),
    Setting::new("fromSelinuxProfiles", Kind::Flag),
];

/// The types of the Pod Security Standards.
const ALLOWED: [&str; 4] = ["container_t", "container_init_t", "container_kvm_t", "container_engine_t"];

/// The type of super privileged containers in the policy of Fedora and its kin.
const UNCONFINED: &str = "spc_t";

/// Which types processes may have.
#[derive(Debug)]
pub(super) struct Types {
    /// As settings write them, with patterns.
    pub(super) allowed: Vec<String>,
    pub(super) unconfined: Vec<String>,
    /// Whether the types of installed SelinuxProfile objects are allowed, too.
    pub(super) from_profiles: bool,
}

impl Default for Types {
    fn default() -> Self {
        Self {
            allowed: ALLOWED.map(str::to_owned).to_vec(),
            unconfined: vec![UNCONFINED.to_owned()],
            from_profiles: false,
        }
    }
}

impl Types {
    /// Reads `types`.
    ///
    /// # Errors
    /// What means nothing, or would allow an unconfined type to everybody, with its path.
    pub(super) fn read(&mut self, setting: Node<'_>) -> Result<(), SettingsError> {
        if !setting.object()? {
            return Ok(());
        }
        let (allowed, unconfined) = (setting.at("allowed"), setting.at("unconfined"));
        if unconfined.is_present()? {
            self.unconfined = names(unconfined, &no_name)?;
        }
        if allowed.is_present()? {
            self.allowed = patterns(allowed, &self.unconfined)?;
        }
        self.from_profiles = setting.at("fromSelinuxProfiles").boolean()?.unwrap_or_default();
        Ok(())
    }

    /// Whether a type leaves a process unconfined.
    pub(super) fn is_unconfined(&self, name: &str) -> bool {
        self.unconfined.iter().any(|known| known == name)
    }

    /// Whether a confined type is allowed.
    pub(super) fn allow(&self, name: &str) -> bool {
        self.allowed.iter().any(|text| Pattern::of(text).matches(name))
    }
}

/// Whether a name is that of a type of files.
pub(super) fn is_of_files(name: &str) -> bool {
    name.ends_with("_file_t")
}

/// Whether a name may be one of SELinux users, roles and types.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}

/// Why a text is no name of SELinux policies, if it is none.
pub(super) fn no_name(name: &str) -> Option<&'static str> {
    (!is_name(name)).then_some("is no name in SELinux policies; write it in full, without patterns")
}

fn patterns(setting: Node<'_>, unconfined: &[String]) -> Result<Vec<String>, SettingsError> {
    names(setting, &|text| {
        let rest = match (text.strip_prefix('*'), text.strip_suffix('*')) {
            (Some(rest), _) | (_, Some(rest)) => rest,
            (None, None) => text,
        };
        let pattern = Pattern::of(text);
        if text == "*" {
            Some("allows every type; name those that containers need")
        } else if !is_name(rest) {
            Some("is no type; write a name, with one * at its beginning or its end")
        } else if unconfined.iter().any(|name| pattern.matches(name)) {
            Some("allows an unconfined type to everybody; remove it here, as types.unconfined has it")
        } else if is_of_files(text) {
            Some("allows a type of files, with which no process can run; remove it")
        } else {
            None
        }
    })
}
