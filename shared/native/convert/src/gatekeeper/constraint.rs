//! A constraint.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use admission::Policy as _;
use rules::external_ips::ExternalIps;
use serde_json::{Map, json};

use super::action::Action;
use super::config::Surroundings;
use super::expansion::Expansion;
use super::kinds::{KINDS, Kind};
use super::parameters::prefixes;
use super::scope::{Scope, Source};
use super::template::{self, Template};
use crate::controls::{Converted, Otherwise, Outcome, Part, for_audits};
use crate::conversion::{Conversion, Difference, FieldProblem};
use crate::external_ips;
use crate::fields::Fields;
use crate::kubewarden::{PolicyMode, PolicySpec, TargetRule};
use crate::manifest_names::ManifestNames;
use crate::objects;
use crate::settings::{self, POD_SECURITY};
use crate::target::{OPERATIONS, Target};
use crate::{InputError, Operation};

const EXTERNAL_IPS: &str = "K8sExternalIPs";

pub(super) fn convert(
    object: &Fields<'_>,
    kind: &str,
    surroundings: &Surroundings,
    names: &mut ManifestNames,
) -> Result<Vec<Converted>, InputError> {
    let title = objects::title(object)?;
    let none = |problem: &str| {
        let problem = FieldProblem::new(object.path("kind"), problem);
        vec![Converted::whole(Conversion::none(object.document(), &title, None, problem))]
    };
    let template = surroundings.template(kind);
    if template == Some(Template::Other) {
        return Ok(none(template::DIFFERS));
    }
    if kind == EXTERNAL_IPS {
        return of_external_ips(object, &title, surroundings, names);
    }
    let Some(known) = KINDS.iter().find(|known| known.name == kind) else {
        return Ok(none(
            "is not a kind of Gatekeeper's library for pods or external IPs; keep the constraint",
        ));
    };
    let metadata = object.required_object("metadata")?;
    let spec = object.object("spec")?;
    let mut outcome = Outcome::default();
    let evaluates_updates = known.evaluates_updates || template == Some(Template::WithUpdates);
    let parameters = parameters(object, spec.as_ref())?;
    let images = exempt_images(known, &parameters, &mut outcome)?;
    (known.require)(&parameters, &images, &mut outcome)?;
    if template.is_none() && !outcome.requirements.is_empty() {
        outcome.admits("kind", if evaluates_updates { NO_TEMPLATE } else { NO_TEMPLATE_ABOUT_UPDATES });
    }
    if let Some(spec) = &spec {
        outcome.problems.extend(unknown(spec));
    }
    let action = Action::read(spec.as_ref())?;
    if !action.evaluates_requests && !action.audits {
        outcome.notes.push(NO_POINT.to_owned());
    }
    let constraint = OfPods { object, title: &title, name: metadata.required_text("name")?, action };
    let scope = match Scope::read(spec.as_ref(), "Pod", evaluates_updates, surroundings, &mut outcome)? {
        Ok(scope) => scope,
        Err(reason) => {
            outcome.notes.push(reason);
            return Ok(vec![constraint.part("", None, outcome)]);
        }
    };
    let operations = if evaluates_updates {
        BTreeSet::from(OPERATIONS)
    } else {
        outcome.notes.push(CREATION_ALONE.to_owned());
        BTreeSet::from([Operation::Create])
    };
    let mut parts = constraint.of_workloads(&scope, &operations, &surroundings.expansions, &outcome);
    if scope.source() == Source::Generated {
        if parts.is_empty() {
            outcome.notes.push(NO_EXPANSION.to_owned());
        }
        parts.insert(0, constraint.part("", None, outcome));
    } else {
        constraint.add_pods(scope, &operations, outcome, &mut parts);
    }
    Ok(parts)
}

/// A constraint of a kind for pods.
struct OfPods<'a> {
    object: &'a Fields<'a>,
    title: &'a str,
    name: &'a str,
    action: Action,
}

impl OfPods<'_> {
    /// The parts for the workloads whose templates expansions make pods of, by their action.
    fn of_workloads(
        &self,
        scope: &Scope,
        operations: &BTreeSet<Operation>,
        expansions: &[Expansion],
        of_pods: &Outcome,
    ) -> Vec<Converted> {
        if scope.source() == Source::Original || !self.action.evaluates_requests {
            return Vec::new();
        }
        let mut by_action: BTreeMap<Option<&str>, BTreeSet<Target>> = BTreeMap::new();
        for expansion in expansions {
            by_action.entry(expansion.action.as_deref()).or_default().extend(&expansion.targets);
        }
        let mut parts = Vec::new();
        for (other, targets) in by_action {
            let action = other.map_or(self.action, |other| Action::of_requests(other, self.action.audits));
            let (scope, problem) = scope.of_workloads(&targets);
            let mut outcome = Outcome {
                requirements: of_pods.requirements.clone(),
                minor: of_pods.minor,
                is_widened: of_pods.problems.iter().any(FieldProblem::widens),
                ..Outcome::default()
            };
            if let Some(problem) = problem {
                outcome.refuses("spec.match", problem);
            }
            if of_pods.otherwise.is_some() {
                let problem = "evaluates the profile that a container ends up with; the manifest refuses Unconfined \
                               in a template also where each container has another profile or an exempt image";
                outcome.refuses("spec.parameters", problem);
            }
            let problem = scope.audit_problem();
            let specs = specs(scope, action, &targets, &targets, operations);
            outcome.problems.extend(problem.filter(|_| specs.1.is_some()));
            parts.push(self.part("-workloads", Some((specs, action)), outcome));
        }
        parts
    }

    /// Adds the parts for pods: the first, and one for containers that inherit a profile.
    fn add_pods(
        &self,
        mut scope: Scope,
        operations: &BTreeSet<Operation>,
        mut outcome: Outcome,
        parts: &mut Vec<Converted>,
    ) {
        let pods = Target::OF_POD_SECURITY.into_iter().filter(|target| target.is_pod()).collect();
        let audited = BTreeSet::from([Target::Pod]);
        if let Some(Otherwise { unless, requirements }) = outcome.otherwise.take() {
            let mut others = scope.clone();
            scope.narrow("containers-may-inherit-the-profile", &unless);
            others.narrow("containers-have-their-own-profiles", &unless.negated());
            let action = Action { audits: false, ..self.action };
            let specs = specs(others, action, &pods, &BTreeSet::new(), operations);
            let outcome = Outcome { requirements, minor: outcome.minor, ..Outcome::default() };
            parts.push(self.part("-own-profiles", Some((specs, action)), outcome));
        }
        let problem = scope.audit_problem();
        let specs = specs(scope, self.action, &pods, &audited, operations);
        outcome.problems.extend(problem.filter(|_| specs.1.is_some()));
        parts.insert(0, self.part("", Some((specs, self.action)), outcome));
    }

    fn part(&self, suffix: &str, specs: Option<(Specs, Action)>, outcome: Outcome) -> Converted {
        let (spec, audit, warns) = match specs {
            None => (None, None, false),
            Some(((spec, audit), action)) if action.evaluates_requests => (Some(spec), audit, action.warns),
            Some(((_, audit), _)) => (audit.map(for_audits), None, false),
        };
        Converted::Part(Box::new(Part {
            document: self.object.document().to_owned(),
            title: self.title.to_owned(),
            name: format!("{}{suffix}", self.name),
            namespace: None,
            spec,
            audit,
            warns,
            outcome,
        }))
    }
}

fn specs(
    scope: Scope,
    action: Action,
    targets: &BTreeSet<Target>,
    audited: &BTreeSet<Target>,
    operations: &BTreeSet<Operation>,
) -> Specs {
    let rules = TargetRule::for_targets(targets, operations);
    let audited = TargetRule::for_targets(audited, &BTreeSet::from([Operation::Create]));
    scope.specs(POD_SECURITY, action, rules, audited)
}

const NO_EXPANSION: &str = "A constraint with the source Generated evaluates the pods of ExpansionTemplates alone, and \
     has no part in a manifest without them.";

const NO_POINT: &str =
    "A constraint without an enforcement point for requests or audits has no part in a manifest.";

const NO_TEMPLATE: &str = "its template is not in the input, and is taken for that of gatekeeper-library at 5c441fb; \
     add the ConstraintTemplate to the input";

const NO_TEMPLATE_ABOUT_UPDATES: &str = "its template is not in the input, and is taken for that of gatekeeper-library \
     at 5c441fb; before September 2023, templates also evaluated updates, and with them the containers of kubectl debug; \
     add the ConstraintTemplate to the input";

const CREATION_ALONE: &str = "The library's template ignores updates, and so do the rules. Add the rule for updates of \
     pods/ephemeralcontainers to evaluate the containers of kubectl debug as well.";

type Specs = (PolicySpec, Option<PolicySpec>);

/// The parameters; absent if there is no specification.
fn parameters<'d>(object: &Fields<'d>, spec: Option<&Fields<'d>>) -> Result<Fields<'d>, InputError> {
    match spec {
        Some(spec) => spec.optional("parameters"),
        None => object.optional("spec"),
    }
}

fn unknown(spec: &Fields<'_>) -> Vec<FieldProblem> {
    spec.unknown(&["match", "parameters", "enforcementAction", "scopedEnforcementActions"])
}

/// The patterns of the images whose containers the constraint does not evaluate.
fn exempt_images(
    kind: &Kind,
    parameters: &Fields<'_>,
    outcome: &mut Outcome,
) -> Result<Vec<String>, InputError> {
    const KEY: &str = "exemptImages";
    let mut keys = kind.keys.to_vec();
    if kind.exempts_images {
        keys.push(KEY);
    }
    outcome.problems.extend(parameters.unknown(&keys));
    if !kind.exempts_images {
        return Ok(Vec::new());
    }
    Ok(prefixes(parameters.strings(KEY)?, &parameters.path(KEY), outcome))
}

/// The addresses that a `K8sExternalIPs` allows. Entries that are not addresses allow nothing.
fn addresses(parameters: &Fields<'_>, notes: &mut Vec<String>) -> Result<Vec<String>, InputError> {
    let listed = parameters.strings("allowedIPs")?;
    let (addresses, others): (Vec<String>, Vec<String>) =
        listed.into_iter().partition(|text| text.parse::<IpAddr>().is_ok());
    if !others.is_empty() {
        notes.push(format!(
            "The constraint compares addresses with {} as text, so that these entries allow nothing, and the manifest does not contain them.",
            others.join(", ")
        ));
    }
    Ok(addresses)
}

fn of_external_ips(
    object: &Fields<'_>,
    title: &str,
    surroundings: &Surroundings,
    names: &mut ManifestNames,
) -> Result<Vec<Converted>, InputError> {
    let name = object.required_object("metadata")?.required_text("name")?;
    let spec = object.object("spec")?;
    let mut outcome = Outcome::default();
    let parameters = parameters(object, spec.as_ref())?;
    outcome.problems.extend(parameters.unknown(&["allowedIPs"]));
    let addresses = addresses(&parameters, &mut outcome.notes)?;
    if let Some(spec) = &spec {
        outcome.problems.extend(unknown(spec));
    }
    let action = Action::read(spec.as_ref())?;
    let mut scope = Scope::read(spec.as_ref(), "Service", true, surroundings, &mut outcome)?;
    if !action.evaluates_requests && !action.audits {
        scope = scope.and(Err(NO_POINT.to_owned()));
    }
    let listed = |problem| Difference::new(object.document(), title, None, problem);
    let scope = match scope {
        Ok(scope) => scope,
        Err(reason) => {
            outcome.notes.push(reason);
            let differences = outcome.problems.into_iter().map(listed).collect();
            let conversion = Conversion { differences, notes: outcome.notes, manifest: None };
            return Ok(vec![Converted::whole(conversion)]);
        }
    };
    if surroundings.template(EXTERNAL_IPS).is_none() {
        outcome.admits("kind", NO_TEMPLATE);
    }
    let mut settings = Map::new();
    if addresses.is_empty() {
        let problem = "allows no address; the manifest admits those that a Service has already, so that it can be \
                       updated";
        outcome.admits(parameters.path("allowedIPs"), problem);
    } else {
        settings = external_ips::rechecked(vec![json!({ "cidrs": addresses })]);
    }
    if let Some(error) = settings::problem_with::<ExternalIps>(&settings) {
        return Err(object.error("spec", format!("the module rejects the settings: {error}")));
    }
    let rules = TargetRule::for_targets(&Target::OF_EXTERNAL_IPS.into(), &OPERATIONS.into());
    let problem = scope.audit_problem();
    let (mut spec, audit) = scope.specs(ExternalIps::ID, action, rules.clone(), rules);
    outcome.problems.extend(problem.filter(|_| audit.is_some()));
    spec.match_conditions.extend(external_ips::match_conditions(&settings));
    if action.warns {
        let problem = "warns, which the module cannot; the manifest is in mode monitor, which reports violations in \
                       the log of the policy server";
        outcome.admits("spec.enforcementAction", problem);
        spec.mode = PolicyMode::Monitor;
    }
    let (first, second) = match audit.map(for_audits) {
        Some(audit) if !action.evaluates_requests => (audit, None),
        audit => (spec, audit),
    };
    let mut manifest = |name: &str, mut spec: PolicySpec| {
        spec.settings.clone_from(&settings);
        names.manifest(None, name, spec)
    };
    let mut manifests = vec![manifest(name, first)];
    manifests.extend(second.map(|spec| manifest(&format!("{name}-audit"), spec)));
    let differences = outcome.problems.into_iter().map(listed).collect();
    let conversion = Conversion { differences, notes: outcome.notes, manifest: None };
    let conversions = conversion.with(manifests).into_iter();
    Ok(conversions.map(Converted::whole).collect())
}
