//! Policy reports, written into a small API server of the test.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may panic")]

mod server;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use live::{AppliedReports, Apply, Connection, Error, ReportApi, Target, apply_reports};
use serde_json::{Value, json};
use server::{Answer, Asked, Server};

/// Objects by path.
type Objects = Arc<Mutex<BTreeMap<String, Value>>>;

/// Requests that a cluster refuses: the beginning of one, or the whole of one with a query, and the
/// answer.
type Refusals = Vec<(&'static str, Answer)>;

const OPEN: &str = "/apis/openreports.io/v1alpha1";
const OLD: &str = "/apis/wgpolicyk8s.io/v1alpha2";

/// A cluster with reports.
struct Cluster {
    server: Server,
    connection: Connection,
    objects: Objects,
}

impl Cluster {
    fn new(groups: &'static [&'static str], refusals: Refusals) -> Self {
        let objects: Objects = Arc::default();
        let stored = Arc::clone(&objects);
        let server = Server::start(move |asked| answer(groups, &refusals, &stored, asked));
        let target = Target { kubeconfig: Some(server.kubeconfig("")), context: None };
        let connection = Connection::open(&target).unwrap();
        Self { server, connection, objects }
    }

    fn store(&self, path: &str, label: &str) {
        let (_, name) = path.rsplit_once('/').unwrap();
        let namespace = path.split_once("/namespaces/").map(|(_, rest)| rest.split('/').next().unwrap());
        let metadata = json!({
            "name": name, "namespace": namespace, "uid": format!("uid of {name}"),
            "labels": { "app.kubernetes.io/managed-by": label },
        });
        self.objects.lock().unwrap().insert(path.to_owned(), json!({ "metadata": metadata }));
    }

    fn apply(&self, manifests: &[Value], how: Apply) -> Result<AppliedReports, Error> {
        let installed = ReportApi::installed(&self.connection)?;
        apply_reports(&self.connection, &installed, manifests, how)
    }

    fn paths(&self) -> Vec<String> {
        self.objects.lock().unwrap().keys().cloned().collect()
    }

    /// The requests that change something.
    fn changes(&self) -> Vec<String> {
        let asked = self.server.asked().into_iter().map(|asked| asked.line);
        asked.filter(|line| !line.starts_with("GET") && !line.contains("dryRun=All")).collect()
    }
}

fn answer(groups: &[&str], refusals: &Refusals, objects: &Objects, asked: &Asked) -> Answer {
    if let Some((_, refusal)) = refusals.iter().find(|(refused, _)| {
        if refused.contains('?') { asked.line == *refused } else { asked.line.starts_with(refused) }
    }) {
        return refusal.clone();
    }
    let (method, target) = asked.line.split_once(' ').unwrap();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut objects = objects.lock().unwrap();
    match method {
        "GET" if groups.contains(&path) => {
            let resources = ["reports", "clusterreports", "policyreports", "clusterpolicyreports"];
            let resources: Vec<Value> = resources.iter().map(|name| json!({ "name": name })).collect();
            Answer::ok(json!({ "resources": resources }).to_string())
        }
        "GET" if path.split('/').count() == 5 => {
            assert!(query.contains("labelSelector=app.kubernetes.io%2Fmanaged-by%3Dportcullis"), "{query}");
            // Two pages, of which the first has one object. The selector is that of the server.
            let (root, plural) = path.rsplit_once('/').unwrap();
            let is_one = |key: &&String| key.starts_with(root) && key.split('/').rev().nth(1) == Some(plural);
            let all: Vec<Value> =
                objects.iter().filter(|(key, _)| is_one(key)).map(|(_, object)| object.clone()).collect();
            let rest = query.contains("continue=a%2Fb");
            let items: Vec<Value> =
                if rest { all[1..].to_vec() } else { all.iter().take(1).cloned().collect() };
            let token = if rest || all.len() < 2 { "" } else { "a/b" };
            Answer::ok(json!({ "metadata": { "continue": token }, "items": items }).to_string())
        }
        "PATCH" => {
            assert!(query.starts_with("fieldManager=portcullis&force=true"), "{query}");
            assert!(
                asked.headers.contains("content-type: application/apply-patch+yaml"),
                "{}",
                asked.headers
            );
            if path.contains("/namespaces/gone/") {
                return Answer::refusal(404, "NotFound", "namespaces 'gone' not found");
            }
            if !query.contains("dryRun=All") {
                let (_, name) = path.rsplit_once('/').unwrap();
                let label = json!({ "app.kubernetes.io/managed-by": "portcullis" });
                let metadata = json!({ "name": name, "namespace": "shop", "uid": "u", "labels": label });
                objects.insert(path.to_owned(), json!({ "metadata": metadata }));
            }
            Answer::ok("{}")
        }
        "DELETE" => match objects.remove(path) {
            Some(_) => Answer::ok("{}"),
            None => Answer::refusal(404, "NotFound", "not found"),
        },
        _ => Answer::refusal(404, "NotFound", "not found"),
    }
}

fn report(namespace: Option<&str>, name: &str) -> Value {
    json!({ "metadata": { "namespace": namespace, "name": name } })
}

fn reports() -> Vec<Value> {
    vec![report(Some("shop"), "portcullis-a"), report(None, "portcullis-b")]
}

const WHOLE: Apply = Apply { removes_stale: true, is_dry_run: false };

#[test]
fn reports_are_applied_and_only_ours_are_removed() {
    let cluster = Cluster::new(&[OPEN], Vec::new());
    for (path, label) in [
        ("namespaces/shop/reports/portcullis-old", "portcullis"),
        ("namespaces/shop/reports/portcullis-older", "portcullis"),
        ("clusterreports/portcullis-old", "portcullis"),
        // Those of others, even if a server ignored the selector.
        ("namespaces/shop/reports/of-the-scanner", "kubewarden"),
        ("namespaces/shop/reports/portcullis-stolen", "kubewarden"),
        ("clusterreports/by-hand", "portcullis"),
    ] {
        cluster.store(&format!("{OPEN}/{path}"), label);
    }
    let applied = cluster.apply(&reports(), WHOLE).unwrap();
    assert_eq!(applied, AppliedReports { written: 2, removed: 3, ..AppliedReports::default() });
    let expected = [
        "clusterreports/by-hand",
        "clusterreports/portcullis-b",
        "namespaces/shop/reports/of-the-scanner",
        "namespaces/shop/reports/portcullis-a",
        "namespaces/shop/reports/portcullis-stolen",
    ];
    assert_eq!(cluster.paths(), expected.map(|path| format!("{OPEN}/{path}")));
    // The second time, there is nothing to remove, and the reports are the same.
    let applied = cluster.apply(&reports(), WHOLE).unwrap();
    assert_eq!(applied, AppliedReports { written: 2, ..AppliedReports::default() });
    assert_eq!(cluster.paths().len(), expected.len());
    // A report that is not all removes nothing.
    let how = Apply { removes_stale: false, ..WHOLE };
    let applied = cluster.apply(&[], how).unwrap();
    assert_eq!(applied, AppliedReports { kept: 2, ..AppliedReports::default() });
    assert_eq!(cluster.paths().len(), expected.len());
}

#[test]
fn a_dry_run_changes_nothing() {
    let cluster = Cluster::new(&[OPEN], Vec::new());
    cluster.store(&format!("{OPEN}/clusterreports/portcullis-old"), "portcullis");
    let applied = cluster.apply(&reports(), Apply { is_dry_run: true, ..WHOLE }).unwrap();
    assert_eq!(applied, AppliedReports { written: 2, removed: 1, ..AppliedReports::default() });
    assert!(cluster.changes().is_empty());
}

#[test]
fn the_older_api_is_used_where_only_it_is_installed_and_emptied_where_both_are() {
    let cluster = Cluster::new(&[OLD], Vec::new());
    cluster.apply(&reports(), WHOLE).unwrap();
    assert!(cluster.paths().contains(&format!("{OLD}/namespaces/shop/policyreports/portcullis-a")));
    let cluster = Cluster::new(&[OPEN, OLD], Vec::new());
    cluster.store(&format!("{OLD}/clusterpolicyreports/portcullis-b"), "portcullis");
    cluster.store(&format!("{OLD}/clusterpolicyreports/theirs"), "kubewarden");
    assert_eq!(cluster.apply(&reports(), WHOLE).unwrap().removed, 1);
    assert!(cluster.paths().contains(&format!("{OLD}/clusterpolicyreports/theirs")));
    assert_eq!(cluster.paths().len(), 3);
    let error = Cluster::new(&[], Vec::new()).apply(&reports(), WHOLE).unwrap_err().to_string();
    assert!(error.ends_with("install the definitions of OpenReports"), "{error}");
}

#[test]
fn what_fails_leaves_old_reports() {
    let refused = |beginning: &'static str, status| {
        let refusal = Answer::refusal(status, "Forbidden", "User 'u' cannot patch resource 'x'");
        let cluster = Cluster::new(&[OPEN], vec![(beginning, refusal)]);
        cluster.store(&format!("{OPEN}/clusterreports/portcullis-old"), "portcullis");
        let error = cluster.apply(&reports(), WHOLE).unwrap_err().to_string();
        assert!(cluster.paths().contains(&format!("{OPEN}/clusterreports/portcullis-old")));
        (error, cluster.changes().len())
    };
    let rights = "grant list, create, patch and delete of reports and clusterreports in openreports.io";
    let (error, changes) = refused("GET /apis/openreports.io/v1alpha1/clusterreports", 403);
    assert!(
        error.ends_with(&format!("User 'u' cannot patch resource 'x'; {rights}")) && changes == 0,
        "{error}"
    );
    // The server tries all reports before it writes one.
    let (error, changes) = refused("PATCH /apis/openreports.io/v1alpha1/clusterreports", 403);
    assert!(error.ends_with(&format!("nothing was written; {rights}")) && changes == 0, "{error}");
    let (error, changes) = refused(
        "PATCH /apis/openreports.io/v1alpha1/clusterreports/portcullis-b?fieldManager=portcullis&force=true",
        403,
    );
    assert!(error.contains("1 of 2 reports were written, and none was removed; grant"), "{error}");
    assert_eq!(changes, 2);
    let (error, changes) = refused("DELETE", 403);
    assert!(error.contains("all new reports were written, and old ones are left; grant"), "{error}");
    assert_eq!(changes, 3);
}

#[test]
fn a_report_that_is_refused_keeps_no_other_from_being_written() {
    let path = "PATCH /apis/openreports.io/v1alpha1/namespaces/shop/reports/portcullis-a";
    let written = "PATCH /apis/openreports.io/v1alpha1/namespaces/shop/reports/portcullis-a?fieldManager=portcullis&force=true";
    for (refused, status, message) in [
        (path, 422, "too long"),
        (path, 403, "exceeded quota: reports"),
        (path, 400, "admission webhook denied the request"),
        // A report that the server accepted in the dry run can be refused later.
        (written, 413, "too large"),
    ] {
        let cluster = Cluster::new(&[OPEN], vec![(refused, Answer::refusal(status, "Refused", message))]);
        cluster.store(&format!("{OPEN}/clusterreports/portcullis-old"), "portcullis");
        let applied = cluster.apply(&reports(), WHOLE).unwrap();
        assert_eq!((applied.written, applied.removed, applied.kept), (1, 0, 1), "{message}");
        let errors: Vec<String> = applied.refused.iter().map(ToString::to_string).collect();
        assert!(errors.len() == 1 && errors[0].contains("portcullis-a"), "{errors:?}");
        assert!(errors[0].ends_with(message), "{errors:?}");
        let left = ["clusterreports/portcullis-b", "clusterreports/portcullis-old"];
        assert_eq!(cluster.paths(), left.map(|path| format!("{OPEN}/{path}")));
    }
}

#[test]
fn a_namespace_that_is_gone_needs_no_report_and_no_text_is_a_path() {
    let cluster = Cluster::new(&[OPEN], Vec::new());
    let applied = cluster.apply(&[report(Some("gone"), "portcullis-a")], WHOLE).unwrap();
    assert_eq!(applied, AppliedReports { without_namespace: 1, ..AppliedReports::default() });
    for namespace in ["", "../../../api/v1/namespaces/x", "a?b", "a/b"] {
        let applied = cluster.apply(&[report(Some(namespace), "portcullis-a")], WHOLE).unwrap();
        let refused = applied.refused[0].to_string();
        assert!(refused.ends_with("is not the name of a namespace"), "{refused}");
        assert!(cluster.changes().is_empty());
    }
}
