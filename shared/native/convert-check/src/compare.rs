//! The comparison of manifests with a model.

use admission_review::Draft;
use matching::PolicyManifest;
use scan::{Cluster, Effect, Engine, Pods, Policy, Question, Request};
use serde_json::Value;

use crate::{Model, Namespaces, Object, Verdict};

/// An object that the manifests and the source judge differently, or that one of them cannot judge.
#[derive(Debug)]
pub struct Difference {
    /// The place of the object.
    pub place: String,
    /// The kind, the namespace and the name of the object.
    pub title: String,
    /// Whether the Namespace of the object is not in the input.
    pub lacks_namespace: bool,
    /// The verdict of the source.
    pub source: Verdict,
    /// The verdict of the manifests.
    pub manifests: Verdict,
}

/// The result of a comparison.
#[derive(Debug, Default)]
pub struct Comparison {
    /// The number of objects with two verdicts.
    pub compared: usize,
    /// The objects with different verdicts.
    pub differences: Vec<Difference>,
    /// The objects without a verdict of the source or of the manifests.
    pub unknown: Vec<Difference>,
}

/// Compares the verdicts of manifests on the creation of objects with those of a model, one object
/// at a time.
///
/// A violation counts whether it is denied or not. Manifests for background audits receive no
/// requests.
#[derive(Debug)]
pub struct Comparer<'m> {
    model: &'m dyn Model,
    policies: Vec<Policy>,
    /// Whether a policy denies nothing, so that its warnings are about violations.
    warn: Vec<bool>,
    namespaces: Namespaces,
    cluster: Cluster,
    comparison: Comparison,
}

impl<'m> Comparer<'m> {
    /// Prepares a comparison of objects in Namespaces.
    ///
    /// # Errors
    /// A manifest that cannot be loaded, and Namespaces that contradict each other.
    pub fn new(manifests: &[Value], model: &'m dyn Model, namespaces: Vec<Value>) -> Result<Self, String> {
        let is_for_requests =
            |manifest: &&Value| manifest.pointer("/spec/backgroundAudit") != Some(&Value::Bool(true));
        Ok(Self {
            model,
            policies: manifests.iter().filter(is_for_requests).map(load).collect::<Result<_, _>>()?,
            warn: manifests.iter().filter(is_for_requests).map(warns_alone).collect(),
            namespaces: Namespaces::of(&namespaces),
            cluster: Cluster::of_objects(namespaces)?,
            comparison: Comparison::default(),
        })
    }

    /// Compares the verdicts on an object, unless it is of a kind that the source never denies.
    pub fn compare(&mut self, object: &Object) {
        if !self.model.kinds().into_iter().any(|kind| object.is_of(kind)) {
            return;
        }
        let difference = Difference {
            place: object.place.clone(),
            title: object.title(),
            lacks_namespace: self.namespaces.labels(object.namespace()).is_none(),
            source: self.model.judge(object, &self.namespaces),
            manifests: judge(&self.policies, &self.warn, object, &self.cluster),
        };
        let comparison = &mut self.comparison;
        if difference.unknown().is_some() {
            comparison.unknown.push(difference);
            return;
        }
        comparison.compared = comparison.compared.saturating_add(1);
        if (difference.source == Verdict::Passes) != (difference.manifests == Verdict::Passes) {
            comparison.differences.push(difference);
        }
    }

    /// Returns the result.
    #[must_use]
    pub fn finish(self) -> Comparison {
        self.comparison
    }
}

impl Difference {
    /// Returns the first reason why a verdict is unknown.
    #[must_use]
    pub fn unknown(&self) -> Option<&str> {
        [&self.source, &self.manifests].into_iter().find_map(|verdict| match verdict {
            Verdict::Unknown(reason) => Some(reason.as_str()),
            Verdict::Passes | Verdict::Violates(_) => None,
        })
    }
}

/// Whether a manifest judges by the level of its warnings alone.
fn warns_alone(manifest: &Value) -> bool {
    let setting = |key: &str| manifest.pointer(&format!("/spec/settings/{key}"));
    let is_privileged =
        ["level", "profile"].into_iter().any(|key| setting(key).is_some_and(|level| level == "privileged"));
    is_privileged && setting("warn").is_some() && setting("namespaceLabels").is_none()
}

/// Loads a manifest, whose module is one of this project and runs natively.
fn load(manifest: &Value) -> Result<Policy, String> {
    let manifest = PolicyManifest::read(manifest).map_err(|error| error.to_string())?;
    let name = manifest.name.clone();
    let policy = Policy::of_manifest(manifest, &mut |module, _| {
        let id = module.module.rsplit('/').next().and_then(|last| last.split([':', '@']).next());
        match id.and_then(rules::find) {
            Some(entry) => Engine::Native(entry),
            None => Engine::Unavailable(format!("{} is not a module of this project", module.module)),
        }
    });
    match policy.problem() {
        Some(problem) => Err(format!("policy {name} cannot be loaded: {problem}")),
        None => Ok(policy),
    }
}

/// The verdict of policies on the creation of an object.
fn judge(policies: &[Policy], warn: &[bool], object: &Object, cluster: &Cluster) -> Verdict {
    let user = Draft::ordinary_user();
    let question = Question {
        user: user.clone(),
        object: Some(object.value.clone()),
        namespace: "default".to_owned(),
        ..Question::default()
    };
    let Some(request) = question.request(cluster.kinds()) else {
        return Verdict::Unknown("no request can be made of it".to_owned());
    };
    let mut verdict = Verdict::Passes;
    let mut request = Request::new(request);
    scan::ask_with_pods(policies, &mut request, Pods::Off, &user, cluster, &mut |answer, _| {
        let new = match &answer.effect {
            Effect::Denied(denial) | Effect::Monitored(denial) => {
                Verdict::Violates(denial.lines().join("; "))
            }
            Effect::Unknown(reason) | Effect::Fault(reason) => Verdict::Unknown(reason.clone()),
            Effect::Admitted | Effect::Mutated(_)
                if !answer.warnings.is_empty() && warn.get(answer.policy) == Some(&true) =>
            {
                Verdict::Violates(answer.warnings.join("; "))
            }
            Effect::Admitted | Effect::Mutated(_) | Effect::Skipped => Verdict::Passes,
        };
        // A violation of one policy is one, whatever is unknown of others.
        if !matches!(verdict, Verdict::Violates(_)) && new != Verdict::Passes {
            verdict = new;
        }
    });
    verdict
}
