//! Validation of the settings that a conversion writes.

use admission::{Policy, SettingsError};
use rules::pod_security::PodSecurity;
use serde_json::{Map, Value};

/// The id of the policy that evaluates pods against the Pod Security Standards.
pub(crate) const POD_SECURITY: &str = PodSecurity::ID;

/// Returns why a policy rejects settings; `None` if it accepts them.
pub(crate) fn problem_with<P: Policy>(settings: &Map<String, Value>) -> Option<SettingsError> {
    let json = Value::Object(settings.clone()).to_string();
    admission::check_settings::<P>(json.as_bytes()).err()
}
