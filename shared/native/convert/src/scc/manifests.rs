//! The manifests for constraints and those who may use them.

use std::collections::BTreeSet;

use admission::Policy;
use rules::pod_security::PodSecurity;
use rules::selinux::Selinux;
use serde_json::{Map, Value};

use super::Usable;
use super::access::Access;
use super::constraints::{Constraints, RunAs};
use super::contexts::Contexts;
use super::lifts::{Lifts, Part};
use crate::InputError;
use crate::cel::CelExpression;
use crate::conversion::{Conversion, NotConverted};
use crate::kubewarden::{
    ContextAwareResource, PolicyManifest, PolicyMetadata, PolicyMode, PolicySpec, TargetRule,
};
use crate::manifest_names::ManifestNames;
use crate::settings::{self, POD_SECURITY};
use crate::target::Target;
use crate::{MatchCondition, Operation};

/// The version of the standards with the sysctls that `OpenShift` takes for safe, and without later
/// controls that constraints do not have.
const VERSION: &str = "v1.33";

const NON_ROOT: &str = "Running as Non-root";
const NON_ROOT_USER: &str = "Running as Non-root user";

/// The controls of the level restricted except those about users, and the parts that they have.
const OTHER_CONTROLS: [(&str, &[Part]); 13] = [
    ("/proc Mount Type", &[Part::Containers]),
    ("AppArmor", &[Part::Pod, Part::Containers]),
    ("Capabilities", &[Part::Containers]),
    ("Host Namespaces", &[Part::Pod]),
    ("Host Ports", &[Part::Containers]),
    ("HostPath Volumes", &[Part::Pod]),
    ("HostProcess", &[Part::Pod, Part::Containers]),
    ("Privilege Escalation", &[Part::Containers]),
    ("Privileged Containers", &[Part::Containers]),
    ("SELinux", &[Part::Pod, Part::Containers]),
    ("Seccomp", &[Part::Pod, Part::Containers]),
    ("Sysctls", &[Part::Pod]),
    ("Volume Types", &[Part::Pod]),
];

/// The controls that no constraints are about. The policy selinux judges SELinux options.
const FOREIGN_CONTROLS: [&str; 4] = ["/proc Mount Type", "AppArmor", "HostProcess", "SELinux"];

/// `OpenShift` ignores pods of Windows.
const NOT_WINDOWS: (&str, &str) =
    ("is-not-for-windows", "!(has(object.spec.os) && object.spec.os.name == 'windows')");

/// The containers whose user is that of the image, or root because the pod says so.
const INHERITS_USER: &str = "runs-as-the-user-of-an-image";

/// Facts about the manifests of selinux.
const LEVELS: &str = "selinux-default sets the level of the annotation openshift.io/sa.scc.mcs of the Namespace, as OpenShift \
                      does, and selinux-guard refuses every other. Pods in Namespaces without the annotation are refused.";

/// Facts about all manifests.
const ORDER: &str = "Pods are judged as they are requested: OpenShift completes many fields first. As long as OpenShift's plugin \
                     runs, too, it completes them before these policies judge.";

/// The manifests so far.
struct Manifests {
    names: ManifestNames,
    mode: PolicyMode,
    conversions: Vec<Conversion>,
}

/// Writes the manifests. The first conversion has the parts that are not converted.
///
/// # Errors
/// Settings that a module rejects.
pub(super) fn write(
    first: &Constraints<'_>,
    usable: &[Usable<'_>],
    mut missing: Vec<NotConverted>,
    widens: bool,
) -> Result<Vec<Conversion>, InputError> {
    let mode = if widens { PolicyMode::Monitor } else { PolicyMode::Protect };
    let mut manifests = Manifests { names: ManifestNames::default(), mode, conversions: Vec::new() };
    let mut free = Access::default();
    for usable in usable.iter().filter(|usable| usable.constraints.allow_everything()) {
        free.extend(&usable.access);
    }
    let rejected = |error: settings::Rejected| InputError {
        document: first.document().to_owned(),
        path: String::new(),
        problem: format!("the module {} rejects the settings: {}", error.policy, error.problem),
    };
    if !free.is_everyone() {
        manifests.pod_security(usable, &free).map_err(rejected)?;
        manifests.users(usable, &free).map_err(rejected)?;
    }
    manifests.selinux(usable, &mut missing).map_err(rejected)?;
    let mut conversions = manifests.conversions;
    if conversions.is_empty() {
        let note = "Every user may use constraints that allow everything, so there is nothing to restrict.";
        conversions.push(Conversion { notes: vec![note.to_owned()], ..Conversion::default() });
    } else if let Some(first) = conversions.first_mut() {
        first.notes.push(ORDER.to_owned());
    }
    if let Some(first) = conversions.first_mut() {
        first.not_converted = missing;
    }
    Ok(conversions)
}

/// The constraints of single subjects, without those who are not judged.
fn limited<'u, 'd>(
    usable: &'u [Usable<'d>],
    free: &'u Access,
) -> impl Iterator<Item = (&'u Constraints<'d>, Access)> {
    let limited =
        usable.iter().filter(|usable| !usable.access.is_everyone() && !usable.constraints.allow_everything());
    limited.map(|usable| (&usable.constraints, usable.access.without(free)))
}

/// The constraints of everyone.
fn common<'u, 'd>(usable: &'u [Usable<'d>]) -> impl Iterator<Item = &'u Constraints<'d>> {
    usable.iter().filter(|usable| usable.access.is_everyone()).map(|usable| &usable.constraints)
}

impl Manifests {
    /// Everything except containers that inherit their user.
    fn pod_security(&mut self, usable: &[Usable<'_>], free: &Access) -> Result<(), settings::Rejected> {
        let mut always = Lifts::default();
        for (control, parts) in OTHER_CONTROLS {
            if FOREIGN_CONTROLS.contains(&control) {
                always.parts(control, parts);
            }
        }
        always.control(NON_ROOT);
        always.values(NON_ROOT_USER, Part::PodField("securityContext.runAsUser"), ["0"]);
        for constraints in common(usable) {
            always.extend(constraints.lifts());
        }
        let mut entries = always.entries(&Map::new());
        for (constraints, access) in limited(usable, free) {
            let lifts = constraints.lifts().without(&always);
            for condition in access.conditions() {
                entries.extend(lifts.entries(&condition));
            }
        }
        self.add_pod_security(POD_SECURITY, entries, free, None)
    }

    /// Containers that inherit their user: they need `runAsNonRoot: true`.
    ///
    /// Constraints judge the user that a container has in effect, and the standards each field
    /// alone. Containers with a user of their own are therefore left to the other manifest.
    fn users(&mut self, usable: &[Usable<'_>], free: &Access) -> Result<(), settings::Rejected> {
        if common(usable).any(|constraints| constraints.run_as() != RunAs::NonRoot) {
            return Ok(());
        }
        let mut others = Lifts::default();
        for (control, parts) in OTHER_CONTROLS {
            others.parts(control, parts);
        }
        others.values(NON_ROOT, Part::PodField("securityContext.runAsNonRoot"), ["false"]);
        let mut entries = others.entries(&Map::new());
        let mut users = Lifts::default();
        users.control(NON_ROOT);
        users.control(NON_ROOT_USER);
        for (constraints, access) in limited(usable, free) {
            if constraints.run_as() != RunAs::NonRoot {
                for condition in access.conditions() {
                    entries.extend(users.entries(&condition));
                }
            }
        }
        self.add_pod_security("pod-security-users", entries, free, Some(inherits_user()))
    }

    fn add_pod_security(
        &mut self,
        name: &str,
        entries: Vec<Value>,
        free: &Access,
        more: Option<MatchCondition>,
    ) -> Result<(), settings::Rejected> {
        let mut settings = Map::new();
        settings.insert("level".to_owned(), "restricted".into());
        settings.insert("version".to_owned(), VERSION.into());
        settings.insert("exclude".to_owned(), Value::Array(entries));
        settings::check::<PodSecurity>(&settings)?;
        let targets = BTreeSet::from([Target::Pod, Target::EphemeralContainers, Target::Resize]);
        let rules = TargetRule::for_targets(&targets, &BTreeSet::from(Operation::ALL));
        let mut spec = PolicySpec::new(POD_SECURITY, self.mode, rules, settings);
        spec.match_conditions.push(condition(NOT_WINDOWS.0, NOT_WINDOWS.1));
        spec.match_conditions.extend(excluding(free));
        spec.match_conditions.extend(more);
        self.add(name, spec, Vec::new());
        Ok(())
    }

    /// The level of the Namespace for pods without one, and a guard against all others.
    fn selinux(
        &mut self,
        usable: &[Usable<'_>],
        missing: &mut Vec<NotConverted>,
    ) -> Result<(), settings::Rejected> {
        let Some(contexts) = Contexts::of(usable, missing) else { return Ok(()) };
        for (name, mode) in [("selinux-default", "Mutate"), ("selinux-guard", "Validate")] {
            let settings = contexts.settings(mode);
            settings::check::<Selinux>(&settings)?;
            let rule = |resource: &'static str, operation: Operation| TargetRule {
                api_groups: [""],
                api_versions: ["v1"],
                resources: vec![resource],
                operations: vec![operation],
            };
            let rules =
                vec![rule("pods", Operation::Create), rule("pods/ephemeralcontainers", Operation::Update)];
            let mut spec = PolicySpec::new(Selinux::ID, self.mode, rules, settings);
            spec.mutating = mode == "Mutate";
            spec.match_conditions.push(condition(NOT_WINDOWS.0, NOT_WINDOWS.1));
            spec.match_conditions.extend(excluding(contexts.free()));
            spec.context_aware_resources.push(ContextAwareResource::NAMESPACE);
            let is_noted = spec.mutating && contexts.are_of_namespaces();
            let notes = is_noted.then(|| LEVELS.to_owned()).into_iter().collect();
            self.add(name, spec, notes);
        }
        Ok(())
    }

    fn add(&mut self, name: &str, mut spec: PolicySpec, notes: Vec<String>) {
        // Background audits have no requesting user.
        spec.background_audit = Some(false);
        let name = self.names.unique(None, name, name);
        let metadata = PolicyMetadata { name, namespace: None };
        let manifest = PolicyManifest::new("ClusterAdmissionPolicy", metadata, spec);
        self.conversions.push(Conversion { manifest: Some(manifest), notes, ..Conversion::default() });
    }
}

fn condition(name: &str, expression: &str) -> MatchCondition {
    MatchCondition { name: name.to_owned(), expression: expression.to_owned() }
}

/// The condition that keeps away the pods and the users of an access.
fn excluding(access: &Access) -> Option<MatchCondition> {
    if access.is_nobody() {
        return None;
    }
    Some(condition("may-use-nothing-wider", &access.expression().negated().to_string()))
}

/// The condition that selects pods with a container that inherits root or the user of its image.
fn inherits_user() -> MatchCondition {
    let inherits = |list: &str| {
        CelExpression::All(vec![
            CelExpression::plain(format!("has(object.spec.{list})")),
            CelExpression::plain(format!(
                "object.spec.{list}.exists(container, !has(container.securityContext) || \
                 !has(container.securityContext.runAsUser))"
            )),
        ])
    };
    let pod = CelExpression::All(vec![
        CelExpression::plain("has(object.spec.securityContext)"),
        CelExpression::plain("has(object.spec.securityContext.runAsUser)"),
        CelExpression::plain("object.spec.securityContext.runAsUser != 0"),
    ]);
    let lists = ["initContainers", "containers", "ephemeralContainers"].into_iter().map(inherits).collect();
    let expression = CelExpression::All(vec![pod.negated(), CelExpression::Any(lists)]);
    condition(INHERITS_USER, &expression.to_string())
}
