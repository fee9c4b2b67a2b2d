//! The findings of the audit.

use admission::Decision;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{ConflictingVolume, MixedVolume, NamespaceLevel, UnknownVolume, changes};
use crate::audit::DumpObject;

/// The findings of the audit.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SelinuxFindings {
    /// The levels that several Namespaces share unintentionally.
    pub collisions: Vec<SharedLevel>,
    /// The levels in pods and pod templates that reach the files of other Namespaces.
    pub foreign: Vec<ForeignLevel>,
    /// The volumes that not all of their pods can use on one node.
    pub volumes: Vec<ConflictingVolume>,
    /// The volumes that containers of one pod mount with different labels.
    pub mixed_volumes: Vec<MixedVolume>,
    /// The volumes that pods use with different labels, and of which no more is known.
    pub unknown_volumes: Vec<UnknownVolume>,
    /// The objects that the policy would deny.
    pub denied: Vec<DeniedObject>,
    /// The pods that the policy would change.
    pub changed: Vec<ChangedObject>,
    /// The objects and levels that could not be evaluated or compared.
    pub notes: Vec<String>,
}

/// A level that Namespaces of different owners share.
#[derive(Clone, Debug, Serialize)]
pub struct SharedLevel {
    /// The level.
    pub level: String,
    /// The Namespaces with the level, ordered by name.
    pub namespaces: Vec<NamespaceLevel>,
}

/// The object that a finding is about.
#[derive(Clone, Debug, Serialize)]
pub struct ObjectReference {
    /// The kind.
    pub kind: String,
    /// The namespace, empty for cluster-wide kinds.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The three as a phrase: `Pod shop/web`.
    #[serde(skip)]
    pub text: String,
}

/// A level that reaches the files of other Namespaces.
#[derive(Clone, Debug, Serialize)]
pub struct ForeignLevel {
    /// The pod, or the workload with the pod template.
    #[serde(flatten)]
    pub object: ObjectReference,
    /// The path of the level in the object.
    pub path: String,
    /// The level as the object spells it.
    pub level: String,
    /// The Namespaces whose files the level reaches, ordered by name.
    pub reaches: Vec<String>,
    /// Whether the level equals that of each of the Namespaces, and is not wider.
    pub equal: bool,
}

/// An object that the policy would deny.
#[derive(Clone, Debug, Serialize)]
pub struct DeniedObject {
    /// The object.
    #[serde(flatten)]
    pub object: ObjectReference,
    /// One message for each violation, or the reason why the object cannot be evaluated.
    pub messages: Vec<String>,
}

/// A pod that the policy would change.
#[derive(Clone, Debug, Serialize)]
pub struct ChangedObject {
    /// The pod.
    #[serde(flatten)]
    pub object: ObjectReference,
    /// The new values, by path.
    pub changes: Map<String, Value>,
}

impl ObjectReference {
    pub(super) fn of(object: &DumpObject) -> Self {
        Self {
            kind: object.kind.clone(),
            namespace: object.namespace.clone(),
            name: object.name.clone(),
            text: object.to_string(),
        }
    }
}

impl SelinuxFindings {
    /// Whether the audit found nothing; notes are not findings.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.collisions.is_empty()
            && self.foreign.is_empty()
            && self.volumes.is_empty()
            && self.mixed_volumes.is_empty()
            && self.unknown_volumes.is_empty()
            && self.denied.is_empty()
            && self.changed.is_empty()
    }

    pub(super) fn add(&mut self, object: &DumpObject, decision: Decision) {
        let reference = ObjectReference::of(object);
        match decision {
            Decision::Denied(findings) => {
                self.denied.push(DeniedObject { object: reference, messages: findings.lines() });
            }
            Decision::Fault(fault) => {
                let messages = vec![format!("cannot be evaluated: {fault}")];
                self.denied.push(DeniedObject { object: reference, messages });
            }
            // The policy changes Namespaces only when they are created.
            Decision::Mutated(mutated) if object.kind == "Pod" => {
                let read = |json: &str| serde_json::from_str::<Value>(json).unwrap_or_default();
                let changes = changes::between(&read(&object.json), &read(&mutated));
                self.changed.push(ChangedObject { object: reference, changes });
            }
            Decision::Mutated(_) | Decision::Admitted | Decision::NotMatched => {}
        }
    }
}
