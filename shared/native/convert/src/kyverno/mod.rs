//! Kyverno rules with `validate.podSecurity`, and the `PolicyException`s for them.

mod autogen;
mod check_settings;
mod condition;
mod configuration;
mod entry;
mod exclusion;
mod grant;
mod kind_pattern;
mod match_resources;
mod not_converted;
mod policy;
mod policy_exception;
mod reach;
mod request_scope;
mod resource_filter;
pub(crate) mod selector;
mod violation_action;
mod webhook;

use crate::conversion::{Conversion, FieldProblem};
use crate::fields::Fields;
use crate::manifest_names::ManifestNames;
use crate::objects;
use crate::{Document, InputError};
pub use configuration::KyvernoConfiguration;
use policy_exception::PolicyException;

/// The expected content of a document.
const EXPECTED: &str = "expected Kyverno policies";

/// Converts Kyverno rules with `validate.podSecurity` into Kubewarden policies, with the default
/// configuration of Kyverno; see [`convert_with`].
///
/// # Errors
/// The first document that Kyverno would not accept.
pub fn convert(documents: &[Document]) -> Result<Vec<Conversion>, InputError> {
    convert_with(documents, &KyvernoConfiguration::default())
}

/// Converts Kyverno rules with `validate.podSecurity` into Kubewarden policies.
///
/// The documents are `ClusterPolicy`, `Policy` and `PolicyException` objects, and lists of them.
/// The configuration is that of Kyverno itself, which leaves out requests for every policy.
/// Returns the [`Conversion`]s of each rule, in order, and one for each object that is not
/// converted. A rule has several manifests where one cannot express it: for pods and templates with
/// different exceptions, for namespaces with different actions, for requests and background audits.
/// The first of them lists what is not converted.
///
/// Where Kubewarden cannot express a field, the policy judges more requests than the rule, never
/// fewer, and is in mode monitor.
///
/// # Errors
/// The first document that Kyverno would not accept.
pub fn convert_with(
    documents: &[Document],
    configuration: &KyvernoConfiguration,
) -> Result<Vec<Conversion>, InputError> {
    let objects = objects::of(documents, EXPECTED)?;
    let mut exceptions = Vec::new();
    for object in &objects {
        if let (KyvernoKind::PolicyException, title) = identify(object)? {
            exceptions.push(PolicyException::read(title, object)?);
        }
    }
    let mut names = ManifestNames::default();
    let mut conversions = Vec::new();
    for object in &objects {
        match identify(object)? {
            (KyvernoKind::Policy { is_cluster }, title) => {
                let rules =
                    policy::convert(object, &title, is_cluster, configuration, &mut exceptions, &mut names)?;
                conversions.extend(rules);
            }
            (KyvernoKind::PolicyException, _) => {}
            (KyvernoKind::Other, title) => {
                let problem = "is not a ClusterPolicy, Policy or PolicyException of kyverno.io";
                let problem = FieldProblem::new(object.path("kind"), problem);
                conversions.push(Conversion::none(object.document(), &title, None, problem));
            }
        }
    }
    for exception in exceptions.iter().filter(|exception| !exception.is_used) {
        let problem =
            FieldProblem::new(&exception.exceptions_path, "names no rule with podSecurity in the input");
        conversions.push(Conversion::none(exception.document, &exception.title, None, problem));
    }
    Ok(conversions)
}

/// Whether a document is a policy or an exception of Kyverno.
pub(crate) fn recognises(api_version: &str, _kind: &str) -> bool {
    api_version.starts_with("kyverno.io/")
}

/// The kinds of Kyverno that are converted.
#[derive(Debug)]
enum KyvernoKind {
    Policy { is_cluster: bool },
    PolicyException,
    Other,
}

/// Returns the kind of an object, and its kind and name for messages.
fn identify(object: &Fields<'_>) -> Result<(KyvernoKind, String), InputError> {
    let kind = match objects::group_and_kind(object)? {
        ("kyverno.io", "ClusterPolicy") => KyvernoKind::Policy { is_cluster: true },
        ("kyverno.io", "Policy") => KyvernoKind::Policy { is_cluster: false },
        ("kyverno.io", "PolicyException") => KyvernoKind::PolicyException,
        _ => KyvernoKind::Other,
    };
    Ok((kind, objects::title(object)?))
}
