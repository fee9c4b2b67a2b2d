//! Look-ups of the pod's Namespace and of the requesting user's Node.

use std::borrow::Cow;

use admission::{Cluster, Fault, Get, Quoted, Request};

use crate::label::Keys;
use crate::namespace_lookup;
use crate::view::{ClusterNode, Namespace, Pod};

/// The annotation of a Namespace that lists the labels its mirror pods may have, separated by
/// commas.
///
/// Source: KEP-1314.
pub const ALLOWED_LABEL_KEYS: &str = "node.kubernetes.io/mirror.allowed-label-keys";

/// The annotation that permits mirror pods in a Namespace under `restrictNamespaces`.
///
/// Source: KEP-1314, which defines no values.
const ALLOWED: &str = "node.kubernetes.io/mirror.allowed";

/// The values of [`ALLOWED`] that permit mirror pods: none, because KEP-1314 only names the
/// annotation, and the values that the API server reads as true in annotations.
///
/// Source: `ParseBool` of the Go package strconv.
const PERMITS: [&str; 7] = ["", "true", "True", "TRUE", "t", "T", "1"];

/// The labels that the API server copies from the Node to every pod that is created with a node
/// name, after the in-tree plugins have reviewed it. The first version of the feature used
/// `k8s.io`.
///
/// Source: `PodTopologyLabels` of k8s.io/kubernetes/plugin/pkg/admission/podtopologylabels.
pub const COPIED: [&str; 4] = [
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "topology.k8s.io/zone",
    "topology.k8s.io/region",
];

/// The look-ups of a review. Each object is looked up on first use and cached.
pub(super) struct Lookups<'a> {
    caller: &'a str,
    pod: Pod<'a>,
    request: &'a Request<'a>,
    cluster: &'a dyn Cluster,
    namespace: Option<NamespaceFacts>,
    node: Option<NodeFacts>,
}

#[derive(Default)]
pub(super) struct NamespaceFacts {
    /// The quoted name, if the cluster does not have the Namespace.
    missing: Option<String>,
    listed: Keys,
    permission: Permission,
}

/// The permission for mirror pods that a Namespace gives by its annotation.
#[derive(Clone, Copy, Default, PartialEq)]
enum Permission {
    #[default]
    Absent,
    /// The value is one of [`PERMITS`].
    Granted,
    /// The annotation has another value.
    Withheld,
}

pub(super) struct NodeFacts {
    /// `None` if the cluster does not have the Node.
    uid: Option<String>,
    /// The values of the labels in [`COPIED`].
    copied: Vec<Option<String>>,
}

impl<'a> Lookups<'a> {
    pub(super) fn new(
        caller: &'a str,
        pod: Pod<'a>,
        request: &'a Request<'a>,
        cluster: &'a dyn Cluster,
    ) -> Self {
        Self { caller, pod, request, cluster, namespace: None, node: None }
    }

    /// Returns the name of the requesting user's node.
    pub(super) fn caller(&self) -> &'a str {
        self.caller
    }

    pub(super) fn namespace(&mut self) -> Result<&NamespaceFacts, Fault> {
        let facts = match self.namespace.take() {
            Some(facts) => facts,
            None => self.look_up_namespace()?,
        };
        Ok(self.namespace.insert(facts))
    }

    /// Returns the Node of the requesting user.
    pub(super) fn node(&mut self) -> Result<&NodeFacts, Fault> {
        let facts = match self.node.take() {
            Some(facts) => facts,
            None => self.look_up_node()?,
        };
        Ok(self.node.insert(facts))
    }

    fn look_up_namespace(&self) -> Result<NamespaceFacts, Fault> {
        let in_object = self.pod.metadata().namespace();
        let name = self.request.namespace()?.or(in_object.filled_text()?);
        let name = name.ok_or_else(|| in_object.fault("expected a string, found nothing"))?;
        let Some(answer) = namespace_lookup::find(name, self.cluster, Namespace::ANNOTATED)? else {
            return Ok(NamespaceFacts {
                missing: Some(Quoted(name).to_string()),
                ..NamespaceFacts::default()
            });
        };
        let document = answer.document()?;
        let annotations = Namespace::of(document.root()).metadata().annotations();
        Ok(NamespaceFacts {
            missing: None,
            listed: Keys::between_commas(annotations.at(ALLOWED_LABEL_KEYS).text()?.unwrap_or_default()),
            permission: match annotations.at(ALLOWED).text()? {
                None => Permission::Absent,
                Some(value) if PERMITS.contains(&value) => Permission::Granted,
                Some(_) => Permission::Withheld,
            },
        })
    }

    fn look_up_node(&self) -> Result<NodeFacts, Fault> {
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
    pub(super) fn lists(&self, key: &str) -> bool {
        self.listed.have(key)
    }

    pub(super) fn unlisted_label_rule(&self) -> Cow<'static, str> {
        self.rule("the Namespace does not list this label for mirror pods")
    }

    /// Returns whether the annotation permits mirror pods: it is present, and empty or true.
    pub(super) fn permits_mirror_pods(&self) -> bool {
        self.permission == Permission::Granted
    }

    pub(super) fn no_mirror_pods_rule(&self) -> Cow<'static, str> {
        if self.permission == Permission::Withheld {
            return "nodes may not create pods in this Namespace, whose annotation \
                    node.kubernetes.io/mirror.allowed is neither empty nor true"
                .into();
        }
        self.rule("nodes may not create pods in this Namespace")
    }

    fn rule(&self, rule: &'static str) -> Cow<'static, str> {
        match &self.missing {
            Some(name) => [rule, ", because the cluster has no Namespace ", name].concat().into(),
            None => rule.into(),
        }
    }
}

impl NodeFacts {
    pub(super) fn uid(&self) -> Option<&str> {
        self.uid.as_deref()
    }

    /// Returns whether a label of a pod is a copy that the API server made of the Node's label.
    pub(super) fn is_copied(&self, key: &str, value: &str) -> bool {
        COPIED
            .iter()
            .zip(&self.copied)
            .any(|(copied, known)| *copied == key && known.as_deref() == Some(value))
    }
}
