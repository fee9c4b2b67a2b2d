//! Connections to a server of the test, and the messages about those that fail.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::thread;

use tempfile::TempDir;

use super::server::{Answer, Server, write_kubeconfig};
use crate::{Connection, Error, Method, Request, Target};

fn target(kubeconfig: PathBuf) -> Target {
    Target { kubeconfig: Some(kubeconfig), context: None }
}

fn read(target: &Target) -> Result<String, Error> {
    Connection::open(target)?.get("/version")
}

fn message(target: &Target) -> String {
    read(target).unwrap_err().to_string()
}

#[test]
fn reads_with_the_credentials_of_the_context() {
    let server = Server::start(|_| Answer::ok("{}"));
    let connection = Connection::open(&target(server.kubeconfig("token: secret-token"))).unwrap();
    assert_eq!(connection.get("/version?a=b").unwrap(), "{}");
    assert_eq!(connection.name(), "context staging");
    assert_eq!(connection.server(), server.address);
    let asked = server.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].line, "GET /version?a=b");
    assert!(asked[0].headers.contains("authorization: Bearer secret-token\r\n"), "{}", asked[0].headers);
}

#[test]
fn a_missing_kubeconfig_names_itself() {
    let folder = TempDir::new().unwrap();
    let message = message(&target(folder.path().join("none")));
    assert!(message.contains("none: cannot be read: No such file"), "{message}");
}

#[test]
fn an_unknown_context_names_the_known_ones() {
    let server = Server::start(|_| Answer::ok("{}"));
    let mut target = target(server.kubeconfig("token: a"));
    target.context = Some("production".to_owned());
    let message = message(&target);
    assert!(message.ends_with("kubeconfig: has no context production; known: staging"), "{message}");
    assert!(server.asked().is_empty());
}

#[test]
fn a_kubeconfig_that_does_not_parse_shows_no_text_of_it() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("broken");
    fs::write(&file, "users:\n- name: a\n  user: {token: [secret-token}\n").unwrap();
    let message = message(&target(file));
    assert!(message.contains("broken: is not a kubeconfig: the YAML does not parse at line 3"), "{message}");
    assert!(!message.contains("secret-token"), "{message}");
}

#[test]
fn a_refused_connection_says_so() {
    let folder = TempDir::new().unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let message = message(&target(write_kubeconfig(&folder, &format!("https://{free}"), "token: a")));
    assert_eq!(
        message,
        format!(
            "https://{free}: refuses the connection; check that the cluster runs and that the context is the \
             right one"
        )
    );
}

#[test]
fn a_server_without_tls_says_so() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        drop(stream.read(&mut [0; 1024]));
    });
    let folder = TempDir::new().unwrap();
    let message = message(&target(write_kubeconfig(&folder, &address, "token: a")));
    assert!(
        message.ends_with(": does not use TLS; correct the address of the cluster in the kubeconfig"),
        "{message}"
    );
}

#[test]
fn rejected_credentials_name_the_context() {
    let server = Server::start(|_| Answer::refusal(401, "Unauthorized", "Unauthorized"));
    let error = read(&target(server.kubeconfig("token: secret-token"))).unwrap_err();
    assert_eq!(error.status(), Some(401));
    let message = error.to_string();
    assert!(
        message.contains("rejects the credentials of context staging; they may have expired"),
        "{message}"
    );
    assert!(!message.contains("secret-token"));
}

#[test]
fn a_refusal_keeps_the_status() {
    let server = Server::start(|_| Answer::refusal(403, "Forbidden", "pods is forbidden"));
    let error = read(&target(server.kubeconfig("token: a"))).unwrap_err();
    assert_eq!(error.status(), Some(403));
    assert_eq!(
        error.to_string(),
        format!("{}: GET /version responded with status 403: pods is forbidden", server.address)
    );
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn a_busy_server_is_asked_again() {
    let mut busy = 2;
    let server = Server::start(move |_| {
        if busy == 0 {
            return Answer::ok("{}");
        }
        busy -= 1;
        let headers = vec![("retry-after", "0".to_owned())];
        Answer { headers, ..Answer::refusal(429, "TooManyRequests", "slow down") }
    });
    assert_eq!(read(&target(server.kubeconfig("token: a"))).unwrap(), "{}");
    assert_eq!(server.asked().len(), 3);
}

#[test]
fn a_request_that_writes_is_not_repeated_after_a_failure() {
    let server = Server::start(|_| Answer::refusal(500, "InternalError", "broken"));
    let connection = Connection::open(&target(server.kubeconfig("token: a"))).unwrap();
    let request = Request::new(Method::POST, "/api/v1/namespaces", b"{}".to_vec());
    assert_eq!(connection.send(&request).unwrap_err().status(), Some(500));
    assert_eq!(server.asked().len(), 1);
    assert!(server.asked()[0].headers.contains("content-type: application/json\r\n"));
}

/// Returns the fields of a user whose credentials a shell script prints.
#[cfg(unix)]
fn plugin(script: &str) -> String {
    format!(
        "exec: {{apiVersion: client.authentication.k8s.io/v1, command: sh, args: [-c, '{script}'], \
         interactiveMode: Never}}"
    )
}

#[cfg(unix)]
#[test]
fn a_plugin_gives_the_credentials() {
    let server = Server::start(|_| Answer::ok("{}"));
    let credential = r#"{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "from-plugin"}}"#;
    fs::write(server.folder.path().join("credential"), credential).unwrap();
    let script = format!("cat {}", server.folder.path().join("credential").display());
    read(&target(server.kubeconfig(&plugin(&script)))).unwrap();
    assert!(server.asked()[0].headers.contains("authorization: Bearer from-plugin\r\n"));
}

#[cfg(unix)]
#[test]
fn a_plugin_that_fails_shows_what_it_says_and_not_what_it_prints() {
    let server = Server::start(|_| Answer::ok("{}"));
    let script = "echo secret-token; echo the session has expired >&2; exit 3";
    let message = message(&target(server.kubeconfig(&plugin(script))));
    assert!(
        message.contains(
            "the credential plugin sh failed with exit status: 3: the session has expired; log in again"
        ),
        "{message}"
    );
    assert!(!message.contains("secret-token"), "{message}");
}

#[cfg(unix)]
#[test]
fn a_plugin_that_prints_something_else_shows_nothing_of_it() {
    let server = Server::start(|_| Answer::ok("{}"));
    let message = message(&target(server.kubeconfig(&plugin("echo secret-token: ["))));
    assert!(message.contains("the credential plugin sh printed no ExecCredential"), "{message}");
    assert!(!message.contains("secret-token"), "{message}");
}

#[test]
fn a_bad_authority_is_named() {
    let folder = TempDir::new().unwrap();
    let file = write_kubeconfig(&folder, "https://127.0.0.1:1", "token: a");
    let text = fs::read_to_string(&file).unwrap();
    let text = text.replace("cluster: {server", "cluster: {certificate-authority: missing.crt, server");
    fs::write(&file, text).unwrap();
    let message = message(&target(file));
    assert!(
        message.contains("context staging: failed to load certificate authority: failed to read file"),
        "{message}"
    );
    assert!(message.contains("missing.crt"), "{message}");
}

#[test]
fn the_namespace_of_kubewarden_is_that_of_its_webhooks() {
    const POLICIES: &str = r#"{"items":[{"webhooks":[
        {"clientConfig":{"url":"https://example.com"}},
        {"clientConfig":{"service":{"namespace":"cattle-kubewarden-system","name":"policy-server-default"}}}
    ]}]}"#;
    let find = |validating: Answer, mutating: Answer| {
        let server = Server::start(move |asked| {
            assert!(asked.line.contains("?labelSelector=app.kubernetes.io%2Fpart-of%3Dkubewarden&"));
            if asked.line.contains("/validatingwebhookconfigurations?") { &validating } else { &mutating }
                .clone()
        });
        crate::kubewarden_namespace(&Connection::open(&target(server.kubeconfig("token: a"))).unwrap())
    };
    let (none, some) = (Answer::ok(r#"{"items":[]}"#), Answer::ok(POLICIES));
    let namespace = Some("cattle-kubewarden-system".to_owned());
    assert_eq!(find(some.clone(), none.clone()).unwrap(), namespace);
    assert_eq!(find(none.clone(), some).unwrap(), namespace);
    assert_eq!(find(none.clone(), none).unwrap(), None);
    let refusal = Answer::refusal(403, "Forbidden", "no");
    assert_eq!(find(refusal.clone(), refusal).unwrap_err().status(), Some(403));
}
