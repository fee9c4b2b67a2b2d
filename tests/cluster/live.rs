//! `portcullis scan --live` against a real API server.
//!
//! It runs where the programs of an API server are on PATH: see `tests::api_server`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tests::api_server::{ApiServer, can_run};
use tests::root;

/// The number of Services: more than a page has.
const SERVICES: usize = 520;

/// The lists that a dump of the cluster has.
const DUMP: [&str; 3] = ["/api/v1/pods", "/api/v1/services", "/apis/apps/v1/deployments"];

fn portcullis(arguments: &[&str]) -> Output {
    Command::new(root().join("target/debug/portcullis"))
        .current_dir(root())
        .args(arguments)
        .output()
        .expect("there is no tool; build it with cargo build -p portcullis")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Returns a report without the places, which are those of files or none.
fn report(output: &Output) -> Value {
    let mut report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)));
    for list in ["findings", "notices"] {
        for one in report[list].as_array_mut().unwrap() {
            one["place"] = Value::Null;
        }
    }
    report["findings"]
        .as_array_mut()
        .unwrap()
        .sort_by_key(|one| one["object"].to_string() + &*one.to_string());
    report
}

/// The lists that an audit of SELinux levels needs, as far as the cluster has objects in them.
const AUDITED: [&str; 6] = [
    "/api/v1/namespaces",
    "/api/v1/pods",
    "/apis/apps/v1/deployments",
    "/api/v1/persistentvolumeclaims",
    "/api/v1/persistentvolumes",
    "/apis/storage.k8s.io/v1/csidrivers",
];

/// A pod whose containers mount a claim with different labels, and what the claim needs.
fn storage() -> Vec<Value> {
    let container = |name: &str, options: Value| {
        json!({
            "name": name, "image": "example.com/app:1", "securityContext": { "seLinuxOptions": options },
            "volumeMounts": [{ "name": "data", "mountPath": "/data" }],
        })
    };
    let spec = json!({
        "volumes": [{ "name": "data", "persistentVolumeClaim": { "claimName": "data" } }],
        "containers": [container("a", json!({ "level": "s0:c1,c2" })), container("b", json!({ "type": "spc_t" }))],
    });
    let capacity = json!({ "storage": "1Gi" });
    let metadata = |name: &str| json!({ "name": name, "namespace": "shop" });
    vec![
        json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata("mixed"), "spec": spec }),
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata("data"),
            "spec": { "accessModes": ["ReadWriteMany"], "resources": { "requests": capacity }, "volumeName": "pv" },
        }),
        json!({
            "apiVersion": "v1", "kind": "PersistentVolume", "metadata": { "name": "pv" },
            "spec": {
                "accessModes": ["ReadWriteMany"], "capacity": capacity,
                "csi": { "driver": "csi.example.com", "volumeHandle": "disk" },
            },
        }),
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": { "name": "csi.example.com" },
            "spec": { "seLinuxMount": true },
        }),
    ]
}

fn objects() -> Vec<Value> {
    let namespace = |name: &str, labels: Value| json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name, "labels": labels } });
    let spec = |host_pid: bool| json!({ "hostPID": host_pid, "containers": [{ "name": "app", "image": "example.com/app:1" }] });
    let pod = |name: &str, host_pid: bool| json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name, "namespace": "shop" }, "spec": spec(host_pid) });
    let service = |index: usize| {
        let ips = if index.is_multiple_of(100) { json!(["192.0.2.1"]) } else { json!([]) };
        json!({
            "apiVersion": "v1", "kind": "Service", "metadata": { "name": format!("s{index:04}"), "namespace": "shop" },
            "spec": { "clusterIP": "None", "ports": [{ "port": 80 }], "externalIPs": ips },
        })
    };
    let template = json!({ "metadata": { "labels": { "app": "a" } }, "spec": spec(true) });
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web", "namespace": "shop" },
        "spec": { "selector": { "matchLabels": { "app": "a" } }, "template": template },
    });
    let first = [
        namespace("shop", json!({ "team": "a" })),
        namespace("left-out", json!({ "pod-security": "no" })),
        pod("good", false),
        pod("bad", true),
        deployment,
    ];
    first.into_iter().chain((0..SERVICES).map(service)).collect()
}

/// Policies as they are deployed: one for Namespaces without a label, and one for Services.
fn policies() -> Vec<Value> {
    let version = env!("CARGO_PKG_VERSION");
    let policy = |id: &str, groups: Value, resources: Value, settings: Value, selector: Value| {
        json!({
            "apiVersion": "policies.kubewarden.io/v1", "kind": "ClusterAdmissionPolicy", "metadata": { "name": id },
            "spec": {
                "module": format!("registry://ghcr.io/portcullis/policies/{id}:v{version}"),
                "mutating": false, "settings": settings, "namespaceSelector": selector,
                "rules": [{ "apiGroups": groups, "apiVersions": ["v1"], "resources": resources, "operations": ["CREATE", "UPDATE"] }],
            },
        })
    };
    let selector = json!({ "matchExpressions": [
        { "key": "pod-security", "operator": "NotIn", "values": ["no"] },
        { "key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["gone", "left-out"] },
    ] });
    vec![
        policy(
            "pod-security",
            json!(["", "apps"]),
            json!(["pods", "deployments"]),
            json!({ "level": "baseline" }),
            selector,
        ),
        policy("external-ips", json!([""]), json!(["services"]), json!({}), json!({})),
    ]
}

fn list(items: &[Value]) -> String {
    json!({ "apiVersion": "v1", "kind": "List", "items": items }).to_string()
}

/// Writes what the server lists into files, and returns the folder.
fn dump(server: &ApiServer, name: &str, paths: &[&str]) -> PathBuf {
    let folder = server.folder().join(name);
    fs::create_dir_all(&folder).unwrap();
    for (index, path) in paths.iter().enumerate() {
        let list = server.kubectl(&["get", "--raw", path]).unwrap();
        fs::write(folder.join(format!("{index}.json")), list).unwrap();
    }
    folder
}

/// Kubewarden's definitions without the schemas, which are those of newer servers.
fn definitions() -> Vec<Value> {
    let any = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    let mut definitions = Vec::new();
    for file in fs::read_dir(root().join("tests/deploy/definitions")).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        definitions.extend(serde_saphyr::from_multiple::<Value>(&text).unwrap());
    }
    for definition in &mut definitions {
        for version in definition["spec"]["versions"].as_array_mut().unwrap() {
            version["schema"]["openAPIV3Schema"] = any.clone();
        }
    }
    definitions
}

/// Runs a live scan.
fn scan(kubeconfig: &Path, arguments: &[&str]) -> Output {
    let fixed = ["scan", "--live", "--kubeconfig", kubeconfig.to_str().unwrap()];
    portcullis(&[&fixed, arguments].concat())
}

/// A server with the objects and policies of the test, and a user who may do everything.
struct Live {
    server: ApiServer,
    admin: PathBuf,
}

impl Live {
    fn start() -> Self {
        let server = ApiServer::start(
            Path::new(env!("CARGO_TARGET_TMPDIR")),
            &["--disable-admission-plugins=ServiceAccount", "--allow-privileged=true"],
        );
        let admin = server.kubeconfig("admin", "");
        let new = Self { server, admin };
        new.create(&list(&definitions()));
        let established = ["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"];
        new.server.kubectl(&established).unwrap();
        new.create(&list(&objects()));
        new.create(&list(&policies()));
        new
    }

    fn create(&self, input: &str) {
        let created = self.server.kubectl_with(input, &["create", "--filename", "-"]);
        created.unwrap_or_else(|error| panic!("{error}"));
    }

    /// The policies of the cluster evaluate, by pages, as on its dump.
    fn compare_with_the_dump(&self) {
        let found = scan(&self.admin, &["-o", "json"]);
        assert_eq!(found.status.code(), Some(1), "{}", text(&found.stderr));
        let evaluated = dump(&self.server, "evaluated", &DUMP);
        let looked_up = dump(
            &self.server,
            "looked-up",
            &["/api/v1/namespaces", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"],
        );
        let manifests =
            dump(&self.server, "manifests", &["/apis/policies.kubewarden.io/v1/clusteradmissionpolicies"]);
        let of_dump = portcullis(&[
            "scan",
            evaluated.to_str().unwrap(),
            "--policy",
            manifests.to_str().unwrap(),
            "--cluster",
            looked_up.to_str().unwrap(),
            "--pods",
            "off",
            "-o",
            "json",
        ]);
        let (found, of_dump) = (report(&found), report(&of_dump));
        let absent = "policies skip namespaces that do not exist: gone; unless";
        assert!(found["notices"].to_string().contains(absent), "{}", found["notices"]);
        let reservations =
            fs::read_to_string(root().join("artifacthub/deploy/skipped-namespaces.yaml")).unwrap();
        self.create(&reservations.replace("\"['", "\"['gone', '"));
        let reserved = report(&scan(&self.admin, &["-o", "json"]));
        assert!(!reserved["notices"].to_string().contains("policies skip"), "{}", reserved["notices"]);
        // The Service of the API server itself is evaluated, too.
        assert_eq!(found["totals"]["objects"], json!(SERVICES + 4));
        assert_eq!(found["findings"].as_array().unwrap().len(), SERVICES.div_ceil(100) + 2);
        assert_eq!(
            serde_json::to_string_pretty(&without_warnings(&found)).unwrap(),
            serde_json::to_string_pretty(&without_warnings(&of_dump)).unwrap()
        );
    }

    /// Reports the missing right of a user who may list everything but pods, and returns the
    /// kubeconfig of the user.
    fn report_a_missing_right(&self) -> PathBuf {
        let role = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": { "name": "scan" },
            "rules": [
                { "apiGroups": [""], "resources": ["namespaces", "services"], "verbs": ["list"] },
                { "apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["list"] },
                { "apiGroups": ["apiextensions.k8s.io"], "resources": ["customresourcedefinitions"], "verbs": ["list"] },
                { "apiGroups": ["policies.kubewarden.io"], "resources": ["*"], "verbs": ["list"] },
            ],
        });
        self.create(&role.to_string());
        self.server
            .kubectl(&["create", "clusterrolebinding", "scan", "--clusterrole=scan", "--user=viewer"])
            .unwrap();
        let viewer = self.server.kubeconfig("viewer", ", as: viewer");
        let found = scan(&viewer, &["-o", "json"]);
        assert_eq!(found.status.code(), Some(2), "{}", text(&found.stderr));
        let found = report(&found);
        assert_eq!(found["totals"]["objects"], json!(SERVICES + 2));
        let messages: Vec<&str> =
            found["notices"].as_array().unwrap().iter().filter_map(|one| one["message"].as_str()).collect();
        let right = "the right to list pods in the API group \"\" at cluster scope is missing";
        assert!(messages.iter().any(|message| message.starts_with(right)), "{messages:?}");
        viewer
    }

    /// Evaluates a namespace with policies that are not deployed.
    fn evaluate_a_namespace(&self) {
        let found = scan(&self.admin, &["-n", "left-out", "--policy", "pod-security", "-o", "json"]);
        assert_eq!(found.status.code(), Some(2), "{}", text(&found.stderr));
        assert!(text(&found.stderr).contains("nothing was evaluated"), "{}", text(&found.stderr));
        let found = scan(&self.admin, &["-n", "shop", "--policy", "external-ips"]);
        assert!(text(&found.stdout).contains("namespace shop"), "{}", text(&found.stdout));
    }

    /// Evaluates a namespace as a user with rights in it alone.
    fn evaluate_as_a_tenant(&self) {
        let everything = json!({ "apiGroups": ["*"], "resources": ["*"], "verbs": ["*"] });
        let role = json!({ "kind": "Role", "name": "everything", "apiGroup": "rbac.authorization.k8s.io" });
        let rights = json!({ "apiVersion": "v1", "kind": "List", "items": [
            { "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
              "metadata": { "name": "everything", "namespace": "shop" }, "rules": [everything] },
            { "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
              "metadata": { "name": "everything", "namespace": "shop" }, "roleRef": role,
              "subjects": [{ "kind": "User", "name": "tenant", "apiGroup": "rbac.authorization.k8s.io" }] },
        ] });
        self.server.kubectl_with(&rights.to_string(), &["create", "--filename", "-"]).unwrap();
        let tenant = self.server.kubeconfig("tenant", ", as: tenant");
        let found = scan(&tenant, &["-n", "shop", "--policy", "pod-security"]);
        assert_eq!(found.status.code(), Some(1), "{}{}", text(&found.stdout), text(&found.stderr));
        assert!(text(&found.stdout).contains("FAILED  14 denied, 0 unknown"), "{}", text(&found.stdout));
    }

    /// Audits the cluster as its dump. `viewer` may not list pods.
    fn audit(&self, viewer: &Path) {
        self.create(&list(&storage()));
        let audited = portcullis(&[
            "audit",
            "selinux",
            "--live",
            "--kubeconfig",
            self.admin.to_str().unwrap(),
            "-o",
            "json",
        ]);
        assert_eq!(audited.status.code(), Some(1), "{}", text(&audited.stderr));
        let audit_dump = dump(&self.server, "audited", &AUDITED);
        let of_dump = portcullis(&["audit", "selinux", audit_dump.to_str().unwrap(), "-o", "json"]);
        assert_eq!(text(&audited.stdout), text(&of_dump.stdout), "{}", text(&of_dump.stderr));
        let audited: Value = serde_json::from_slice(&audited.stdout).unwrap();
        assert_eq!(audited["mixedVolumes"][0]["name"], json!("mixed"));
        let settings = self.server.folder().join("settings.json");
        let selected = json!({ "namespaceSelector": { "matchLabels": { "team": "a" } }, "controlName": "Host Namespaces" });
        fs::write(&settings, json!({ "level": "baseline", "exclude": [selected] }).to_string()).unwrap();
        let audited = portcullis(&[
            "audit",
            "pod-security",
            "--live",
            "--kubeconfig",
            self.admin.to_str().unwrap(),
            "--settings",
            settings.to_str().unwrap(),
        ]);
        assert_eq!(audited.status.code(), Some(1), "{}{}", text(&audited.stdout), text(&audited.stderr));
        assert!(text(&audited.stdout).contains("0 unknown"), "{}", text(&audited.stdout));
        let audited = portcullis(&["audit", "selinux", "--live", "--kubeconfig", viewer.to_str().unwrap()]);
        assert_eq!(audited.status.code(), Some(2), "{}", text(&audited.stdout));
        assert!(
            text(&audited.stderr).contains("is missing, so these objects are unknown; grant"),
            "{}",
            text(&audited.stderr)
        );
    }

    /// Reports a context that does not exist, and credentials that are wrong.
    fn refuse_connections(&self) {
        let found = scan(&self.admin, &["--context", "production"]);
        assert_eq!(found.status.code(), Some(2));
        assert!(
            text(&found.stderr).contains("has no context production; known: test"),
            "{}",
            text(&found.stderr)
        );
        let stranger = self.server.folder().join("stranger");
        fs::write(&stranger, fs::read_to_string(&self.admin).unwrap().replace("token: ", "token: wrong-"))
            .unwrap();
        let found = scan(&stranger, &[]);
        assert!(
            text(&found.stderr).contains("rejects the credentials of context test"),
            "{}",
            text(&found.stderr)
        );
    }
}

/// Compares live scans and audits with those of dumps, and looks at the messages about missing
/// rights.
pub(crate) fn compare_with_the_dump() {
    if !can_run("the test of live scans with an API server") {
        return;
    }
    let live = Live::start();
    live.compare_with_the_dump();
    let viewer = live.report_a_missing_right();
    live.evaluate_a_namespace();
    live.evaluate_as_a_tenant();
    live.audit(&viewer);
    live.refuse_connections();
}

/// Returns a report without the warnings about policies that are not active, because nothing runs
/// them here, and without the note on namespaces that do not exist.
fn without_warnings(report: &Value) -> Value {
    let mut report = report.clone();
    // Objects of a cluster are in no file.
    report["files"].take();
    let is_other = |one: &Value| {
        let message = one["message"].as_str().unwrap_or_default();
        !message.contains("is not active but") && !message.starts_with("policies skip namespaces")
    };
    report["notices"].as_array_mut().unwrap().retain(is_other);
    report
}
