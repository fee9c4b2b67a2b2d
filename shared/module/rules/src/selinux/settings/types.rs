//! The settings of `types`: the SELinux types that pods may set.

use admission::{Kind, Node, Setting, SettingsError};

use super::names::{is_selinux_name, names, selinux_name_problem};
use super::unconfined::is_known;
use crate::pattern::Pattern;

pub(super) const TYPES: &[Setting] = &[
    Setting::new("allowed", Kind::List(&Kind::Text)),
    Setting::new("unconfined", Kind::List(&Kind::Text)),
    Setting::new("fromSelinuxProfiles", Kind::Flag),
];

/// The types that the Pod Security Standards allow.
const ALLOWED: [&str; 4] = ["container_t", "container_init_t", "container_kvm_t", "container_engine_t"];

/// The type of super-privileged containers in container-selinux.
const UNCONFINED: &str = "spc_t";

/// The type of containers with the most privileges in Bottlerocket. Unlike privileged containers,
/// they may also write the settings of the node and act as the container runtime.
///
/// Source: `subject.cil` of Bottlerocket (core kit 3.1), `api_s` and `runtime_s`.
const SUPER: &str = "super_t";

#[derive(Debug)]
pub(in crate::selinux) struct Types {
    /// Names and patterns, as the settings write them.
    pub(in crate::selinux) allowed: Vec<String>,
    pub(in crate::selinux) unconfined: Vec<String>,
    /// Whether the types of installed profiles are allowed, too.
    pub(in crate::selinux) from_profiles: bool,
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
    pub(super) fn read(&mut self, setting: Node<'_>) -> Result<(), SettingsError> {
        if !setting.object()? {
            return Ok(());
        }
        let (allowed, unconfined) = (setting.at("allowed"), setting.at("unconfined"));
        if unconfined.is_present()? {
            self.unconfined = names(unconfined, &selinux_name_problem)?;
        }
        if allowed.is_present()? {
            self.allowed = patterns(allowed, &self.unconfined)?;
        }
        self.from_profiles = setting.at("fromSelinuxProfiles").boolean()?.unwrap_or_default();
        Ok(())
    }

    pub(in crate::selinux) fn is_unconfined(&self, name: &str) -> bool {
        self.unconfined.iter().any(|known| known == name)
    }

    /// Whether a process of this type is known to be unconfined and the settings do not list it, so
    /// that no pod may set it. Patterns cannot allow it.
    pub(in crate::selinux) fn is_unlisted_unconfined(&self, name: &str) -> bool {
        is_known(name) && !self.is_unconfined(name)
    }

    /// Whether pods may set this confined type.
    pub(in crate::selinux) fn allow(&self, name: &str) -> bool {
        self.allowed.iter().any(|text| Pattern::of(text).matches(name))
    }
}

/// Whether neither privileges nor host namespaces are a reason for a type, because it gives more
/// than they do.
pub(in crate::selinux) fn needs_exemption(name: &str) -> bool {
    name == SUPER
}

/// Whether a type is one of files, by the naming convention of SELinux policies.
pub(in crate::selinux) fn is_file_type(name: &str) -> bool {
    name.ends_with("_file_t")
}

fn patterns(setting: Node<'_>, unconfined: &[String]) -> Result<Vec<String>, SettingsError> {
    names(setting, &|text| {
        let rest = match (text.strip_prefix('*'), text.strip_suffix('*')) {
            (Some(rest), _) | (_, Some(rest)) => rest,
            (None, None) => text,
        };
        let pattern = Pattern::of(text);
        // Nearly all types end in `_t`.
        if text.starts_with('*') && "_t".ends_with(rest) {
            Some("allows every type; list the types that containers need")
        } else if !is_selinux_name(rest) {
            Some("is not a valid type; write a name, with one * at its beginning or end at most")
        } else if unconfined.iter().any(|name| pattern.matches(name)) || is_known(text) {
            Some("allows an unconfined type for every pod; list it in types.unconfined only")
        } else if is_file_type(text) {
            Some("allows a file type, which no process can have; remove it")
        } else {
            None
        }
    })
}
