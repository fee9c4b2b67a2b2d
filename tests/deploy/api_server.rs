//! A real API server accepts the manifests, and rejects what the definitions forbid.
//!
//! It runs where `kube-apiserver`, `etcd` and `kubectl` are on PATH. Neither Kubewarden's
//! controller nor its webhooks run: the server judges by the definitions in
//! `tests/deploy/definitions`, and by its own schemas of RBAC and core kinds.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tests::root;

use crate::renderings::{RENDERINGS, rendering};
use crate::{EXAMPLES, base, data, file, parse, read};

/// The programs, each with the arguments for its version.
const PROGRAMS: &[(&str, &[&str])] =
    &[("kube-apiserver", &["--version"]), ("etcd", &["--version"]), ("kubectl", &["version", "--client"])];

/// The time in which the server has to be ready, even on a busy machine.
const START: Duration = Duration::from_mins(3);

/// The credentials of a user who may do everything.
const TOKEN: &str = "token-of-the-test";

/// An API server with its store, on loopback. Both end with it, even if the test fails.
struct Server {
    folder: PathBuf,
    address: String,
    processes: Vec<(&'static str, Child)>,
}

impl Server {
    fn start() -> Self {
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("api-server-{}", std::process::id()));
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
        let of_server = [
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
        server.spawn("etcd", &of_store);
        server.spawn("kube-apiserver", &of_server);
        server.wait();
        server
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
                panic!("{name} does not start:\n{}", read(&self.log(name)));
            }
            sleep(Duration::from_millis(500));
        }
    }

    /// Runs kubectl, without the configuration and the caches of the machine. Returns what it
    /// prints, or the error.
    fn kubectl(&self, arguments: &[&str]) -> Result<String, String> {
        let output = Command::new("kubectl")
            .args(["--server", &self.address, "--token", TOKEN])
            .arg("--certificate-authority")
            .arg(self.folder.join("certificates/apiserver.crt"))
            .args(arguments)
            .env("HOME", &self.folder)
            .env("KUBECONFIG", self.folder.join("none"))
            .current_dir(root())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
    }

    /// Applies a file or a kustomization without storing it.
    fn apply(&self, option: &str, path: &str) -> Result<String, String> {
        self.kubectl(&["apply", "--dry-run=server", option, path])
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        for (_, process) in self.processes.iter_mut().rev() {
            drop(process.kill());
            drop(process.wait());
        }
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// Returns whether the programs are installed; reports it if one is missing.
fn can_run() -> bool {
    let is_missing =
        |(program, version): &&(&str, &[&str])| Command::new(program).args(*version).output().is_err();
    let Some((missing, _)) = PROGRAMS.iter().find(is_missing) else { return true };
    let why = format!("{missing} is not installed");
    tests::not_run("API_SERVER", "the test of the manifests with an API server", &why).unwrap();
    false
}

/// Panics unless the server accepted each object.
fn assert_accepted(name: &str, objects: &[Value], applied: Result<String, String>) {
    let applied = applied.unwrap_or_else(|error| panic!("{name}: {error}"));
    let accepted = applied.lines().filter(|line| line.ends_with(" created (server dry run)")).count();
    assert_eq!(accepted, objects.len(), "{name}: {applied}");
}

#[test]
fn the_base_is_accepted_by_an_api_server() {
    if !can_run() {
        return;
    }
    let server = Server::start();
    let kubectl = |arguments: &[&str]| server.kubectl(arguments).unwrap_or_else(|error| panic!("{error}"));
    kubectl(&["create", "--filename", data("definitions").to_str().unwrap()]);
    kubectl(&["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);

    let examples: Vec<(String, Vec<Value>)> =
        EXAMPLES.iter().map(|name| (format!("deploy/{name}"), file(name))).collect();
    let rendered = RENDERINGS.iter().map(|(name, _)| (format!("tests/deploy/{name}"), rendering(name)));
    let files: Vec<(String, Vec<Value>)> = examples.into_iter().chain(rendered).collect();
    let objects = files.iter().flat_map(|(_, objects)| objects);
    let namespaces: BTreeSet<&str> =
        objects.filter_map(|object| object["metadata"]["namespace"].as_str()).collect();
    for namespace in namespaces {
        kubectl(&["create", "namespace", namespace]);
    }

    assert_accepted("deploy", &base(), server.apply("--kustomize", "deploy"));
    for (path, objects) in &files {
        assert_accepted(path, objects, server.apply("--filename", path));
    }

    let policy = read(&root().join("deploy/external-ips.yaml"));
    let changed = server.folder.join("changed.yaml");
    for (old, new, error) in [
        ("mode: monitor", "mode: audit", "spec.mode: Unsupported value: \"audit\""),
        ("timeoutSeconds: 5", "timeoutSeconds: 31", "spec.timeoutSeconds: Invalid value: 31"),
        ("mutating: false", "mutating: \"no\"", "spec.mutating"),
        ("  mutating: false\n", "", "spec.mutating: Required value"),
    ] {
        assert!(policy.contains(old), "{old}");
        fs::write(&changed, policy.replacen(old, new, 1)).unwrap();
        assert_eq!(parse(&read(&changed)).len(), 1);
        // The server itself has to reject it, not the check in kubectl.
        let path = changed.to_str().unwrap();
        let rejected = server.kubectl(&["apply", "--dry-run=server", "--validate=false", "--filename", path]);
        let message = rejected.expect_err(new);
        assert!(message.contains(error), "{new}: {message}");
    }
}
