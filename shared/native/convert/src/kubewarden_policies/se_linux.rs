//! The policy `selinux-psp` with the rule `MustRunAs`, which gives all pods one context.

use std::collections::BTreeMap;

use rules::selinux::Selinux;
use serde_json::{Map, Value, json};

use crate::controls::Outcome;
use crate::conversion::{Conversion, Difference};
use crate::fields::Fields;
use crate::kubewarden::{ModuleReference, PolicySpec, TargetRule};
use crate::manifest_names::ManifestNames;
use crate::settings;
use crate::{InputError, Operation};

/// The last part of the name of its image.
pub(super) const ID: &str = "selinux-psp";

/// The policy, with the requests that it evaluates.
pub(super) struct Policy<'p, 'd> {
    pub(super) object: &'p Fields<'d>,
    pub(super) title: &'p str,
    pub(super) name: &'p str,
    pub(super) namespace: Option<&'p str>,
    pub(super) scope: PolicySpec,
    pub(super) rules: Vec<TargetRule>,
}

impl Policy<'_, '_> {
    /// Converts the policy into one of `selinux` that changes pods.
    pub(super) fn convert(
        self,
        options: &Fields<'_>,
        mut outcome: Outcome,
        names: &mut ManifestNames,
    ) -> Result<Conversion, InputError> {
        let mut fixed = BTreeMap::new();
        for key in ["user", "role", "type", "level"] {
            if let Some(value) = options.text(key)? {
                fixed.insert(key, value.to_owned());
            }
        }
        if fixed.is_empty() {
            return Err(options.error("rule", "requires user, role, type or level"));
        }
        let mut settings = fixed_context(&fixed);
        if !fixed.contains_key("level") {
            settings.insert("levels".to_owned(), json!({ "match": "Any" }));
        }
        if let Some(error) = settings::problem_with::<Selinux>(&settings) {
            return Err(options.error("rule", format!("the module rejects the settings: {error}")));
        }
        let problem = "refuses options without one of these fields; the manifest adds the field instead";
        outcome.admits(options.path("rule"), problem);
        let rules = of_selinux(&self.rules);
        let manifest = (!rules.is_empty()).then(|| {
            let mut spec = PolicySpec { rules, settings, mutating: true, ..self.scope };
            spec.module = ModuleReference { policy: "selinux", ..spec.module };
            spec.background_audit = Some(false);
            names.manifest(self.namespace, &format!("selinux-{}", self.name), spec)
        });
        if manifest.is_none() {
            outcome.lacks("spec.rules", "matches no request that the module changes");
        }
        let listed = |problem| Difference::new(self.object.document(), self.title, None, problem);
        let differences = outcome.problems.into_iter().map(listed).collect();
        Ok(Conversion { differences, notes: outcome.notes, manifest })
    }
}

/// The settings of `selinux` that give pods exactly these options.
fn fixed_context(fixed: &BTreeMap<&'static str, String>) -> Map<String, Value> {
    let settings = json!({
        "mode": "Mutate",
        "allocation": { "source": "Fixed", "fixed": fixed },
        "types": { "allowed": [], "unconfined": [] },
        "hostNamespaces": { "action": "Ignore" },
        "intraPod": "Ignore",
        "volumes": { "hostPath": "Off", "readOnlyClaims": "Off", "localPersistentVolumes": "Off" },
    });
    settings.as_object().cloned().unwrap_or_default()
}

/// The rules for the requests that `selinux` changes: new pods and new ephemeral containers.
fn of_selinux(rules: &[TargetRule]) -> Vec<TargetRule> {
    let has = |resource: &str, operation: Operation| {
        rules.iter().any(|rule| rule.resources.contains(&resource) && rule.operations.contains(&operation))
    };
    [("pods", Operation::Create), ("pods/ephemeralcontainers", Operation::Update)]
        .into_iter()
        .filter(|(resource, operation)| has(resource, *operation))
        .map(|(resource, operation)| TargetRule {
            api_groups: [""],
            api_versions: ["v1"],
            resources: vec![resource],
            operations: vec![operation],
        })
        .collect()
}
