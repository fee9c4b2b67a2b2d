//! Labels of mirror pods that their namespaces have to list, which KEP-1314 finds with a kubectl
//! template.

use std::collections::{BTreeMap, BTreeSet};

use admission::{Fault, Quoted};
use rules::label::Keys;
use rules::name::{is_label, is_label_key};
use rules::node_pods::{ALLOWED_LABEL_KEYS, COPIED, DENIED_BY_DEFAULT, MIRROR};
use rules::view::{ClusterNode, Namespace, Pod};
use serde::Serialize;

use crate::Kind;
use crate::audit::{AuditError, Dump, abbreviated};

/// The command that creates a suitable dump.
const COMMAND: &str = "kubectl get pods,namespaces,nodes --all-namespaces";

/// The problem with a name that would become part of a shell command.
const INVALID_NAME: &str = "the API server does not accept this name; create a new dump";

/// The label keys that `node-pods` denies by default, even if a namespace lists them.
pub const DENIED_KEYS: &[&str] = &DENIED_BY_DEFAULT;

/// The findings of the audit.
#[derive(Clone, Debug, Default, Serialize)]
pub struct MirrorLabelFindings {
    /// The namespaces whose mirror pods have labels that the namespace does not list, ordered by
    /// name.
    pub namespaces: Vec<UnlistedLabels>,
    /// Labels that could not be checked.
    pub notes: Vec<String>,
}

/// The labels of mirror pods that their namespace does not list.
#[derive(Clone, Debug, Serialize)]
pub struct UnlistedLabels {
    /// The name of the namespace.
    pub namespace: String,
    /// The keys that the namespace has to list.
    pub missing: Vec<String>,
    /// The keys that are denied by default, even if the namespace lists them.
    pub denied: Vec<String>,
    /// The annotation that lists the missing keys; `None` if no key is missing.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<ListingRemedy>,
}

/// The annotation that lists all keys of a namespace.
#[derive(Clone, Debug, Serialize)]
pub struct ListingRemedy {
    /// The value of the annotation: the keys that the namespace lists already, and the missing
    /// ones.
    pub annotation: String,
    /// The kubectl command that sets the annotation.
    pub command: String,
}

type KeysByNamespace = BTreeMap<String, BTreeSet<String>>;

/// The topology labels of a Node, which the API server copies onto its pods.
type TopologyLabels = BTreeMap<&'static str, String>;

impl MirrorLabelFindings {
    /// Whether the audit found nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.namespaces.is_empty()
    }
}

/// Returns the kinds of the objects that the audit reads.
#[must_use]
pub fn kinds() -> BTreeSet<Kind> {
    ["Namespace", "Node", "Pod"].map(|kind| ("v1".to_owned(), kind.to_owned())).into()
}

/// Finds the labels of mirror pods that their namespaces do not list.
///
/// # Errors
/// A dump without Pods, an object that cannot be read, and a name that the API server does not
/// accept.
pub fn find(dump: &Dump) -> Result<MirrorLabelFindings, AuditError> {
    let listed = listed_keys(dump)?;
    let nodes = topology_labels(dump)?;
    let mut unlisted = KeysByNamespace::new();
    let mut unknown_nodes = BTreeSet::new();
    dump.visit_some("Pod", COMMAND, |object, root| {
        let pod = Pod::of(root);
        if pod.metadata().annotations().at(MIRROR).text()?.is_none() {
            return Ok(());
        }
        let namespace = &object.namespace;
        if !is_label(namespace) {
            return Err(pod.metadata().namespace().fault(INVALID_NAME));
        }
        let labels =
            unlisted_labels(pod, listed.get(namespace).and_then(Option::as_ref), &nodes, &mut unknown_nodes)?;
        if !labels.is_empty() {
            unlisted.entry(namespace.clone()).or_default().extend(labels);
        }
        Ok(())
    })?;
    let may_be_listed = unlisted.iter().filter(|(namespace, keys)| {
        !listed.contains_key(*namespace) && !keys.iter().all(|key| is_denied(key))
    });
    let unknown_namespaces = may_be_listed.map(|(namespace, _)| namespace.clone()).collect();
    let namespaces = unlisted
        .into_iter()
        .map(|(namespace, keys)| {
            let listed = listed.get(&namespace).cloned().flatten();
            UnlistedLabels::new(namespace, keys, listed)
        })
        .collect();
    Ok(MirrorLabelFindings { namespaces, notes: notes(&unknown_nodes, &unknown_namespaces) })
}

/// Returns the keys of a mirror pod that `listed`, the list of its namespace, does not have.
///
/// A topology label that equals the label of the pod's Node is a copy and needs no listing. Nodes
/// that the dump lacks are added to `unknown_nodes`.
fn unlisted_labels(
    pod: Pod<'_>,
    listed: Option<&BTreeSet<String>>,
    nodes: &BTreeMap<String, TopologyLabels>,
    unknown_nodes: &mut BTreeSet<String>,
) -> Result<Vec<String>, Fault> {
    let node = pod.node_name().filled_text()?;
    let mut unlisted = Vec::new();
    for (key, label) in pod.metadata().labels().fields()? {
        let value = label.text()?.unwrap_or_default();
        let is_listed = listed.is_some_and(|keys| keys.contains(key));
        // Listing does not help a denied key.
        if is_listed && !DENIED_BY_DEFAULT.contains(&key) {
            continue;
        }
        if COPIED.contains(&key)
            && let Some(node) = node
        {
            match nodes.get(node) {
                Some(labels) if labels.get(key).is_some_and(|copied| copied == value) => continue,
                Some(_) => {}
                None => {
                    unknown_nodes.insert(node.to_owned());
                    continue;
                }
            }
        }
        if !is_label_key(key) {
            return Err(label.fault(INVALID_NAME));
        }
        unlisted.push(key.to_owned());
    }
    Ok(unlisted)
}

/// Returns the keys that each Namespace lists; `None` for one without the annotation.
fn listed_keys(dump: &Dump) -> Result<BTreeMap<String, Option<BTreeSet<String>>>, AuditError> {
    let mut listed = BTreeMap::new();
    dump.visit_all("Namespace", |namespace, root| {
        let annotation = Namespace::of(root).metadata().annotations().at(ALLOWED_LABEL_KEYS);
        let keys = Keys::between_commas(annotation.text()?.unwrap_or_default());
        if let Some(key) = keys.iter().find(|key| !is_label_key(key)) {
            let problem = format!("{} is not a label key; correct the annotation first", Quoted(key));
            return Err(annotation.fault(problem));
        }
        let keys = keys.iter().map(str::to_owned).collect();
        listed.insert(namespace.name.clone(), annotation.is_present()?.then_some(keys));
        Ok(())
    })?;
    Ok(listed)
}

fn is_denied(key: &str) -> bool {
    DENIED_BY_DEFAULT.contains(&key)
}

fn topology_labels(dump: &Dump) -> Result<BTreeMap<String, TopologyLabels>, AuditError> {
    let mut nodes = BTreeMap::new();
    dump.visit_all("Node", |node, root| {
        let labels = ClusterNode::of(root).metadata().labels();
        let mut topology = TopologyLabels::new();
        for key in COPIED {
            if let Some(value) = labels.at(key).text()? {
                topology.insert(key, value.to_owned());
            }
        }
        nodes.insert(node.name.clone(), topology);
        Ok(())
    })?;
    Ok(nodes)
}

/// Returns notes about Nodes and Namespaces that the dump lacks.
fn notes(nodes: &BTreeSet<String>, namespaces: &BTreeSet<String>) -> Vec<String> {
    let lacking = [
        ("Topology labels were not checked", "Nodes", nodes),
        ("Labels may be listed already", "Namespaces", namespaces),
    ];
    let lacking = lacking.into_iter().filter(|(_, _, names)| !names.is_empty());
    lacking
        .map(|(problem, kind, names)| {
            let names = abbreviated(names.iter().map(String::as_str));
            format!(
                "{problem} because the dump lacks {kind} ({names}); create the dump with {COMMAND} -o json"
            )
        })
        .collect()
}

impl UnlistedLabels {
    fn new(namespace: String, keys: BTreeSet<String>, listed: Option<BTreeSet<String>>) -> Self {
        let (denied, missing): (Vec<String>, Vec<String>) = keys.into_iter().partition(|key| is_denied(key));
        let remedy = (!missing.is_empty()).then(|| {
            let overwrite = if listed.is_some() { " --overwrite" } else { "" };
            let listed = listed.into_iter().flatten();
            let all: BTreeSet<String> = listed.chain(missing.iter().cloned()).collect();
            let annotation = Vec::from_iter(all).join(",");
            let command = format!(
                "kubectl annotate{overwrite} namespaces {namespace} {ALLOWED_LABEL_KEYS}=\"{annotation}\""
            );
            ListingRemedy { annotation, command }
        });
        Self { namespace, missing, denied, remedy }
    }
}
