//! The page says that objects would be admitted only if the scan that it exports says so as well.

use std::process::Command;

use playground::{Operation, Playground, PolicyInput, PolicyMode, RequestInput, User, Workspace};

use crate::folder::Folder;

const WORKSPACES: u64 = 2_000;

/// The number of documents, from the first on, that most policies admit.
const HARMLESS: usize = 6;

/// The objects of a workspace are one to four of these documents.
const DOCUMENTS: [&str; 20] = [
    "apiVersion: v1\nkind: Pod\nmetadata: {name: good, namespace: shop}\nspec:\n  securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}\n  containers:\n  - {name: a, image: i, securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}}\n",
    "apiVersion: v1\nkind: Pod\nmetadata: {name: plain}\nspec: {containers: [{name: a, image: i}]}\n",
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec:\n  selector: {matchLabels: {a: b}}\n  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: i}]}}\n",
    "apiVersion: v1\nkind: Service\nmetadata: {name: closed}\nspec: {ports: [{port: 80}]}\n",
    "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {pod-security.kubernetes.io/enforce: privileged}}\n",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm, namespace: shop}\n",
    "apiVersion: v1\nkind: Pod\nmetadata: {name: bad, namespace: shop}\nspec: {hostPID: true, containers: [{name: a, image: i}]}\n",
    "apiVersion: v1\nkind: Pod\nmetadata: {name: bad, namespace: kube-system}\nspec: {hostPID: true, containers: [{name: a, image: i}]}\n",
    "apiVersion: v1\nkind: Pod\nmetadata: {name: typo, namespace: shop}\nspec: {container: [{name: a, image: i}]}\n",
    "apiVersion: v1\nkind: Pod\nmetadata: {name: wrong, namespace: shop}\nspec: {hostPID: 'yes', containers: [{name: a, image: i}]}\n",
    "apiVersion: v1\nkind: Pod\nmetadata: {name: level, namespace: other}\nspec: {securityContext: {seLinuxOptions: {level: 's0:c1,c2'}}, containers: [{name: a, image: i}]}\n",
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: host, namespace: shop}\nspec:\n  selector: {matchLabels: {a: b}}\n  template: {metadata: {labels: {a: b}}, spec: {hostNetwork: true, containers: [{name: a, image: i}]}}\n",
    "apiVersion: v1\nkind: Service\nmetadata: {name: open, namespace: shop}\nspec: {ports: [{port: 80}], externalIPs: [192.0.2.1]}\n",
    "apiVersion: v1\nkind: Node\nmetadata: {name: worker, labels: {node-restriction.kubernetes.io/a: b}}\n",
    "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {pod-security.kubernetes.io/enforce: restricted}}\n",
    "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: item, namespace: other}, spec: {containers: [{name: a, image: i}]}}\n- {apiVersion: v1, kind: Namespace, metadata: {name: other}}\n",
    "apiVersion: example.com/v1\nkind: Rollout\nmetadata: {name: r}\nspec: {template: {spec: {hostPID: true}}}\n",
    "kind: Pod\nmetadata: {name: untyped}\nspec: {hostPID: true}\n",
    "a: [\n",
    "1\n",
];

const CLUSTERS: [&str; 6] = [
    "",
    "# nothing\n",
    "apiVersion: v1\nkind: List\nitems: []\n",
    "{apiVersion: v1, kind: Namespace, metadata: {name: shop, annotations: {portcullis.dev/selinux-level: 's0:c1,c2'}}}\n",
    "- {apiVersion: v1, kind: Namespace, metadata: {name: default}}\n- {apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {pod-security.kubernetes.io/enforce: baseline}}}\n",
    "items: [\n",
];

/// Policies with settings, some of which are not valid.
const SETTINGS: [(&str, &[&str]); 5] = [
    ("external-ips", &["", "allow: [{cidrs: [192.0.2.0/24]}]", "allow: 1"]),
    ("node-labels", &["", "allowed: [a]"]),
    ("node-pods", &["", "mode: Munge"]),
    (
        "pod-security",
        &[
            "",
            "level: restricted",
            "level: baseline\nnamespaceLabels: Honor",
            "levle: baseline",
            "level: privileged",
        ],
    ),
    ("selinux", &["", "mode: Validate", "mode: Mutate"]),
];

/// Changes of the manifest that deploys a policy.
const EDITS: [(&str, &str); 6] = [
    ("", ""),
    ("mode: monitor", "mode: protect"),
    (concat!(":v", env!("CARGO_PKG_VERSION")), ":v9.9.9"),
    ("ghcr.io/", "example.com/ghcr.io/"),
    ("spec:\n", "spec:\n  matchConditions: [{name: extra, expression: 'object.metadata.name != \"bad\"'}]\n"),
    ("spec:\n", "spec:\n  namespaceSelector: {matchLabels: {team: a}}\n"),
];

/// A sequence of numbers that a seed decides, by `SplitMix64`.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bits = usize::try_from((bits ^ (bits >> 31)) >> 33).unwrap();
        bits % end
    }

    fn one<'t, T>(&mut self, values: &'t [T]) -> &'t T {
        &values[self.below(values.len())]
    }

    /// Returns one of the values: mostly the first, which is the usual one.
    fn rarely<T: Copy>(&mut self, values: &[T]) -> T {
        if self.below(3) == 0 { *self.one(values) } else { values[0] }
    }

    fn policies(&mut self) -> Vec<PolicyInput> {
        let policies = SETTINGS.iter().map(|(id, settings)| {
            let input = PolicyInput {
                id: (*id).to_owned(),
                enabled: self.below(3) == 0,
                settings: self.rarely(settings).to_owned(),
                ..PolicyInput::default()
            };
            if self.below(2) == 0 { input } else { self.deployed(input) }
        });
        policies.collect()
    }

    fn deployed(&mut self, input: PolicyInput) -> PolicyInput {
        let (from, to) = self.rarely(&EDITS);
        let mut playground = Playground::new();
        playground.evaluate(Workspace { policies: vec![input.clone()], ..Workspace::default() });
        let manifest = playground.deployment(0);
        let manifest = if from.is_empty() { manifest } else { manifest.replacen(from, to, 1) };
        PolicyInput { mode: PolicyMode::AsDeployed, manifest, ..input }
    }

    /// Returns a workspace, which mostly differs from the last one in a single field.
    fn after(&mut self, last: Workspace) -> Workspace {
        let new = self.workspace();
        match self.below(8) {
            0 => Workspace { objects: new.objects, old_objects: new.old_objects, ..last },
            1 => Workspace { cluster: new.cluster, ..last },
            2 => Workspace { policies: new.policies, ..last },
            3 => Workspace { request: new.request, ..last },
            4 => Workspace { evaluates_pods: new.evaluates_pods, ..last },
            _ => new,
        }
    }

    fn workspace(&mut self) -> Workspace {
        let documents = if self.below(3) == 0 { &DOCUMENTS[..] } else { &DOCUMENTS[..HARMLESS] };
        let objects: Vec<&str> = (0..=self.below(3)).map(|_| *self.one(documents)).collect();
        let operation =
            *self.one(&[Operation::Create, Operation::Create, Operation::Update, Operation::Delete]);
        let kubelet = User::Kubelet { node: "worker".to_owned() };
        let user = self.one(&[User::Ordinary, User::Ordinary, kubelet]).clone();
        Workspace {
            old_objects: if operation == Operation::Update { objects.join("---\n") } else { String::new() },
            objects: objects.join("---\n"),
            cluster: (*self.one(&CLUSTERS)).to_owned(),
            request: RequestInput { operation, user, ..RequestInput::default() },
            evaluates_pods: self.below(4) > 0,
            policies: self.policies(),
            ..Workspace::default()
        }
    }
}

/// Runs the scan that the page exports in a shell; returns its status and its output.
fn scan(playground: &Playground) -> (i32, String) {
    let folder = Folder::new();
    let command = playground.commands(None, None).swap_remove(0);
    for file in &command.files {
        folder.file(&file.name, &file.text);
    }
    let line = command.command.strip_prefix("portcullis ").unwrap();
    let output = Command::new("sh")
        .args(["-c", &format!("\"$0\" {line} --fail-on unknown"), env!("CARGO_BIN_EXE_portcullis")])
        .current_dir(folder.path("."))
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

#[test]
fn the_page_says_admitted_only_if_the_scan_that_it_exports_admits() {
    let mut playground = Playground::new();
    let (mut numbers, mut admitted) = (Numbers(7), 0);
    let mut last = Workspace::default();
    for number in 0..WORKSPACES {
        let workspace = numbers.after(last);
        last = workspace.clone();
        let matrix = playground.evaluate(workspace.clone());
        // A playground that evaluated other workspaces before says the same.
        assert_eq!(matrix, Playground::new().evaluate(workspace.clone()), "{number}: {workspace:#?}");
        let said = matrix.sentence.text;
        // "It is not known whether … would be admitted" begins in another way.
        if !said.contains(" would be admitted") || said.starts_with("It is not known") {
            continue;
        }
        admitted += 1;
        let (status, output) = scan(&playground);
        // A deployment does not receive requests that its policy admits anyway.
        let is_left_out = output.contains("nothing was evaluated")
            && workspace.policies.iter().any(|policy| policy.enabled && policy.mode == PolicyMode::RulesOnly);
        assert!(status == 0 || is_left_out, "{number}: {said}\n{workspace:#?}\n{output}");
    }
    assert!(admitted > 150, "{admitted}");
}
