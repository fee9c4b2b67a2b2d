//! Policies that evaluate the same requests, as one manifest.

use std::collections::BTreeMap;

use rules::pod_security::PodSecurity;
use serde_json::{Map, Value, json};

use super::{MINOR, Requirement};
use crate::MatchCondition;
use crate::cel::{CelExpression, is_pattern};
use crate::conversion::{Conversion, Difference, Effect, FieldProblem};
use crate::kubewarden::{PolicyMode, PolicySpec};
use crate::manifest_names::ManifestNames;
use crate::settings::{self, POD_SECURITY};

/// The condition of an instance that the audit scanner alone evaluates, as it ignores conditions.
const FOR_AUDITS: (&str, &str) = ("is-for-the-audit-scanner-alone", "false");

/// Why a manifest is in mode monitor although its policy denies.
pub(crate) const MONITORS: &str =
    "The manifest refuses more than the policy, as the lines above say, so it is in mode monitor.";

/// Why a policy that warns has another level.
const WARNS: &str = "Mode monitor discards warnings. Therefore this policy runs in mode protect at level privileged, \
                     which denies nothing, and warns and audits at the level of the requirements.";

#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) requirements: Vec<Requirement>,
    pub(crate) minor: u8,
    pub(crate) problems: Vec<FieldProblem>,
    pub(crate) notes: Vec<String>,
    /// Whether the manifest refuses more than the policy, for a reason that is listed elsewhere.
    pub(crate) is_widened: bool,
    /// The pods to which other requirements apply.
    pub(crate) otherwise: Option<Otherwise>,
}

/// Requirements on pods that do not meet a condition.
#[derive(Debug)]
pub(crate) struct Otherwise {
    /// The pods to which the usual requirements apply.
    pub(crate) unless: CelExpression,
    pub(crate) requirements: Vec<Requirement>,
}

impl Default for Outcome {
    fn default() -> Self {
        Self {
            requirements: Vec::new(),
            minor: MINOR,
            problems: Vec::new(),
            notes: Vec::new(),
            is_widened: false,
            otherwise: None,
        }
    }
}

impl Outcome {
    pub(crate) fn require(&mut self, requirement: Requirement) {
        self.requirements.push(requirement);
    }

    /// Lists something that the policy refuses and the manifest admits.
    pub(crate) fn admits(&mut self, path: impl Into<String>, problem: impl Into<String>) {
        self.problems.push(FieldProblem::new(path, problem).with(Effect::Admits));
    }

    /// Returns the texts without wildcards. The source takes the others literally, and the manifest
    /// would not, so they are listed.
    pub(crate) fn literal(&mut self, texts: Vec<String>, path: &str, source: &str) -> Vec<String> {
        let (wild, literal): (Vec<String>, Vec<String>) =
            texts.into_iter().partition(|text| is_pattern(text));
        for text in wild {
            let problem = format!(
                "{text:?} is not a pattern for {source} and would be one in the manifest; the manifest refuses it"
            );
            self.refuses(path, problem);
        }
        literal
    }

    /// Lists something that no manifest contains.
    pub(crate) fn lacks(&mut self, path: impl Into<String>, problem: impl Into<String>) {
        self.problems.push(FieldProblem::new(path, problem));
    }

    /// Lists something that the policy admits and the manifest refuses.
    pub(crate) fn refuses(&mut self, path: impl Into<String>, problem: impl Into<String>) {
        self.problems.push(FieldProblem::new(path, problem).with(Effect::Refuses));
    }
}

/// A policy for a single control, with the requests that it evaluates.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) document: String,
    /// The kind and the name, for messages.
    pub(crate) title: String,
    pub(crate) name: String,
    /// The namespace; `None` for a policy for the cluster.
    pub(crate) namespace: Option<String>,
    /// The specification without settings; `None` if the policy evaluates no pods.
    pub(crate) spec: Option<PolicySpec>,
    /// The specification of an instance for background audits.
    pub(crate) audit: Option<PolicySpec>,
    /// Whether violations cause warnings alone.
    pub(crate) warns: bool,
    pub(crate) outcome: Outcome,
}

impl Part {
    /// The text that two parts have in common if they evaluate the same requests in the same way.
    fn key(&self) -> String {
        let Self { spec, audit, warns, namespace, outcome, .. } = self;
        json!([spec, audit, warns, namespace, outcome.minor, self.widens()]).to_string()
    }

    fn widens(&self) -> bool {
        self.outcome.is_widened || self.outcome.problems.iter().any(FieldProblem::widens)
    }

    fn fits(&self, other: &Self) -> bool {
        let Outcome { requirements, minor, .. } = &self.outcome;
        let others = || other.outcome.requirements.iter();
        requirements.iter().all(|requirement| others().all(|other| requirement.fits(other, *minor)))
    }

    fn differences(&mut self) -> Vec<Difference> {
        let Self { document, title, outcome, .. } = self;
        outcome.problems.drain(..).map(|problem| Difference::new(document, title, None, problem)).collect()
    }
}

/// A policy that is converted.
#[derive(Debug)]
pub(crate) enum Converted {
    /// A policy that can become one with others.
    Part(Box<Part>),
    /// A manifest, or none.
    Whole(Box<Conversion>),
}

impl Converted {
    pub(crate) fn whole(conversion: Conversion) -> Self {
        Self::Whole(Box::new(conversion))
    }
}

/// Returns one conversion for all parts that evaluate the same requests in the same way, in the
/// order of the first of them, and then those that are whole. Parts without requirements have no
/// manifest.
pub(crate) fn join(converted: Vec<Converted>, names: &mut ManifestNames) -> Vec<Conversion> {
    let (mut parts, mut wholes) = (Vec::new(), Vec::new());
    for one in converted {
        match one {
            Converted::Part(part) => parts.push(*part),
            Converted::Whole(conversion) => wholes.push(*conversion),
        }
    }
    let mut conversions = join_parts(parts, names);
    conversions.append(&mut wholes);
    conversions
}

fn join_parts(parts: Vec<Part>, names: &mut ManifestNames) -> Vec<Conversion> {
    let mut groups: Vec<Vec<Part>> = Vec::new();
    let mut alike: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for part in parts {
        if part.spec.is_none() || part.outcome.requirements.is_empty() {
            groups.push(vec![part]);
            continue;
        }
        let alike = alike.entry(part.key()).or_default();
        let fits =
            |at: &&usize| groups.get(**at).is_some_and(|group| group.iter().all(|other| other.fits(&part)));
        if let Some(group) = alike.iter().find(fits).and_then(|at| groups.get_mut(*at)) {
            group.push(part);
        } else {
            alike.push(groups.len());
            groups.push(vec![part]);
        }
    }
    groups.into_iter().flat_map(|group| manifests(group, names)).collect()
}

/// The manifests of a group: for requests, and for background audits.
fn manifests(mut parts: Vec<Part>, names: &mut ManifestNames) -> Vec<Conversion> {
    let is_widened = parts.iter().any(Part::widens);
    let mut conversion = Conversion::default();
    for part in &mut parts {
        conversion.differences.extend(part.differences());
        for note in part.outcome.notes.drain(..) {
            if !conversion.notes.contains(&note) {
                conversion.notes.push(note);
            }
        }
    }
    let Some(first) = parts.first() else { return Vec::new() };
    let requirements: Vec<&Requirement> = parts.iter().flat_map(|part| &part.outcome.requirements).collect();
    let Some(mut spec) = first.spec.clone().filter(|_| !requirements.is_empty()) else {
        return vec![conversion];
    };
    let settings = super::settings(&requirements, first.outcome.minor);
    if let Some(error) = settings::problem_with::<PodSecurity>(&settings) {
        let problem = FieldProblem::new("kind", format!("the module rejects the settings: {error}"));
        conversion.differences.push(Difference::new(&first.document, &first.title, None, problem));
        return vec![conversion];
    }
    if is_widened && matches!(spec.mode, PolicyMode::Protect) && !first.warns {
        spec.mode = PolicyMode::Monitor;
        conversion.notes.push(MONITORS.to_owned());
    }
    if first.warns {
        conversion.notes.push(WARNS.to_owned());
    }
    if parts.len() > 1 {
        let titles: Vec<&str> = parts.iter().map(|part| part.title.as_str()).collect();
        conversion.notes.insert(0, format!("This manifest is for {}.", titles.join(", ")));
    }
    let name = if parts.len() == 1 { first.name.as_str() } else { POD_SECURITY };
    let mut manifest = |suffix: &str, mut spec: PolicySpec, settings: Map<String, Value>| {
        let evaluates_pods_alone =
            spec.rules.iter().all(|rule| rule.resources.iter().all(|resource| resource.starts_with("pods")));
        spec.settings = settings;
        if evaluates_pods_alone {
            spec.settings.insert("templates".to_owned(), "Ignore".into());
        }
        names.manifest(first.namespace.as_deref(), &format!("{name}{suffix}"), spec)
    };
    let for_requests = if first.warns { warning(settings.clone()) } else { settings.clone() };
    let mut manifests = vec![manifest("", spec, for_requests)];
    manifests.extend(first.audit.clone().map(|spec| manifest("-audit", for_audits(spec), settings)));
    conversion.with(manifests)
}

/// Turns a specification into that of an instance for the audit scanner alone.
pub(crate) fn for_audits(mut spec: PolicySpec) -> PolicySpec {
    let (name, expression) = FOR_AUDITS;
    spec.match_conditions = vec![MatchCondition { name: name.to_owned(), expression: expression.to_owned() }];
    spec.failure_policy = Some("Ignore".to_owned());
    spec.background_audit = Some(true);
    spec.mode = PolicyMode::Monitor;
    spec
}

/// Turns settings that deny into settings that warn and audit.
fn warning(mut settings: Map<String, Value>) -> Map<String, Value> {
    let standard = json!({ "level": settings.remove("level"), "version": settings.remove("version") });
    settings.insert("level".to_owned(), "privileged".into());
    settings.insert("audit".to_owned(), standard.clone());
    settings.insert("warn".to_owned(), standard);
    settings
}
