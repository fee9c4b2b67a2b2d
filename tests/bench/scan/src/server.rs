//! Kubewarden's policy-server on loopback.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::client::Client;
use crate::interrupt::check_interrupt;

/// The time that a server may take to become ready.
const PATIENCE: Duration = Duration::from_mins(2);

/// A module of a server.
#[derive(Debug)]
pub struct Module {
    /// The name of the policy.
    pub name: String,
    /// The path of the module.
    pub file: PathBuf,
    /// The settings of the policy.
    pub settings: Value,
}

/// A running policy server. It ends with the value.
#[derive(Debug)]
pub struct Server {
    process: Child,
    port: u16,
    /// The time from the start of the process until it is ready.
    pub ready: Duration,
    /// Its configuration and what it writes.
    folder: TempDir,
}

impl Server {
    /// Starts a server with modules and waits until it is ready.
    ///
    /// # Errors
    /// No `policy-server` on PATH, or one that does not become ready.
    pub fn start(modules: &[Module]) -> Result<Self, String> {
        let folder = TempDir::new().map_err(|error| error.to_string())?;
        let [port, readiness] = free_ports().map_err(|error| error.to_string())?;
        let mut command = command(folder.path(), modules).map_err(|error| error.to_string())?;
        command.args(["--port", &port.to_string(), "--readiness-probe-port", &readiness.to_string()]);
        let start = Instant::now();
        let process = command.spawn().map_err(|error| {
            format!("policy-server: {error}; put Kubewarden's policy-server on PATH, version 1.35 or newer")
        })?;
        let mut server = Self { process, port, ready: Duration::ZERO, folder };
        while !is_ready(readiness) {
            check_interrupt()?;
            let status = server.process.try_wait().map_err(|error| error.to_string())?;
            if status.is_some() || start.elapsed() > PATIENCE {
                let end = status.map_or("it is not ready in time".to_owned(), |status| status.to_string());
                let log = fs::read_to_string(server.folder.path().join("log")).unwrap_or_default();
                return Err(format!("policy-server did not become ready ({end}): {}", log.trim_end()));
            }
            sleep(Duration::from_millis(2));
        }
        server.ready = start.elapsed();
        Ok(server)
    }

    /// Returns the resident memory in MiB; `None` outside of Linux.
    #[must_use]
    pub fn memory(&self) -> Option<u64> {
        let file = Path::new("/proc").join(self.process.id().to_string()).join("status");
        let status = fs::read_to_string(file).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kilobytes| kilobytes >> 10)
    }

    /// Opens a connection.
    ///
    /// # Errors
    /// A server that has ended.
    pub fn client(&self) -> Result<Client, String> {
        Client::new(self.port).map_err(|error| format!("policy-server: {error}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn command(folder: &Path, modules: &[Module]) -> io::Result<Command> {
    let policy = |module: &Module| {
        let url = format!("file://{}", module.file.display());
        (module.name.clone(), json!({ "module": url, "settings": module.settings, "allowedToMutate": true }))
    };
    let policies: Map<String, Value> = modules.iter().map(policy).collect();
    fs::write(folder.join("policies.yml"), Value::from(policies).to_string())?;
    // Without it, the server fetches the keys of Sigstore.
    fs::write(folder.join("trust.json"), "{}")?;
    let mut command = Command::new("policy-server");
    // No variable configures the server, and it finds no cluster.
    command.env_clear().env("HOME", folder).current_dir(folder);
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    let log = fs::File::create(folder.join("log"))?;
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
    command.args(["--addr", "127.0.0.1", "--ignore-kubernetes-connection-failure", "--log-level", "error"]);
    command.args(["--policies", "policies.yml", "--policies-download-dir", "modules"]);
    command.args(["--sigstore-trust-config", "trust.json", "--sigstore-cache-dir", "sigstore"]);
    Ok(command)
}

fn free_ports() -> io::Result<[u16; 2]> {
    let listeners = [TcpListener::bind("127.0.0.1:0")?, TcpListener::bind("127.0.0.1:0")?];
    let [one, other] = &listeners;
    Ok([one.local_addr()?.port(), other.local_addr()?.port()])
}

/// Asks as the kubelet does.
fn is_ready(port: u16) -> bool {
    let ask = || -> io::Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        write!(stream, "GET /readiness HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    ask().is_ok_and(|answer| answer.starts_with("HTTP/1.1 200 "))
}
