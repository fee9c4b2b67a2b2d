//! What the cluster says of the Namespace of a pod and of the Node that asks: each is asked for once, and only
//! when the verdict depends on it.

use std::borrow::Cow;

use admission::{Cluster, Fault, Get, Quoted, Request};

use super::labels::COPIED;
use super::{ALLOWED, ALLOWED_LABEL_KEYS};
use crate::label::Keys;
use crate::view::{ClusterNode, Namespace, Pod};

/// The answers so far, and who to ask.
pub(super) struct Answers<'a> {
    caller: &'a str,
    pod: Pod<'a>,
    request: &'a Request<'a>,
    cluster: &'a dyn Cluster,
    namespace: Option<NamespaceFacts>,
    node: Option<NodeFacts>,
}

/// What matters of a Namespace.
pub(super) struct NamespaceFacts {
    /// What it is called; of one that the cluster does not have.
    absent: Option<String>,
    listed: Keys,
    allowed: Option<String>,
}

/// What matters of a Node.
pub(super) struct NodeFacts {
    /// Absent of a Node that the cluster does not have.
    uid: Option<String>,
    /// The values of the labels that the API server copies, where it has them.
    copied: Vec<Option<String>>,
}

impl<'a> Answers<'a> {
    pub(super) fn new(
        caller: &'a str,
        pod: Pod<'a>,
        request: &'a Request<'a>,
        cluster: &'a dyn Cluster,
    ) -> Self {
        Self { caller, pod, request, cluster, namespace: None, node: None }
    }

    /// The name of the node that asks.
    pub(super) fn caller(&self) -> &'a str {
        self.caller
    }

    /// The Namespace of the pod.
    pub(super) fn namespace(&mut self) -> Result<&NamespaceFacts, Fault> {
        let known = match self.namespace.take() {
            Some(known) => known,
            None => self.ask_for_namespace()?,
        };
        Ok(self.namespace.insert(known))
    }

    /// The Node that asks.
    pub(super) fn node(&mut self) -> Result<&NodeFacts, Fault> {
        let known = match self.node.take() {
            Some(known) => known,
            None => self.ask_for_node()?,
        };
        Ok(self.node.insert(known))
    }

    fn ask_for_namespace(&self) -> Result<NamespaceFacts, Fault> {
        let in_object = self.pod.metadata().namespace();
        let name = self.request.namespace()?.or(in_object.filled_text()?);
        let name = name.ok_or_else(|| in_object.fault("expected a string, found nothing"))?;
        let get =
            Get { api_version: "v1", kind: "Namespace", namespace: None, name, shape: Namespace::ANNOTATED };
        let Some(answer) = get.ask(self.cluster)? else {
            let absent = Some(Quoted(name).to_string());
            return Ok(NamespaceFacts { absent, listed: Keys::default(), allowed: None });
        };
        let document = answer.document()?;
        let root = document.root();
        if !root.object()? {
            return Err(root.fault("expected an object, found nothing"));
        }
        let annotations = Namespace::of(root).metadata().annotations();
        Ok(NamespaceFacts {
            absent: None,
            listed: Keys::between_commas(annotations.at(ALLOWED_LABEL_KEYS).text()?.unwrap_or_default()),
            allowed: annotations.at(ALLOWED).text()?.map(str::to_owned),
        })
    }

    fn ask_for_node(&self) -> Result<NodeFacts, Fault> {
        let name = self.caller;
        let get =
            Get { api_version: "v1", kind: "Node", namespace: None, name, shape: ClusterNode::IDENTIFIED };
        let Some(answer) = get.ask(self.cluster)? else {
            return Ok(NodeFacts { uid: None, copied: Vec::new() });
        };
        let document = answer.document()?;
        let metadata = ClusterNode::of(document.root()).metadata();
        let uid = metadata.uid();
        let uid = uid.filled_text()?.ok_or_else(|| uid.fault("expected a string, found nothing"))?.to_owned();
        let mut copied = Vec::new();
        for key in COPIED {
            copied.push(metadata.labels().at(key).text()?.map(str::to_owned));
        }
        Ok(NodeFacts { uid: Some(uid), copied })
    }
}

impl NamespaceFacts {
    /// Whether mirror pods may have a label.
    pub(super) fn lists(&self, key: &str) -> bool {
        self.listed.have(key)
    }

    /// Why a label is not listed.
    pub(super) fn unlisted(&self) -> Cow<'static, str> {
        self.lacking("the Namespace does not list this label for mirror pods")
    }

    /// Whether it has mirror pods at all: the annotation is there and not `false`.
    pub(super) fn has_mirror_pods(&self) -> bool {
        self.allowed.as_deref().is_some_and(|allowed| allowed != "false")
    }

    /// Why it has none.
    pub(super) fn closed(&self) -> Cow<'static, str> {
        self.lacking("nodes may not create pods in this Namespace")
    }

    fn lacking(&self, rule: &'static str) -> Cow<'static, str> {
        match &self.absent {
            Some(name) => format!("{rule}, as the cluster has no Namespace {name}").into(),
            None => rule.into(),
        }
    }
}

impl NodeFacts {
    /// Its UID; `None` if the cluster does not have the Node.
    pub(super) fn uid(&self) -> Option<&str> {
        self.uid.as_deref()
    }

    /// Whether the API server copied a label with this value from it.
    pub(super) fn gave(&self, key: &str, value: &str) -> bool {
        COPIED
            .iter()
            .zip(&self.copied)
            .any(|(copied, known)| *copied == key && known.as_deref() == Some(value))
    }
}
