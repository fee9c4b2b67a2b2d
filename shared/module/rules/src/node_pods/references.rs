//! References of mirror pods to other API objects.

use admission::{Fault, Node, Remedy, Violations, choices};

use super::rule;
use crate::view::{ContainerKind, Pod};

choices! {
    /// How references of mirror pods to API objects are handled.
    pub enum ApiObjectReferences {
        /// They are violations.
        Deny,
        /// They are not reviewed.
        Allow,
    }
}

/// The volumes that refer to an API object by their type alone.
const REFERRING: [&str; 7] =
    ["azureFile", "configMap", "csi", "ephemeral", "glusterfs", "persistentVolumeClaim", "secret"];

/// The volumes that refer to no API object, except to a Secret in `secretRef`.
const INDEPENDENT: [&str; 22] = [
    "awsElasticBlockStore",
    "azureDisk",
    "cephfs",
    "cinder",
    "downwardAPI",
    "emptyDir",
    "fc",
    "flexVolume",
    "flocker",
    "gcePersistentDisk",
    "gitRepo",
    "hostPath",
    "image",
    "iscsi",
    "nfs",
    "photonPersistentDisk",
    "portworxVolume",
    "quobyte",
    "rbd",
    "scaleIO",
    "storageos",
    "vsphereVolume",
];

/// The sources of projected volumes that refer to an API object.
const REFERRING_SOURCES: [&str; 5] =
    ["clusterTrustBundle", "configMap", "podCertificate", "secret", "serviceAccountToken"];

/// The source of projected volumes that refers to no API object.
const INDEPENDENT_SOURCE: &str = "downwardAPI";

/// The lists of a container that may refer to API objects: the name of the list, the field of each
/// item that has the references, if they are not in the item itself, and the references.
const ENVIRONMENT: [(&str, Option<&str>, [&str; 2]); 2] = [
    ("env", Some("valueFrom"), ["configMapKeyRef", "secretKeyRef"]),
    ("envFrom", None, ["configMapRef", "secretRef"]),
];

/// Adds a violation for each reference of a mirror pod to another API object.
///
/// A volume or a projected source of an unknown type is a violation, because it may refer to one. A
/// reference without a name refers to nothing, other than a volume.
///
/// Source: `HasAPIObjectReference` of k8s.io/kubernetes/pkg/api/pod, which `NodeRestriction` calls.
pub(super) fn review<'d>(pod: Pod<'d>, violations: &mut Violations<'d>) -> Result<(), Fault> {
    // The API server writes the name into both fields.
    if pod.service_account_name().filled_text()?.is_some() {
        forbid(pod.service_account_name(), violations);
    } else if pod.service_account().filled_text()?.is_some() {
        forbid(pod.service_account(), violations);
    }
    for secret in pod.image_pull_secrets().items()? {
        forbid_if_named(Some(secret), violations)?;
    }
    if pod.resource_claims().items()?.next().is_some() {
        forbid(pod.resource_claims(), violations);
    }
    for kind in ContainerKind::ALL {
        for container in pod.containers(kind)? {
            review_environment(container.place(), violations)?;
        }
    }
    for volume in pod.volumes()? {
        review_volume(volume, violations)?;
    }
    Ok(())
}

fn review_environment<'d>(container: Node<'d>, violations: &mut Violations<'d>) -> Result<(), Fault> {
    for (list, field, references) in ENVIRONMENT {
        let Some(list) = container.entry(list)? else { continue };
        for item in list.items()? {
            let source = match field {
                Some(field) => item.entry(field)?,
                None => Some(item),
            };
            let Some(source) = source else { continue };
            for reference in references {
                forbid_if_named(source.entry(reference)?, violations)?;
            }
        }
    }
    Ok(())
}

fn review_volume<'d>(volume: Node<'d>, violations: &mut Violations<'d>) -> Result<(), Fault> {
    let mut has_type = false;
    for (name, source) in volume.fields()? {
        if name == "name" || !source.is_present()? {
            continue;
        }
        has_type = true;
        if name == "projected" {
            review_projected(source, violations)?;
        } else if REFERRING.contains(&name) {
            forbid(source, violations);
        } else if INDEPENDENT.contains(&name) {
            forbid_if_named(source.entry("secretRef")?, violations)?;
        } else {
            forbid_unknown(source, violations);
        }
    }
    if !has_type {
        forbid_unknown(volume, violations);
    }
    Ok(())
}

fn review_projected<'d>(volume: Node<'d>, violations: &mut Violations<'d>) -> Result<(), Fault> {
    let Some(sources) = volume.entry("sources")? else { return Ok(()) };
    for item in sources.items()? {
        let mut has_type = false;
        for (name, source) in item.fields()? {
            if !source.is_present()? {
                continue;
            }
            has_type = true;
            if REFERRING_SOURCES.contains(&name) {
                forbid(source, violations);
            } else if name != INDEPENDENT_SOURCE {
                forbid_unknown(source, violations);
            }
        }
        if !has_type {
            forbid_unknown(item, violations);
        }
    }
    Ok(())
}

fn forbid_if_named<'d>(reference: Option<Node<'d>>, violations: &mut Violations<'d>) -> Result<(), Fault> {
    if let Some(reference) = reference
        && let Some(name) = reference.entry("name")?
        && name.filled_text()?.is_some()
    {
        forbid(reference, violations);
    }
    Ok(())
}

const REMEDY: Remedy<&str> =
    Remedy::in_words("remove it from the static pod, or set apiObjectReferences to Allow");

fn forbid<'d>(at: Node<'d>, violations: &mut Violations<'d>) {
    violations.forbid(rule::MIRROR_REFERENCE, at, "a mirror pod may not refer to API objects", REMEDY);
}

fn forbid_unknown<'d>(at: Node<'d>, violations: &mut Violations<'d>) {
    violations.forbid(
        rule::MIRROR_VOLUME,
        at,
        "a mirror pod may have only volumes that are known not to refer to API objects",
        REMEDY,
    );
}
