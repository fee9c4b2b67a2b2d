//! Validation of the settings that a conversion writes.

use admission::{Policy, SettingsError};
use rules::pod_security::PodSecurity;
use serde_json::{Map, Value};

/// The id of the policy that all manifests deploy.
pub(crate) const POLICY: &str = PodSecurity::ID;

/// Returns why the policy rejects settings; `None` if it accepts them.
pub(crate) fn problem_with(settings: &Map<String, Value>) -> Option<SettingsError> {
    let json = Value::Object(settings.clone()).to_string();
    admission::check_settings::<PodSecurity>(json.as_bytes()).err()
}
