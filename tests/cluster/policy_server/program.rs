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
use tests::root;

use super::{PolicyServer, USER};

/// The policy servers so far, each of which has a folder.
static STARTED: AtomicU32 = AtomicU32::new(0);

#[derive(Debug)]
pub(crate) struct Program {
    port: u16,
    readiness: u16,
    arguments: Vec<String>,
    configuration: PathBuf,
    log: PathBuf,
    process: Option<Process>,
}

impl Program {
    pub(crate) fn start(api_server: &ApiServer, policies: &Value) -> Self {
        let mut server = Self::new(api_server, policies);
        server.restart();
        server
    }

    pub(crate) fn refuse(api_server: &ApiServer, policies: &Value) -> String {
        let server = Self::new(api_server, policies);
        let output = server.command().output().unwrap();
        assert!(!output.status.success(), "the policy server started and ended");
        let log = String::from_utf8(output.stderr).unwrap();
        let (_, reason) = log.split_once("Policy settings are invalid: ").unwrap_or_else(|| panic!("{log}"));
        reason.lines().next().unwrap_or_default().to_owned()
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
}

impl PolicyServer for Program {
    fn port(&self) -> u16 {
        self.port
    }

    fn restart(&mut self) {
        assert!(self.process.is_none(), "the policy server runs");
        let mut process = Process::start(&mut self.command(), self.log.clone());
        process.wait(|| self.is_ready());
        self.process = Some(process);
    }

    fn kill(&mut self) {
        assert!(self.process.take().is_some(), "the policy server does not run");
    }

    /// The lines that the command of rung 4 of `docs/rolling-out.md` prints: of the log, those with
    /// both texts.
    fn findings(&self) -> Vec<String> {
        let document = fs::read_to_string(root().join("docs/rolling-out.md")).unwrap();
        let command = document.lines().find(|line| line.contains("logs --selector")).unwrap();
        let texts: Vec<&str> = command.split('\'').skip(1).step_by(2).collect();
        assert_eq!(texts, ["monitor mode", "allowed: false"]);
        let log = fs::read_to_string(&self.log).unwrap();
        log.lines().filter(|line| texts.iter().all(|text| line.contains(text))).map(str::to_owned).collect()
    }
}
