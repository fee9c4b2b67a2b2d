//! Policy manifests, as Kubewarden's controller deploys them.
//!
//! Sources: `api/policies/v1`, `api/policies/v1alpha2` and
//! `internal/controller/policy_subreconciler_webhook.go` of kubewarden/kubewarden-controller at
//! 3460bb71.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::matching::evaluator::{Evaluator, Module};
use crate::matching::fields::{self, MANIFEST, unknown_field};
use crate::matching::group::Group;
use crate::matching::policy_kind::{GROUP, PolicyKind};
use crate::matching::selector::{NAMESPACE_NAME, Operator, RequirementSpec, SelectorSpec};
use crate::matching::timeouts::{self, DEFAULT_TIMEOUT};
use crate::matching::webhook::Webhook;
use crate::matching::webhook_spec::{InvalidWebhook, MatchPolicy, NamedExpression, WebhookSpec, invalid};
use crate::rule::{ContextAwareResource, RuleWithOperations};

/// How Kubewarden is installed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Installation {
    /// The namespace of Kubewarden, which cluster-wide policies leave out.
    pub namespace: String,
    /// Whether the policy servers admit each request in that namespace, whatever the policies say:
    /// `alwaysAcceptAdmissionReviewsOnDeploymentsNamespace` of Kubewarden's chart, whose default is
    /// true.
    pub accepts_own_namespace: bool,
    /// The namespace of namespaced policies whose manifest names none.
    pub policy_namespace: Option<String>,
}

impl Default for Installation {
    fn default() -> Self {
        Self { namespace: "kubewarden".to_owned(), accepts_own_namespace: true, policy_namespace: None }
    }
}

/// A policy or a group of policies, as it is deployed.
#[derive(Debug)]
pub struct PolicyManifest {
    /// The kind.
    pub kind: PolicyKind,
    /// The name.
    pub name: String,
    /// The namespace of a namespaced policy.
    pub namespace: Option<String>,
    /// The name of the policy server.
    pub policy_server: String,
    /// Whether violations are denied.
    pub mode: Mode,
    /// Whether the policy may change objects. That of a group is false.
    pub is_mutating: bool,
    /// Whether audits evaluate the policy.
    pub background_audit: bool,
    /// The effect of a policy server that does not answer.
    pub failure_policy: FailurePolicy,
    /// The time in which the policy server has to answer.
    pub timeout_seconds: u8,
    /// The message that replaces the policy's own one. A group always has one.
    pub message: Option<String>,
    /// The annotations of the policy about itself.
    pub annotations: Annotations,
    /// The module, or the modules.
    pub evaluator: Evaluator<Module>,
    /// The requests that the policy receives.
    pub webhook: Webhook,
    /// Fields that Kubewarden does not honour, in sentences for users.
    pub warnings: Vec<String>,
}

/// The effect of violations.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// They are denied.
    #[default]
    Protect,
    /// They are only logged.
    Monitor,
}

/// The effect of a policy server that does not answer.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
pub enum FailurePolicy {
    /// The request is rejected.
    #[default]
    Fail,
    /// The request is admitted.
    Ignore,
}

/// The annotations of a policy about itself.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Annotations {
    /// `io.kubewarden.policy.severity`.
    pub severity: Option<String>,
    /// `io.kubewarden.policy.category`.
    pub category: Option<String>,
    /// `io.artifacthub.displayName`.
    pub title: Option<String>,
    /// `io.kubewarden.policy.description`.
    pub description: Option<String>,
}

impl Annotations {
    fn of(manifest: &Value) -> Self {
        let annotation = |name: &str| {
            let found = manifest.pointer("/metadata/annotations").and_then(|all| all.get(name)?.as_str());
            found.map(str::to_owned)
        };
        Self {
            severity: annotation("io.kubewarden.policy.severity"),
            category: annotation("io.kubewarden.policy.category"),
            title: annotation("io.artifacthub.displayName"),
            description: annotation("io.kubewarden.policy.description"),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    policy_server: Option<String>,
    mode: Option<Mode>,
    mutating: Option<bool>,
    background_audit: Option<bool>,
    failure_policy: Option<FailurePolicy>,
    timeout_seconds: Option<u8>,
    timeout_eval_seconds: Option<u8>,
    message: Option<String>,
    #[serde(default)]
    allow_inside_admission_controller_namespace: bool,
    rules: Vec<RuleWithOperations>,
    match_policy: Option<MatchPolicy>,
    namespace_selector: Option<SelectorSpec>,
    object_selector: Option<SelectorSpec>,
    match_conditions: Option<Vec<NamedExpression>>,
    module: Option<String>,
    settings: Option<Map<String, Value>>,
    context_aware_resources: Option<Vec<ContextAwareResource>>,
    expression: Option<String>,
    policies: Option<BTreeMap<String, Member>>,
    #[expect(dead_code, reason = "reading it refuses other values")]
    side_effects: Option<SideEffects>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Member {
    module: String,
    settings: Option<Map<String, Value>>,
    context_aware_resources: Option<Vec<ContextAwareResource>>,
    timeout_eval_seconds: Option<u8>,
}

/// The side effects that API servers accept (`noSideEffectClasses` in
/// `pkg/apis/admissionregistration/validation` of Kubernetes).
#[derive(Deserialize)]
enum SideEffects {
    None,
    NoneOnDryRun,
}

impl PolicyManifest {
    /// Reads the manifest of a policy for an installation with the defaults.
    ///
    /// # Errors
    /// See [`PolicyManifest::read_for`].
    pub fn read(manifest: &Value) -> Result<Self, InvalidWebhook> {
        Self::read_for(manifest, &Installation::default())
    }

    /// Reads the manifest of a policy, as Kubewarden's controller deploys it.
    ///
    /// # Errors
    /// A value that is not a manifest of a policy, and a field that is missing, malformed or
    /// unknown, with its path and a remedy.
    pub fn read_for(manifest: &Value, installation: &Installation) -> Result<Self, InvalidWebhook> {
        let kind = PolicyKind::of(manifest).ok_or_else(|| {
            let names = PolicyKind::ALL.map(PolicyKind::name).join(", ");
            InvalidWebhook::at(
                "kind",
                &format!("Invalid value: not a policy; write one of {names} of {GROUP}/v1"),
            )
        })?;
        let spec = specification(manifest, kind)?;
        let name = text(manifest, "/metadata/name").ok_or_else(|| {
            InvalidWebhook::at("metadata.name", "Required value: a policy has a name; add it")
        })?;
        let namespace = match (kind.is_namespaced(), text(manifest, "/metadata/namespace")) {
            (false, _) => None,
            (true, Some(namespace)) => Some(namespace.to_owned()),
            (true, None) => Some(installation.policy_namespace.clone().ok_or_else(|| {
                let problem = format!("Required value: an {kind} evaluates its own namespace; add it");
                InvalidWebhook::at("metadata.namespace", &problem)
            })?),
        };
        let mut spec: Spec =
            serde_path_to_error::deserialize(spec).map_err(|error| invalid("spec", &error))?;
        timeouts::check(spec.timeout_seconds, spec.timeout_eval_seconds)?;
        let members = spec.policies.iter().flatten();
        let members =
            members.filter_map(|(name, member)| Some((name.as_str(), member.timeout_eval_seconds?)));
        timeouts::check_members(spec.timeout_seconds, members)?;
        let mut warnings = Vec::new();
        let webhook = webhook(namespace.as_deref(), &mut spec, installation, &mut warnings)?;
        Ok(Self {
            kind,
            name: name.to_owned(),
            namespace,
            policy_server: spec.policy_server.take().unwrap_or_else(|| "default".to_owned()),
            mode: spec.mode.unwrap_or_default(),
            is_mutating: is_mutating(kind, &spec)?,
            background_audit: spec.background_audit.unwrap_or(true),
            failure_policy: spec.failure_policy.unwrap_or_default(),
            timeout_seconds: spec.timeout_seconds.unwrap_or(DEFAULT_TIMEOUT),
            message: spec.message.clone().filter(|message| !message.is_empty()),
            annotations: Annotations::of(manifest),
            evaluator: evaluate(kind, spec)?,
            webhook,
            warnings,
        })
    }

    /// The name of the webhook configuration, by which API servers sort.
    #[must_use]
    pub fn configuration_name(&self) -> String {
        let namespace = self.namespace.as_deref().unwrap_or_default();
        match self.kind {
            PolicyKind::ClusterAdmissionPolicy => format!("clusterwide-{}", self.name),
            PolicyKind::ClusterAdmissionPolicyGroup => format!("clusterwide-group-{}", self.name),
            PolicyKind::AdmissionPolicy => format!("namespaced-{namespace}-{}", self.name),
            PolicyKind::AdmissionPolicyGroup => format!("namespaced-group-{namespace}-{}", self.name),
        }
    }

    /// Sorts policies in the order in which an API server asks them: the mutating ones by the names
    /// of their configurations, then the validating ones. It asks the validating ones at once;
    /// their order is the same for reports.
    pub fn sort(policies: &mut [Self]) {
        policies.sort_by_cached_key(|policy| (!policy.is_mutating, policy.configuration_name()));
    }

    /// The modules, with the names of the members of a group.
    pub fn modules(&self) -> impl Iterator<Item = (Option<&str>, &Module)> {
        self.evaluator.modules()
    }
}

/// Returns a text of a manifest that is not empty.
fn text<'m>(manifest: &'m Value, pointer: &str) -> Option<&'m str> {
    manifest.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// Returns the `spec` of a manifest, all of whose fields its kind has.
fn specification(manifest: &Value, kind: PolicyKind) -> Result<&Value, InvalidWebhook> {
    let version = text(manifest, "/apiVersion").and_then(|all| all.split_once('/'));
    let version = version.map_or("", |(_, version)| version);
    let known = fields::spec(kind, version).ok_or_else(|| {
        let problem = format!("Invalid value: {kind} has no version {version}; write {GROUP}/v1");
        InvalidWebhook::at("apiVersion", &problem)
    })?;
    let Some(spec) = manifest.get("spec") else {
        return Err(InvalidWebhook::at("spec", "Required value: a policy has a specification; add it"));
    };
    match unknown_field(MANIFEST, manifest, "").or_else(|| unknown_field(&known, spec, "spec")) {
        Some(unknown) => Err(InvalidWebhook(unknown)),
        None => Ok(spec),
    }
}

/// Takes the webhook of a policy out of its specification, and adds warnings. `namespace` is that
/// of a namespaced policy.
fn webhook(
    namespace: Option<&str>,
    spec: &mut Spec,
    installation: &Installation,
    warnings: &mut Vec<String>,
) -> Result<Webhook, InvalidWebhook> {
    let has_own_namespace_selector =
        namespace.is_none() && spec.namespace_selector.as_ref().is_some_and(SelectorSpec::selects_some);
    let namespace_selector = match namespace {
        Some(namespace) => Some(own_namespace(namespace)),
        None => outside_kubewarden(spec, installation, warnings),
    };
    let mut rules = std::mem::take(&mut spec.rules);
    for (at, rule) in rules.iter().enumerate() {
        warnings.extend(rule.misspelt().map(|problem| format!("spec.rules[{at}].{problem}")));
    }
    if namespace.is_some() {
        for (at, rule) in rules.iter().enumerate() {
            if let Some(problem) = rule.problem_in_a_namespaced_policy() {
                return Err(InvalidWebhook(format!("spec.rules[{at}].{problem}")));
            }
        }
        rules = rules.into_iter().map(RuleWithOperations::namespaced).collect();
    }
    let mut webhook = Webhook::new(WebhookSpec {
        rules,
        match_policy: spec.match_policy,
        namespace_selector,
        object_selector: spec.object_selector.take(),
        match_conditions: spec.match_conditions.take(),
    })?;
    webhook.has_own_namespace_selector = has_own_namespace_selector;
    webhook.admitted_namespace =
        installation.accepts_own_namespace.then(|| installation.namespace.as_str().into());
    Ok(webhook)
}

fn own_namespace(namespace: &str) -> SelectorSpec {
    let labels = [(NAMESPACE_NAME.to_owned(), namespace.to_owned())];
    SelectorSpec { match_labels: labels.into(), match_expressions: Vec::new() }
}

/// The selector of a cluster-wide policy. Unless the policy also evaluates Kubewarden's own
/// namespace, the controller makes a selector that leaves it out, and copies only the
/// `matchExpressions` of the policy's own.
fn outside_kubewarden(
    spec: &mut Spec,
    installation: &Installation,
    warnings: &mut Vec<String>,
) -> Option<SelectorSpec> {
    let own = spec.namespace_selector.take();
    if spec.allow_inside_admission_controller_namespace {
        return own;
    }
    let own = own.unwrap_or_default();
    if let Some((label, value)) = own.match_labels.first_key_value() {
        warnings.push(format!(
            "spec.namespaceSelector.matchLabels: Kubewarden ignores these labels, so the policy also evaluates other \
             namespaces; write them as matchExpressions, such as {{key: {label}, operator: In, values: [{value}]}}"
        ));
    }
    let outside = RequirementSpec {
        key: NAMESPACE_NAME.to_owned(),
        operator: Operator::NotIn,
        values: vec![installation.namespace.clone()],
    };
    Some(SelectorSpec {
        match_labels: BTreeMap::new(),
        match_expressions: [outside].into_iter().chain(own.match_expressions).collect(),
    })
}

fn is_mutating(kind: PolicyKind, spec: &Spec) -> Result<bool, InvalidWebhook> {
    match (kind.is_group(), spec.mutating) {
        (true, _) => Ok(false),
        (false, Some(is_mutating)) => Ok(is_mutating),
        (false, None) => Err(InvalidWebhook::at(
            "spec.mutating",
            "Required value: a policy says whether it mutates; write false",
        )),
    }
}

fn evaluate(kind: PolicyKind, spec: Spec) -> Result<Evaluator<Module>, InvalidWebhook> {
    if !kind.is_group() {
        let module = spec.module.filter(|module| !module.is_empty());
        let module = module.ok_or_else(|| {
            InvalidWebhook::at("spec.module", "Required value: a policy has a module; add its address")
        })?;
        return Ok(Evaluator::Module(Module {
            module,
            settings: Value::Object(spec.settings.unwrap_or_default()),
            context_aware_resources: spec.context_aware_resources.unwrap_or_default(),
        }));
    }
    if spec.message.is_none_or(|message| message.is_empty()) {
        return Err(InvalidWebhook::at(
            "spec.message",
            "Required value: a group has a message for denials; add it",
        ));
    }
    let members = spec.policies.unwrap_or_default().into_iter().map(|(name, member)| {
        let Member { module, settings, context_aware_resources, .. } = member;
        let settings = Value::Object(settings.unwrap_or_default());
        let context_aware_resources = context_aware_resources.unwrap_or_default();
        (name, Module { module, settings, context_aware_resources })
    });
    let expression = spec.expression.unwrap_or_default();
    Group::new(&expression, members.collect()).map(Evaluator::Group)
}

#[cfg(test)]
mod tests;
