//! The host against small modules that do one thing each.

use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cluster_objects::Objects;
use serde_json::{Value, json};

use crate::{AdmissionRequest, CallOutcome, Deployment, Evaluation, Host, HostError, Mode, Module, Resource};

/// A module whose `validate` is the given code, with these texts in memory, one every 1024 bytes from 1024
/// on. It accepts any settings.
fn wat(validate: &str, texts: &[&str]) -> String {
    let mut data = String::new();
    for (address, text) in (1024..).step_by(1024).zip(texts) {
        let bytes = text.bytes().fold(String::new(), |mut bytes, byte| {
            write!(bytes, "\\{byte:02x}").unwrap();
            bytes
        });
        writeln!(data, r#"(data (i32.const {address}) "{bytes}")"#).unwrap();
    }
    format!(
        r#"(module
            (import "wapc" "__guest_request" (func $request (param i32 i32)))
            (import "wapc" "__guest_response" (func $response (param i32 i32)))
            (import "wapc" "__guest_error" (func $error (param i32 i32)))
            (import "wapc" "__host_call"
                (func $host_call (param i32 i32 i32 i32 i32 i32 i32 i32) (result i32)))
            (import "wapc" "__host_response" (func $host_response (param i32)))
            (import "wapc" "__host_response_len" (func $host_response_len (result i32)))
            (import "wapc" "__host_error" (func $host_error (param i32)))
            (import "wapc" "__host_error_len" (func $host_error_len (result i32)))
            (memory (export "memory") 2)
            (data (i32.const 0) "{{\"valid\":true}}")
            {data}
            (func (export "__guest_call") (param $operation i32) (param $message i32) (result i32)
                (if (i32.eq (local.get $operation) (i32.const 17)) (then
                    (call $response (i32.const 0) (i32.const 14))
                    (return (i32.const 1))))
                {validate}))"#
    )
}

fn load(host: &Host, wat: &str) -> Module {
    host.load(&wat::parse_str(wat).unwrap()).unwrap()
}

/// Gives the first text as the answer.
fn answering(text: &str) -> String {
    wat(&format!("(call $response (i32.const 1024) (i32.const {})) (i32.const 1)", text.len()), &[text])
}

/// Asks the host and gives its words as the answer or as the error.
fn asking(namespace: &str, operation: &str, payload: &str) -> String {
    let code = format!(
        "(if (call $host_call (i32.const 1024) (i32.const 10) (i32.const 2048) (i32.const {}) (i32.const 3072)
                (i32.const {}) (i32.const 4096) (i32.const {})) (then
            (call $host_response (i32.const 8192))
            (call $response (i32.const 8192) (call $host_response_len))
            (return (i32.const 1))))
        (call $host_error (i32.const 8192))
        (call $error (i32.const 8192) (call $host_error_len))
        (i32.const 0)",
        namespace.len(),
        operation.len(),
        payload.len(),
    );
    wat(&code, &["kubewarden", namespace, operation, payload])
}

fn request() -> AdmissionRequest {
    AdmissionRequest::from_value(json!({
        "uid": "u",
        "kind": { "group": "", "version": "v1", "kind": "Pod" },
        "resource": { "group": "", "version": "v1", "resource": "pods" },
        "operation": "CREATE",
        "userInfo": {},
        "object": { "a": 1 },
    }))
    .unwrap()
}

fn evaluate(wat: &str, deployment: Deployment) -> Evaluation {
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "d" } });
    let cluster = Arc::new(Objects::from_values(vec![namespace]).unwrap());
    let policy = load(&Host::new().unwrap(), wat).deploy(deployment).unwrap();
    policy.validate(&request(), &cluster)
}

fn denied(wat: &str) -> String {
    let Evaluation { response, .. } = evaluate(wat, Deployment::new("p"));
    assert!(!response.allowed);
    let status = response.status.unwrap();
    assert_eq!(status.code, Some(500));
    status.message.unwrap()
}

#[test]
fn a_modules_answer_becomes_a_response() {
    let answer = r#"{"accepted":true,"mutated_object":{"a":2}}"#;
    let evaluation =
        evaluate(&answering(answer), Deployment { allowed_to_mutate: true, ..Deployment::new("p") });
    assert_eq!(evaluation.response.patch, Some(json!([{ "op": "replace", "path": "/a", "value": 2 }])));
    assert_eq!(evaluation.raw.as_deref(), Some(answer.as_bytes()));
    assert!(evaluation.response.allowed);
    assert!(evaluation.calls.is_empty() && evaluation.logs.is_empty());
}

#[test]
fn constraints_of_the_deployment_apply() {
    let answer = r#"{"accepted":false,"message":"no","code":403}"#;
    let monitor = evaluate(&answering(answer), Deployment { mode: Mode::Monitor, ..Deployment::new("p") });
    assert!(monitor.response.allowed);
    assert_eq!(monitor.raw.as_deref(), Some(answer.as_bytes()));
}

#[test]
fn an_endless_loop_ends_with_the_time() {
    let begin = Instant::now();
    let message = denied(&wat("(loop $forever (br $forever)) (i32.const 1)", &[]));
    assert_eq!(
        message,
        "Policy execution interrupted because it exceeded the allowed execution time"
    );
    assert!(begin.elapsed() >= Duration::from_secs(1));
}

#[test]
fn the_clock_runs_for_as_long_as_a_module() {
    let host = Host::new().unwrap();
    let module = load(&host, &wat("(loop $forever (br $forever)) (i32.const 1)", &[]));
    drop(host);
    assert_eq!(
        module.call("validate", b"").unwrap_err(),
        "Guest call failure: guest code interrupted, execution deadline exceeded",
    );
}

#[test]
fn a_trap_is_an_internal_error() {
    let message = denied(&wat("unreachable", &[]));
    let expected = "internal server error: Guest call failure: error while executing at wasm backtrace:\n";
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn a_guests_error_is_an_internal_error() {
    let wat = wat("(call $error (i32.const 1024) (i32.const 4)) (i32.const 0)", &["oops"]);
    assert_eq!(denied(&wat), "internal server error: Guest call failure: oops");
}

#[test]
fn an_answer_that_is_none_is_an_internal_error() {
    assert_eq!(
        denied(&answering("oops")),
        "internal server error: invalid response from policy: expected value at line 1 column 1",
    );
    assert_eq!(
        denied(&answering(r#"{"accepted":"yes"}"#)),
        "internal server error: invalid response from policy: invalid type: string \"yes\", expected a boolean \
         at line 1 column 17",
    );
}

#[test]
fn memory_has_a_limit() {
    let grow = |pages: u32| {
        let code = format!(
            "(if (i32.eq (memory.grow (i32.const {pages})) (i32.const -1)) (then unreachable))
            (call $response (i32.const 1024) (i32.const 17)) (i32.const 1)"
        );
        wat(&code, &[r#"{"accepted":true}"#])
    };
    assert!(evaluate(&grow(1022), Deployment::new("p")).response.allowed);
    assert!(denied(&grow(1023)).contains("wasm backtrace"));
}

#[test]
fn every_call_has_an_instance_of_its_own() {
    let code = "(if (i32.load (i32.const 512)) (then unreachable))
        (i32.store (i32.const 512) (i32.const 1))
        (call $response (i32.const 1024) (i32.const 2)) (i32.const 1)";
    let module = load(&Host::new().unwrap(), &wat(code, &["ok"]));
    assert_eq!(module.call("validate", b""), Ok(b"ok".to_vec()));
    assert_eq!(module.call("validate", b""), Ok(b"ok".to_vec()));
}

#[test]
fn a_module_gets_the_payload_of_the_request() {
    let code = "(call $request (i32.const 512) (i32.const 8192))
        (call $response (i32.const 8192) (local.get $message)) (i32.const 1)";
    let settings = json!({ "s": 1 });
    let evaluation = evaluate(
        &wat(code, &[]),
        Deployment { settings: settings.clone(), mode: Mode::Monitor, ..Deployment::new("p") },
    );
    assert_eq!(evaluation.raw, Some(request().payload(&settings)));
}

#[test]
fn an_unknown_import_is_refused() {
    let wasm = wat::parse_str(r#"(module (import "env" "clock" (func)))"#).unwrap();
    assert_eq!(
        Host::new().unwrap().load(&wasm).unwrap_err().to_string(),
        "cannot load the module: unknown import: `env::clock` has not been defined",
    );
}

#[test]
fn what_is_no_module_is_refused() {
    let error = Host::new().unwrap().load(b"(module)").unwrap_err();
    assert!(error.to_string().starts_with("cannot load the module: "), "{error}");
}

#[test]
fn settings_are_an_object() {
    let echo = "(module
        (import \"wapc\" \"__guest_request\" (func $request (param i32 i32)))
        (import \"wapc\" \"__guest_error\" (func $error (param i32 i32)))
        (memory (export \"memory\") 1)
        (func (export \"__guest_call\") (param $operation i32) (param $message i32) (result i32)
            (call $request (i32.const 0) (i32.const 1024))
            (call $error (i32.const 1024) (local.get $message))
            (i32.const 0)))";
    let module = load(&Host::new().unwrap(), echo);
    let refused =
        |settings: Value| module.deploy(Deployment { settings, ..Deployment::new("p") }).unwrap_err();
    let callback = "Policy settings are invalid: Error invoking settings validation callback: GuestCallFailure";
    assert_eq!(refused(Value::Null).to_string(), format!(r#"{callback}("{{}}")"#));
    assert_eq!(refused(json!({ "a": 1 })).to_string(), format!(r#"{callback}("{{\"a\":1}}")"#));
    assert_eq!(refused(json!([])).to_string(), "Invalid settings in CRD, not an object");
}

#[test]
fn settings_that_the_module_refuses_are_refused() {
    let refusing = |answer: &str| {
        let module =
            load(&Host::new().unwrap(), &answering(answer).replace("(i32.const 17)", "(i32.const 99)"));
        module.deploy(Deployment::new("p")).unwrap_err()
    };
    assert_eq!(
        refusing(r#"{"valid":false,"message":"allow: expected an object"}"#),
        HostError::Settings("allow: expected an object".to_owned()),
    );
    assert_eq!(refusing(r#"{"valid":false}"#), HostError::Settings("no message".to_owned()));
}

#[test]
fn a_capability_that_grants_nothing_is_refused() {
    let module = load(&Host::new().unwrap(), &answering("{}"));
    let host_capabilities = vec!["kubernetes/*".to_owned(), "kubernetes".to_owned()];
    assert_eq!(
        module.deploy(Deployment { host_capabilities, ..Deployment::new("p") }).unwrap_err().to_string(),
        "hostCapabilities: \"kubernetes\" grants nothing; write *, a prefix such as kubernetes/* or a name such as \
         kubernetes/get_resource",
    );
}

#[test]
fn look_ups_are_answered_and_recorded() {
    let get = |name: &str| {
        let payload =
            format!(r#"{{"api_version":"v1","kind":"Namespace","name":"{name}","disable_cache":false}}"#);
        let deployment = Deployment {
            host_capabilities: vec!["kubernetes/get_resource".to_owned()],
            context_aware_resources: vec![Resource { api_version: "v1".into(), kind: "Namespace".into() }],
            ..Deployment::new("p")
        };
        evaluate(&asking("kubernetes", "get_resource", &payload), deployment)
    };
    let found = get("d");
    let object: Value = serde_json::from_slice(&found.raw.unwrap()).unwrap();
    assert_eq!(object, json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "d" } }));
    assert_eq!(found.calls[0].payload["name"], "d");
    assert!(matches!(found.calls[0].outcome, CallOutcome::Answered(_)));

    let missing = get("x");
    let text = "Callback evaluation failure: Cannot find v1/Namespace named 'x' inside of namespace 'None'";
    assert_eq!(missing.calls[0].outcome, CallOutcome::Failed(text.to_owned()));
    assert_eq!(
        missing.response.status.unwrap().message.unwrap(),
        format!("internal server error: Guest call failure: {text}"),
    );
}

#[test]
fn what_is_not_granted_is_denied() {
    let evaluation = evaluate(&asking("net", "v1/dns_lookup_host", "\"a\""), Deployment::new("p"));
    let text = "Policy has not been granted access to the 'net/v1/dns_lookup_host' host capability. The violation \
                has been reported.";
    assert_eq!(evaluation.calls[0].outcome, CallOutcome::Denied(text.to_owned()));
    assert_eq!(
        evaluation.response.status.unwrap().message.unwrap(),
        format!("internal server error: Guest call failure: {text}"),
    );
}

#[test]
fn logs_are_kept() {
    let evaluation = evaluate(&asking("tracing", "log", r#"{"level":"INFO"}"#), Deployment::new("p"));
    assert_eq!(evaluation.logs, [json!({ "level": "INFO" })]);
    assert!(evaluation.calls.is_empty());
}

#[test]
fn a_policy_may_be_used_by_several_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Host>();
    shared::<Module>();
    shared::<crate::DeployedPolicy>();
}
