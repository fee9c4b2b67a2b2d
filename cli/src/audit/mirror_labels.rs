//! Labels of mirror pods that their namespaces have to list: what KEP-1314 finds with a template for kubectl.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use rules::label::Keys;
use rules::name::{is_label, is_label_key};
use rules::node_pods::{ALLOWED_LABEL_KEYS, COPIED, DENIED_BY_DEFAULT, MIRROR};
use rules::view::{ClusterNode, Namespace, Pod};
use serde::Serialize;

use super::{Dump, Findings, some_of};
use crate::failure::Failure;

/// The command that makes a dump with all that matters.
const COMMAND: &str = "kubectl get pods,namespaces,nodes --all-namespaces";

/// The namespaces whose mirror pods have labels that they do not list.
#[derive(Debug, Serialize)]
pub(super) struct MirrorLabels {
    namespaces: Vec<Unlisted>,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Unlisted {
    namespace: String,
    /// What the namespace would have to list.
    missing: Vec<String>,
    /// What it may list in vain.
    denied: Vec<String>,
    /// The value of the annotation that lists everything, and the command that sets it.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    way_out: Option<WayOut>,
}

#[derive(Debug, Serialize)]
struct WayOut {
    annotation: String,
    command: String,
}

/// Labels by namespace.
type ByNamespace = BTreeMap<String, BTreeSet<String>>;

/// Looks for labels of mirror pods that their namespaces do not list.
///
/// # Errors
/// A dump without Pods, and an object that cannot be read.
pub(super) fn find(dump: &Dump) -> Result<MirrorLabels, Failure> {
    let listed = listed(dump)?;
    let copied = copied(dump)?;
    let mut unlisted = ByNamespace::new();
    let mut unknown_nodes = BTreeSet::new();
    dump.each_of_some("Pod", COMMAND, |namespace, _, object| {
        let pod = Pod::of(object);
        if pod.metadata().annotations().at(MIRROR).text()?.is_none() {
            return Ok(());
        }
        if !is_label(namespace) {
            return Err(pod.metadata().namespace().fault(UNREAL));
        }
        let node = pod.node_name().filled_text()?;
        for (key, at) in pod.metadata().labels().fields()? {
            let value = at.text()?.unwrap_or_default();
            // What is denied is refused whatever the namespace lists.
            let denied = DENIED_BY_DEFAULT.contains(&key);
            if !denied && listed.get(namespace).is_some_and(|keys| keys.contains(key)) {
                continue;
            }
            if COPIED.contains(&key)
                && let Some(node) = node
            {
                match copied.get(node) {
                    Some(labels) if labels.get(key).is_some_and(|known| known == value) => continue,
                    Some(_) => {}
                    None => {
                        unknown_nodes.insert(node.to_owned());
                        continue;
                    }
                }
            }
            if !is_label_key(key) {
                return Err(at.fault(UNREAL));
            }
            unlisted.entry(namespace.to_owned()).or_default().insert(key.to_owned());
        }
        Ok(())
    })?;
    let namespaces = unlisted
        .into_iter()
        .map(|(namespace, keys)| {
            let before = listed.get(&namespace).cloned().unwrap_or_default();
            Unlisted::new(namespace, keys, before)
        })
        .collect();
    Ok(MirrorLabels { namespaces, notes: notes(&unknown_nodes) })
}

/// Refused, as it would get into a command for a shell.
const UNREAL: &str = "no API server stores such a name; take the dump anew";

/// What namespaces list already.
fn listed(dump: &Dump) -> Result<ByNamespace, Failure> {
    let mut listed = ByNamespace::new();
    dump.each("Namespace", |_, name, object| {
        let annotation = Namespace::of(object).metadata().annotations().at(ALLOWED_LABEL_KEYS);
        let keys = Keys::between_commas(annotation.text()?.unwrap_or_default());
        for key in keys.iter() {
            if !is_label_key(key) {
                return Err(annotation.fault("lists what is no key of a label; mend it first"));
            }
        }
        let keys: BTreeSet<String> = keys.iter().map(str::to_owned).collect();
        if !keys.is_empty() {
            listed.insert(name.to_owned(), keys);
        }
        Ok(())
    })?;
    Ok(listed)
}

/// The labels of Nodes that the API server copies onto pods.
fn copied(dump: &Dump) -> Result<BTreeMap<String, BTreeMap<&'static str, String>>, Failure> {
    let mut nodes = BTreeMap::new();
    dump.each("Node", |_, name, object| {
        let labels = ClusterNode::of(object).metadata().labels();
        let mut known = BTreeMap::new();
        for key in COPIED {
            if let Some(value) = labels.at(key).text()? {
                known.insert(key, value.to_owned());
            }
        }
        nodes.insert(name.to_owned(), known);
        Ok(())
    })?;
    Ok(nodes)
}

fn notes(unknown_nodes: &BTreeSet<String>) -> Vec<String> {
    if unknown_nodes.is_empty() {
        return Vec::new();
    }
    vec![format!(
        "Topology labels were not checked, as the dump lacks Nodes ({}); make it with {COMMAND} -o json",
        some_of(unknown_nodes)
    )]
}

impl Unlisted {
    fn new(namespace: String, keys: BTreeSet<String>, before: BTreeSet<String>) -> Self {
        let is_denied = |key: &String| DENIED_BY_DEFAULT.contains(&key.as_str());
        let (denied, missing): (Vec<String>, Vec<String>) = keys.into_iter().partition(is_denied);
        let way_out = (!missing.is_empty()).then(|| {
            let overwrite = if before.is_empty() { "" } else { " --overwrite" };
            let all: BTreeSet<String> = before.into_iter().chain(missing.iter().cloned()).collect();
            let annotation = Vec::from_iter(all).join(",");
            let command = format!(
                "kubectl annotate{overwrite} namespaces {namespace} {ALLOWED_LABEL_KEYS}=\"{annotation}\""
            );
            WayOut { annotation, command }
        });
        Self { namespace, missing, denied, way_out }
    }
}

impl Findings for MirrorLabels {
    fn is_empty(&self) -> bool {
        self.namespaces.is_empty()
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut pairs = BTreeSet::new();
        for Unlisted { namespace, missing, denied, .. } in &self.namespaces {
            pairs.extend(missing.iter().chain(denied).map(|key| format!("{namespace}: {key}")));
        }
        for pair in &pairs {
            writeln!(out, "{pair}")?;
        }
        if pairs.is_empty() {
            writeln!(out, "No mirror pod has a label that its namespace does not list.")?;
        }
        let commands: Vec<&WayOut> =
            self.namespaces.iter().filter_map(|found| found.way_out.as_ref()).collect();
        if !commands.is_empty() {
            writeln!(out)?;
        }
        for WayOut { command, .. } in commands {
            writeln!(out, "{command}")?;
        }
        let denied = self.namespaces.iter().any(|found| !found.denied.is_empty());
        let about_denied = denied.then(|| {
            format!(
                "node-pods refuses {} whatever a namespace lists, unless deniedLabelKeys says otherwise; remove it \
                 from the static pods",
                DENIED_BY_DEFAULT.join(", ")
            )
        });
        for note in about_denied.iter().chain(&self.notes) {
            writeln!(out, "\n{}", crate::text::one_line(note))?;
        }
        Ok(())
    }
}
