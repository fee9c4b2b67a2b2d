//! `PodSecurityPolicy`, which Kubernetes removed in v1.25.
//!
//! A pod needs one policy that allows it and that its requesting user or its service account may
//! use. Each manifest judges the requests for which the same policies may be used, and allows
//! everything that one of them allows. Defaults that a policy sets in pods are listed, because
//! manifests judge pods as they are.

pub(crate) mod allowance;
mod conditions;
mod policy;
mod profiles;
mod selection;
pub(crate) mod settings;
mod usage;

use rules::pod_security::PodSecurity;
use rules::selinux::Selinux;
use serde_json::{Map, Value};

use crate::conversion::{Conversion, FieldProblem, NotConverted};
use crate::kubewarden::{PolicyManifest, PolicyMetadata, PolicyMode, PolicySpec, TargetRule};
use crate::manifest_names::ManifestNames;
use crate::rbac::{self, Grants};
use crate::target::Target;
use crate::{Document, InputError, MatchCondition, Operation, objects};
use allowance::Allowance;
use policy::Policy;
use selection::Selection;
use settings::Part;
use usage::Usage;

/// The kind.
const KIND: &str = "PodSecurityPolicy";

/// The expected content of a document.
const EXPECTED: &str = "expected PodSecurityPolicies, and the roles and bindings that permit their use";

/// The consequence of a binding to a role that the input does not contain.
const UNRESOLVED: &str = "the manifests may judge requests by the wrong policies and are in mode monitor";

/// The API groups of the kind, each in version v1beta1.
const VERSIONS: [&str; 2] = ["policy/v1beta1", "extensions/v1beta1"];

/// The name of the manifest for requests for which no policy may be used.
const NOBODY: &str = "no-pod-security-policy";

/// Whether a document is a `PodSecurityPolicy`.
pub(crate) fn recognises(api_version: &str, kind: &str) -> bool {
    kind == KIND && VERSIONS.contains(&api_version)
}

/// Converts `PodSecurityPolicy` objects into Kubewarden policies.
///
/// The documents are the policies, the roles and bindings that permit their use, and lists of them.
/// Returns the [`Conversion`]s of each policy, then those for requests for which several policies
/// or none may be used. Without bindings, the manifest of a single policy judges all requests;
/// those of several policies do, too, and are in mode monitor.
///
/// A manifest never refuses a pod that a policy admits as it is.
///
/// # Errors
/// The first document that the API server would not accept.
pub fn convert(documents: &[Document]) -> Result<Vec<Conversion>, InputError> {
    let mut policies = Vec::new();
    let mut grants = usage::grants();
    let mut others = Vec::new();
    for object in objects::of(documents, EXPECTED)? {
        match objects::group_and_kind(&object)? {
            ("policy" | "extensions", KIND) => policies.push(Policy::read(&object)?),
            (group, "Role" | "ClusterRole" | "RoleBinding" | "ClusterRoleBinding")
                if group == rbac::GROUP =>
            {
                grants.add(&object)?;
            }
            _ => {
                let problem = FieldProblem::new(object.path("kind"), EXPECTED);
                others.push(Conversion::none(object.document(), &objects::title(&object)?, None, problem));
            }
        }
    }
    if let Some(first) = documents.first().filter(|_| policies.is_empty() && others.is_empty()) {
        // Roles alone would be converted to nothing, without a word.
        return Err(InputError {
            document: first.name.clone(),
            path: String::new(),
            problem: format!("the input contains no {KIND}; {EXPECTED}"),
        });
    }
    let unresolved = grants.unresolved(UNRESOLVED)?;
    let (names, is_complete) = (ManifestNames::default(), unresolved.is_empty());
    let mut converter = Converter { names, conversions: others, is_complete };
    for problem in unresolved {
        converter.conversions.push(Conversion { not_converted: vec![problem], ..Conversion::default() });
    }
    converter.convert(policies, &grants)?;
    Ok(converter.conversions)
}

/// The conversions so far.
struct Converter {
    names: ManifestNames,
    conversions: Vec<Conversion>,
    /// Whether the input contains the role of every binding.
    is_complete: bool,
}

impl Converter {
    fn convert(&mut self, policies: Vec<Policy>, grants: &Grants<'_>) -> Result<(), InputError> {
        let (policies, unusable): (Vec<Policy>, Vec<Policy>) =
            policies.into_iter().partition(|policy| policy.is_usable);
        for policy in &unusable {
            self.conversions.push(Conversion { not_converted: lines(policy), ..Conversion::default() });
        }
        if !grants.have_bindings() {
            let is_only = policies.len() == 1;
            for policy in &policies {
                self.without_grants(policy, is_only)?;
            }
            return Ok(());
        }
        let usages: Vec<Usage> = policies.iter().map(|policy| Usage::of(&policy.name, grants)).collect();
        for (policy, usage) in policies.iter().zip(&usages) {
            let mut conversion = Conversion { not_converted: lines(policy), ..Conversion::default() };
            if *usage == Usage::without_bindings() {
                conversion.notes.push(format!(
                    "The input binds nobody to {}, so only the group system:masters may use it.",
                    policy.title
                ));
            }
            self.conversions.push(conversion);
        }
        let selections = match selection::select(&policies, &usages) {
            Ok(selections) => selections,
            Err(problem) => {
                let Some(first) = policies.first() else { return Ok(()) };
                let problem = FieldProblem::new("spec", problem);
                self.conversions.push(Conversion::none(&first.document, &first.title, None, problem));
                return Ok(());
            }
        };
        for selection in &selections {
            self.selected(selection, &policies)?;
        }
        Ok(())
    }

    /// Converts a policy for all requests, because the input does not say who may use it.
    fn without_grants(&mut self, policy: &Policy, is_only: bool) -> Result<(), InputError> {
        let problem = if is_only {
            "the input has no bindings, so the manifest judges the requests of all users; pass the roles and \
             bindings of the cluster, too"
        } else {
            "the input has no bindings that say who may use which policy, so every manifest judges the requests of \
             all users and is in mode monitor; pass the roles and bindings of the cluster, too"
        };
        let mut not_converted = lines(policy);
        let problem = FieldProblem::new("metadata.name", problem);
        not_converted.push(NotConverted::new(&policy.document, &policy.title, None, problem));
        self.conversions.push(Conversion { not_converted, ..Conversion::default() });
        let target = Judged {
            name: policy.name.clone(),
            mode: if is_only { mode([policy]) } else { PolicyMode::Monitor },
            condition: None,
            document: policy.document.clone(),
        };
        self.manifests(&target, &policy.allowance)
    }

    /// Converts what a selection of policies allows.
    fn selected(&mut self, selection: &Selection, policies: &[Policy]) -> Result<(), InputError> {
        let members: Vec<&Policy> =
            selection.members.iter().filter_map(|index| policies.get(*index)).collect();
        let Some(first) = policies.first() else { return Ok(()) };
        // A policy that allows less than another one adds nothing.
        let is_below = |policy: &Policy| {
            members.iter().any(|other| {
                other.allowance != policy.allowance && other.allowance.contains(&policy.allowance)
            })
        };
        let largest = members.iter().filter(|policy| !is_below(policy));
        let names: Vec<&str> = largest.map(|policy| policy.name.as_str()).collect();
        let mut conversion = Conversion::default();
        if members.is_empty() {
            let problem = "pods for which no policy may be used are refused whatever they are, and the manifest \
                           no-pod-security-policy admits those that meet the level restricted";
            let problem = FieldProblem::new("metadata.name", problem);
            conversion.not_converted.push(NotConverted::new(&first.document, &first.title, None, problem));
        } else if !members.iter().any(|policy| policy.allowance == selection.allowance) {
            let problem = format!(
                "where {} may be used, one of them must allow the whole pod, and the manifest allows what they allow \
                 together",
                names.join(" and ")
            );
            let path = FieldProblem::new("metadata.name", problem);
            let policy = members.first().copied().unwrap_or(first);
            conversion.not_converted.push(NotConverted::new(&policy.document, &policy.title, None, path));
        }
        self.conversions.push(conversion);
        let name = match members.iter().find(|policy| policy.allowance == selection.allowance) {
            Some(policy) => policy.name.clone(),
            None if members.is_empty() => NOBODY.to_owned(),
            None => names.join("-or-"),
        };
        let target = Judged {
            name,
            mode: if self.is_complete { mode(members) } else { PolicyMode::Monitor },
            condition: conditions::condition("may-use-the-policy", &selection.condition),
            document: first.document.clone(),
        };
        if selection.members.is_empty() {
            // Nothing is allowed, so the strictest settings refuse nothing that a policy admits.
            let settings = settings::pod_security(&selection.allowance, Part::Inheriting).unwrap_or_default();
            return self.manifest::<PodSecurity>(&target, "", settings, None, pods());
        }
        self.manifests(&target, &selection.allowance)
    }

    /// Adds the manifests for what is allowed in some requests.
    fn manifests(&mut self, target: &Judged, allowance: &Allowance) -> Result<(), InputError> {
        let before = self.conversions.len();
        if let Some(settings) = settings::pod_security(allowance, Part::All) {
            self.manifest::<PodSecurity>(target, "", settings, None, pods())?;
        }
        if let Some(condition) = conditions::inherits_root(allowance.run_as)
            && let Some(settings) = settings::pod_security(allowance, Part::Inheriting)
        {
            self.manifest::<PodSecurity>(target, "-inherited", settings, Some(condition), pods())?;
        }
        for (mode, suffix) in [("Mutate", "-selinux"), ("Validate", "-selinux-guard")] {
            if let Some(settings) = settings::selinux(allowance, mode) {
                let rules = vec![
                    rule("pods", Operation::Create),
                    rule("pods/ephemeralcontainers", Operation::Update),
                ];
                self.manifest::<Selinux>(target, suffix, settings, None, rules)?;
            }
        }
        if self.conversions.len() == before {
            let note = format!(
                "The policy {} allows everything that the standards restrict; no manifest is necessary for it.",
                target.name
            );
            self.conversions.push(Conversion { notes: vec![note], ..Conversion::default() });
        }
        Ok(())
    }

    fn manifest<P: admission::Policy>(
        &mut self,
        target: &Judged,
        suffix: &str,
        settings: Map<String, Value>,
        condition: Option<MatchCondition>,
        rules: Vec<TargetRule>,
    ) -> Result<(), InputError> {
        if let Some(error) = crate::settings::problem_with::<P>(&settings) {
            return Err(InputError {
                document: target.document.clone(),
                path: String::new(),
                problem: format!("the module rejects the settings of {}{suffix}: {error}", target.name),
            });
        }
        let mutates = settings.get("mode").is_some_and(|mode| mode == "Mutate");
        let mut spec = PolicySpec::new(P::ID, target.mode, rules, settings);
        spec.mutating = mutates;
        spec.match_conditions = target.condition.iter().cloned().chain(condition).collect();
        // The audit scanner ignores match conditions.
        spec.background_audit = (mutates || !spec.match_conditions.is_empty()).then_some(false);
        let name = self.names.unique(None, &format!("{}{suffix}", target.name), P::ID);
        let metadata = PolicyMetadata { name, namespace: None };
        let manifest = PolicyManifest::new("ClusterAdmissionPolicy", metadata, spec);
        self.conversions.push(Conversion { manifest: Some(manifest), ..Conversion::default() });
        Ok(())
    }
}

/// The requests that manifests judge, and what they have in common.
struct Judged {
    name: String,
    mode: PolicyMode,
    condition: Option<MatchCondition>,
    document: String,
}

/// The parts of a policy that no manifest contains.
fn lines(policy: &Policy) -> Vec<NotConverted> {
    let line = |problem: &FieldProblem| {
        let problem = if problem.widens {
            problem.widening("the manifest refuses more than the policy, so it is in mode monitor")
        } else {
            problem.clone()
        };
        NotConverted::new(&policy.document, &policy.title, None, problem)
    };
    policy.problems.iter().map(line).collect()
}

/// The mode of manifests for policies: they must not refuse more.
fn mode<'p>(policies: impl IntoIterator<Item = &'p Policy>) -> PolicyMode {
    let mut problems = policies.into_iter().flat_map(|policy| &policy.problems);
    if problems.any(|problem| problem.widens) { PolicyMode::Monitor } else { PolicyMode::Protect }
}

/// Pods, as policies judge them, and the containers that are added to them.
fn pods() -> Vec<TargetRule> {
    let targets = [Target::Pod, Target::EphemeralContainers].into_iter().collect();
    TargetRule::for_targets(&targets, &Operation::ALL.into_iter().collect())
}

fn rule(resource: &'static str, operation: Operation) -> TargetRule {
    TargetRule {
        api_groups: [""],
        api_versions: ["v1"],
        resources: vec![resource],
        operations: vec![operation],
    }
}
