//! The settings of the policy.

use admission::SettingsError;
use rules::selinux::Ownership;
use serde_json::Value;

/// The settings of the policy, as JSON and as the levels that they assign to Namespaces.
#[derive(Debug)]
pub struct SelinuxSettings {
    pub(super) json: String,
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
        Ok(Self { json, ownership })
    }

    /// Whether the policy looks up the types of SELinux profiles.
    pub(super) fn reads_profiles(&self) -> bool {
        let settings: Value = serde_json::from_str(&self.json).unwrap_or_default();
        settings.pointer("/types/fromSelinuxProfiles") == Some(&Value::Bool(true))
    }
}
