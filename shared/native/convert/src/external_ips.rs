//! The settings and the match conditions of policies of `external-ips`.

use admission::Policy;
use rules::external_ips::ExternalIps;
use serde_json::{Map, Value};

use crate::MatchCondition;

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

/// The settings of rules that also evaluate the addresses that a Service has already.
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
