//! The law of shards: the merged reports of all shards are the report of the whole scan, byte for
//! byte, whatever the input, the number of shards and their order.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "helpers of tests may panic"
)]

use std::fmt::Write;

use report::{Format, Report, Share};
use scan::{Date, Files, Old, Options, Origin, Policy, Scan};
use serde_json::{Value, json};

/// Pseudorandom numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'v>(&mut self, values: &[&'v str]) -> &'v str {
        values[self.below(values.len())]
    }
}

const NAMESPACES: [&str; 5] = ["", "default", "shop", "kube-system", "team-a"];

fn metadata(random: &mut Random, name: &str) -> Value {
    let mut metadata = json!({ "name": name });
    let namespace = random.pick(&NAMESPACES);
    if !namespace.is_empty() {
        metadata["namespace"] = namespace.into();
    }
    if random.chance(15) {
        let policy =
            random.pick(&["pod-security", "pod-security.hostNamespaces", "external-ips", "misspelt"]);
        metadata["annotations"] = json!({ format!("portcullis.dev/except.{policy}"): "planned" });
    }
    // Exceptions of stored objects are counted.
    if random.chance(10) {
        metadata["uid"] = "u".into();
    }
    // Owners of owners may be in the input, in the same namespace, in another one, or nowhere.
    if random.chance(60) {
        let (api_version, kind, name) = [
            ("apps/v1", "ReplicaSet", "web-1"),
            ("apps/v1", "ReplicaSet", "web-2"),
            ("apps/v1", "Deployment", "web"),
            ("v1", "Node", "db"),
        ][random.below(4)];
        metadata["ownerReferences"] = json!([{ "apiVersion": api_version, "kind": kind, "name": name, "uid": "u", "controller": true }]);
    }
    metadata
}

fn object(random: &mut Random) -> Value {
    let name = random.pick(&["web", "db", "web-1", "web-2"]);
    let mut pod = json!({ "containers": [{ "name": random.pick(&["a", "b"]), "image": "i" }] });
    if random.chance(50) {
        pod["hostPID"] = true.into();
    }
    if random.chance(20) {
        pod["hostNetwork"] = random.pick(&["yes", "no"]).into();
    }
    if random.chance(10) {
        pod["container"] = json!([]);
    }
    let metadata = metadata(random, name);
    match random.below(12) {
        0..=3 => json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod }),
        4 => json!({
            "apiVersion": "apps/v1", "kind": random.pick(&["Deployment", "ReplicaSet"]),
            "metadata": metadata, "spec": { "template": { "spec": pod } },
        }),
        5 | 6 => {
            let address = random.pick(&["192.0.2.1", "198.51.100.7", "nonsense"]);
            let ports = json!([{ "port": 80, "protocol": "TCP" }]);
            json!({
                "apiVersion": "v1", "kind": "Service", "metadata": metadata,
                "spec": { "externalIPs": [address], "ports": ports },
            })
        }
        7 => {
            let level = random.pick(&["s0:c1,c2", "s0:c3,c4"]);
            let name = random.pick(&NAMESPACES[1..]);
            let annotations = json!({ "portcullis.dev/selinux-level": level });
            json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name, "annotations": annotations } })
        }
        8 | 9 => json!({ "apiVersion": "example.com/v1", "kind": "Gadget", "metadata": metadata }),
        10 => json!({
            "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
            "request": {
                "uid": "u", "operation": "CREATE", "namespace": random.pick(&NAMESPACES), "name": name,
                "kind": { "group": "", "version": "v1", "kind": "Pod" },
                "resource": { "group": "", "version": "v1", "resource": "pods" },
                "userInfo": { "username": "alice" },
                "object": { "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name }, "spec": pod },
            },
        }),
        _ => json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": name } }),
    }
}

/// Files with many documents, of which some are not objects, and a long list that is read item by
/// item.
fn texts(random: &mut Random) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for number in 0..random.below(6) {
        let mut text = "# objects\n".to_owned();
        for _ in 0..random.below(30) {
            let document = match random.below(20) {
                0 => "just: a value".to_owned(),
                1 => "a: 1\na: 2".to_owned(),
                _ => object(random).to_string(),
            };
            writeln!(text, "{document}\n---").unwrap();
        }
        if random.chance(15) {
            text.push_str("broken: [\n");
        }
        // The order of names is not that of the files.
        texts.push((format!("{}.yaml", 9 - number), text));
    }
    if random.chance(40) {
        let filler = "x".repeat(random.below(8000));
        let items: Vec<Value> = (0..60)
            .map(|_| {
                let mut object = object(random);
                object["filler"] = filler.clone().into();
                object
            })
            .collect();
        texts.push((
            "list.json".to_owned(),
            json!({ "apiVersion": "v1", "kind": "List", "items": items }).to_string(),
        ));
    }
    if random.chance(30) {
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": { "name": "gadgets.example.com" },
            "spec": {
                "group": "example.com", "scope": "Cluster", "names": { "kind": "Gadget", "plural": "gadgets" },
                "versions": [{ "name": "v1", "served": true, "storage": true }],
            },
        });
        texts.push(("crd.json".to_owned(), definition.to_string()));
    }
    texts
}

fn files(texts: &[(String, String)]) -> Files {
    let mut files = Files::default();
    for (name, text) in texts {
        files.add_text(Origin::file(name.as_str()), text.as_str());
    }
    files
}

fn policies(random: &mut Random) -> Vec<Policy> {
    let mut policies: Vec<Policy> = [
        ("pod-security", json!({ "level": "baseline" })),
        ("external-ips", json!({ "conflicts": "DenySamePort", "allow": [{ "cidrs": ["192.0.2.0/24"] }] })),
        ("selinux", json!({})),
        // It receives nothing from an ordinary user.
        ("node-labels", json!({})),
        // It judges nothing, because its settings are wrong.
        ("selinux", json!({ "mode": "Mutated" })),
    ]
    .iter()
    .filter(|_| random.chance(70))
    .map(|(id, settings)| Policy::of_id(id, settings).unwrap())
    .collect();
    // A warning of a manifest is a notice of the scan.
    if let Some(policy) = policies.first_mut() {
        policy.warnings.push("the field x counts for nothing".to_owned());
        policy.reference.protects = random.chance(50);
    }
    policies
}

/// The input of one scan.
struct Input {
    seed: u64,
    texts: Vec<(String, String)>,
    old: Option<Vec<(String, String)>>,
    cluster: Option<Vec<(String, String)>>,
}

impl Input {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let old = random.chance(40).then(|| texts(&mut random));
        let cluster = random.chance(40).then(|| texts(&mut random));
        Self { seed, texts: texts(&mut random), old, cluster }
    }

    fn run(&self, share: Option<Share>) -> Report {
        let options =
            Options { exceptions_on: Date::parse("2026-11-22"), workers: 3, share, ..Options::default() };
        let (old, notices) = match &self.old {
            Some(texts) => {
                let (old, notices) = Old::read(&mut files(texts));
                (Some(old), notices)
            }
            None => (None, Vec::new()),
        };
        let mut cluster = self.cluster.as_deref().map(files);
        let scan = Scan::new(policies(&mut Random(self.seed)), options);
        let cluster = cluster.as_mut().map(|files| files as &mut dyn scan::Input);
        let mut report = scan.run(&mut files(&self.texts), old.as_ref(), cluster, &mut ());
        report.notices.extend(notices);
        report.sort_notices();
        report
    }
}

fn written(report: &Report, format: Format) -> String {
    let mut bytes = Vec::new();
    report::write(&mut bytes, report, format, &report::Options::default()).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn merged_shards_are_the_whole_report() {
    let (mut findings, mut folded, mut excepted, mut late, mut nothing) = (0, 0, 0, 0, 0);
    for seed in 0..10 {
        let input = Input::new(seed);
        let whole = input.run(None);
        findings += whole.findings.len();
        folded += whole.findings.iter().filter(|finding| finding.others > 0).count();
        excepted += whole.findings.iter().filter(|finding| finding.excepted.is_some()).count();
        late += whole.findings.iter().filter(|finding| finding.message.contains("in use")).count();
        nothing += usize::from(whole.totals.evaluations == 0);
        for count in 1..=5 {
            let mut shards: Vec<(String, Report)> = (0..count)
                .map(|index| {
                    let share = format!("{index}/{count}");
                    let report = input.run(Some(share.parse().unwrap()));
                    // Merged reports were written and read in between.
                    let format = if index % 2 == 0 { Format::Json } else { Format::Jsonl };
                    (share, report::read(&written(&report, format)).unwrap())
                })
                .collect();
            let start = Random(seed).below(count);
            shards.rotate_left(start);
            if seed % 2 == 0 {
                shards.reverse();
            }
            let merged = report::merge(shards).unwrap();
            for format in [Format::Json, Format::Text] {
                assert_eq!(written(&merged, format), written(&whole, format), "seed {seed}, {count} shards");
            }
        }
    }
    // The law is about something. Conflicts are few: Services in several states have none.
    let counts = [findings, folded, excepted, late, nothing];
    assert!(counts.iter().zip([200, 15, 5, 3, 1]).all(|(count, least)| *count >= least), "{counts:?}");
}

#[test]
fn each_object_is_in_one_shard() {
    let input = Input::new(3);
    let whole = input.run(None);
    let shards = ["0/3", "1/3", "2/3"].map(|share| input.run(Some(share.parse().unwrap())));
    assert!(shards.iter().all(|shard| shard.totals.objects < whole.totals.objects));
    assert_eq!(shards.iter().map(|shard| shard.totals.objects).sum::<u64>(), whole.totals.objects);
}

#[test]
fn shards_of_other_policies_and_options_are_told_apart() {
    let of = |policies: Vec<Policy>, options: Options| {
        let options = Options { share: "0/2".parse().ok(), ..options };
        Scan::new(policies, options).run(&mut Files::default(), None, None, &mut ()).shard.unwrap().scan
    };
    let policy = |settings: Value| Policy::of_id("pod-security", &settings).unwrap();
    let baseline = || vec![policy(json!({ "level": "baseline" }))];
    let same = of(baseline(), Options::default());
    // Neither the number of threads nor the date changes a verdict of its own.
    let today = Options { workers: 7, exceptions_on: None, ..Options::default() };
    assert_eq!(of(baseline(), today), same);
    let mut monitored = policy(json!({ "level": "baseline" }));
    monitored.reference.protects = false;
    let mut others = vec![
        of(Vec::new(), Options::default()),
        of(vec![policy(json!({ "level": "restricted" }))], Options::default()),
        of(vec![policy(json!({ "level": "baseline" })), policy(json!({}))], Options::default()),
        of(vec![monitored], Options::default()),
        of(baseline(), Options { user: "bob".to_owned(), ..Options::default() }),
        of(baseline(), Options { is_strict: true, ..Options::default() }),
        of(baseline(), Options { pods: scan::Pods::Off, ..Options::default() }),
        of(baseline(), Options { exceptions_on: Date::parse("2026-11-22"), ..Options::default() }),
        same,
    ];
    let count = others.len();
    others.sort();
    others.dedup();
    assert_eq!(others.len(), count);
}
