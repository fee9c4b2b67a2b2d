//! The contract of every module with the host.

use std::collections::BTreeSet;

use kubewarden::packaging::Metadata;
use serde_json::{Value, json};
use wapc_host::Module;
use wasmparser::{Parser, Payload};

fn modules() -> Vec<(&'static admission::PolicyEntry, Module)> {
    rules::CATALOG.iter().map(|entry| (entry, tests::compiled(entry.id).unwrap())).collect()
}

fn call(module: &Module, operation: &str, payload: &[u8]) -> Value {
    let answer = module.call(operation, payload).unwrap_or_else(|error| panic!("{operation}: {error}"));
    serde_json::from_slice(&answer).unwrap()
}

#[test]
fn a_module_imports_only_wapc_and_exports_only_host_entry_points() {
    for entry in rules::CATALOG {
        let wasm = tests::module(entry.id).unwrap();
        let (mut imports, mut exports) = (BTreeSet::new(), BTreeSet::new());
        for payload in Parser::new(0).parse_all(&wasm) {
            match payload.unwrap() {
                Payload::ImportSection(section) => {
                    imports.extend(section.into_imports().map(|import| import.unwrap().module.to_owned()));
                }
                Payload::ExportSection(section) => {
                    exports.extend(section.into_iter().map(|export| export.unwrap().name.to_owned()));
                }
                _ => {}
            }
        }
        assert_eq!(Vec::from_iter(imports), ["wapc"], "{}", entry.id);
        let expected = ["__data_end", "__guest_call", "__heap_base", "memory", "wapc_init"];
        assert_eq!(Vec::from_iter(exports), expected, "{}", entry.id);
    }
}

#[test]
fn a_module_contains_the_metadata_of_its_folder() {
    for entry in rules::CATALOG {
        let path = tests::root().join("policies").join(entry.id).join("metadata.yml");
        let mut written = Metadata::from_yaml(&std::fs::read_to_string(path).unwrap()).unwrap();
        let carried = Metadata::read(&tests::module(entry.id).unwrap()).unwrap().unwrap();
        assert_eq!(carried.protocol_version.as_deref(), Some("v1"));
        written.protocol_version = Some("v1".into());
        assert_eq!(carried, written, "{}", entry.id);
    }
}

#[test]
fn a_module_does_not_contain_build_paths() {
    let home = std::env::var("HOME").unwrap_or_default();
    // Not the home itself: a policy may contain the home of root.
    let of_cargo = std::env::var("CARGO_HOME").unwrap_or_else(|_| format!("{home}/.cargo"));
    let of_rustup = std::env::var("RUSTUP_HOME").unwrap_or_else(|_| format!("{home}/.rustup"));
    let root = tests::root().canonicalize().unwrap();
    for entry in rules::CATALOG {
        let wasm = tests::module(entry.id).unwrap();
        for name in [root.to_str().unwrap(), of_cargo.as_str(), of_rustup.as_str()] {
            let found = wasm.windows(name.len()).any(|bytes| bytes == name.as_bytes());
            assert!(!found, "{} contains {name}", entry.id);
        }
    }
}

#[test]
fn a_module_implements_the_protocol_and_validates_settings() {
    for (entry, module) in modules() {
        assert_eq!(call(&module, "protocol_version", b""), json!("v1"));
        assert!(module.call("nope", b"").is_err());
        let validated = |settings: &[u8]| call(&module, "validate_settings", settings);
        for settings in ["{}", "null", " { } "] {
            assert_eq!(validated(settings.as_bytes()), json!({ "valid": true }), "{}", entry.id);
        }
        for (settings, message) in [
            (&b"[]"[..], "settings: expected an object, found an array"),
            (b"7", "settings: expected an object, found a number"),
            (b"true", "settings: expected an object, found a boolean"),
            (b"\"x\"", "settings: expected an object, found a string"),
            (b"", "settings: not JSON: expected a value at line 1 column 1"),
            (
                b"{",
                "settings: not JSON: expected a comma or the end of the object or array at line 1 column 2",
            ),
            (b"{\"\xff\": 1}", "settings: not JSON: expected UTF-8 at line 1 column 6"),
        ] {
            let expected = json!({ "valid": false, "message": message });
            assert_eq!(validated(settings), expected);
        }
        let unknown = validated(b"{\"nonsense\": {}}");
        assert!(unknown["message"].as_str().unwrap().starts_with("nonsense: unknown key"), "{unknown}");
    }
}

#[test]
fn a_request_that_cannot_be_evaluated_is_a_fault_with_the_place() {
    for (entry, module) in modules() {
        let rule = entry.scope.0.first().unwrap();
        let kind = json!({ "group": rule.group, "kind": rule.kind });
        // Every policy evaluates this user, including those for nodes.
        let user =
            json!({ "username": "system:node:worker-1", "groups": ["system:nodes", "system:authenticated"] });
        let request = |fields: Value| {
            let mut request = json!({ "kind": kind, "operation": "CREATE", "userInfo": user });
            request.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            json!({ "request": request, "settings": {} }).to_string().into_bytes()
        };
        for (payload, problem) in [
            (b"JSON?".to_vec(), "payload: not JSON: expected a value at line 1 column 1"),
            (b"{\"request\":".to_vec(), "payload: not JSON: expected a value at line 1 column 12"),
            (b"".to_vec(), "payload: not JSON: expected a value at line 1 column 1"),
            (b"[]".to_vec(), "payload: expected an object, found an array"),
            (b"{}".to_vec(), "request.operation: expected a string, found nothing"),
            (request(json!({ "kind": "Pod" })), "request.kind: expected an object, found a string"),
            (request(json!({ "operation": 7 })), "request.operation: expected a string, found a number"),
            (
                request(json!({ "operation": "PATCH" })),
                "request.operation: expected CREATE, UPDATE, DELETE or CONNECT",
            ),
            (request(json!({})), "request.object: expected an object, found nothing"),
            (request(json!({ "object": null })), "request.object: expected an object, found nothing"),
            (request(json!({ "object": "x" })), "request.object: expected an object, found a string"),
        ] {
            let expected = json!({
                "accepted": false,
                "message": format!("{}: cannot evaluate this request: {problem}", entry.id),
                "code": 500,
            });
            assert_eq!(call(&module, "validate", &payload), expected);
        }
        for (settings, problem) in [
            (json!({ "nonsense": 1 }), "settings.nonsense: unknown key"),
            (json!(7), "settings: expected an object, found a number"),
        ] {
            let request = json!({ "kind": kind, "operation": "CREATE", "object": {} });
            let payload = json!({ "request": request, "settings": settings }).to_string();
            let answer = call(&module, "validate", payload.as_bytes());
            let message = answer["message"].as_str().unwrap_or_default();
            assert!(
                message.starts_with(&format!("{}: cannot evaluate this request: {problem}", entry.id)),
                "{answer}"
            );
            assert_eq!(answer["accepted"], false);
        }
    }
}
