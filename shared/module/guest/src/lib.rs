//! waPC for the policies: the only crate that knows that a host exists.
//!
//! A policy crate is one line of [`export!`]. What the host calls and what it answers is Kubewarden's
//! contract as kubewarden-policy-sdk has it. The tests hold every answer and every question against the
//! types of the SDK; the module itself writes them without a serializer, which would be 11 KB of it.

mod cluster;

use admission::{Policy, render};
use text::ObjectWriter;
use wapc_guest::{CallResult, register_function};

use cluster::HostCluster;

/// Makes a crate the module of a policy: exports the function that the host calls first.
///
/// # Example
/// ```text
/// guest::export!(rules::external_ips::ExternalIps);
/// ```
#[macro_export]
macro_rules! export {
    ($policy:ty) => {
        $crate::wapc_init!($crate::register::<$policy>());
    };
}

/// Exports the function that the host calls when it has instantiated a module.
///
/// The one place that takes the name as it is: everything else is `forbid(unsafe_code)`.
#[macro_export]
macro_rules! wapc_init {
    ($body:expr) => {
        /// Called by the host when it has instantiated the module.
        #[unsafe(no_mangle)]
        pub extern "C" fn wapc_init() {
            $body
        }
    };
}

/// Registers what the host calls: `validate`, `validate_settings` and `protocol_version`.
pub fn register<P: Policy>() {
    register_function("validate", validate::<P>);
    register_function("validate_settings", validate_settings::<P>);
    register_function("protocol_version", protocol_version);
}

#[expect(clippy::unnecessary_wraps, reason = "the signature is waPC's")]
fn validate<P: Policy>(payload: &[u8]) -> CallResult {
    Ok(admission::judge::<P, _>(payload, &HostCluster::<P>::default(), |outcome| render::<P, _>(outcome))
        .to_json())
}

#[expect(clippy::unnecessary_wraps, reason = "the signature is waPC's")]
fn validate_settings<P: Policy>(settings: &[u8]) -> CallResult {
    let error = admission::check_settings::<P>(settings).err();
    Ok(settings_response(error.map(|error| error.to_string())).into_bytes())
}

#[expect(clippy::unnecessary_wraps, reason = "the signature is waPC's")]
fn protocol_version(_: &[u8]) -> CallResult {
    Ok(PROTOCOL_VERSION.as_bytes().to_vec())
}

/// `SettingsValidationResponse` of kubewarden-policy-sdk.
fn settings_response(error: Option<String>) -> String {
    match error {
        None => ObjectWriter::new().raw("valid", "true").finish(),
        Some(error) => ObjectWriter::new().raw("valid", "false").text("message", &error).finish(),
    }
}

/// `ProtocolVersion::V1` of kubewarden-policy-sdk.
const PROTOCOL_VERSION: &str = "\"v1\"";

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use kubewarden_policy_sdk::metadata::ProtocolVersion;
    use kubewarden_policy_sdk::response::ValidationResponse;
    use kubewarden_policy_sdk::settings::SettingsValidationResponse;

    use super::*;

    #[test]
    fn settings_are_answered_as_the_sdk_reads_it() {
        let answer = |error: Option<&str>| {
            let json = settings_response(error.map(str::to_owned));
            serde_json::from_str::<SettingsValidationResponse>(&json).unwrap()
        };
        assert!(answer(None).valid);
        let refused = answer(Some("allow[0]: \"x\" is wrong\n"));
        assert!(!refused.valid);
        assert_eq!(refused.message.as_deref(), Some("allow[0]: \"x\" is wrong\n"));
    }

    #[test]
    fn the_protocol_version_is_the_one_of_the_sdk() {
        assert_eq!(PROTOCOL_VERSION, serde_json::to_string(&ProtocolVersion::default()).unwrap());
    }

    #[test]
    fn requests_are_answered_as_the_sdk_reads_it() {
        let response = admission::Response {
            accepted: false,
            message: Some("one\ntwo \u{e9} \"three\"".into()),
            code: Some(403),
            mutated_object: Some(r#"{"a":1.50,"b":123456789012345678901234567890}"#.into()),
            ..admission::Response::default()
        };
        let read: ValidationResponse = serde_json::from_slice(&response.to_json()).unwrap();
        assert!(!read.accepted);
        assert_eq!(read.message, response.message);
        assert_eq!(read.code, Some(403));
        assert_eq!(read.mutated_object.unwrap()["a"], 1.5);
        assert!(read.audit_annotations.is_none());
        assert!(read.warnings.is_none());

        let warnings = ["one".to_owned(), "two \"three\"".to_owned()];
        let annotations = [("b", "x\ny".to_owned()), ("a", String::new())];
        let response = response.with(&warnings, &annotations);
        let read: ValidationResponse = serde_json::from_slice(&response.to_json()).unwrap();
        assert_eq!(read.warnings.unwrap(), warnings);
        let annotations = BTreeMap::from_iter(read.audit_annotations.unwrap());
        let expected = BTreeMap::from([("a".to_owned(), String::new()), ("b".to_owned(), "x\ny".to_owned())]);
        assert_eq!(annotations, expected);
    }
}
