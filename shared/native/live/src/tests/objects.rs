//! Scans of a cluster whose answers the test gives: the requests, and the reports about objects
//! that can be read or not.

use std::collections::BTreeMap;

use report::{Level, Report};
use scan::{Files, Input, Operation, Options, Origin, Pods, Policy, Scan};
use serde_json::{Value, json};

use super::server::{Answer, Asked, Server};
use crate::{Connection, Deployed, Discovery, LookUps, Objects, Target};

/// The answers of the server, by path without the query.
type Answers = BTreeMap<&'static str, Value>;

/// Discovery in the form of `apidiscovery.k8s.io/v2`, or `older` than Kubernetes 1.27.
fn discovery(form: &str) -> Answers {
    let forms: BTreeMap<&str, Answers> = serde_json::from_str(include_str!("discovery.json")).unwrap();
    forms[form].clone()
}

fn namespace(name: &str) -> Value {
    json!({ "metadata": { "name": name, "labels": { "kubernetes.io/metadata.name": name } } })
}

fn pod(name: &str, host_pid: bool) -> Value {
    json!({
        "metadata": { "name": name, "namespace": "shop" },
        "spec": { "hostPID": host_pid, "containers": [{ "name": "app", "image": "a" }] },
    })
}

fn list(kind: &str, items: impl Into<Value>) -> Value {
    json!({ "kind": kind, "apiVersion": "v1", "metadata": { "resourceVersion": "7" }, "items": items.into() })
}

/// A cluster with a pod that is denied, one that is admitted, and a service with an external IP.
fn cluster() -> Answers {
    let mut answers = discovery("aggregated");
    let services = json!([{ "metadata": { "name": "web", "namespace": "shop" }, "spec": { "externalIPs": ["192.0.2.1"] } }]);
    answers.extend([
        ("/api/v1/namespaces", list("NamespaceList", json!([namespace("shop")]))),
        ("/api/v1/pods", list("PodList", json!([pod("bad", true), pod("good", false)]))),
        ("/api/v1/services", list("ServiceList", services)),
    ]);
    answers
}

/// Answers by path, and 404 for other paths.
fn answer(answers: &Answers, asked: &Asked) -> Answer {
    let path = asked.line.trim_start_matches("GET ").split('?').next().unwrap_or_default();
    match answers.get(path) {
        Some(value) => Answer::ok(value.to_string()),
        None => Answer::refusal(404, "NotFound", "there is no such path"),
    }
}

fn serve(answers: Answers) -> Server {
    Server::start(move |asked| answer(&answers, asked))
}

/// A server with the cluster that answers some paths otherwise, or all that begin with the text
/// before a star.
fn serve_with<const COUNT: usize>(others: [(&'static str, Answer); COUNT]) -> Server {
    serve_by(move |path| {
        let is_it = |pattern: &str| {
            pattern.strip_suffix('*').map_or(path == pattern, |begin| path.starts_with(begin))
        };
        others.iter().find(|(pattern, _)| is_it(pattern)).map(|(_, answer)| answer.clone())
    })
}

fn forbidden() -> Answer {
    Answer::refusal(403, "Forbidden", "no")
}

fn serve_by(mut others: impl FnMut(&str) -> Option<Answer> + Send + 'static) -> Server {
    let answers = cluster();
    Server::start(move |asked| {
        others(asked.line.trim_start_matches("GET ")).unwrap_or_else(|| answer(&answers, asked))
    })
}

fn connect(server: &Server) -> Connection {
    let target = Target { kubeconfig: Some(server.kubeconfig("token: a")), context: None };
    Connection::open(&target).unwrap()
}

fn pod_security() -> Policy {
    Policy::of_id("pod-security", &json!({ "level": "baseline" })).unwrap()
}

fn external_ips() -> Policy {
    Policy::of_id("external-ips", &json!({})).unwrap()
}

fn options() -> Options {
    Options { pods: Pods::Off, ..Options::default() }
}

/// Scans the cluster of a server, all namespaces or one.
fn scan_in(server: &Server, policies: Vec<Policy>, namespace: Option<&str>) -> Report {
    let connection = connect(server);
    let discovery = Discovery::read(&connection).unwrap();
    let scan = Scan::new(policies, options());
    let mut objects = Objects::new(&connection, &discovery, scan.policies(), Operation::Create, namespace);
    let mut look_ups = LookUps::new(&connection, &discovery, namespace);
    scan.run(&mut objects, None, Some(&mut look_ups as &mut dyn Input), &mut ())
}

fn scan(server: &Server, policies: Vec<Policy>) -> Report {
    scan_in(server, policies, None)
}

fn findings(report: &Report) -> Vec<String> {
    report.findings.iter().map(|one| format!("{}: {}", one.object, one.message)).collect()
}

fn notices(report: &Report, level: Level) -> Vec<&str> {
    let notices = report.notices.iter().filter(|notice| notice.level == level);
    notices.map(|notice| notice.message.as_str()).collect()
}

/// Returns the lists that were asked for, in order.
fn lists(server: &Server) -> Vec<String> {
    let lines = server.asked().into_iter().map(|asked| asked.line);
    lines.filter(|line| line.contains("limit=")).collect()
}

#[test]
fn both_ways_of_discovery_find_the_same() {
    let read = |answers: Answers| {
        let server = serve(answers);
        let discovery = Discovery::read(&connect(&server)).unwrap();
        assert!(discovery.unreadable().is_empty());
        let all = discovery.resources().iter();
        let all: Vec<String> = all.map(|one| format!("{:?} {:?}", one.resource, one.verbs)).collect();
        (all, discovery, server.asked().len())
    };
    let (older, _, _) = read(discovery("older"));
    let (aggregated, discovery, requests) = read(discovery("aggregated"));
    assert_eq!(aggregated, older);
    assert_eq!((aggregated.len(), requests), (9, 2));
    let widget = discovery.kinds().resource("example.com/v1", "Widget").into_owned();
    assert_eq!((&*widget.plural, widget.is_namespaced), ("widgetry", Some(false)));
    let pods = discovery.find("v1", "Pod").unwrap();
    assert_eq!(pods.subresources, ["exec"]);
}

#[test]
fn aggregated_discovery_is_asked_for() {
    let server = serve(discovery("aggregated"));
    Discovery::read(&connect(&server)).unwrap();
    for asked in server.asked() {
        let accept = "accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,";
        assert!(asked.headers.contains(accept), "{}", asked.headers);
    }
}

#[test]
fn only_what_rules_name_is_read_and_nothing_is_written() {
    let server = serve(cluster());
    let report = scan(&server, vec![pod_security()]);
    assert_eq!(lists(&server), ["GET /api/v1/namespaces?limit=50", "GET /api/v1/pods?limit=50",]);
    assert!(server.asked().iter().all(|asked| asked.line.starts_with("GET ")));
    assert_eq!((report.totals.objects, report.totals.evaluations), (2, 2));
    let found = findings(&report);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("Pod shop/bad") && found[0].contains("spec.hostPID"), "{found:?}");
    assert_eq!(report.findings[0].place, None);
    assert!(report.notices.is_empty(), "{:?}", report.notices);
}

#[test]
fn a_scan_gives_what_the_scan_of_the_dump_gives() {
    let live = scan(&serve(cluster()), vec![pod_security(), external_ips()]);
    let mut files = Files::default();
    let answers = cluster();
    for path in ["/api/v1/namespaces", "/api/v1/pods", "/api/v1/services"] {
        files.add_text(Origin::file(path), answers[path].to_string());
    }
    let mut dump =
        Scan::new(vec![pod_security(), external_ips()], options()).run(&mut files, None, None, &mut ());
    // The dump also has the Namespace, which no rule names.
    dump.totals.objects -= 1;
    dump.totals.not_evaluated -= 1;
    for totals in &mut dump.totals.policies {
        totals.skipped -= 1;
    }
    dump.findings.iter_mut().for_each(|finding| finding.place = None);
    dump.files.clear();
    assert_eq!(format!("{live:#?}"), format!("{dump:#?}"));
    assert_eq!(live.findings.len(), 2);
}

#[test]
fn objects_that_need_a_look_up_are_read_once() {
    let service = |name: &str| {
        let spec = json!({ "externalIPs": ["192.0.2.1"], "ports": [{ "port": 80, "protocol": "TCP" }] });
        json!({ "metadata": { "name": name, "namespace": "shop" }, "spec": spec })
    };
    let page = |names: &[&str], next: &str| {
        let items: Vec<Value> = names.iter().map(|name| service(name)).collect();
        Answer::ok(json!({ "metadata": { "continue": next }, "items": items }).to_string())
    };
    let server = serve_with([
        ("/api/v1/services?limit=50", page(&["a", "b"], "more")),
        ("/api/v1/services?limit=100&continue=more", page(&["c"], "")),
    ]);
    let report = scan(&server, vec![conflicts()]);
    assert_eq!((report.totals.objects, report.totals.evaluations), (3, 3));
    let found = findings(&report);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found.iter().all(|one| one.contains("in use by Service")), "{found:?}");
    // Once to evaluate them, and once to look them up.
    let of_services = lists(&server).into_iter().filter(|line| line.contains("services"));
    assert_eq!(of_services.count(), 4);
}

/// Answers the pages of pods: each with the next token.
fn page(names: &[&str], next: &str) -> Answer {
    let items: Vec<Value> = names.iter().map(|name| pod(name, true)).collect();
    Answer::ok(json!({ "kind": "PodList", "metadata": { "continue": next }, "items": items }).to_string())
}

fn expired(offered: &str) -> Answer {
    let body = json!({
        "kind": "Status", "status": "Failure", "reason": "Expired", "code": 410,
        "message": "The provided continue parameter is too old", "metadata": { "continue": offered },
    });
    Answer { status: 410, headers: Vec::new(), body: body.to_string() }
}

#[test]
fn pages_follow_each_other() {
    let server = serve_with([
        ("/api/v1/pods?limit=50", page(&["a", "b"], "to/ken=")),
        ("/api/v1/pods?limit=100&continue=to%2Fken%3D", page(&["c"], "last")),
        ("/api/v1/pods?limit=200&continue=last", page(&["d"], "")),
    ]);
    let report = scan(&server, vec![pod_security()]);
    let names: Vec<&str> = report.findings.iter().map(|one| one.object.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
}

#[test]
fn a_list_that_expires_continues_and_no_object_comes_twice() {
    let server = serve_with([
        ("/api/v1/pods?limit=50", page(&["a", "b"], "old")),
        ("/api/v1/pods?limit=100&continue=old", expired("new")),
        ("/api/v1/pods?limit=100&continue=new", page(&["c"], "")),
    ]);
    let report = scan(&server, vec![pod_security()]);
    let names: Vec<&str> = report.findings.iter().map(|one| one.object.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    let notes = notices(&report, Level::Note);
    assert!(
        notes[0].starts_with("the list of pods took longer than the server keeps its state"),
        "{notes:?}"
    );
    assert!(notices(&report, Level::Error).is_empty());
}

#[test]
fn a_list_that_cannot_continue_is_an_error() {
    let server = serve_with([("/api/v1/pods?limit=50", page(&["a"], "old")), ("/api/v1/pods*", expired(""))]);
    let report = scan(&server, vec![pod_security()]);
    assert_eq!(report.totals.objects, 1);
    let errors = notices(&report, Level::Error);
    assert_eq!(
        errors,
        ["the list of pods expired before its end, so the rest of these objects is unknown; scan again"]
    );
}

#[test]
fn large_objects_come_in_smaller_pages() {
    let large = json!({ "metadata": { "name": "large", "namespace": "shop" }, "note": "x".repeat(5 << 20) });
    let list = json!({ "metadata": { "continue": "more" }, "items": [large, large] });
    let server = serve_with([
        ("/api/v1/pods?limit=50", Answer::ok(list.to_string())),
        ("/api/v1/pods?limit=1&continue=more", page(&["last"], "")),
    ]);
    assert_eq!(scan(&server, vec![pod_security()]).totals.objects, 3);
}

#[test]
fn a_missing_right_is_named_and_the_rest_is_evaluated() {
    let server = serve_with([("/api/v1/pods*", forbidden())]);
    let report = scan(&server, vec![pod_security(), external_ips()]);
    assert_eq!(
        notices(&report, Level::Error),
        ["the right to list pods in the API group \"\" at cluster scope is missing, so these objects are \
         unknown; grant {apiGroups: [\"\"], resources: [pods], verbs: [list]}"]
    );
    let found = findings(&report);
    assert!(found.len() == 1 && found[0].starts_with("Service shop/web"), "{found:?}");
    assert_eq!(report::exit(&report, report::FailOn::Deny).status(), 2);
}

/// A policy of pods in Namespaces with a label.
fn selecting(kind: &str, namespace: &str) -> Policy {
    let mut object = json!({
        "apiVersion": "policies.kubewarden.io/v1", "kind": kind,
        "metadata": { "name": "selecting", "namespace": namespace },
        "spec": {
            "module": "registry://ghcr.io/portcullis/policies/pod-security:v0", "settings": { "level": "baseline" },
            "rules": [{ "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"] }],
            "mutating": false,
        },
    });
    if namespace.is_empty() {
        object["spec"]["namespaceSelector"] =
            json!({ "matchExpressions": [{ "key": "team", "operator": "DoesNotExist" }] });
    }
    let manifest = kubewarden::matching::PolicyManifest::read(&object).unwrap();
    let entry = rules::find("pod-security").unwrap();
    Policy::of_manifest(manifest, &mut |_, _| scan::Engine::Native(entry))
}

#[test]
fn verdicts_that_depend_on_unreadable_namespaces_are_unknown() {
    let server = serve_with([("/api/v1/namespaces*", forbidden())]);
    let report = scan(&server, vec![selecting("ClusterAdmissionPolicy", "")]);
    assert_eq!(report.totals.policies[0].unknown, 2, "{:?}", report.totals);
    let warnings = notices(&report, Level::Warning);
    assert!(
        warnings.iter().any(|one| one.contains("list namespaces in the API group \"\" at cluster scope")),
        "{warnings:?}"
    );
    assert_eq!(report::exit(&report, report::FailOn::Deny).status(), 2);
}

/// A policy of services that looks up the other ones.
fn conflicts() -> Policy {
    let settings = json!({ "allow": [{ "cidrs": ["192.0.2.0/24"] }], "conflicts": "DenySamePort" });
    Policy::of_id("external-ips", &settings).unwrap()
}

#[test]
fn verdicts_that_depend_on_a_list_that_fails_are_unknown() {
    let service = json!({
        "metadata": { "name": "web", "namespace": "shop" },
        "spec": { "externalIPs": ["192.0.2.1"], "ports": [{ "port": 80, "protocol": "TCP" }] },
    });
    let failures = [
        (expired(""), "the list of services expired before its end"),
        (Answer::refusal(400, "BadRequest", "no"), "responded with status 400: no"),
        (Answer::refusal(401, "Unauthorized", "no"), "rejects the credentials"),
    ];
    // The first page that is looked up fails, or one after it.
    for (failure, why) in failures {
        for has_first in [false, true] {
            let (mut asked, failure, service) = (0, failure.clone(), service.clone());
            let server = serve_by(move |path| {
                if !path.starts_with("/api/v1/services") {
                    return None;
                }
                asked += 1;
                let next = if asked == 1 { "" } else { "more" };
                let is_answered = asked == 1 || has_first && !path.contains("continue=");
                let page = json!({ "metadata": { "continue": next }, "items": [service] });
                Some(if is_answered { Answer::ok(page.to_string()) } else { failure.clone() })
            });
            let report = scan(&server, vec![conflicts()]);
            assert_eq!(report.totals.policies[0].unknown, 1, "{why}: {:?}", report.totals);
            assert!(findings(&report)[0].contains(why), "{why}: {:?}", findings(&report));
            assert!(notices(&report, Level::Error)[0].contains(why), "{why}: {:?}", report.notices);
            assert_eq!(report::exit(&report, report::FailOn::Deny).status(), 2);
        }
    }
}

#[test]
fn kinds_that_are_not_read_after_the_connection_ends_are_unknown() {
    let expired = Answer::refusal(401, "Unauthorized", "expired");
    let server = serve_with([("/apis/apiextensions.k8s.io*", expired)]);
    let connection = connect(&server);
    let discovery = Discovery::read(&connection).unwrap();
    let mut look_ups = LookUps::new(&connection, &discovery, None);
    let kind = |version: &str, kind: &str| (version.to_owned(), kind.to_owned());
    let wanted = [kind("apiextensions.k8s.io/v1", "CustomResourceDefinition"), kind("v1", "Namespace")];
    look_ups.select(&wanted.clone().into());
    while look_ups.next().is_some() {}
    assert!(look_ups.withheld().into_keys().eq(wanted));
}

#[test]
fn policies_of_a_namespace_need_only_its_objects() {
    let server = serve_with([
        ("/api/v1/namespaces/shop/pods?limit=50", page(&["a"], "")),
        ("/api/v1/pods*", forbidden()),
    ]);
    let report = scan(&server, vec![selecting("AdmissionPolicy", "shop")]);
    assert_eq!(report.findings.len(), 1, "{:?}", report.notices);
}

#[test]
fn one_namespace_needs_no_right_at_cluster_scope() {
    let server = serve_by(|path| match path {
        "/api/v1/namespaces/shop/pods?limit=50" => Some(page(&["a"], "")),
        "/api/v1/namespaces?fieldSelector=metadata.name%3Dshop&limit=50" => {
            Some(Answer::ok(list("NamespaceList", json!([namespace("shop")])).to_string()))
        }
        path if path.contains("limit=") => Some(forbidden()),
        _ => None,
    });
    let report = scan_in(&server, vec![selecting("ClusterAdmissionPolicy", "")], Some("shop"));
    assert_eq!(report.findings.len(), 1, "{:?}", report.notices);
    assert!(notices(&report, Level::Error).is_empty(), "{:?}", report.notices);
}

#[test]
fn a_connection_that_ends_stops_the_scan() {
    let server = serve_with([("/api/v1/pods*", Answer::refusal(401, "Unauthorized", "expired"))]);
    let report = scan(&server, vec![pod_security(), external_ips()]);
    let errors = notices(&report, Level::Error);
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].contains("rejects the credentials of context staging"), "{errors:?}");
    assert!(lists(&server).iter().all(|line| !line.contains("services")));
}

#[test]
fn a_group_without_a_server_counts_if_a_rule_names_it() {
    let mut answers = cluster();
    answers.extend(discovery("older"));
    answers.remove("/apis/example.com/v1");
    let widgets = |group: &str| {
        let spec = json!({ "rules": [{ "apiGroups": [group], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"] }] });
        Policy { webhook: kubewarden::matching::Webhook::from_spec(&spec).unwrap(), ..pod_security() }
    };
    let errors = |group: &str| {
        let report = scan(&serve(answers.clone()), vec![widgets(group)]);
        notices(&report, Level::Error).join("\n")
    };
    assert_eq!(errors(""), "");
    assert!(
        errors("*").starts_with("the kinds of the API group example.com are not known"),
        "{}",
        errors("*")
    );
}

#[test]
fn kinds_that_are_not_served_are_unknown() {
    let mut answers = discovery("older");
    answers.remove("/apis/example.com/v1");
    let server = serve(answers);
    let connection = connect(&server);
    let discovery = Discovery::read(&connection).unwrap();
    let mut look_ups = LookUps::new(&connection, &discovery, None);
    for (version, kind, why) in [
        ("example.com/v1", "Widget", "there is no such path"),
        ("v2", "Pod", "it serves v1"),
        ("example.org/v1", "Gadget", "its definition is not installed"),
    ] {
        look_ups.rewind();
        let wanted = (version.to_owned(), kind.to_owned());
        look_ups.select(&[wanted.clone()].into());
        assert!(look_ups.next().is_none());
        let withheld = look_ups.withheld();
        let found = &withheld[&wanted];
        let beginning = format!("the server does not serve {kind} ({version}), so its objects are unknown: ");
        assert!(found.starts_with(&beginning) && found.ends_with(why), "{found}");
    }
}

#[test]
fn a_verdict_on_a_kind_that_is_not_served_is_unknown() {
    // Services are evaluated, and the Namespaces that the selector needs are not served.
    let mut answers = cluster();
    answers.extend(discovery("older"));
    let resources = answers.get_mut("/api/v1").unwrap()["resources"].as_array_mut().unwrap();
    resources.retain(|one| one["name"] != "namespaces");
    let report = scan(&serve(answers), vec![selecting("ClusterAdmissionPolicy", "")]);
    assert_eq!(report.totals.policies[0].unknown, 2, "{:?}", report.totals);
    let warnings = notices(&report, Level::Warning);
    assert!(warnings[0].starts_with("the server does not serve Namespace (v1)"), "{warnings:?}");
}

#[test]
fn policies_of_a_version_that_cannot_be_read_may_be_missing() {
    let group = |versions: &[&str]| {
        let version = |version: &&str| json!({ "groupVersion": format!("policies.kubewarden.io/{version}"), "version": version });
        let versions: Vec<Value> = versions.iter().map(version).collect();
        json!({ "kind": "APIGroupList", "groups": [{ "name": "policies.kubewarden.io", "versions": versions }] })
    };
    let read = |versions: &[&str]| {
        let mut answers = discovery("older");
        answers.insert("/apis", group(versions));
        let none = json!({ "items": [] });
        answers.insert("/apis/policies.kubewarden.io/v1/admissionpolicies", none.clone());
        answers.insert("/apis/policies.kubewarden.io/v1/clusteradmissionpolicies", none);
        let connection = connect(&serve(answers));
        let discovery = Discovery::read(&connection).unwrap();
        Deployed::read(&connection, &discovery, None)
    };
    assert_eq!(read(&["v1"]).unwrap().problems, Vec::<String>::new());
    let problems = read(&["v1", "v2"]).unwrap().problems;
    assert!(
        problems.len() == 1 && problems[0].starts_with("not all kinds of policies.kubewarden.io are known"),
        "{problems:?}"
    );
    let error = read(&["v2"]).unwrap_err().to_string();
    assert!(error.contains("the policies of Kubewarden cannot be read: "), "{error}");
}

#[test]
fn deployed_policies_are_read() {
    let policies = json!({ "items": [{ "apiVersion": "policies.kubewarden.io/v1", "kind": "ClusterAdmissionPolicy", "metadata": { "name": "a" } }] });
    let server = serve_with([
        (
            "/apis/policies.kubewarden.io/v1/clusteradmissionpolicies?limit=50",
            Answer::ok(policies.to_string()),
        ),
        ("/apis/policies.kubewarden.io/v1/admissionpolicies*", forbidden()),
    ]);
    let connection = connect(&server);
    let discovery = Discovery::read(&connection).unwrap();
    let deployed = Deployed::read(&connection, &discovery, None).unwrap();
    assert_eq!(deployed.manifests.len(), 1);
    assert_eq!(deployed.manifests[0]["metadata"]["name"], "a");
    assert!(
        deployed.problems[0].contains("list admissionpolicies in the API group \"policies.kubewarden.io\""),
        "{:?}",
        deployed.problems
    );
}

#[test]
fn a_cluster_without_kubewarden_says_so() {
    let mut answers = discovery("older");
    answers.insert("/apis", json!({ "kind": "APIGroupList", "groups": [] }));
    let connection = connect(&serve(answers));
    let discovery = Discovery::read(&connection).unwrap();
    let error = Deployed::read(&connection, &discovery, None).unwrap_err().to_string();
    assert!(
        error.ends_with(
            "serves no policies of Kubewarden; install Kubewarden, or name policies with --policy"
        )
    );
}
