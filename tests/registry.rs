//! `portcullis push` and `portcullis pull` with a real registry: Debian's docker-registry, which
//! the tests share. Each has a repository of its own.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, LazyLock, Mutex};

use base64::Engine as _;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tests::process::{free_ports, wait_until};

use crate::folder::{Done, EXPOSED, Folder, tool};

/// The blob `{}`.
const CONFIG: &str = "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";

/// The media type of a manifest, which the manifest itself does not contain.
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// The user of a registry that requires credentials.
const USER: (&str, &str) = ("ali", "open sesame");
/// The htpasswd file with the user.
const HTPASSWD: &str = "ali:$2y$05$abcdefghijklmnopqrstuupx2xBUC4954936wVIjyyPHmUBFu0wCW\n";

/// The smallest WebAssembly module.
const MODULE: &[u8] = b"\0asm\x01\0\0\0";

/// The docker-registry program; `None` if it is neither installed nor required.
static PROGRAM: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let unpacked = tests::root().join("target/tools/docker-registry");
    let runs = |program: &Path| Command::new(program).arg("--version").output().is_ok();
    let program = [PathBuf::from("docker-registry"), unpacked].into_iter().find(|program| runs(program));
    if program.is_none() {
        let why = "docker-registry is not installed; run scripts/docker-registry";
        tests::not_run("REGISTRY", "the tests of push and pull", why).unwrap();
    }
    program
});

/// The registry that serves everybody.
static OPEN: LazyLock<Option<Registry>> = LazyLock::new(|| Registry::start("open", None));

/// The registry that requires credentials.
static CLOSED: LazyLock<Option<Registry>> = LazyLock::new(|| Registry::start("closed", Some(HTPASSWD)));

/// Runs a registry until the standard input ends. Nothing drops a static value, but the end of the
/// tests closes the pipe.
const SERVE: &str = r#"
    trap : INT TERM
    "$1" serve "$2/config.yml" &
    read -r _
    kill $!
    wait
    rm -rf "$2"
"#;

struct Registry {
    shell: Child,
    folder: PathBuf,
    /// The host and the port.
    host: String,
}

impl Registry {
    /// Starts a registry; `None` if the program is not installed.
    fn start(name: &str, htpasswd: Option<&str>) -> Option<Self> {
        let program = PROGRAM.as_deref()?;
        let folder = format!("registry-{name}-{}", std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        let auth = htpasswd.map(|text| {
            let path = folder.join("htpasswd");
            std::fs::write(&path, text).unwrap();
            json!({ "htpasswd": { "realm": "test", "path": path } })
        });
        let [port] = free_ports();
        let host = format!("127.0.0.1:{port}");
        let config = json!({
            "version": "0.1",
            "log": { "level": "error" },
            "storage": { "filesystem": { "rootdirectory": folder.join("storage") } },
            "http": { "addr": host },
            "auth": auth,
        });
        std::fs::write(folder.join("config.yml"), config.to_string()).unwrap();
        let shell = Command::new("sh")
            .args(["-c", SERVE, "sh"])
            .arg(program)
            .arg(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_until("docker-registry listens", || TcpStream::connect(&host).is_ok());
        Some(Self { shell, folder, host })
    }

    /// The digest of a blob, and the file in which the registry stores it.
    fn blob(&self, bytes: &[u8]) -> (String, PathBuf) {
        let hex = format!("{:x}", Sha256::digest(bytes));
        let blobs = self.folder.join("storage/docker/registry/v2/blobs/sha256");
        let data = blobs.join(&hex[..2]).join(&hex).join("data");
        assert!(std::fs::read(&data).is_ok_and(|stored| stored == bytes), "{hex} is not in the registry");
        (format!("sha256:{hex}"), data)
    }

    /// Sends a request; returns the response.
    fn send(&self, request: &str, content_type: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let length = body.len();
        write!(
            stream,
            "{request} HTTP/1.1\r\nHost: {}\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\
             Accept: {content_type}\r\nConnection: close\r\n\r\n{body}",
            self.host
        )
        .unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response
    }

    /// Uploads a manifest under a tag.
    fn put(&self, repository: &str, tag: &str, content_type: &str, manifest: &Value) {
        let request = format!("PUT /v2/{repository}/manifests/{tag}");
        let response = self.send(&request, content_type, &manifest.to_string());
        assert!(response.starts_with("HTTP/1.1 201 "), "{response}");
    }

    /// The tags of a repository, as the registry lists them.
    fn tags(&self, repository: &str) -> Value {
        let response = self.send(&format!("GET /v2/{repository}/tags/list"), "text/plain", "");
        let (_, body) = response.split_once("\r\n\r\n").unwrap();
        serde_json::from_str::<Value>(body).unwrap()["tags"].take()
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        // This closes the standard input, too.
        drop(self.shell.wait());
    }
}

/// An address without a listener: a privileged port of an obsolete service.
const NO_LISTENER: &str = "127.0.0.1:1";

/// Returns the shared registry, and a folder and a repository for a test; `None` if the program is
/// not installed.
fn open(test: &str) -> Option<(&'static Registry, Folder, String)> {
    let registry = OPEN.as_ref()?;
    Some((registry, Folder::new(test), format!("{}/{test}", registry.host)))
}

/// A proxy that records requests and interrupts uploads halfway.
struct Proxy {
    host: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    /// Starts a proxy that interrupts the first `cuts` requests with a part of a blob.
    fn start(registry: &Registry, cuts: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (target, recorded) = (registry.host.clone(), requests.clone());
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let recorded = recorded.clone();
                let (client, server) = (client.unwrap(), TcpStream::connect(&target).unwrap());
                let mut responses = (server.try_clone().unwrap(), client.try_clone().unwrap());
                std::thread::spawn(move || {
                    drop(io::copy(&mut responses.0, &mut responses.1));
                    drop(responses.1.shutdown(Shutdown::Both));
                });
                std::thread::spawn(move || {
                    drop(forward(&client, &server, &recorded, cuts));
                    drop(server.shutdown(Shutdown::Both));
                    drop(client.shutdown(Shutdown::Both));
                });
            }
        });
        Self { host, requests }
    }

    /// Returns the methods and paths of the requests since the last call.
    fn requests(&self) -> Vec<String> {
        let requests = std::mem::take(&mut *self.requests.lock().unwrap());
        requests.iter().map(|line| line.rsplit_once(' ').unwrap().0.to_owned()).collect()
    }
}

/// Forwards the requests of a connection until it ends or is interrupted.
fn forward(
    client: &TcpStream,
    mut server: &TcpStream,
    requests: &Mutex<Vec<String>>,
    cuts: usize,
) -> io::Result<()> {
    let mut client = BufReader::new(client);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if client.read_line(&mut head)? == 0 {
                return Ok(());
            }
        }
        let line = head.lines().next().unwrap().to_owned();
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<u64>().unwrap())
        });
        let length = length.unwrap_or(0);
        let is_part = |line: &str| line.starts_with("PATCH ");
        let mut requests = requests.lock().unwrap();
        let is_cut = is_part(&line) && requests.iter().filter(|line| is_part(line)).count() < cuts;
        requests.push(line);
        drop(requests);
        server.write_all(head.as_bytes())?;
        io::copy(&mut client.by_ref().take(if is_cut { length / 2 } else { length }), &mut server)?;
        if is_cut {
            return Ok(());
        }
    }
}

/// Runs the tool successfully; returns its output.
fn done(tool: &mut Command) -> String {
    let Done { status, stdout, stderr } = Done::of(tool);
    assert_eq!((status, stderr.as_str()), (0, ""), "{stdout}");
    stdout
}

/// Runs the tool without success; returns its message.
fn refused(tool: &mut Command) -> String {
    let Done { status, stdout, stderr } = Done::of(tool);
    assert_eq!((status, stdout.as_str()), (2, ""), "{stderr}");
    let message = stderr.strip_prefix("portcullis: ").unwrap().strip_suffix('\n').unwrap();
    assert!(!message.contains('\n'), "{message}");
    message.to_owned()
}

impl Folder {
    /// Reads a file and removes it.
    fn take(&self, name: &str) -> Vec<u8> {
        let bytes = std::fs::read(self.0.join(name)).unwrap();
        std::fs::remove_file(self.0.join(name)).unwrap();
        bytes
    }

    fn is_empty(&self) -> bool {
        std::fs::read_dir(&self.0).unwrap().next().is_none()
    }

    /// Pushes a built module; returns its reference by digest.
    fn push(&self, id: &str, to: &str) -> String {
        immutable(&self.done(&["push", &built(id), to, "--plain-http"]), id)
    }

    /// Pulls a module; returns the output.
    fn pull(&self, from: &str) -> String {
        self.done(&["pull", from, "--plain-http"])
    }

    fn done(&self, arguments: &[&str]) -> String {
        done(&mut self.tool(arguments))
    }

    fn refused(&self, arguments: &[&str]) -> String {
        refused(&mut self.tool(arguments))
    }

    /// The tool, without the Docker configuration and the proxies of the machine.
    fn tool(&self, arguments: &[&str]) -> Command {
        let mut tool = self.command(tool(), arguments);
        tool.env("DOCKER_CONFIG", self.0.join("nothing"));
        for variable in ["http_proxy", "https_proxy", "all_proxy"] {
            tool.env_remove(variable).env_remove(variable.to_uppercase());
        }
        tool
    }
}

/// The path of a built module.
fn built(id: &str) -> String {
    tests::root().join("target/policies").join(format!("{id}.wasm")).to_str().unwrap().to_owned()
}

/// The reference by digest in the output of `push`.
fn immutable(stdout: &str, id: &str) -> String {
    stdout.strip_prefix(&format!("pushed {id}: ")).unwrap().strip_suffix('\n').unwrap().to_owned()
}

/// A module with the metadata of external-ips, except for some annotations.
fn annotated(annotations: &[(&str, Option<&str>)]) -> Vec<u8> {
    let mut metadata =
        kubewarden::packaging::Metadata::read(&tests::module("external-ips").unwrap()).unwrap().unwrap();
    for (key, value) in annotations {
        match value {
            Some(value) => metadata.annotations.insert((*key).to_owned(), (*value).to_owned()),
            None => metadata.annotations.remove(*key),
        };
    }
    kubewarden::packaging::annotate(MODULE, &metadata).unwrap()
}

#[test]
fn pushed_modules_are_pulled_unchanged_by_tag_and_by_digest() {
    let Some((registry, folder, place)) = open("modules") else { return };
    let modules = tests::root().join("target/policies");
    let below = format!("{place}/policies/");
    let mut arguments = vec!["push"];
    arguments.extend(rules::CATALOG.iter().map(|entry| entry.id));
    arguments.extend([&*below, "--plain-http", "-o", "json", "--modules", modules.to_str().unwrap()]);
    let stdout = folder.done(&arguments);
    let mut pushed = Vec::new();
    for (entry, line) in rules::CATALOG.iter().zip(stdout.lines()) {
        let id = entry.id;
        let module = tests::module(id).unwrap();
        let yaml =
            std::fs::read_to_string(tests::root().join(format!("policies/{id}/metadata.yml"))).unwrap();
        let mut annotations = serde_saphyr::from_str::<Value>(&yaml).unwrap()["annotations"].take();
        annotations["org.opencontainers.image.source"] = annotations["io.kubewarden.policy.source"].clone();
        let version = annotations["io.kubewarden.policy.version"].as_str().unwrap().to_owned();
        let manifest = json!({
            "annotations": annotations,
            "config": { "digest": CONFIG, "mediaType": "application/vnd.wasm.config.v1+json", "size": 2 },
            "layers": [{
                "digest": registry.blob(&module).0,
                "mediaType": "application/vnd.wasm.content.layer.v1+wasm",
                "size": module.len(),
            }],
            "schemaVersion": 2,
        });
        // The exact bytes: they depend on neither the time nor the machine.
        let (digest, _) = registry.blob(manifest.to_string().as_bytes());
        let (tag, by_digest) = (format!("{below}{id}:v{version}"), format!("{below}{id}@{digest}"));
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(line, json!({ "policy": id, "reference": tag, "immutable_ref": by_digest }));
        pushed.push((id, module, tag, by_digest));
    }
    assert_eq!((pushed.len(), stdout.lines().count()), (rules::CATALOG.len(), rules::CATALOG.len()));

    let (id, module, tag, by_digest) = pushed.pop().unwrap();
    assert_eq!(folder.pull(&tag), format!("pulled {by_digest} into {id}.wasm\n"));
    assert!(folder.take(&format!("{id}.wasm")) == module, "{id}");
    let scheme = format!("registry://{by_digest}");
    let output = folder.done(&["pull", &scheme, "--plain-http", "--file", "other.wasm"]);
    assert_eq!(output, format!("pulled {by_digest} into other.wasm\n"));
    assert!(folder.take("other.wasm") == module, "{id}");
    assert!(folder.is_empty());
}

#[test]
fn evaluates_by_modules_from_the_registry_and_its_cache() {
    // A registry that ends during the test.
    let Some(registry) = Registry::start("cache", None) else { return };
    let folder = Folder::new("cache");
    folder.file("web.yaml", EXPOSED);
    let place = format!("{}/policies/external-ips", registry.host);
    let by_digest = folder.push("external-ips", &format!("{place}:v1"));
    let cache = folder.0.join("cache");
    let evaluate = |command: &str, reference: &str, more: &[&str]| {
        let scans: &[&str] =
            if command == "scan" { &["web.yaml", "--policy", reference] } else { &[reference, "web.yaml"] };
        let mut tool = folder.tool(&[&[command], scans, &["--plain-http"], more].concat());
        Done::of(tool.env("XDG_CACHE_HOME", &cache))
    };
    let scheme = format!("registry://{place}:v1");
    let Done { status, stderr, .. } = evaluate("run", &scheme, &["--offline"]);
    assert_eq!(status, 2);
    assert!(stderr.contains("is not in the cache "), "{stderr}");
    for (command, reference) in [("run", &scheme), ("scan", &by_digest)] {
        let Done { status, stdout, stderr } = evaluate(command, reference, &[]);
        assert_eq!(status, 1, "{stderr}");
        assert!(stdout.contains("spec.externalIPs[0]: Invalid value: \"192.0.2.1\""), "{stdout}");
    }
    // Without the registry, the digest and the tag in the cache are enough; a tag may have moved.
    drop(registry);
    assert_eq!(evaluate("run", &by_digest, &[]).status, 1);
    assert_eq!(evaluate("scan", &scheme, &["--offline"]).status, 1);
    assert_eq!(evaluate("run", &scheme, &[]).status, 2);
    // A damaged file is not used.
    for file in std::fs::read_dir(cache.join("portcullis/modules")).unwrap() {
        std::fs::write(file.unwrap().path(), "damaged").unwrap();
    }
    assert_eq!(evaluate("run", &by_digest, &["--offline"]).status, 2);
}

#[test]
fn pushes_a_single_policy_to_the_reference() {
    let Some((registry, folder, place)) = open("any") else { return };
    let (place, edge) = (format!("{place}/name"), format!("{place}/name:edge"));
    let by_digest = folder.push("node-pods", &format!("registry://{edge}"));
    assert!(by_digest.starts_with(&format!("{place}@sha256:")), "{by_digest}");
    assert_eq!(registry.tags("any/name"), json!(["edge"]));
    assert_eq!(folder.push("node-pods", &place), by_digest);
    let mut tags = registry.tags("any/name");
    tags.as_array_mut().unwrap().sort_by_key(ToString::to_string);
    assert_eq!(tags, json!(["edge", "v0.1.0"]));

    // A push to an existing tag replaces its content.
    let module = annotated(&[
        ("io.kubewarden.policy.usage", Some("one\ntwo\n")),
        ("io.kubewarden.policy.description", Some("  \"one\" größe\tline\n")),
        ("org.opencontainers.image.source", Some("https://example.org/elsewhere")),
    ]);
    folder.file("other.wasm", &module);
    let other = immutable(&folder.done(&["push", "other.wasm", &edge, "--plain-http"]), "external-ips");
    assert_ne!(other, by_digest);
    folder.pull(&edge);
    assert_eq!(folder.take("name.wasm"), module);

    // The manifest omits annotations of several lines.
    let (_, digest) = other.rsplit_once('@').unwrap();
    let response = registry.send(&format!("GET /v2/any/name/manifests/{digest}"), MANIFEST, "");
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    assert!(head.contains(&format!("Content-Type: {MANIFEST}\r\n")), "{head}");
    let annotations = serde_json::from_str::<Value>(body).unwrap()["annotations"].take();
    assert_eq!(annotations["io.kubewarden.policy.description"], "\"one\" größe\tline");
    assert_eq!(annotations["org.opencontainers.image.source"], "https://example.org/elsewhere");
    assert_eq!(annotations.get("io.kubewarden.policy.usage"), None);
}

#[test]
fn does_not_upload_existing_blobs_again() {
    let Some((registry, folder, _)) = open("again") else { return };
    let proxy = Proxy::start(registry, 0);
    let push = |tag: &str| folder.push("external-ips", &format!("{}/again:{tag}", proxy.host));
    let uploads = || {
        let mut requests = proxy.requests();
        requests.retain(|line| !line.starts_with("GET ") && !line.starts_with("HEAD "));
        requests
    };
    let first = push("v1");
    let requests = uploads();
    let methods: Vec<&str> = requests.iter().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(methods, ["POST", "PATCH", "PUT", "POST", "PATCH", "PUT", "PUT"]);
    assert_eq!(requests[6], "PUT /v2/again/manifests/v1");
    assert_eq!(push("v1"), first);
    assert_eq!(uploads(), [""; 0]);
    // Another tag needs a manifest, but no blob.
    push("v2");
    assert_eq!(uploads(), ["PUT /v2/again/manifests/v2"]);
}

#[test]
fn retries_an_interrupted_upload() {
    let Some((registry, folder, place)) = open("cut") else { return };
    let proxy = Proxy::start(registry, 2);
    folder.push("pod-security", &format!("{}/cut:v1", proxy.host));
    let requests = proxy.requests();
    // Half of the layer twice, the layer, the configuration.
    assert_eq!(requests.iter().filter(|line| line.starts_with("PATCH ")).count(), 4, "{requests:?}");
    assert_eq!(requests.last().unwrap(), "PUT /v2/cut/manifests/v1");
    folder.pull(&format!("{place}:v1"));
    assert!(folder.take("cut.wasm") == tests::module("pod-security").unwrap());
}

#[test]
fn a_failed_upload_leaves_no_policy_behind() {
    let Some((registry, folder, place)) = open("never") else { return };
    let proxy = Proxy::start(registry, usize::MAX);
    let to = format!("{}/never", proxy.host);
    let output = folder.refused(&["push", &built("external-ips"), &to, "--plain-http"]);
    assert!(output.starts_with(&format!("{}: the connection failed: ", proxy.host)), "{output}");
    assert_eq!(registry.tags("never"), Value::Null);
    let place = format!("{place}:v0.1.0");
    let output = folder.refused(&["pull", &place, "--plain-http"]);
    assert!(output.starts_with(&format!("{place}: is not in the registry: ")), "{output}");
    assert!(folder.is_empty());
}

#[test]
fn rejects_a_module_that_differs_from_the_manifest() {
    let Some((registry, folder, place)) = open("damaged") else { return };
    let place = format!("{place}:v1");
    // Repositories share blobs, so no other test may have this one.
    let module = annotated(&[("org.opencontainers.image.source", Some("https://example.org/damaged"))]);
    folder.file("damaged.wasm", &module);
    folder.done(&["push", "damaged.wasm", &place, "--plain-http"]);
    folder.take("damaged.wasm");
    let (digest, data) = registry.blob(&module);
    let mut damaged = module.clone();
    *damaged.last_mut().unwrap() ^= 1;
    for damaged in [damaged, module[1..].to_vec(), [&module[..], b"more"].concat()] {
        std::fs::write(&data, damaged).unwrap();
        folder.file("kept.wasm", "as it was");
        let output = folder.refused(&["pull", &place, "--plain-http", "--file", "kept.wasm"]);
        assert!(output.starts_with(&format!("{place}: the registry ")), "{digest} {output}");
        assert_eq!(folder.take("kept.wasm"), b"as it was");
        assert!(folder.is_empty());
    }
}

#[test]
fn does_not_pull_other_artifacts() {
    let Some((registry, folder, place)) = open("other") else { return };
    let pushed = folder.push("external-ips", &format!("{place}:v1"));
    let blob =
        |media_type: &str, size: u64| json!({ "mediaType": media_type, "digest": CONFIG, "size": size });
    let config = blob("application/vnd.oci.image.config.v1+json", 2);
    let manifest = |layers: Value| json!({ "schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": layers });
    let wasm = "application/vnd.wasm.content.layer.v1+wasm";
    let tar = blob("application/vnd.oci.image.layer.v1.tar+gzip", 2);
    let index = "application/vnd.oci.image.index.v1+json";
    let (_, digest) = pushed.rsplit_once('@').unwrap();
    let entry = json!({
        "mediaType": MANIFEST, "digest": digest, "size": 1, "platform": { "os": "linux", "architecture": "amd64" },
    });
    let found = format!("expected a layer of type {wasm}, found application/vnd.oci.image.layer.v1.tar+gzip");
    for (tag, media_type, manifest, problem) in [
        ("tar", MANIFEST, manifest(json!([tar])), &*found),
        ("two", MANIFEST, manifest(json!([blob(wasm, 2), tar])), "expected one layer, found 2"),
        ("none", MANIFEST, manifest(json!([])), "expected one layer, found 0"),
        (
            "huge",
            MANIFEST,
            manifest(json!([blob(wasm, 1 << 40)])),
            "the layer has 1099511627776 bytes, more than the maximum of 268435456",
        ),
        (
            "index",
            index,
            json!({ "schemaVersion": 2, "mediaType": index, "manifests": [entry] }),
            "it is an image index",
        ),
    ] {
        registry.put("other", tag, media_type, &manifest);
        let output = folder.refused(&["pull", &format!("{place}:{tag}"), "--plain-http"]);
        assert_eq!(output, format!("{place}:{tag}: is not a policy: {problem}"));
    }
    assert!(folder.is_empty());
}

#[test]
fn uses_the_credentials_of_docker() {
    let Some(Registry { host, .. }) = &*CLOSED else { return };
    let folder = Folder::new("credentials");
    let place = format!("{host}/p:v1");
    let module = built("external-ips");
    let push = ["push", &*module, &*place, "--plain-http"];
    let wanted = format!(
        "{host}: requires credentials for p; log in with docker login {host}, or pass the directory of a config.json \
         with --docker-config"
    );
    assert_eq!(folder.refused(&push), wanted);
    assert_eq!(folder.refused(&["pull", &place, "--plain-http"]), wanted);

    let encoded = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
    let (user, password) = USER;
    let config = |config: &Value| folder.file("config.json", config.to_string());
    let with_config = |arguments: &[&str]| folder.tool(&[arguments, &["--docker-config", "."]].concat());
    config(&json!({ "auths": { host: { "auth": encoded("ali:close sesame") } } }));
    let renew = format!("renew them with docker login {host}");
    assert_eq!(
        refused(&mut with_config(&push)),
        format!("{host}: rejects the credentials for p: authentication required; {renew}")
    );
    assert_eq!(
        refused(&mut with_config(&["pull", &place, "--plain-http"])),
        format!("{host}: rejects the credentials for p; {renew}")
    );

    config(&json!({ "auths": { host: { "auth": encoded(&format!("{user}:{password}")) } } }));
    done(&mut with_config(&push));
    config(&json!({ "auths": { host: { "username": user, "password": password } } }));
    done(folder.tool(&["pull", &place, "--plain-http"]).env("DOCKER_CONFIG", &folder.0));
    assert!(folder.take("p.wasm") == tests::module("external-ips").unwrap());
    done(folder.tool(&push).env_remove("DOCKER_CONFIG").env("HOME", {
        std::fs::create_dir(folder.0.join(".docker")).unwrap();
        std::fs::copy(folder.0.join("config.json"), folder.0.join(".docker/config.json")).unwrap();
        &folder.0
    }));
    config(&json!({ "auths": { "elsewhere.example": { "auth": encoded("ali:open sesame") } } }));
    assert_eq!(refused(&mut with_config(&push)), wanted);
}

#[test]
fn runs_credential_helpers() {
    let Some(Registry { host, .. }) = &*CLOSED else { return };
    let folder = Folder::new("helper");
    let place = format!("{host}/helper:v1");
    let helper = |script: &str| {
        // A helper reads the name of the registry first.
        folder.program("docker-credential-test", &format!("#!/bin/sh\nread -r host\n{script}\n"));
    };
    let path = format!("{}:{}", folder.0.display(), std::env::var("PATH").unwrap());
    let tool = || {
        let arguments = ["push", &*built("external-ips"), &*place, "--plain-http", "--docker-config", "."];
        let mut tool = folder.tool(&arguments);
        tool.env("PATH", &path);
        tool
    };
    let (user, password) = USER;
    let response = json!({ "ServerURL": host, "Username": user, "Secret": password });
    for config in
        [json!({ "credsStore": "test", "auths": { host: {} } }), json!({ "credHelpers": { host: "test" } })]
    {
        folder.file("config.json", config.to_string());
        helper(&format!("[ \"$1 $host\" = 'get {host}' ] && echo '{response}'"));
        done(&mut tool());
    }
    helper("echo 'credentials not found in native keychain'; exit 1");
    assert!(refused(&mut tool()).starts_with(&format!("{host}: requires credentials for helper; ")));
    let refused = || refused(&mut tool());
    helper("echo the vault is shut >&2; exit 1");
    assert_eq!(
        refused(),
        format!(
            "./config.json: docker-credential-test returned no credentials for {host}: the vault is shut"
        )
    );
    helper("echo nothing");
    assert_eq!(
        refused(),
        format!("./config.json: the credential helper for {host} did not return a user name and a secret")
    );
    folder.take("docker-credential-test");
    assert_eq!(
        refused(),
        format!(
            "./config.json: the credential helper for {host} cannot be run; install it, or log in without a helper"
        )
    );
}

#[test]
fn rejects_an_invalid_docker_configuration() {
    let folder = Folder::new("config");
    let place = "registry.example/p:v1";
    let refused = || folder.refused(&["pull", place, "--docker-config", "."]);
    assert_eq!(refused(), "./config.json: cannot be read: No such file or directory (os error 2)");
    folder.file("config.json", "auths:");
    assert_eq!(
        refused(),
        "./config.json: is not a Docker configuration; expected JSON with auths, credHelpers or credsStore"
    );
    folder.file("config.json", r#"{"auths": {"registry.example": {"auth": "?"}}}"#);
    assert_eq!(
        refused(),
        "./config.json: the entry for registry.example is not a user name and password; renew it with docker login \
         registry.example"
    );
    folder.file("config.json", r#"{"auths": {"registry.example": {"identitytoken": "t"}}}"#);
    assert_eq!(
        refused(),
        "./config.json: contains an identity token for registry.example, which is not supported; log in with a password \
         or an access token"
    );
}

#[test]
fn reports_an_unreachable_registry() {
    let folder = Folder::new("down");
    let (module, place) = (built("external-ips"), format!("{NO_LISTENER}/p:v1"));
    for arguments in [&["push", &*module, &*place, "--plain-http"][..], &["pull", &*place]] {
        let output = folder.refused(arguments);
        let start = format!("{NO_LISTENER}: cannot be reached: Connection refused (os error ");
        assert!(output.starts_with(&start), "{output}");
    }
    assert!(folder.is_empty());
    let Some(Registry { host, .. }) = &*OPEN else { return };
    assert_eq!(
        folder.refused(&["pull", &format!("{host}/p:v1")]),
        format!("{host}: does not use TLS; to use plain HTTP, add --plain-http")
    );
}

#[test]
fn sends_nothing_if_a_policy_is_invalid() {
    let folder = Folder::new("input");
    // A connection to this host would fail with another message.
    let place = format!("{NO_LISTENER}/p");
    let modules = tests::root().join("target/policies");
    let refused = |policies: &[&str], reference: &str| {
        let flags = ["--plain-http", "--modules", modules.to_str().unwrap()];
        folder.refused(&[&["push"], policies, &[reference], &flags].concat())
    };
    let prefix = format!("{place}/");
    let output = refused(&["external-ips", "external-ip"], &prefix);
    assert!(output.starts_with("policy external-ip: does not exist; did you mean external-ips?"), "{output}");
    assert_eq!(
        refused(&["external-ips", "no.wasm"], &prefix),
        "no.wasm: cannot be read: No such file or directory (os error 2)"
    );
    folder.file("text.wasm", "text");
    let output = refused(&["text.wasm"], &place);
    assert!(output.starts_with("text.wasm: module: expected a core WebAssembly module: "), "{output}");
    folder.file("bare.wasm", MODULE);
    assert_eq!(
        refused(&["external-ips", "bare.wasm"], &prefix),
        "bare.wasm: has no metadata, which every host requires; add it with portcullis annotate"
    );
    folder.file("other.wasm", annotated(&[]));
    assert_eq!(
        refused(&["external-ips", "other.wasm"], &prefix),
        format!(
            "{place}/external-ips:v0.1.0: would be overwritten by other.wasm; push the two policies separately"
        )
    );
    folder.file("unversioned.wasm", annotated(&[("io.kubewarden.policy.version", None)]));
    assert_eq!(
        refused(&["unversioned.wasm"], &place),
        "unversioned.wasm: the metadata has no io.kubewarden.policy.version; add a tag to the reference"
    );
    let by_digest = format!("{place}@{CONFIG}");
    assert_eq!(
        refused(&["external-ips"], &by_digest),
        format!("{by_digest}: contains a digest, which the pushed content determines; use a tag instead")
    );
    let example = "write it as ghcr.io/example/policies/external-ips:v1.2.3";
    for (reference, message) in [
        ("HTTPS://x", "HTTPS://x:v0.1.0: is not a valid reference"),
        ("localhost:5000/Upper:v1", "localhost:5000/Upper:v1: is not a valid reference"),
        ("localhost:5000", "localhost:5000: does not name a registry"),
        ("node-pods", "node-pods:v0.1.0: does not name a registry"),
        ("example/node-pods:v1", "example/node-pods:v1: does not name a registry"),
        ("registry://", ":v0.1.0: is not a valid reference"),
    ] {
        assert_eq!(refused(&["external-ips"], reference), format!("{message}; {example}"));
    }
    assert_eq!(
        refused(&["external-ips", "node-pods"], "localhost:5000/policies"),
        "localhost:5000/policies: is the destination of one policy, and 2 are given; write localhost:5000/policies/ to \
         push each below this prefix"
    );
    assert_eq!(
        refused(&["external-ips"], "localhost:5000/policies:v1/"),
        format!("localhost:5000/policies:v1/external-ips:v0.1.0: is not a valid reference; {example}")
    );
    assert_eq!(folder.refused(&["pull", "p:v1"]), format!("p:v1: does not name a registry; {example}"));
    assert_eq!(Done::of(&mut folder.tool(&["push", "external-ips"])).status, 2);
}
