//! A real API server on loopback, where its programs are on PATH: `scripts/servers` builds them.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use live::{Connection, Target};

use crate::process::{Process, free_ports};
use crate::{not_run, root};

/// The programs, each with the arguments for its version.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("kube-apiserver", &["--version"]),
    ("etcd", &["--version"]),
    ("kubectl", &["version", "--client"]),
    ("kube-controller-manager", &["--version"]),
];

const ADMIN: (&str, &str) = ("admin", "system:masters");

static STARTED: AtomicU32 = AtomicU32::new(0);

/// An API server with its store, on loopback. Both end with it, even if the test fails.
#[derive(Debug)]
pub struct ApiServer {
    folder: PathBuf,
    address: String,
    /// In the order in which they end: the controllers, the server, its store.
    processes: Vec<Process>,
}

/// A user of the server.
#[derive(Clone, Debug)]
pub struct User<'a> {
    server: &'a ApiServer,
    name: String,
}

/// The answer of kubectl.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Whether the request succeeded.
    pub is_success: bool,
    /// The text on the standard output.
    pub output: String,
    /// The text on the standard error, which contains warnings of the server, too.
    pub errors: String,
}

/// Returns the first program that is not installed.
fn missing() -> Option<&'static str> {
    let is_missing =
        |(program, version): &&(&str, &[&str])| Command::new(program).args(*version).output().is_err();
    PROGRAMS.iter().find(is_missing).map(|(missing, _)| *missing)
}

/// Returns whether the programs are installed; reports that `what` does not run if one is missing.
///
/// # Panics
/// A program is missing and `PORTCULLIS_REQUIRE_API_SERVER` is set.
#[must_use]
pub fn can_run(what: &str) -> bool {
    let Some(missing) = missing() else { return true };
    not_run("API_SERVER", what, &format!("{missing} is not installed")).unwrap();
    false
}

/// Returns the token of a user. The server accepts it for as long as the test runs.
fn token(user: &str) -> String {
    format!("token-of-{user}")
}

impl ApiServer {
    /// Starts a server with further arguments. Its only user may do everything.
    ///
    /// # Panics
    /// It does not start; the message is its log.
    #[must_use]
    pub fn start(folder: &Path, arguments: &[&str]) -> Self {
        Self::start_with_users(folder, arguments, &[])
    }

    /// Starts a server as [`ApiServer::start`] does.
    ///
    /// # Errors
    /// A program is missing.
    ///
    /// # Panics
    /// See [`ApiServer::start`].
    pub fn try_start(folder: &Path, arguments: &[&str]) -> Result<Self, String> {
        match missing() {
            Some(missing) => Err(format!("{missing} is not on PATH; build it with ./justw servers")),
            None => Ok(Self::start(folder, arguments)),
        }
    }

    /// Starts a server with further users, each with its group. Roles have to be bound to them.
    ///
    /// # Panics
    /// See [`ApiServer::start`].
    #[must_use]
    pub fn start_with_users(folder: &Path, arguments: &[&str], users: &[(&str, &str)]) -> Self {
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let folder = folder.join(format!("api-server-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut tokens = String::new();
        for (name, group) in [&ADMIN].into_iter().chain(users) {
            writeln!(tokens, "{},{name},{name},{group}", token(name)).unwrap();
        }
        fs::write(folder.join("tokens.csv"), tokens).unwrap();
        let [port, store, peer] = free_ports();
        let mut server = Self { folder, address: format!("https://127.0.0.1:{port}"), processes: Vec::new() };
        let (store, peer) = (format!("http://127.0.0.1:{store}"), format!("http://127.0.0.1:{peer}"));
        let path = |name: &str| server.folder.join(name).display().to_string();
        let [certificate, key] = server.certificate().map(|path| path.display().to_string());
        let of_store = [
            format!("--data-dir={}", path("store")),
            format!("--listen-client-urls={store}"),
            format!("--advertise-client-urls={store}"),
            format!("--listen-peer-urls={peer}"),
        ];
        let mut of_server = vec![
            format!("--etcd-servers={store}"),
            "--bind-address=127.0.0.1".to_owned(),
            // Since 1.37, no other Service may have a loopback address as its endpoint.
            "--endpoint-reconciler-type=none".to_owned(),
            format!("--secure-port={port}"),
            // The server writes a certificate and a key into this folder. Nothing checks the tokens
            // of service accounts, so the key signs them too.
            format!("--cert-dir={}", Path::new(&certificate).parent().unwrap().display()),
            format!("--service-account-key-file={key}"),
            format!("--service-account-signing-key-file={key}"),
            format!("--service-account-issuer={}", server.address),
            format!("--token-auth-file={}", path("tokens.csv")),
            "--authorization-mode=RBAC".to_owned(),
            "--service-cluster-ip-range=10.96.0.0/16".to_owned(),
        ];
        of_server.extend(arguments.iter().map(|&argument| argument.to_owned()));
        let start = |program: &str, arguments: &[String]| {
            Process::start(
                Command::new(program).args(arguments),
                server.folder.join(format!("{program}.log")),
            )
        };
        let store = start("etcd", &of_store);
        let mut process = start("kube-apiserver", &of_server);
        process.wait(|| server.kubectl(&["get", "--raw", "/readyz"]).is_ok());
        server.processes = vec![process, store];
        server
    }

    /// Starts the controllers: they make the pods of workloads, and service accounts.
    ///
    /// # Panics
    /// They do not start.
    pub fn start_controllers(&mut self) {
        let kubeconfig = self.kubeconfig("controllers.kubeconfig", "");
        let [certificate, key] = self.certificate().map(|path| path.display().to_string());
        let arguments = [
            format!("--kubeconfig={}", kubeconfig.display()),
            format!("--root-ca-file={certificate}"),
            format!("--service-account-private-key-file={key}"),
            "--use-service-account-credentials".to_owned(),
            "--leader-elect=false".to_owned(),
            // No kubelet renews the Lease of a node, which would become unreachable.
            "--controllers=*,-node-lifecycle-controller".to_owned(),
            // They serve nothing.
            "--secure-port=0".to_owned(),
            "--kube-api-qps=1000".to_owned(),
            "--kube-api-burst=1000".to_owned(),
        ];
        let log = self.folder.join("kube-controller-manager.log");
        self.processes
            .insert(0, Process::start(Command::new("kube-controller-manager").args(arguments), log));
    }

    /// The authority of the certificate, for `caBundle` of webhooks.
    ///
    /// # Panics
    /// The certificate cannot be read.
    #[must_use]
    pub fn authority(&self) -> String {
        let [certificate, _] = self.certificate();
        STANDARD.encode(fs::read(certificate).unwrap())
    }

    /// The folder for files of the test, which ends with the server.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The certificate and the key of the server, which are valid for the loopback address.
    #[must_use]
    pub fn certificate(&self) -> [PathBuf; 2] {
        ["crt", "key"].map(|suffix| self.folder.join(format!("certificates/apiserver.{suffix}")))
    }

    /// The user with this name.
    #[must_use]
    pub fn user(&self, name: &str) -> User<'_> {
        User { server: self, name: name.to_owned() }
    }

    /// Writes a kubeconfig of the user who may do everything; see [`User::kubeconfig`].
    #[must_use]
    pub fn kubeconfig(&self, file: &str, fields: &str) -> PathBuf {
        self.user(ADMIN.0).kubeconfig(file, fields)
    }

    /// Connects as the user who may do everything; see [`User::connection`].
    #[must_use]
    pub fn connection(&self) -> Connection {
        self.user(ADMIN.0).connection()
    }

    /// Runs kubectl as the user who may do everything. Returns the text that it prints.
    ///
    /// # Errors
    /// The text that it prints on standard error, if it fails.
    pub fn kubectl(&self, arguments: &[&str]) -> Result<String, String> {
        self.kubectl_with("", arguments)
    }

    /// Does the same with a text as the standard input.
    ///
    /// # Errors
    /// See [`ApiServer::kubectl`].
    pub fn kubectl_with(&self, input: &str, arguments: &[&str]) -> Result<String, String> {
        let answer = self.user(ADMIN.0).kubectl_with(input, arguments);
        if answer.is_success { Ok(answer.output) } else { Err(answer.errors) }
    }
}

impl User<'_> {
    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Runs kubectl as this user.
    #[must_use]
    pub fn kubectl(&self, arguments: &[&str]) -> Answer {
        self.kubectl_with("", arguments)
    }

    /// Runs kubectl as this user with a text as the standard input, without the configuration and
    /// the caches of the machine.
    ///
    /// # Panics
    /// The program does not run.
    #[must_use]
    pub fn kubectl_with(&self, input: &str, arguments: &[&str]) -> Answer {
        let [certificate, _] = self.server.certificate();
        let mut process = Command::new("kubectl")
            .args(["--server", &self.server.address, "--token", &token(&self.name)])
            .arg("--certificate-authority")
            .arg(certificate)
            .args(arguments)
            .env("HOME", &self.server.folder)
            .env("KUBECONFIG", self.server.folder.join("none"))
            .current_dir(root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that reads nothing has closed the pipe.
        drop(process.stdin.take().unwrap().write_all(input.as_bytes()));
        let output = process.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Answer {
            is_success: output.status.success(),
            output: text(output.stdout),
            errors: text(output.stderr),
        }
    }

    /// Connects as this user.
    ///
    /// # Panics
    /// See [`User::kubeconfig`].
    #[must_use]
    pub fn connection(&self) -> Connection {
        let kubeconfig = self.kubeconfig(&format!("{}.kubeconfig", self.name.replace(':', "-")), "");
        Connection::open(&Target { kubeconfig: Some(kubeconfig), ..Target::default() }).unwrap()
    }

    /// Writes a kubeconfig with the context `test` for this user, and further fields of the user.
    /// Returns the path of the file.
    ///
    /// # Panics
    /// The file cannot be written.
    #[must_use]
    pub fn kubeconfig(&self, file: &str, fields: &str) -> PathBuf {
        let ApiServer { folder, address, .. } = self.server;
        let [certificate, _] = self.server.certificate();
        let (authority, token) = (certificate.display(), token(&self.name));
        let path = folder.join(file);
        let text = format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: test\n\
             contexts: [{{ name: test, context: {{ cluster: test, user: test }} }}]\n\
             clusters:\n- name: test\n  cluster: {{ server: '{address}', certificate-authority: '{authority}' }}\n\
             users: [{{ name: test, user: {{ token: '{token}'{fields} }} }}]\n"
        );
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for ApiServer {
    fn drop(&mut self) {
        self.processes.clear();
        drop(fs::remove_dir_all(&self.folder));
    }
}
