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
        self.at("/types/fromSelinuxProfiles") == Value::Bool(true)
    }

    /// Whether the policy gives levels to pods that are created: unless another mode is set.
    pub(super) fn adds_levels(&self) -> bool {
        let is = |value: Value, default: &str| value.is_null() || value == default;
        is(self.at("/mode"), "Mutate") && self.at("/allocation/source") != "Runtime"
    }

    fn at(&self, pointer: &str) -> Value {
        let settings: Value = serde_json::from_str(&self.json).unwrap_or_default();
        settings.pointer(pointer).cloned().unwrap_or_default()
    }
}
