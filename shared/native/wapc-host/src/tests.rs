//! The host with small modules, each of which does one thing.

use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kubernetes::objects::Objects;
use serde_json::{Value, json};

use crate::{
    AdmissionRequest, CallFailure, CallOutcome, Deployment, Evaluation, Host, HostError, Mode, Module,
    Resource,
};

/// A module with the given code as `validate` that accepts any settings. The texts are in its
/// memory, 1024 bytes apart, the first at 1024.
fn wat(validate: &str, texts: &[&str]) -> String {
    wat_with("", validate, texts)
}

/// The same with further imports and functions.
fn wat_with(definitions: &str, validate: &str, texts: &[&str]) -> String {
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
            {definitions}
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

fn answering(text: &str) -> String {
    wat(&format!("(call $response (i32.const 1024) (i32.const {})) (i32.const 1)", text.len()), &[text])
}

/// Calls the host and returns its response as the answer, or its error as the error.
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
fn returns_the_modules_answer_as_a_response_and_applies_the_deployment() {
    let answer = r#"{"accepted":true,"mutated_object":{"a":2}}"#;
    let evaluation =
        evaluate(&answering(answer), Deployment { allowed_to_mutate: true, ..Deployment::new("p") });
    assert_eq!(evaluation.response.patch, Some(json!([{ "op": "replace", "path": "/a", "value": 2 }])));
    assert_eq!(evaluation.raw.as_deref(), Some(answer.as_bytes()));
    assert!(evaluation.response.allowed);
    assert!(evaluation.calls.is_empty() && evaluation.logs.is_empty());
    let answer = r#"{"accepted":false,"message":"no","code":403}"#;
    let monitor = evaluate(&answering(answer), Deployment { mode: Mode::Monitor, ..Deployment::new("p") });
    assert!(monitor.response.allowed);
    assert_eq!(monitor.raw.as_deref(), Some(answer.as_bytes()));
}

#[test]
fn interrupts_an_endless_loop() {
    let begin = Instant::now();
    let message = denied(&wat("(loop $forever (br $forever)) (i32.const 1)", &[]));
    assert_eq!(message, "Policy execution interrupted because it exceeded the allowed execution time");
    assert!(begin.elapsed() >= Duration::from_secs(1));
}

#[test]
fn the_clock_runs_as_long_as_a_module_exists() {
    let host = Host::new().unwrap();
    let module = load(&host, &wat("(loop $forever (br $forever)) (i32.const 1)", &[]));
    drop(host);
    assert_eq!(
        module.call("validate", b"").unwrap_err().to_string(),
        "Guest call failure: guest code interrupted, execution deadline exceeded",
    );
}

#[test]
fn reports_a_failure_of_the_module_as_an_internal_error() {
    let boolean =
        "invalid response from policy: invalid type: string \"yes\", expected a boolean at line 1 column 17";
    let trap = "Guest call failure: error while executing at wasm backtrace:\n";
    for (wat, want) in [
        (wat("unreachable", &[]), trap),
        (
            wat("(call $error (i32.const 1024) (i32.const 4)) (i32.const 0)", &["oops"]),
            "Guest call failure: oops",
        ),
        (answering("oops"), "invalid response from policy: expected value at line 1 column 1"),
        (answering(r#"{"accepted":"yes"}"#), boolean),
        (wat("(i32.const 0)", &[]), "Guest call failure: No error message set for call failure"),
        (wat("(i32.const 1)", &[]), "Guest call failure: No error message OR response set for call success"),
    ] {
        let message = denied(&wat);
        let found = message.strip_prefix("internal server error: ").unwrap();
        assert!(found == want || want == trap && found.starts_with(trap), "{want}: {message}");
    }
    let message = denied(&wat("(call $response (i32.const 131000) (i32.const 1024)) (i32.const 1)", &[]));
    assert!(message.contains("wasm backtrace"), "an address outside the memory: {message}");
}

#[test]
fn refuses_bytes_that_are_not_a_module_and_unknown_imports() {
    let unknown = wat::parse_str(r#"(module (import "env" "clock" (func)))"#).unwrap();
    for (wasm, problem) in
        [(unknown.as_slice(), "unknown import: `env::clock` has not been defined"), (&b"(module)"[..], "")]
    {
        let error = Host::new().unwrap().load(wasm).unwrap_err().to_string();
        let found = error.strip_prefix("cannot load the module: ").unwrap();
        assert!(found == problem || problem.is_empty(), "{error}");
    }
}

#[test]
fn calls_the_start_functions_of_a_module() {
    let definitions = r#"(global $ready (mut i32) (i32.const 0))
        (func (export "wapc_init") (global.set $ready (i32.add (global.get $ready) (i32.const 1))))
        (func (export "_start") (global.set $ready (i32.const 41)))"#;
    let code = "(if (i32.ne (global.get $ready) (i32.const 42)) (then unreachable))
        (call $response (i32.const 1024) (i32.const 2)) (i32.const 1)";
    let module = load(&Host::new().unwrap(), &wat_with(definitions, code, &["ok"]));
    assert_eq!(module.call("validate", b""), Ok(b"ok".to_vec()));
}

#[test]
fn reports_a_module_that_cannot_be_started() {
    let host = Host::new().unwrap();
    let failure = |wat: &str| load(&host, wat).call("validate", b"").unwrap_err().to_string();
    assert_eq!(
        failure("(module)"),
        "cannot build Wapc host: Initialization failed: Guest call function (__guest_call) not exported by wasm \
         module.",
    );
    assert_eq!(
        failure(&wat_with(
            r#"(func (export "wapc_init") (loop $forever (br $forever)))"#,
            "(i32.const 1)",
            &[]
        )),
        "cannot build Wapc host: Initialization failed: Initialization failed: wapc_init init interrupted, execution \
         deadline exceeded",
    );
    let trap = failure(&wat_with(r#"(func (export "_start") unreachable)"#, "(i32.const 1)", &[]));
    let expected =
        "cannot build Wapc host: Initialization failed: Initialization failed: error while executing";
    assert!(trap.starts_with(expected), "{trap}");
}

/// A call of a function of WASI that answers with the number, or else traps.
fn expecting(number: i32, call: &str) -> String {
    format!("(if (i32.ne {call} (i32.const {number})) (then unreachable))")
}

#[test]
fn offers_wasi_without_files_arguments_and_environment() {
    let definitions = r#"
        (import "wasi_snapshot_preview1" "environ_sizes_get" (func $environ (param i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "args_sizes_get" (func $args (param i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "clock_time_get" (func $now (param i32 i64 i32) (result i32)))
        (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "fd_fdstat_get" (func $status (param i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "fd_prestat_get" (func $folder (param i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
        (import "wasi_unstable" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))"#;
    let answers = [
        (0, "(call $environ (i32.const 8192) (i32.const 8196))"),
        (0, "(call $args (i32.const 8192) (i32.const 8196))"),
        (0, "(i32.load (i32.const 8192))"),
        (0, "(call $now (i32.const 0) (i64.const 1) (i32.const 8200))"),
        (0, "(call $now (i32.const 1) (i64.const 1) (i32.const 8192))"),
        (0, "(i64.lt_u (i64.load (i32.const 8200)) (i64.load (i32.const 8192)))"),
        (8, "(call $now (i32.const 2) (i64.const 1) (i32.const 8200))"),
        (0, "(call $random (i32.const 8208) (i32.const 19))"),
        (0, "(i64.eq (i64.load (i32.const 8208)) (i64.load (i32.const 8216)))"),
        (0, "(call $status (i32.const 2) (i32.const 8192))"),
        (8, "(call $status (i32.const 3) (i32.const 8192))"),
        (8, "(call $folder (i32.const 3) (i32.const 8192))"),
        (52, "(call $poll (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8192))"),
        (0, "(call $read (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 8192))"),
    ];
    let checks: String = answers.iter().map(|(number, call)| expecting(*number, call)).collect();
    let code = format!("{checks} (call $response (i32.const 1024) (i32.const 2)) (i32.const 1)");
    let module = load(&Host::new().unwrap(), &wat_with(definitions, &code, &["ok"]));
    assert_eq!(module.call("validate", b""), Ok(b"ok".to_vec()));
}

#[test]
fn keeps_what_a_module_prints() {
    let definitions = r#"(import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
        (import "wapc" "__console_log" (func $log (param i32 i32)))"#;
    // Two texts, of which the entries are at 8192: their addresses and lengths.
    let code = "(i32.store (i32.const 8192) (i32.const 1024)) (i32.store (i32.const 8196) (i32.const 8))
        (i32.store (i32.const 8200) (i32.const 2048)) (i32.store (i32.const 8204) (i32.const 4))
        (drop (call $write (i32.const 2) (i32.const 8192) (i32.const 2) (i32.const 8208)))
        (if (i32.ne (i32.load (i32.const 8208)) (i32.const 12)) (then unreachable))
        (call $log (i32.const 3072) (i32.const 6))
        unreachable";
    let policy = wat_with(definitions, code, &["panic\nat", "line", "logged"]);
    let evaluation = evaluate(&policy, Deployment::new("p"));
    assert_eq!(evaluation.logs, [json!("logged"), json!("panic"), json!("atline")]);
}

#[test]
fn exit_ends_a_start_function_with_status_0_and_a_call_with_any() {
    let exit = |status: u32, code: &str| {
        let definitions = format!(
            r#"(import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
            (func (export "_start") (call $exit (i32.const {status})))"#
        );
        load(&Host::new().unwrap(), &wat_with(&definitions, code, &["ok"])).call("validate", b"")
    };
    let answer = "(call $response (i32.const 1024) (i32.const 2)) (i32.const 1)";
    assert_eq!(exit(0, answer), Ok(b"ok".to_vec()));
    assert!(matches!(exit(1, answer), Err(CallFailure::Start(_))));
    assert!(matches!(exit(0, "(call $exit (i32.const 0)) (i32.const 1)"), Err(CallFailure::Call(_))));
}

#[test]
fn limits_memory() {
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
fn uses_a_new_instance_for_every_call() {
    let code = "(if (i32.load (i32.const 512)) (then unreachable))
        (i32.store (i32.const 512) (i32.const 1))
        (call $response (i32.const 1024) (i32.const 2)) (i32.const 1)";
    let module = load(&Host::new().unwrap(), &wat(code, &["ok"]));
    assert_eq!(module.call("validate", b""), Ok(b"ok".to_vec()));
    assert_eq!(module.call("validate", b""), Ok(b"ok".to_vec()));
}

#[test]
fn passes_the_payload_of_the_request() {
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
fn passes_settings_as_an_object() {
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
    let callback =
        "Policy settings are invalid: Error invoking settings validation callback: GuestCallFailure";
    assert_eq!(refused(Value::Null).to_string(), format!(r#"{callback}("{{}}")"#));
    assert_eq!(refused(json!({ "a": 1 })).to_string(), format!(r#"{callback}("{{\"a\":1}}")"#));
    assert_eq!(refused(json!([])).to_string(), "Invalid settings in CRD, not an object");
}

#[test]
fn refuses_settings_that_the_module_refuses() {
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
fn refuses_a_capability_that_grants_nothing() {
    let module = load(&Host::new().unwrap(), &answering("{}"));
    let host_capabilities = vec!["kubernetes/*".to_owned(), "kubernetes".to_owned()];
    assert_eq!(
        module.deploy(Deployment { host_capabilities, ..Deployment::new("p") }).unwrap_err().to_string(),
        "hostCapabilities: \"kubernetes\" grants nothing; write *, a prefix such as kubernetes/* or a name such as \
         kubernetes/get_resource",
    );
}

#[test]
fn answers_and_records_look_ups() {
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
fn keeps_logs_and_denies_host_calls_that_are_not_granted() {
    let logged = evaluate(&asking("tracing", "log", r#"{"level":"INFO"}"#), Deployment::new("p"));
    assert_eq!(logged.logs, [json!({ "level": "INFO" })]);
    assert!(logged.calls.is_empty());
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
fn several_threads_can_share_a_policy() {
    fn shared<T: Send + Sync>() {}
    shared::<Host>();
    shared::<Module>();
    shared::<crate::DeployedPolicy>();
}

/// The digest is that of `sha256sum`, and of registries.
#[test]
fn a_module_has_the_digest_of_its_bytes() {
    // A module without anything: the magic number and the version.
    let module = Host::new().unwrap().load(b"\0asm\x01\0\0\0").unwrap();
    assert_eq!(module.digest(), "sha256:93a44bbb96c751218e4c00d479e4c14358122a389acca16205b1e4d0dc5f9476");
}
