//! Kubewarden's policy-server on loopback.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;
use tests::api_server::ApiServer;
use tests::process::{Process, free_ports};

/// The user of the policy server: the service account of `deploy/policy-server.yaml`.
pub(crate) const USER: &str = "system:serviceaccount:kubewarden:portcullis-policy-server";

/// The policy servers so far, each of which has a folder.
static STARTED: AtomicU32 = AtomicU32::new(0);

/// A policy server. It ends with the value, even if the test fails.
#[derive(Debug)]
pub(crate) struct PolicyServer {
    pub(crate) port: u16,
    readiness: u16,
    arguments: Vec<String>,
    configuration: PathBuf,
    log: PathBuf,
    process: Option<Process>,
}

impl PolicyServer {
    /// Starts a policy server, and waits until it is ready.
    pub(crate) fn start(api_server: &ApiServer, policies: &Value) -> Self {
        let mut server = Self::new(api_server, policies);
        server.restart();
        server
    }

    /// Returns the log of a policy server that must not start with these policies.
    pub(crate) fn refuse(api_server: &ApiServer, policies: &Value) -> String {
        let server = Self::new(api_server, policies);
        let output = server.command().output().unwrap();
        assert!(!output.status.success(), "the policy server started and ended");
        String::from_utf8(output.stderr).unwrap()
    }

    fn new(api_server: &ApiServer, policies: &Value) -> Self {
        let [port, readiness] = free_ports();
        // A port can be free again.
        let number = STARTED.fetch_add(1, Ordering::SeqCst);
        let folder = api_server.folder().join(format!("policy-server-{number}"));
        fs::create_dir(&folder).unwrap();
        let path = |name: &str| folder.join(name).display().to_string();
        fs::write(path("policies.yml"), policies.to_string()).unwrap();
        // Modules of files have no signatures. Without this file, the server would ask Sigstore.
        fs::write(path("trust.json"), "{}").unwrap();
        // The server accepts one certificate, without that of its issuer.
        let [chain, key] = api_server.certificate();
        let chain = fs::read_to_string(chain).unwrap();
        let (certificate, _) = chain.split_once("-----END CERTIFICATE-----").unwrap();
        fs::write(path("certificate"), format!("{certificate}-----END CERTIFICATE-----\n")).unwrap();
        let arguments = [
            ["--addr", "127.0.0.1"].map(str::to_owned),
            ["--port".to_owned(), port.to_string()],
            ["--readiness-probe-port".to_owned(), readiness.to_string()],
            ["--cert-file".to_owned(), path("certificate")],
            ["--key-file".to_owned(), key.display().to_string()],
            ["--policies".to_owned(), path("policies.yml")],
            ["--policies-download-dir".to_owned(), path("modules")],
            ["--sigstore-trust-config".to_owned(), path("trust.json")],
            ["--sigstore-cache-dir".to_owned(), path("sigstore")],
        ];
        Self {
            port,
            readiness,
            arguments: arguments.concat(),
            configuration: api_server.user(USER).kubeconfig("policy-server.kubeconfig", ""),
            log: folder.join("log"),
            process: None,
        }
    }

    fn command(&self) -> Command {
        let mut command = Command::new("policy-server");
        // This version of the server colours its log if the variable is set, and not otherwise.
        command.env_remove("NO_COLOR");
        command.args(&self.arguments).env("KUBECONFIG", &self.configuration);
        command
    }

    /// Starts the server again after its end, with the same policies and the same address.
    pub(crate) fn restart(&mut self) {
        assert!(self.process.is_none(), "the policy server runs");
        let mut process = Process::start(&mut self.command(), self.log.clone());
        process.wait(|| self.is_ready());
        self.process = Some(process);
    }

    /// Ends the server at once, with all requests that it judges.
    pub(crate) fn kill(&mut self) {
        assert!(self.process.take().is_some(), "the policy server does not run");
    }

    /// Asks as the kubelet does.
    fn is_ready(&self) -> bool {
        let ask = || -> std::io::Result<String> {
            let mut stream = TcpStream::connect(("127.0.0.1", self.readiness))?;
            write!(stream, "GET /readiness HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            TcpStream::connect(("127.0.0.1", self.port))?;
            Ok(answer)
        };
        ask().is_ok_and(|answer| answer.starts_with("HTTP/1.1 200 "))
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }
}
