//! Kyverno rules with `validate.podSecurity` or a check of Kyverno's library, and the
//! `PolicyException`s for them.

mod autogen;
mod check_settings;
mod condition;
mod configuration;
mod entry;
mod evaluator;
mod exclusion;
mod grant;
mod kind_pattern;
mod library;
mod manifests;
mod match_constraints;
mod match_resources;
mod not_converted;
mod policy;
mod policy_exception;
mod reach;
mod request_scope;
mod resource_filter;
pub(crate) mod selector;
mod validating_exception;
mod validating_policy;
mod violation_action;
mod webhook;

use crate::conversion::{Conversion, FieldProblem};
use crate::fields::Fields;
use crate::manifest_names::ManifestNames;
use crate::objects;
use crate::{Document, InputError};
pub use configuration::KyvernoConfiguration;
pub(crate) use evaluator::MONITORS;
use library::Draft;
use policy_exception::PolicyException;
use validating_exception::ValidatingException;

const EXPECTED: &str = "expected Kyverno policies";

/// Converts Kyverno rules with `validate.podSecurity` into Kubewarden policies, with the default
/// configuration of Kyverno; see [`convert_with`].
///
/// # Errors
/// The first document that Kyverno would not accept.
pub fn convert(documents: &[Document]) -> Result<Vec<Conversion>, InputError> {
    convert_with(documents, &KyvernoConfiguration::default())
}

/// Converts Kyverno rules into Kubewarden policies: those with `validate.podSecurity`, and the
/// checks of pods in Kyverno's library, in patterns or in CEL.
///
/// The documents are `ClusterPolicy`, `Policy` and `PolicyException` objects of `kyverno.io`,
/// `ValidatingPolicy`, `NamespacedValidatingPolicy` and `PolicyException` objects of
/// `policies.kyverno.io`. Rules of the library that differ in nothing but the
/// control become one manifest.
/// The configuration is that of Kyverno itself, which leaves out requests for every policy.
/// Returns the [`Conversion`]s of each rule, in order, and one for each object that is not
/// converted. A rule has several manifests where one cannot express it: for pods and templates with
/// different exceptions, for namespaces with different actions, for requests and background audits.
/// The first of them lists what is not converted.
///
/// Where Kubewarden cannot express a field, the policy evaluates more requests than the rule, never
/// fewer, and is in mode monitor.
///
/// # Errors
/// The first document that Kyverno would not accept.
pub fn convert_with(
    documents: &[Document],
    configuration: &KyvernoConfiguration,
) -> Result<Vec<Conversion>, InputError> {
    let objects = objects::of(documents, EXPECTED)?;
    let mut names = ManifestNames::default();
    let mut exceptions = Vec::new();
    let mut exceptions_in_cel = Vec::new();
    for object in &objects {
        match identify(object)? {
            (KyvernoKind::PolicyException, title) => exceptions.push(PolicyException::read(title, object)?),
            (KyvernoKind::ValidatingException, title) => {
                exceptions_in_cel.push(ValidatingException::read(title, object)?);
            }
            _ => {}
        }
    }
    let mut drafts = Vec::new();
    for object in &objects {
        match identify(object)? {
            (KyvernoKind::Policy { is_cluster }, title) => {
                let rules =
                    policy::convert(object, &title, is_cluster, configuration, &mut exceptions, &mut names)?;
                drafts.extend(rules);
            }
            (KyvernoKind::ValidatingPolicy { is_cluster }, title) => {
                let manifests = validating_policy::convert(
                    object,
                    &title,
                    is_cluster,
                    configuration,
                    &mut exceptions_in_cel,
                    &mut names,
                )?;
                drafts.extend(manifests);
            }
            (KyvernoKind::PolicyException | KyvernoKind::ValidatingException, _) => {}
            (KyvernoKind::Other, title) => {
                let problem = "is not a ClusterPolicy, Policy or PolicyException of kyverno.io, nor a ValidatingPolicy, \
                               NamespacedValidatingPolicy or PolicyException of policies.kyverno.io";
                let problem = FieldProblem::new(object.path("kind"), problem);
                let conversion = Conversion::none(object.document(), &title, None, problem);
                drafts.push(Draft { conversion, library: None });
            }
        }
    }
    let mut conversions = library::merged(drafts, &mut names);
    for exception in exceptions.iter().filter(|exception| !exception.is_used) {
        let problem = FieldProblem::new(
            &exception.exceptions_path,
            "names no rule with podSecurity or a check of Kyverno's library in the input",
        );
        conversions.push(Conversion::none(exception.document, &exception.title, None, problem));
    }
    for exception in exceptions_in_cel.iter().filter(|exception| !exception.is_used) {
        let problem = FieldProblem::new(&exception.path, "names no policy in the input that is converted");
        conversions.push(Conversion::none(exception.document, &exception.title, None, problem));
    }
    Ok(conversions)
}

pub(crate) fn recognises(api_version: &str, _kind: &str) -> bool {
    api_version.starts_with("kyverno.io/") || api_version.starts_with("policies.kyverno.io/")
}

#[derive(Debug)]
enum KyvernoKind {
    Policy { is_cluster: bool },
    PolicyException,
    ValidatingPolicy { is_cluster: bool },
    ValidatingException,
    Other,
}

/// Returns the kind of an object, and its kind and name for messages.
fn identify(object: &Fields<'_>) -> Result<(KyvernoKind, String), InputError> {
    let kind = match objects::group_and_kind(object)? {
        ("kyverno.io", "ClusterPolicy") => KyvernoKind::Policy { is_cluster: true },
        ("kyverno.io", "Policy") => KyvernoKind::Policy { is_cluster: false },
        ("kyverno.io", "PolicyException") => KyvernoKind::PolicyException,
        ("policies.kyverno.io", "ValidatingPolicy") => KyvernoKind::ValidatingPolicy { is_cluster: true },
        ("policies.kyverno.io", "NamespacedValidatingPolicy") => {
            KyvernoKind::ValidatingPolicy { is_cluster: false }
        }
        ("policies.kyverno.io", "PolicyException") => KyvernoKind::ValidatingException,
        _ => KyvernoKind::Other,
    };
    Ok((kind, objects::title(object)?))
}
