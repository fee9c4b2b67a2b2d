//! The manifests of `external-ips`.

use admission::Policy;
use rules::external_ips::ExternalIps;
use serde_json::{Map, Value};

use crate::conversion::{Conversion, FieldProblem, NotConverted};
use crate::fields::Fields;
use crate::kubewarden::{PolicyManifest, PolicyMetadata, PolicyMode, PolicySpec, TargetRule};
use crate::manifest_names::ManifestNames;
use crate::target::Target;
use crate::{InputError, MatchCondition, Operation, settings};

/// The id of the policy that judges external IPs.
pub(crate) const EXTERNAL_IPS: &str = ExternalIps::ID;

/// The condition that keeps away Services without external IPs.
const CLAIMS: (&str, &str) = (
    "claims-addresses",
    "has(object.spec) && has(object.spec.externalIPs) && size(object.spec.externalIPs) > 0",
);

/// The condition that keeps away updates that leave the external IPs as they are.
const CHANGES: (&str, &str) = (
    "changes-addresses",
    "request.operation != 'UPDATE' ||\n\
     has(object.spec) && has(object.spec.externalIPs) && (!has(oldObject.spec) ||\n\
     !has(oldObject.spec.externalIPs) || object.spec.externalIPs != oldObject.spec.externalIPs)",
);

/// Facts about every manifest with allow rules.
const NOTATIONS: &str =
    "Addresses with leading zeros and IPv4-mapped IPv6 addresses are refused, whatever the ranges.";

/// The restriction that a manifest is written for.
pub(super) struct Restriction {
    pub(super) settings: Map<String, Value>,
    pub(super) mode: PolicyMode,
    pub(super) failure_policy: Option<String>,
    pub(super) problems: Vec<FieldProblem>,
    pub(super) notes: Vec<String>,
}

/// The manifests so far.
#[derive(Default)]
pub(super) struct Manifests {
    pub(super) names: ManifestNames,
    /// The specification, and what it was converted from.
    written: Vec<(Value, String)>,
}

impl Restriction {
    /// A restriction that is enforced and converted completely.
    pub(super) fn of(settings: Map<String, Value>) -> Self {
        Self {
            settings,
            mode: PolicyMode::Protect,
            failure_policy: None,
            problems: Vec::new(),
            notes: Vec::new(),
        }
    }
}

impl Manifests {
    /// Returns the conversion with the manifest of a restriction. Restrictions that are the same,
    /// such as those of several API servers, have one manifest.
    ///
    /// # Errors
    /// Settings that the module rejects.
    pub(super) fn add(
        &mut self,
        object: &Fields<'_>,
        title: &str,
        Restriction { settings, mode, failure_policy, problems, mut notes }: Restriction,
    ) -> Result<Conversion, InputError> {
        if let Some(error) = settings::problem_with::<ExternalIps>(&settings) {
            return Err(object.document_error(format!("the module rejects the settings: {error}")));
        }
        if settings.contains_key("allow") {
            notes.push(NOTATIONS.to_owned());
        }
        let mut spec = spec(mode, settings);
        spec.failure_policy = failure_policy;
        let listed = |problem| NotConverted::new(object.document(), title, None, problem);
        let mut conversion =
            Conversion { not_converted: problems.into_iter().map(listed).collect(), notes, manifest: None };
        let written = serde_json::to_value(&spec).unwrap_or_default();
        if let Some((_, first)) = self.written.iter().find(|(other, _)| *other == written) {
            conversion
                .notes
                .push(format!("{title} restricts the same as {first}; one manifest is for both."));
        } else {
            self.written.push((written, title.to_owned()));
            let name = self.names.unique(None, EXTERNAL_IPS, EXTERNAL_IPS);
            let metadata = PolicyMetadata { name, namespace: None };
            conversion.manifest = Some(PolicyManifest::new("ClusterAdmissionPolicy", metadata, spec));
        }
        Ok(conversion)
    }
}

/// The specification of a policy that judges the external IPs of all Services.
pub(crate) fn spec(mode: PolicyMode, settings: Map<String, Value>) -> PolicySpec {
    let targets = Target::OF_EXTERNAL_IPS.into();
    let rules = TargetRule::for_targets(&targets, &Operation::ALL.into());
    let match_conditions = match_conditions(&settings);
    let mut spec = PolicySpec::new(EXTERNAL_IPS, mode, rules, settings);
    spec.match_conditions = match_conditions;
    spec.background_audit = Some(true);
    spec
}

/// The settings of rules that also judge the addresses that a Service has already.
pub(crate) fn rechecked(rules: Vec<Value>) -> Map<String, Value> {
    let existing = ("existingValues".to_owned(), "Recheck".into());
    Map::from_iter([("allow".to_owned(), rules.into()), existing])
}

/// The conditions that filter out requests that the module would admit with the settings.
pub(crate) fn match_conditions(settings: &Map<String, Value>) -> Vec<MatchCondition> {
    let rechecks = settings.get("existingValues").is_some_and(|existing| existing == "Recheck");
    let conditions = std::iter::once(CLAIMS).chain((!rechecks).then_some(CHANGES));
    let condition = |(name, expression): (&str, &str)| MatchCondition {
        name: name.to_owned(),
        expression: expression.to_owned(),
    };
    conditions.map(condition).collect()
}
