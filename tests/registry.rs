//! Policies pushed to a real registry and pulled from it: Debian's docker-registry, started for each test.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use base64::Engine as _;
use serde_json::{Value, json};

/// The blob `{}`.
const CONFIG: &str = "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";

/// The type of a manifest, which is not in the manifest.
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// A user of a registry that wants credentials, and the line of htpasswd for her.
const USER: (&str, &str) = ("ali", "open sesame");
const HTPASSWD: &str = "ali:$2y$05$abcdefghijklmnopqrstuupx2xBUC4954936wVIjyyPHmUBFu0wCW\n";

/// The smallest module there is.
const MODULE: &[u8] = b"\0asm\x01\0\0\0";

/// The program, or `None` if there is none and none is required.
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

/// A registry of a test's own, gone when the test is over, also when it fails.
struct Registry {
    process: Child,
    folder: Folder,
    /// Host and port.
    host: String,
}

impl Registry {
    /// Starts one; `None` where there is no program for it.
    fn start(test: &str, htpasswd: Option<&str>) -> Option<Self> {
        let program = PROGRAM.as_deref()?;
        let folder = Folder::new(&format!("{test}-registry"));
        let mut auth = Value::Null;
        if let Some(htpasswd) = htpasswd {
            let path = folder.write("htpasswd", htpasswd);
            auth = json!({ "htpasswd": { "realm": "test", "path": path } });
        }
        // Between looking for a free port and taking it, another may take it.
        for _ in 0..5 {
            let host = free_host();
            let config = json!({
                "version": "0.1",
                "log": { "level": "error" },
                "storage": { "filesystem": { "rootdirectory": folder.0.join("storage") } },
                "http": { "addr": host },
                "auth": auth,
            });
            let config = folder.write("config.yml", config.to_string());
            let mut process = Command::new(program)
                .arg("serve")
                .arg(config)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let since = Instant::now();
            while process.try_wait().unwrap().is_none() {
                if TcpStream::connect(&host).is_ok() {
                    return Some(Self { process, folder, host });
                }
                assert!(since.elapsed() < Duration::from_secs(30), "docker-registry does not listen");
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        panic!("docker-registry does not start");
    }

    /// The digest under which the registry has some bytes, and the file in which it has them.
    fn blob(&self, bytes: &[u8]) -> (String, PathBuf) {
        let blobs = self.folder.0.join("storage/docker/registry/v2/blobs/sha256");
        for prefix in std::fs::read_dir(blobs).unwrap() {
            for blob in std::fs::read_dir(prefix.unwrap().path()).unwrap() {
                let blob = blob.unwrap();
                let data = blob.path().join("data");
                if std::fs::read(&data).unwrap() == bytes {
                    return (format!("sha256:{}", blob.file_name().to_str().unwrap()), data);
                }
            }
        }
        panic!("the registry does not have it");
    }

    /// What an answer to a request begins with.
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
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Puts what a test makes up under a tag.
    fn put(&self, repository: &str, tag: &str, content_type: &str, manifest: &Value) {
        let request = format!("PUT /v2/{repository}/manifests/{tag}");
        let answer = self.send(&request, content_type, &manifest.to_string());
        assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    }

    /// The tags of a repository, as the registry lists them.
    fn tags(&self, repository: &str) -> Value {
        let answer = self.send(&format!("GET /v2/{repository}/tags/list"), "text/plain", "");
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        serde_json::from_str::<Value>(body).unwrap()["tags"].take()
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// An address at which nobody listens: the port is the system's, and of a service that is no more.
const NOBODY: &str = "127.0.0.1:1";

/// An address at which a registry can listen.
fn free_host() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

/// Stands before a registry, notes the requests and cuts uploads off in their middle.
struct Proxy {
    host: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    /// One that cuts the first `cuts` requests that send a part of a blob.
    fn start(registry: &Registry, cuts: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (target, noted, cuts) = (registry.host.clone(), requests.clone(), Arc::new(Mutex::new(cuts)));
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (noted, cuts) = (noted.clone(), cuts.clone());
                let (client, server) = (client.unwrap(), TcpStream::connect(&target).unwrap());
                let mut answers = (server.try_clone().unwrap(), client.try_clone().unwrap());
                std::thread::spawn(move || {
                    drop(io::copy(&mut answers.0, &mut answers.1));
                    drop(answers.1.shutdown(Shutdown::Both));
                });
                std::thread::spawn(move || {
                    drop(forward(&client, &server, &noted, &cuts));
                    drop(server.shutdown(Shutdown::Both));
                    drop(client.shutdown(Shutdown::Both));
                });
            }
        });
        Self { host, requests }
    }

    /// The requests since the last call: methods, and paths without what differs from run to run.
    fn requests(&self) -> Vec<String> {
        let requests = std::mem::take(&mut *self.requests.lock().unwrap());
        requests.iter().map(|line| line.rsplit_once(' ').unwrap().0.to_owned()).collect()
    }
}

/// Hands the requests of a connection on, until it ends or is cut.
fn forward(
    client: &TcpStream,
    mut server: &TcpStream,
    requests: &Mutex<Vec<String>>,
    cuts: &Mutex<usize>,
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
        let mut cuts = cuts.lock().unwrap();
        let is_cut = line.starts_with("PATCH ") && *cuts > 0;
        *cuts -= usize::from(is_cut);
        drop(cuts);
        requests.lock().unwrap().push(line);
        server.write_all(head.as_bytes())?;
        io::copy(&mut client.by_ref().take(if is_cut { length / 2 } else { length }), &mut server)?;
        if is_cut {
            return Ok(());
        }
    }
}

/// A folder of a test's own, in which the tool runs.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let folder =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("push-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// The file of that name, which then is there no more.
    fn take(&self, name: &str) -> Vec<u8> {
        let bytes = std::fs::read(self.0.join(name)).unwrap();
        std::fs::remove_file(self.0.join(name)).unwrap();
        bytes
    }

    fn is_empty(&self) -> bool {
        std::fs::read_dir(&self.0).unwrap().next().is_none()
    }

    /// The tool, without what this machine's user has set.
    fn tool(&self, arguments: &[&str]) -> Command {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
        let mut tool = Command::new(target.join("debug/portcullis"));
        tool.args(arguments).current_dir(&self.0).env("DOCKER_CONFIG", self.0.join("nothing"));
        for variable in ["http_proxy", "https_proxy", "all_proxy"] {
            tool.env_remove(variable).env_remove(variable.to_uppercase());
        }
        tool
    }

    /// What the tool prints when all goes well.
    fn done(&self, arguments: &[&str]) -> String {
        done(&mut self.tool(arguments))
    }

    /// The sentence with which the tool refuses; nothing is printed then.
    fn refused(&self, arguments: &[&str]) -> String {
        refused(&mut self.tool(arguments))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

fn run(tool: &mut Command) -> (i32, String, String) {
    let output = tool.output().expect("the tool is built with ./justw modules");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn done(tool: &mut Command) -> String {
    let (status, stdout, stderr) = run(tool);
    assert_eq!((status, stderr.as_str()), (0, ""), "{stdout}");
    stdout
}

fn refused(tool: &mut Command) -> String {
    let (status, stdout, stderr) = run(tool);
    assert_eq!((status, stdout.as_str()), (2, ""), "{stderr}");
    let sentence = stderr.strip_prefix("portcullis: ").unwrap().strip_suffix('\n').unwrap();
    assert!(!sentence.contains('\n'), "{sentence}");
    sentence.to_owned()
}

/// The path of a built module.
fn built(id: &str) -> String {
    tests::root().join("target/policies").join(format!("{id}.wasm")).to_str().unwrap().to_owned()
}

/// The only reference by digest that `push` prints.
fn immutable(stdout: &str, id: &str) -> String {
    stdout.strip_prefix(&format!("pushed {id}: ")).unwrap().strip_suffix('\n').unwrap().to_owned()
}

/// A module with the metadata of external-ips but for some annotations.
fn annotated(annotations: &[(&str, Option<&str>)]) -> Vec<u8> {
    let mut metadata = packaging::Metadata::read(&tests::module("external-ips").unwrap()).unwrap().unwrap();
    for (key, value) in annotations {
        match value {
            Some(value) => metadata.annotations.insert((*key).to_owned(), (*value).to_owned()),
            None => metadata.annotations.remove(*key),
        };
    }
    packaging::annotate(MODULE, &metadata).unwrap()
}

#[test]
fn every_module_comes_back_as_it_was_by_tag_and_by_digest() {
    let Some(registry) = Registry::start("modules", None) else { return };
    let folder = Folder::new("modules");
    let modules = tests::root().join("target/policies");
    let prefix = format!("{}/team/policies", registry.host);
    let mut arguments = vec!["push"];
    arguments.extend(rules::CATALOG.iter().map(|entry| entry.id));
    arguments.extend([&*prefix, "--plain-http", "-o", "json", "--modules", modules.to_str().unwrap()]);
    let stdout = folder.done(&arguments);
    assert_eq!(stdout.lines().count(), rules::CATALOG.len());
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
        // The very bytes: nothing in them depends on the day or on the machine.
        let (digest, _) = registry.blob(manifest.to_string().as_bytes());
        let (tag, by_digest) = (format!("{prefix}/{id}:v{version}"), format!("{prefix}/{id}@{digest}"));
        let pushed: Value = serde_json::from_str(line).unwrap();
        assert_eq!(pushed, json!({ "policy": id, "reference": tag, "immutable_ref": by_digest }));

        let told = folder.done(&["pull", &tag, "--plain-http"]);
        assert_eq!(told, format!("pulled {by_digest} into {id}.wasm\n"));
        assert!(folder.take(&format!("{id}.wasm")) == module, "{id}");
        let scheme = format!("registry://{by_digest}");
        let told = folder.done(&["pull", &scheme, "--plain-http", "--output", "other.wasm"]);
        assert_eq!(told, format!("pulled {by_digest} into other.wasm\n"));
        assert!(folder.take("other.wasm") == module, "{id}");
    }
    assert!(folder.is_empty());
}

#[test]
fn one_policy_goes_where_the_reference_says() {
    let Some(registry) = Registry::start("one", None) else { return };
    let folder = Folder::new("one");
    let place = format!("{}/any/name", registry.host);
    let push = |reference: &str| folder.done(&["push", &built("node-pods"), reference, "--plain-http"]);
    let by_digest = immutable(&push(&format!("registry://{place}:edge")), "node-pods");
    assert!(by_digest.starts_with(&format!("{place}@sha256:")), "{by_digest}");
    assert_eq!(registry.tags("any/name"), json!(["edge"]));
    assert_eq!(immutable(&push(&place), "node-pods"), by_digest);
    let mut tags = registry.tags("any/name");
    tags.as_array_mut().unwrap().sort_by_key(ToString::to_string);
    assert_eq!(tags, json!(["edge", "v0.1.0"]));
    // Content under another tag replaces what was there.
    folder.write("other.wasm", annotated(&[]));
    let other = folder.done(&["push", "other.wasm", &format!("{place}:edge"), "--plain-http"]);
    assert_ne!(immutable(&other, "external-ips"), by_digest);
    folder.done(&["pull", &format!("{place}:edge"), "--plain-http"]);
    assert_eq!(folder.take("name.wasm"), annotated(&[]));
}

#[test]
fn annotations_of_several_lines_stay_out_of_the_manifest() {
    let Some(registry) = Registry::start("annotations", None) else { return };
    let folder = Folder::new("annotations");
    let module = annotated(&[
        ("io.kubewarden.policy.usage", Some("one\ntwo\n")),
        ("io.kubewarden.policy.description", Some("  \"one\" größe\tline\n")),
        ("org.opencontainers.image.source", Some("https://example.org/elsewhere")),
    ]);
    folder.write("m.wasm", module);
    let stdout = folder.done(&["push", "m.wasm", &format!("{}/m", registry.host), "--plain-http"]);
    let digest = immutable(&stdout, "external-ips").rsplit_once('@').unwrap().1.to_owned();
    let answer = registry.send(&format!("GET /v2/m/manifests/{digest}"), MANIFEST, "");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.contains(&format!("Content-Type: {MANIFEST}\r\n")), "{head}");
    let manifest: Value = serde_json::from_str(body).unwrap();
    let annotations = &manifest["annotations"];
    assert_eq!(annotations["io.kubewarden.policy.description"], "\"one\" größe\tline");
    assert_eq!(annotations["org.opencontainers.image.source"], "https://example.org/elsewhere");
    assert_eq!(annotations.get("io.kubewarden.policy.usage"), None);
}

#[test]
fn what_is_there_is_not_sent_again() {
    let Some(registry) = Registry::start("again", None) else { return };
    let folder = Folder::new("again");
    let proxy = Proxy::start(&registry, 0);
    let place = format!("{}/p", proxy.host);
    let (module, reference) = (built("external-ips"), format!("{place}:v1"));
    let push = ["push", &*module, &*reference, "--plain-http"];
    let first = folder.done(&push);
    let methods = |requests: &[String]| {
        let methods = requests.iter().map(|line| line.split(' ').next().unwrap().to_owned());
        methods.filter(|method| !matches!(&**method, "GET" | "HEAD")).collect::<Vec<String>>()
    };
    let requests = proxy.requests();
    assert_eq!(methods(&requests), ["POST", "PATCH", "PUT", "POST", "PATCH", "PUT", "PUT"]);
    assert_eq!(requests.last().unwrap(), "PUT /v2/p/manifests/v1");
    assert_eq!(folder.done(&push), first);
    assert_eq!(methods(&proxy.requests()), [""; 0]);
    // Another tag is a manifest and no blob.
    folder.done(&["push", &module, &format!("{place}:v2"), "--plain-http"]);
    assert_eq!(methods(&proxy.requests()), ["PUT"]);
}

#[test]
fn a_layer_that_is_cut_off_is_sent_again() {
    let Some(registry) = Registry::start("cut", None) else { return };
    let folder = Folder::new("cut");
    let proxy = Proxy::start(&registry, 2);
    let module = built("pod-security");
    folder.done(&["push", &module, &format!("{}/p:v1", proxy.host), "--plain-http"]);
    let requests = proxy.requests();
    // Twice half of the layer, the layer, the configuration.
    assert_eq!(requests.iter().filter(|line| line.starts_with("PATCH ")).count(), 4, "{requests:?}");
    assert_eq!(requests.last().unwrap(), "PUT /v2/p/manifests/v1");
    folder.done(&["pull", &format!("{}/p:v1", registry.host), "--plain-http"]);
    assert!(folder.take("p.wasm") == tests::module("pod-security").unwrap());
}

#[test]
fn a_layer_that_never_arrives_leaves_no_policy_behind() {
    let Some(registry) = Registry::start("never", None) else { return };
    let folder = Folder::new("never");
    let proxy = Proxy::start(&registry, usize::MAX);
    let told =
        folder.refused(&["push", &built("external-ips"), &format!("{}/p", proxy.host), "--plain-http"]);
    assert!(told.starts_with(&format!("{}: the connection failed: ", proxy.host)), "{told}");
    assert_eq!(registry.tags("p"), Value::Null);
    let place = format!("{}/p:v0.1.0", registry.host);
    let told = folder.refused(&["pull", &place, "--plain-http"]);
    assert!(told.starts_with(&format!("{place}: is not in the registry: ")), "{told}");
    assert!(folder.is_empty());
}

#[test]
fn a_module_that_is_not_what_the_manifest_says_is_not_kept() {
    let Some(registry) = Registry::start("damaged", None) else { return };
    let folder = Folder::new("damaged");
    let place = format!("{}/p:v1", registry.host);
    let module = tests::module("external-ips").unwrap();
    folder.done(&["push", &built("external-ips"), &place, "--plain-http"]);
    let (digest, data) = registry.blob(&module);
    let mut damaged = module.clone();
    *damaged.last_mut().unwrap() ^= 1;
    folder.write("kept.wasm", "as it was");
    for damaged in [damaged, module[1..].to_vec(), [&module[..], b"more"].concat()] {
        std::fs::write(&data, damaged).unwrap();
        let told = folder.refused(&["pull", &place, "--plain-http", "--output", "kept.wasm"]);
        assert!(told.starts_with(&format!("{place}: the registry ")), "{digest} {told}");
        assert_eq!(folder.take("kept.wasm"), b"as it was");
        assert!(folder.is_empty());
        folder.write("kept.wasm", "as it was");
    }
}

#[test]
fn what_is_no_policy_is_not_pulled() {
    let Some(registry) = Registry::start("other", None) else { return };
    let folder = Folder::new("other");
    let place = format!("{}/p", registry.host);
    let module = built("external-ips");
    let pushed =
        immutable(&folder.done(&["push", &module, &format!("{place}:v1"), "--plain-http"]), "external-ips");
    let blob =
        |media_type: &str, size: u64| json!({ "mediaType": media_type, "digest": CONFIG, "size": size });
    let config = blob("application/vnd.oci.image.config.v1+json", 2);
    let manifest = |layers: Value| json!({ "schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": layers });
    let wasm = "application/vnd.wasm.content.layer.v1+wasm";
    let tar = blob("application/vnd.oci.image.layer.v1.tar+gzip", 2);
    registry.put("p", "tar", MANIFEST, &manifest(json!([tar])));
    registry.put("p", "two", MANIFEST, &manifest(json!([blob(wasm, 2), tar])));
    registry.put("p", "none", MANIFEST, &manifest(json!([])));
    registry.put("p", "huge", MANIFEST, &manifest(json!([blob(wasm, 1 << 40)])));
    let index = "application/vnd.oci.image.index.v1+json";
    let digest = pushed.rsplit_once('@').unwrap().1;
    let entry = json!({
        "mediaType": MANIFEST, "digest": digest, "size": 1, "platform": { "os": "linux", "architecture": "amd64" },
    });
    registry.put(
        "p",
        "index",
        index,
        &json!({ "schemaVersion": 2, "mediaType": index, "manifests": [entry] }),
    );
    for (tag, problem) in [
        ("tar", &*format!("its layer is application/vnd.oci.image.layer.v1.tar+gzip, expected {wasm}")),
        ("two", "it has 2 layers, expected one"),
        ("none", "it has 0 layers, expected one"),
        ("huge", "it has 1099511627776 bytes, more than the 268435456 that are taken"),
        ("index", "it is an index of several images"),
    ] {
        let told = folder.refused(&["pull", &format!("{place}:{tag}"), "--plain-http"]);
        assert_eq!(told, format!("{place}:{tag}: is no policy: {problem}"));
    }
    assert!(folder.is_empty());
}

#[test]
fn credentials_are_docker_s() {
    let Some(registry) = Registry::start("credentials", Some(HTPASSWD)) else { return };
    let folder = Folder::new("credentials");
    let host = &registry.host;
    let place = format!("{host}/p:v1");
    let module = built("external-ips");
    let push = ["push", &*module, &*place, "--plain-http"];
    let wanted = format!(
        "{host}: wants credentials for p; log in with docker login {host}, or name the folder of a config.json with \
         --docker-config"
    );
    assert_eq!(folder.refused(&push), wanted);
    assert_eq!(folder.refused(&["pull", &place, "--plain-http"]), wanted);

    let encoded = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
    let (user, password) = USER;
    let config = |config: &Value| folder.write("config.json", config.to_string());
    let with_config = |arguments: &[&str]| folder.tool(&[arguments, &["--docker-config", "."]].concat());
    config(&json!({ "auths": { host: { "auth": encoded("ali:close sesame") } } }));
    let renew = format!("renew them with docker login {host}");
    assert_eq!(
        refused(&mut with_config(&push)),
        format!("{host}: refuses the credentials for p: authentication required; {renew}")
    );
    assert_eq!(
        refused(&mut with_config(&["pull", &place, "--plain-http"])),
        format!("{host}: refuses the credentials for p; {renew}")
    );

    for right in [
        json!({ "auths": { host: { "auth": encoded(&format!("{user}:{password}")) } } }),
        json!({ "auths": { host: { "username": user, "password": password } } }),
    ] {
        config(&right);
        done(&mut with_config(&push));
        done(folder.tool(&["pull", &place, "--plain-http"]).env("DOCKER_CONFIG", &folder.0));
        assert!(folder.take("p.wasm") == tests::module("external-ips").unwrap());
    }
    done(folder.tool(&push).env_remove("DOCKER_CONFIG").env("HOME", {
        std::fs::create_dir(folder.0.join(".docker")).unwrap();
        std::fs::copy(folder.0.join("config.json"), folder.0.join(".docker/config.json")).unwrap();
        &folder.0
    }));
    config(&json!({ "auths": { "elsewhere.example": { "auth": encoded("ali:open sesame") } } }));
    assert_eq!(refused(&mut with_config(&push)), wanted);
}

#[cfg(unix)]
#[test]
fn credential_helpers_are_asked() {
    use std::os::unix::fs::PermissionsExt as _;

    let Some(registry) = Registry::start("helper", Some(HTPASSWD)) else { return };
    let folder = Folder::new("helper");
    let host = &registry.host;
    let place = format!("{host}/p:v1");
    let helper = |script: &str| {
        // They all read which registry is meant before they answer.
        let path = folder.write("docker-credential-test", format!("#!/bin/sh\nread -r host\n{script}\n"));
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    let path = format!("{}:{}", folder.0.display(), std::env::var("PATH").unwrap());
    let tool = || {
        let arguments = ["push", &*built("external-ips"), &*place, "--plain-http", "--docker-config", "."];
        let mut tool = folder.tool(&arguments);
        tool.env("PATH", &path);
        tool
    };
    let (user, password) = USER;
    for config in
        [json!({ "credsStore": "test", "auths": { host: {} } }), json!({ "credHelpers": { host: "test" } })]
    {
        folder.write("config.json", config.to_string());
        let answer = json!({ "ServerURL": host, "Username": user, "Secret": password });
        helper(&format!("[ \"$1 $host\" = 'get {host}' ] && echo '{answer}'"));
        done(&mut tool());
        helper("echo 'credentials not found in native keychain'; exit 1");
        assert!(refused(&mut tool()).starts_with(&format!("{host}: wants credentials for p; ")));
        helper("echo the vault is shut >&2; exit 1");
        assert_eq!(
            refused(&mut tool()),
            format!(
                "./config.json: docker-credential-test gives no credentials for {host} and says the vault is shut"
            )
        );
        helper("echo nothing");
        assert_eq!(
            refused(&mut tool()),
            format!(
                "./config.json: the credential helper that it names for {host} does not answer with a user name and \
                 a secret"
            )
        );
        folder.take("docker-credential-test");
        assert_eq!(
            refused(&mut tool()),
            format!(
                "./config.json: the credential helper that it names for {host} cannot be run; install it or log in \
                 without it"
            )
        );
    }
}

#[test]
fn a_configuration_that_cannot_be_used_is_told() {
    let folder = Folder::new("config");
    let place = "registry.example/p:v1";
    let refused = || folder.refused(&["pull", place, "--docker-config", "."]);
    assert_eq!(refused(), "./config.json: cannot be read: No such file or directory (os error 2)");
    folder.write("config.json", "auths:");
    assert_eq!(
        refused(),
        "./config.json: is no configuration of docker; expected JSON with auths, credHelpers or credsStore"
    );
    folder.write("config.json", r#"{"auths": {"registry.example": {"auth": "?"}}}"#);
    assert_eq!(
        refused(),
        "./config.json: what it has for registry.example is no user name and password; renew it with docker login \
         registry.example"
    );
    folder.write("config.json", r#"{"auths": {"registry.example": {"identitytoken": "t"}}}"#);
    assert_eq!(
        refused(),
        "./config.json: has an identity token for registry.example, which cannot be used here; log in with a password \
         or an access token"
    );
}

#[test]
fn a_registry_that_is_not_there_is_told() {
    let folder = Folder::new("down");
    let (module, place) = (built("external-ips"), format!("{NOBODY}/p:v1"));
    for command in [&["push", &*module, &*place][..], &["pull", &*place]] {
        for scheme in [&["--plain-http"][..], &[]] {
            let told = folder.refused(&[command, scheme].concat());
            assert!(
                told.starts_with(&format!("{NOBODY}: cannot be reached: Connection refused (os error ")),
                "{told}"
            );
        }
    }
    assert!(folder.is_empty());
    let Some(registry) = Registry::start("down", None) else { return };
    assert_eq!(
        folder.refused(&["pull", &format!("{}/p:v1", registry.host)]),
        format!("{}: does not speak TLS; if it may be plain HTTP, add --plain-http", registry.host)
    );
}

#[test]
fn nothing_is_sent_of_what_cannot_be_pushed() {
    let folder = Folder::new("input");
    // Whoever talks to this host is told so.
    let place = format!("{NOBODY}/p");
    let modules = tests::root().join("target/policies");
    let refused = |policies: &[&str], reference: &str| {
        let flags = ["--plain-http", "--modules", modules.to_str().unwrap()];
        folder.refused(&[&["push"], policies, &[reference], &flags].concat())
    };
    let told = refused(&["external-ips", "external-ip"], &place);
    assert!(
        told.starts_with("policy external-ip: there is no such policy; did you mean external-ips?"),
        "{told}"
    );
    assert_eq!(
        refused(&["external-ips", "no.wasm"], &place),
        "no.wasm: cannot be read: No such file or directory (os error 2)"
    );
    folder.write("text.wasm", "text");
    let told = refused(&["text.wasm"], &place);
    assert!(told.starts_with("text.wasm: module: expected a core WebAssembly module: "), "{told}");
    folder.write("bare.wasm", MODULE);
    assert_eq!(
        refused(&["external-ips", "bare.wasm"], &place),
        "bare.wasm: carries no metadata, without which no host runs it; add it with portcullis annotate"
    );
    folder.write("other.wasm", annotated(&[]));
    assert_eq!(
        refused(&["external-ips", "other.wasm"], &place),
        format!("{place}/external-ips:v0.1.0: would be overwritten by other.wasm; push them apart")
    );
    folder.write("unversioned.wasm", annotated(&[("io.kubewarden.policy.version", None)]));
    assert_eq!(
        refused(&["unversioned.wasm"], &place),
        "unversioned.wasm: its metadata has no io.kubewarden.policy.version; give the reference a tag"
    );
    let by_digest = format!("{place}@{CONFIG}");
    assert_eq!(
        refused(&["external-ips"], &by_digest),
        format!("{by_digest}: has a digest, which follows from what is pushed; give it a tag")
    );
    let example = "write it as ghcr.io/example/policies/external-ips:v1.2.3";
    for (reference, told) in [
        ("HTTPS://x", "HTTPS://x:v0.1.0: is no reference to a policy"),
        ("localhost:5000/Upper:v1", "localhost:5000/Upper:v1: is no reference to a policy"),
        ("localhost:5000", "localhost:5000: names no registry"),
        ("node-pods", "node-pods:v0.1.0: names no registry"),
        ("example/node-pods:v1", "example/node-pods:v1: names no registry"),
        ("registry://", ":v0.1.0: is no reference to a policy"),
    ] {
        assert_eq!(refused(&["external-ips"], reference), format!("{told}; {example}"));
    }
    let told = refused(&["external-ips", "node-pods"], "localhost:5000/policies:v1");
    assert_eq!(
        told,
        format!("localhost:5000/policies:v1/external-ips:v0.1.0: is no reference to a policy; {example}")
    );
    assert_eq!(folder.refused(&["pull", "p:v1"]), format!("p:v1: names no registry; {example}"));
    let (status, ..) = run(&mut folder.tool(&["push", "external-ips"]));
    assert_eq!(status, 2);
}
