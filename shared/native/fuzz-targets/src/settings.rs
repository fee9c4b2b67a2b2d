//! Settings, alone and as part of a payload.

use admission::{Decision, Operation, PolicyEntry, ScopeRule};
use serde_json::{Value, json};

use crate::payload::{cluster, is_json};

/// Every policy checks the settings: valid settings stay valid when they are rewritten, and a
/// request with invalid settings is denied.
pub(crate) fn run(input: &[u8]) -> bool {
    let mut valid = false;
    for entry in rules::CATALOG {
        match (entry.check_settings)(input) {
            Ok(()) => {
                valid = true;
                survive_a_rewrite(entry, input);
            }
            Err(error) => {
                assert!(!error.to_string().is_empty(), "{}: rejected without a reason", entry.id);
                deny_a_request(entry, input);
            }
        }
    }
    valid
}

fn survive_a_rewrite(entry: &PolicyEntry, settings: &[u8]) {
    let id = entry.id;
    let text = std::str::from_utf8(settings);
    // The only integer that serde_json does not write as it reads it.
    if text.is_ok_and(|text| text.contains("-0")) {
        return;
    }
    let value: Value = match serde_json::from_slice(settings) {
        Ok(value) => value,
        Err(error) => panic!("{id}: valid, but {error}"),
    };
    for text in [value.to_string(), format!("{value:#}")] {
        assert_eq!((entry.check_settings)(text.as_bytes()), Ok(()), "{id}: {text}");
    }
}

fn deny_a_request(entry: &PolicyEntry, settings: &[u8]) {
    let id = entry.id;
    if !is_json(settings) {
        return;
    }
    let request = matching_request(entry);
    let mut payload = format!(r#"{{"request":{request},"settings":"#).into_bytes();
    payload.extend_from_slice(settings);
    payload.push(b'}');
    let decision = (entry.evaluate)(&payload, cluster()).decision;
    assert!(matches!(decision, Decision::Fault(_)), "{id}: {decision:?}");
}

fn matching_request(entry: &PolicyEntry) -> Value {
    let rule = entry.scope.0[0];
    let operation = Operation::ALL.iter().find(|(_, operation)| *operation == rule.operations[0]).unwrap().0;
    json!({
        "kind": { "group": rule.group, "version": ScopeRule::VERSION, "kind": rule.kind },
        "object": {},
        "operation": operation,
    })
}
