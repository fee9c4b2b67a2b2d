//! Restrictions on the external IPs of Services: the `Network` configuration of `OpenShift`, the
//! flags of externalip-webhook, the in-tree plugin `DenyServiceExternalIPs`, and policies of
//! Kyverno.

mod admission_configuration;
mod command_line;
mod in_tree;
mod manifest;
mod openshift;
mod ranges;
mod webhook;

use crate::conversion::{Conversion, FieldProblem};
use crate::fields::Fields;
use crate::objects;
use crate::{Document, InputError, KyvernoConfiguration, kyverno};
use manifest::Manifests;
pub(crate) use manifest::{EXTERNAL_IPS, match_conditions, rechecked};

/// The expected content of a document.
const EXPECTED: &str = "expected the Network configuration of OpenShift, a workload with externalip-webhook or \
                        kube-apiserver, or an AdmissionConfiguration";

/// Whether a document restricts external IPs and nothing else that can be converted.
///
/// Workloads are not recognised: most of them have other purposes.
pub(crate) fn recognises(api_version: &str, kind: &str) -> bool {
    matches!(
        (api_version, kind),
        ("config.openshift.io/v1", "Network") | (openshift::RANGER_VERSION, openshift::RANGER_KIND)
    )
}

/// Converts restrictions on the external IPs of Services into policies of `external-ips`.
///
/// The documents are the `Network` configuration of `OpenShift`, workloads that run
/// externalip-webhook and its webhook configuration, pods of `kube-apiserver`,
/// `ClusterConfiguration`s of kubeadm, `AdmissionConfiguration`s, policies of Kyverno with its
/// default configuration, and lists of them; see [`convert_with`].
///
/// # Errors
/// The first document that its system would not accept.
pub fn convert(documents: &[Document]) -> Result<Vec<Conversion>, InputError> {
    convert_with(documents, &KyvernoConfiguration::default())
}

/// Converts restrictions on the external IPs of Services as [`convert`] does, with the
/// configuration of Kyverno. Returns a [`Conversion`] for each document that restricts external
/// IPs, and one for each object that is not converted.
///
/// # Errors
/// The first document that its system would not accept.
pub fn convert_with(
    documents: &[Document],
    configuration: &KyvernoConfiguration,
) -> Result<Vec<Conversion>, InputError> {
    let objects = objects::of(documents, EXPECTED)?;
    let registration = webhook::Registration::of(&objects)?;
    let mut manifests = Manifests::default();
    let mut conversions = Vec::new();
    let mut of_kyverno = Vec::new();
    for object in objects {
        if matches!(objects::group_and_kind(&object)?, ("kyverno.io" | "policies.kyverno.io", _)) {
            of_kyverno.push(object);
        } else {
            conversions.extend(convert_object(&object, &registration, &mut manifests)?);
        }
    }
    // Exceptions belong to policies, so that all are converted together.
    conversions.extend(kyverno::convert_objects(&of_kyverno, configuration, &mut manifests.names)?);
    Ok(conversions)
}

fn convert_object(
    object: &Fields<'_>,
    registration: &webhook::Registration,
    manifests: &mut Manifests,
) -> Result<Option<Conversion>, InputError> {
    let title = objects::title(object)?;
    match objects::group_and_kind(object)? {
        ("config.openshift.io", "Network") => openshift::network(object, &title, manifests).map(Some),
        ("network.openshift.io", openshift::RANGER_KIND) => {
            openshift::ranger(object, object, &title, manifests).map(Some)
        }
        ("apiserver.config.k8s.io" | "apiserver.k8s.io", "AdmissionConfiguration") => {
            admission_configuration::convert(object, &title, manifests).map(Some)
        }
        ("kubeadm.k8s.io", "ClusterConfiguration") => in_tree::kubeadm(object, &title, manifests).map(Some),
        ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration")
            if webhook::is_registration(object)? =>
        {
            // The manifest of the workload has what the registration says.
            let problem = "registers a webhook whose flags are in its Deployment; convert both together";
            let problem = FieldProblem::new(object.path("webhooks"), problem);
            Ok((!registration.is_applied()).then(|| unconverted(object, &title, problem)))
        }
        ("" | "apps", _) if command_line::pod_spec(object)?.is_some() => {
            convert_workload(object, &title, registration, manifests).map(Some)
        }
        (group, _) => {
            let problem = match group {
                "constraints.gatekeeper.sh" => "is converted by portcullis convert gatekeeper",
                _ => "restricts no external IPs that are converted",
            };
            Ok(Some(unconverted(object, &title, FieldProblem::new(object.path("kind"), problem))))
        }
    }
}

fn convert_workload(
    object: &Fields<'_>,
    title: &str,
    registration: &webhook::Registration,
    manifests: &mut Manifests,
) -> Result<Conversion, InputError> {
    let Some(pod) = command_line::pod_spec(object)? else { return Ok(Conversion::default()) };
    for container in pod.objects("containers")? {
        if registration.runs_in(&container)? {
            return webhook::convert(&container, title, registration, manifests);
        }
        if in_tree::runs_in(&container)? {
            return in_tree::container(&container, title, manifests);
        }
    }
    let problem = "runs neither externalip-webhook nor kube-apiserver with flags of theirs";
    Ok(unconverted(object, title, FieldProblem::new(pod.path("containers"), problem)))
}

/// A conversion of a document that is not converted.
fn unconverted(object: &Fields<'_>, title: &str, problem: FieldProblem) -> Conversion {
    Conversion::none(object.document(), title, None, problem)
}
