//! The waPC guest of the policies: the only crate that knows about a host.
//!
//! The crate of a policy is one line, [`export!`]. The functions that the host calls and their
//! responses follow Kubewarden's contract, as kubewarden-policy-sdk implements it. Tests compare
//! every response and every look-up with the types of the SDK. A module writes them without a
//! serializer, which would add 11 KB to it.

// A module that panics cannot report why.
#![deny(clippy::arithmetic_side_effects, clippy::expect_used, clippy::indexing_slicing)]

mod cluster;

use admission::{Policy, render};
use text::ObjectWriter;
use wapc_guest::register_function;

use std::marker::PhantomData;

use cluster::HostCluster;

/// Makes a crate the module of a policy.
///
/// # Example
/// ```text
/// guest::export!(rules::external_ips::ExternalIps);
/// ```
#[macro_export]
macro_rules! export {
    ($policy:ty) => {
        $crate::export_init!($crate::register::<$policy>);
    };
}

/// Makes a crate a module that calls a function to register its operations.
///
/// The exported name needs an unsafe attribute.
#[macro_export]
macro_rules! export_init {
    ($register:expr) => {
        /// Called by the host after it has instantiated the module.
        #[unsafe(no_mangle)]
        pub extern "C" fn wapc_init() {
            $register();
        }
    };
}

/// Registers the operations of Kubewarden's contract.
pub fn register<P: Policy>() {
    register_function("validate", |payload| Ok(validate::<P>(payload)));
    register_function("validate_settings", |payload| Ok(validate_settings::<P>(payload)));
    register_function("protocol_version", |_| Ok(PROTOCOL_VERSION.as_bytes().to_vec()));
}

fn validate<P: Policy>(payload: &[u8]) -> Vec<u8> {
    let cluster = HostCluster::<P>(PhantomData);
    admission::evaluate::<P, _>(payload, &cluster, |outcome| render::<P, _>(outcome)).to_json()
}

fn validate_settings<P: Policy>(payload: &[u8]) -> Vec<u8> {
    let error = admission::check_settings::<P>(payload).err();
    settings_response(error.map(|error| error.to_string())).into_bytes()
}

/// Returns a `SettingsValidationResponse` of kubewarden-policy-sdk as JSON.
fn settings_response(error: Option<String>) -> String {
    match error {
        None => ObjectWriter::new().raw("valid", "true").finish(),
        Some(error) => ObjectWriter::new().raw("valid", "false").text("message", &error).finish(),
    }
}

/// `ProtocolVersion::V1` of kubewarden-policy-sdk, as JSON.
const PROTOCOL_VERSION: &str = "\"v1\"";

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use kubewarden_policy_sdk::metadata::ProtocolVersion;
    use kubewarden_policy_sdk::response::ValidationResponse;
    use kubewarden_policy_sdk::settings::SettingsValidationResponse;

    use super::*;

    #[test]
    fn the_sdk_reads_responses_to_settings() {
        let answer = |error: Option<&str>| {
            let json = settings_response(error.map(str::to_owned));
            serde_json::from_str::<SettingsValidationResponse>(&json).unwrap()
        };
        assert!(answer(None).valid);
        let refused = answer(Some("allow[0]: \"x\" is not valid\n"));
        assert!(!refused.valid);
        assert_eq!(refused.message.as_deref(), Some("allow[0]: \"x\" is not valid\n"));
    }

    #[test]
    fn the_protocol_version_is_that_of_the_sdk() {
        assert_eq!(PROTOCOL_VERSION, serde_json::to_string(&ProtocolVersion::default()).unwrap());
    }

    #[test]
    fn the_sdk_reads_responses_to_requests() {
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
