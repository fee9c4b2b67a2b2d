use std::fmt;

use admission::PolicyEntry;
use kubewarden::deployment::{FOR_AUDITS_ALONE, Needs};
use kubewarden::matching::{Evaluator, FailurePolicy, Mode, PolicyManifest, Webhook};
use report::PolicyRef;
use serde_json::{Value, json};

/// A policy as it is deployed.
#[derive(Debug)]
pub struct Policy {
    /// Its name, kind and module in reports.
    pub reference: PolicyRef,
    /// The requests that it receives.
    pub webhook: Webhook,
    /// The module, or the group of modules, that evaluates its requests.
    pub evaluator: Evaluator<Module>,
    /// Whether it is called as a mutating webhook, so that it evaluates before the others.
    pub is_mutating: bool,
    /// Whether a request is rejected if the policy cannot be asked (`failurePolicy: Fail`).
    pub fails_closed: bool,
    /// The message that replaces that of the module.
    pub message: Option<String>,
    /// Fields of the manifest that have no effect or another one than it seems, in sentences for
    /// users.
    pub warnings: Vec<String>,
}

/// A module with its settings.
#[derive(Debug)]
pub struct Module {
    /// The program that runs the module.
    pub engine: Engine,
    /// The kinds that it may look up: API version and kind.
    pub look_ups: Vec<(String, String)>,
    settings: String,
    /// The settings that deny violations at the level of warnings, which a warning only names.
    strict: Option<String>,
}

/// A program that runs a module.
#[derive(Debug)]
pub enum Engine {
    /// A policy of Portcullis in this program.
    Native(&'static PolicyEntry),
    /// A module in the embedded host, deployed in protect mode without a message of its own.
    #[cfg(feature = "modules")]
    Deployed {
        /// The module with its settings.
        policy: Box<wapc_host::DeployedPolicy>,
        /// The policy of this program that the module was built of. It says which rules the module
        /// names, as far as both give the same reasons in the same words.
        twin: Option<&'static PolicyEntry>,
    },
    /// Nothing, because the module rejects the settings with this message.
    Refused(String),
    /// Nothing, for this reason: every object that the policy receives is unknown.
    Unavailable(String),
}

/// The repositories of the policies that this program carries; an id follows.
const OWN_REPOSITORIES: &str = "ghcr.io/portcullis/policies/";

impl Engine {
    /// Returns the policy that a reference to a module names, if this program carries it in this
    /// version.
    #[must_use]
    pub fn carried(reference: &str) -> Option<&'static PolicyEntry> {
        let reference = reference.strip_prefix("registry://").unwrap_or(reference);
        let (id, tag) = reference.strip_prefix(OWN_REPOSITORIES)?.split_once(':')?;
        let this_version = tag.strip_prefix('v') == Some(env!("CARGO_PKG_VERSION"));
        rules::find(id).filter(|_| this_version)
    }

    /// Returns the engine if its module accepts the settings: a policy of Portcullis is asked here,
    /// and the embedded host has asked the others.
    #[must_use]
    pub fn checked(self, settings: &Value) -> Self {
        let Self::Native(entry) = &self else { return self };
        match (entry.check_settings)(settings.to_string().as_bytes()) {
            Ok(()) => self,
            Err(error) => Self::Refused(error.to_string()),
        }
    }

    /// Returns why nothing runs the module, if so.
    pub(crate) fn unavailable(&self) -> Option<String> {
        match self {
            Self::Refused(problem) => Some(format!("the settings are not valid: {problem}")),
            Self::Unavailable(reason) => Some(reason.clone()),
            Self::Native(_) => None,
            #[cfg(feature = "modules")]
            Self::Deployed { .. } => None,
        }
    }

    /// Returns the policy of this program whose rules findings name.
    #[must_use]
    pub fn entry(&self) -> Option<&'static PolicyEntry> {
        match self {
            Self::Native(entry) => Some(entry),
            #[cfg(feature = "modules")]
            Self::Deployed { twin, .. } => *twin,
            Self::Refused(_) | Self::Unavailable(_) => None,
        }
    }

    #[cfg_attr(
        not(feature = "modules"),
        expect(clippy::unused_self, reason = "no other engine has a digest")
    )]
    fn digest(&self) -> Option<&str> {
        #[cfg(feature = "modules")]
        if let Self::Deployed { policy, .. } = self {
            return Some(policy.module().digest());
        }
        None
    }
}

/// Returns warnings if match conditions and rules of a policy of this program do not fit its
/// settings. A policy for one namespace cannot have all rules.
fn stale_parts(id: &str, settings: &Value, webhook: &Webhook, is_of_cluster: bool) -> Vec<String> {
    let Some(deployment) = kubewarden::deployment::find(id) else { return Vec::new() };
    let present = || webhook.conditions().iter().map(|condition| (condition.name(), condition.text()));
    let stale = deployment.stale_conditions(settings, present());
    let stale = (!stale.is_empty()).then(|| {
        format!(
            "spec.matchConditions: may exclude requests that the settings deny: {}; use the conditions that helm \
             template renders for these settings",
            stale.join(", ")
        )
    });
    let is_for_audits = present().any(|(name, _)| name == FOR_AUDITS_ALONE);
    let evaluates_all = is_for_audits || !is_of_cluster;
    let missing = if evaluates_all { Vec::new() } else { deployment.missing_rules(settings, webhook) };
    let missing = (!missing.is_empty()).then(|| {
        format!(
            "spec.rules: lack requests that the settings need: {}; use the rules that helm template renders for \
             these settings",
            missing.join(", ")
        )
    });
    stale.into_iter().chain(missing).collect()
}

/// Returns settings; none are the empty object.
fn present(settings: &Value) -> Value {
    if settings.is_null() { json!({}) } else { settings.clone() }
}

impl Policy {
    /// Returns one of the policies of Portcullis with settings, deployed in protect mode with the
    /// rules and conditions that these settings need; `None` if there is no policy with this id.
    #[must_use]
    pub fn of_id(id: &str, settings: &Value) -> Option<Self> {
        let needs = kubewarden::deployment::find(id)?.needs(&present(settings));
        let spec = json!({ "rules": needs.rules, "matchConditions": needs.match_conditions });
        Self::native(id, settings, needs, &spec)
    }

    /// Returns one of the policies of Portcullis with settings, without a deployment: it receives
    /// every request, and its own scope decides what it evaluates. `None` if there is no policy
    /// with this id.
    #[must_use]
    pub fn of_rules(id: &str, settings: &Value) -> Option<Self> {
        let every = json!({ "rules": [{
            "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"], "operations": ["*"],
        }] });
        Self::native(id, settings, kubewarden::deployment::find(id)?.needs(&present(settings)), &every)
    }

    fn native(id: &str, settings: &Value, needs: Needs, spec: &Value) -> Option<Self> {
        let entry = rules::find(id)?;
        let resources = needs.context_aware_resources.into_iter();
        let look_ups = resources.map(|resource| (resource.api_version, resource.kind)).collect();
        Some(Self {
            reference: PolicyRef {
                name: id.to_owned(),
                module: id.to_owned(),
                id: Some(id.to_owned()),
                protects: true,
                ..PolicyRef::default()
            },
            webhook: Webhook::from_spec(spec).ok()?,
            evaluator: Evaluator::Module(Module::new(&present(settings), Engine::Native(entry), look_ups)),
            is_mutating: needs.mutating,
            fails_closed: true,
            message: None,
            warnings: Vec::new(),
        })
    }

    /// Returns the policy of a manifest. `engine` finds what runs a module, which the caller may
    /// have to fetch; `is_mutating` says whether the module may change objects.
    pub fn of_manifest(
        manifest: PolicyManifest,
        engine: &mut dyn FnMut(&kubewarden::matching::Module, bool) -> Engine,
    ) -> Self {
        let names: Vec<&str> = manifest.modules().map(|(_, module)| module.module.as_str()).collect();
        let annotations = &manifest.annotations;
        let mut reference = PolicyRef {
            name: manifest.name.clone(),
            kind: manifest.kind.name().to_owned(),
            namespace: manifest.namespace.clone(),
            module: names.join(", "),
            id: None,
            digest: None,
            protects: manifest.mode == Mode::Protect,
            category: annotations.category.clone(),
            severity: annotations
                .severity
                .as_deref()
                .and_then(|text| serde_json::from_value(text.into()).ok()),
        };
        let mut module = |module: &kubewarden::matching::Module, is_mutating| {
            let resources = module.context_aware_resources.iter();
            let look_ups = resources.map(|resource| (resource.api_version.clone(), resource.kind.clone()));
            Module::new(&module.settings, engine(module, is_mutating), look_ups.collect())
        };
        let mut warnings = manifest.warnings;
        let evaluator = match manifest.evaluator {
            Evaluator::Module(one) => {
                let module = module(&one, manifest.is_mutating);
                if let Some(entry) = module.engine.entry() {
                    let is_of_cluster = reference.namespace.is_none();
                    warnings.extend(stale_parts(entry.id, &one.settings, &manifest.webhook, is_of_cluster));
                }
                Evaluator::Module(module)
            }
            // A member that changes an object counts as denying, and a group has no rules.
            Evaluator::Group(group) => Evaluator::Group(group.map(|one| module(&one, false))),
        };
        if let Evaluator::Module(module) = &evaluator {
            reference.id = module.engine.entry().map(|entry| entry.id.to_owned());
        }
        Self {
            reference,
            webhook: manifest.webhook,
            evaluator,
            is_mutating: manifest.is_mutating,
            fails_closed: manifest.failure_policy == FailurePolicy::Fail,
            message: manifest.message,
            warnings,
        }
    }

    /// The modules.
    pub fn modules(&self) -> impl Iterator<Item = &Module> {
        self.evaluator.modules().map(|(_, module)| module)
    }

    /// The policies of this program among the modules.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &'static PolicyEntry> {
        self.modules().filter_map(|module| match &module.engine {
            Engine::Native(entry) => Some(*entry),
            _ => None,
        })
    }

    /// Returns the digests of the modules that the embedded host runs.
    pub(crate) fn digest(&self) -> Option<String> {
        let digests: Vec<&str> = self.modules().filter_map(|module| module.engine.digest()).collect();
        (!digests.is_empty()).then(|| digests.join(", "))
    }

    /// Returns why the policy evaluates nothing, if so.
    pub(crate) fn unavailable(&self) -> Option<String> {
        match &self.evaluator {
            Evaluator::Module(module) => module.engine.unavailable(),
            Evaluator::Group(_) => None,
        }
    }

    /// Returns the message with which a module rejects its settings; that of a member begins with
    /// its name.
    #[must_use]
    pub fn settings_error(&self) -> Option<String> {
        self.evaluator.modules().find_map(|(name, module)| match (&module.engine, name) {
            (Engine::Refused(problem), None) => Some(problem.clone()),
            (Engine::Refused(problem), Some(name)) => Some(format!("{name}: {problem}")),
            _ => None,
        })
    }

    /// Returns why a module of the policy cannot run, if so, for another reason than its settings.
    #[must_use]
    pub fn problem(&self) -> Option<&str> {
        self.modules().find_map(|module| match &module.engine {
            Engine::Unavailable(reason) => Some(reason.as_str()),
            _ => None,
        })
    }

    /// Returns the key by which the API server sorts: mutating configurations before validating
    /// ones, each by the name that Kubewarden's controller gives.
    #[must_use]
    pub fn order(&self) -> (bool, String) {
        let PolicyRef { name, kind, namespace, .. } = &self.reference;
        let group = if kind.ends_with("Group") { "group-" } else { "" };
        let configuration = match namespace {
            Some(namespace) => format!("namespaced-{group}{namespace}-{name}"),
            None => format!("clusterwide-{group}{name}"),
        };
        (!self.is_mutating, configuration)
    }
}

impl Module {
    /// Creates a module. One of Portcullis that rejects its settings is not available.
    #[must_use]
    pub fn new(settings: &Value, engine: Engine, look_ups: Vec<(String, String)>) -> Self {
        let engine = engine.checked(settings);
        let strict = match engine.entry() {
            Some(entry) if entry.id == "pod-security" => {
                let strict = at_level_of_warnings(settings).map(|strict| strict.to_string());
                strict.filter(|strict| (entry.check_settings)(strict.as_bytes()).is_ok())
            }
            _ => None,
        };
        Self { engine, look_ups, settings: settings.to_string(), strict }
    }

    pub(crate) fn strict(&self) -> Option<&str> {
        self.strict.as_deref()
    }

    /// Returns the settings in JSON.
    #[must_use]
    pub fn settings(&self) -> &str {
        &self.settings
    }
}

/// Returns settings of `pod-security` that enforce the level of its warnings; `None` if they have
/// none, or the labels of Namespaces choose the level.
fn at_level_of_warnings(settings: &Value) -> Option<Value> {
    let warn = settings.get("warn")?.as_object()?;
    if settings.get("namespaceLabels").is_some_and(|labels| labels != "Ignore") {
        return None;
    }
    let mut strict = settings.as_object()?.clone();
    // The enforced level, by both of its names, and its version do not apply to warnings.
    strict.retain(|setting, _| !["audit", "level", "profile", "version", "warn"].contains(&setting.as_str()));
    strict.extend(warn.clone());
    if strict.get("templates").is_some_and(|templates| templates == "Warn") {
        strict.insert("templates".to_owned(), "Enforce".into());
    }
    Some(strict.into())
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reference.name)
    }
}

#[cfg(test)]
mod tests;
