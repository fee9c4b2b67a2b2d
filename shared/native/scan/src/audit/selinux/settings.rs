//! The settings of the policy.

use admission::SettingsError;
use rules::selinux::{Origin, Owned, Ownership};
use serde_json::Value;

use super::volumes::AddedLevel;

/// The settings of the policy, as JSON and as the levels that they assign to Namespaces.
#[derive(Debug)]
pub struct SelinuxSettings {
    pub(super) json: String,
    settings: Value,
    pub(super) ownership: Ownership,
}

impl SelinuxSettings {
    /// Reads settings; null means the defaults.
    ///
    /// # Errors
    /// The first invalid setting, with its path.
    pub fn configure(settings: &Value) -> Result<Self, SettingsError> {
        let json = settings.to_string();
        let ownership = Ownership::configure(json.as_bytes())?;
        Ok(Self { json, settings: settings.clone(), ownership })
    }

    /// Whether the policy looks up the types of SELinux profiles.
    pub(super) fn reads_profiles(&self) -> bool {
        self.settings.pointer("/types/fromSelinuxProfiles") == Some(&Value::Bool(true))
    }

    /// Returns the level that the policy gives to a pod of a Namespace that sets none.
    pub(super) fn added_level(&self, owned: Option<&Owned>) -> AddedLevel {
        let text = |pointer| self.settings.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let is_mutating = ["", "Mutate"].contains(&text("/mode"));
        let policy = text("/volumes/changePolicy");
        match owned.map(|owned| (&owned.origin, &owned.level)) {
            _ if !is_mutating => AddedLevel::Nothing,
            Some((Origin::Runtime | Origin::Exempt, _)) => AddedLevel::Nothing,
            _ if policy == "FromNamespaceLabel" => AddedLevel::Unknown,
            Some((_, Some(level))) => AddedLevel::Level(level.text(), policy == "Recursive"),
            Some((_, None)) | None => AddedLevel::Unknown,
        }
    }
}
