//! A real API server on loopback, where `kube-apiserver`, `etcd` and `kubectl` are on PATH.

use std::fs::{self, File};
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::{not_run, root};

/// The programs, each with the arguments for its version.
const PROGRAMS: &[(&str, &[&str])] =
    &[("kube-apiserver", &["--version"]), ("etcd", &["--version"]), ("kubectl", &["version", "--client"])];

/// The time in which the server has to be ready, even on a busy machine.
const START: Duration = Duration::from_mins(3);

/// The credentials of a user who may do everything.
const TOKEN: &str = "token-of-the-test";

/// An API server with its store, on loopback. Both end with it, even if the test fails.
#[derive(Debug)]
pub struct ApiServer {
    folder: PathBuf,
    address: String,
    processes: Vec<(&'static str, Child)>,
}

/// Returns whether the programs are installed; reports that `what` does not run if one is missing.
///
/// # Panics
/// A program is missing and `PORTCULLIS_REQUIRE_API_SERVER` is set.
#[must_use]
pub fn can_run(what: &str) -> bool {
    let is_missing =
        |(program, version): &&(&str, &[&str])| Command::new(program).args(*version).output().is_err();
    let Some((missing, _)) = PROGRAMS.iter().find(is_missing) else { return true };
    not_run("API_SERVER", what, &format!("{missing} is not installed")).unwrap();
    false
}

impl ApiServer {
    /// Starts a server with further arguments.
    ///
    /// # Panics
    /// It does not start; the message is its log.
    #[must_use]
    pub fn start(folder: &Path, arguments: &[&str]) -> Self {
        let folder = folder.join(format!("api-server-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("tokens.csv"), format!("{TOKEN},admin,admin,system:masters\n")).unwrap();
        // The sockets are open together, so the ports differ.
        let sockets = [(); 3].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let [port, store, peer] = sockets.each_ref().map(|socket| socket.local_addr().unwrap().port());
        drop(sockets);
        let mut server = Self { folder, address: format!("https://127.0.0.1:{port}"), processes: Vec::new() };
        let (store, peer) = (format!("http://127.0.0.1:{store}"), format!("http://127.0.0.1:{peer}"));
        let path = |name: &str| server.folder.join(name).display().to_string();
        let of_store = [
            format!("--data-dir={}", path("store")),
            format!("--listen-client-urls={store}"),
            format!("--advertise-client-urls={store}"),
            format!("--listen-peer-urls={peer}"),
        ];
        let mut of_server = vec![
            format!("--etcd-servers={store}"),
            "--bind-address=127.0.0.1".to_owned(),
            "--advertise-address=127.0.0.1".to_owned(),
            format!("--secure-port={port}"),
            // The server writes a certificate and a key into this folder. Nothing checks the tokens
            // of service accounts, so the key signs them too.
            format!("--cert-dir={}", path("certificates")),
            format!("--service-account-key-file={}", path("certificates/apiserver.key")),
            format!("--service-account-signing-key-file={}", path("certificates/apiserver.key")),
            format!("--service-account-issuer={}", server.address),
            format!("--token-auth-file={}", path("tokens.csv")),
            "--authorization-mode=RBAC".to_owned(),
            "--service-cluster-ip-range=10.96.0.0/16".to_owned(),
        ];
        of_server.extend(arguments.iter().map(|&argument| argument.to_owned()));
        server.spawn("etcd", &of_store);
        server.spawn("kube-apiserver", &of_server);
        server.wait();
        server
    }

    /// The folder for files of the test, which ends with the server.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes a kubeconfig with the context `test`, and further fields of the user.
    ///
    /// # Panics
    /// The file cannot be written.
    #[must_use]
    pub fn kubeconfig(&self, name: &str, fields: &str) -> PathBuf {
        let file = self.folder.join(name);
        let authority = self.folder.join("certificates/apiserver.crt");
        let text = format!(
            "apiVersion: v1\nkind: Config\nclusters: [{{name: c, cluster: {{server: \"{}\", certificate-authority: \
             \"{}\"}}}}]\nusers: [{{name: u, user: {{token: {TOKEN}{fields}}}}}]\ncontexts: [{{name: test, context: \
             {{cluster: c, user: u}}}}]\ncurrent-context: test\n",
            self.address,
            authority.display(),
        );
        fs::write(&file, text).unwrap();
        file
    }

    fn log(&self, program: &str) -> PathBuf {
        self.folder.join(format!("{program}.log"))
    }

    fn spawn(&mut self, program: &'static str, arguments: &[String]) {
        let log = File::create(self.log(program)).unwrap();
        let process = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap_or_else(|error| panic!("{program}: {error}"));
        self.processes.push((program, process));
    }

    /// Waits until the server is ready.
    fn wait(&mut self) {
        let since = Instant::now();
        while self.kubectl(&["get", "--raw", "/readyz"]).is_err() {
            let ended = |(name, process): &mut (&'static str, Child)| {
                process.try_wait().unwrap().is_some().then_some(*name)
            };
            let ended = self.processes.iter_mut().find_map(ended);
            if let Some(name) = ended.or((since.elapsed() > START).then_some("kube-apiserver")) {
                panic!("{name} does not start:\n{}", fs::read_to_string(self.log(name)).unwrap());
            }
            sleep(Duration::from_millis(500));
        }
    }

    /// Runs kubectl. Returns the text that it prints.
    ///
    /// # Errors
    /// The text that it prints on standard error, if it fails.
    pub fn kubectl(&self, arguments: &[&str]) -> Result<String, String> {
        self.kubectl_with("", arguments)
    }

    /// Runs kubectl with a text as its standard input, without the configuration and the caches of
    /// the machine.
    ///
    /// # Errors
    /// See [`ApiServer::kubectl`].
    ///
    /// # Panics
    /// The program does not run.
    pub fn kubectl_with(&self, input: &str, arguments: &[&str]) -> Result<String, String> {
        let mut process = Command::new("kubectl")
            .args(["--server", &self.address, "--token", TOKEN])
            .arg("--certificate-authority")
            .arg(self.folder.join("certificates/apiserver.crt"))
            .args(arguments)
            .env("HOME", &self.folder)
            .env("KUBECONFIG", self.folder.join("none"))
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
        if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
    }
}

impl Drop for ApiServer {
    fn drop(&mut self) {
        for (_, process) in self.processes.iter_mut().rev() {
            drop(process.kill());
            drop(process.wait());
        }
        drop(fs::remove_dir_all(&self.folder));
    }
}
