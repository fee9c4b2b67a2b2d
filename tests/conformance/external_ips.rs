//! `external-ips`: addresses as Kubernetes parses them, and Services compared with the plugin
//! `DenyServiceExternalIPs`.

use std::net::IpAddr;

use case_format::Case;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use rules::address::{Ambiguity, parse};
use serde::Deserialize;
use serde_json::{Value, json};
use tests::judge;
use tests::kubernetes::{self, Kubernetes};

use super::comparison::{Outcome, Plan, Row};

/// Generates the text of an octet, mostly without zeros before it.
fn octet() -> impl Strategy<Value = String> {
    let corners =
        select(&["0", "00", "000", "0000", "01", "08", "010", "0255", "255", "256", "1000", "a", ""][..]);
    prop_oneof![4 => any::<u8>().prop_map(|octet| octet.to_string()), 1 => corners.prop_map(str::to_owned)]
}

fn ipv4() -> impl Strategy<Value = String> {
    prop_oneof![12 => vec(octet(), 4), 1 => vec(octet(), 3..6)].prop_map(|octets| octets.join("."))
}

/// Generates groups of an IPv6 address, maybe with `::` among them and an IPv4 address behind them.
fn ipv6() -> impl Strategy<Value = String> {
    let group = prop_oneof![
        4 => any::<u16>().prop_map(|group| format!("{group:x}")),
        2 => any::<u16>().prop_map(|group| format!("{group:04X}")),
        2 => select(&["0", "ffff", "FFFF"][..]).prop_map(str::to_owned),
        1 => select(&["", "00", "0000", "00000", "01", "0fff", "10000", "g"][..]).prop_map(str::to_owned),
    ];
    let groups = prop_oneof![4 => vec(group.clone(), 8), 4 => vec(group.clone(), 0..8), 1 => vec(group, 9)];
    (groups, option::weighted(0.6, any::<Index>()), option::weighted(0.2, ipv4())).prop_map(
        |(mut groups, gap, ipv4)| {
            if let Some(ipv4) = ipv4 {
                groups.truncate(6);
                groups.push(ipv4);
            }
            match gap.map(|gap| groups.split_at(gap.index(groups.len() + 1))) {
                None => groups.join(":"),
                Some((before, behind)) => format!("{}::{}", before.join(":"), behind.join(":")),
            }
        },
    )
}

/// Generates addresses, what resembles addresses, and other texts.
fn texts() -> impl Strategy<Value = String> {
    let mapped = (select(&["::ffff:", "::FFFF:", "::", "::ffff:0:", "64:ff9b::"][..]), ipv4());
    let address = prop_oneof![
        3 => ipv4(),
        3 => ipv6(),
        1 => mapped.prop_map(|(prefix, ipv4)| format!("{prefix}{ipv4}")),
    ];
    prop_oneof![
        6 => address.clone(),
        // One character more, or another one.
        2 => (address, any::<Index>(), "[0-9a-fA-F.:%/ ]", any::<bool>()).prop_map(
            |(address, place, character, replaces)| {
                let (before, behind) = address.split_at(place.index(address.len() + 1));
                let behind = if replaces { behind.get(1..).unwrap_or_default() } else { behind };
                format!("{before}{character}{behind}")
            },
        ),
        1 => "[0-9a-fA-F.:]{0,12}",
        1 => "\\PC{0,6}",
    ]
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Address {
    #[serde(default)]
    address: Option<IpAddr>,
    is_strict: bool,
}

pub fn compare_addresses(plan: Plan) -> Result<Row, String> {
    let mut server = Kubernetes::start("addresses")?;
    Row::compare(plan, &texts(), |text| {
        let theirs: Address = server.ask(&json!({ "text": text }))?;
        let ours = parse(text);
        let is_equal = match ours {
            None => theirs.address.is_none(),
            Some(ours) => {
                let is_strict = ours.ambiguity != Some(Ambiguity::LeadingZeros);
                // A mapped address is ambiguous whether or not it has leading zeros.
                let is_mapped = ours.ambiguity == Some(Ambiguity::Ipv4Mapped);
                theirs.address.map(|address| address.to_canonical()) == Some(ours.address)
                    && (is_mapped || theirs.is_strict == is_strict)
            }
        };
        Ok(if is_equal {
            Outcome::Equal
        } else {
            Outcome::Different(format!(
                "Kubernetes: {:?}, strict: {}; here: {ours:?}",
                theirs.address, theirs.is_strict
            ))
        })
    })
}

/// Generates the external IPs of a Service before and after a request, from few addresses. A new
/// Service has none before.
fn services() -> impl Strategy<Value = (Option<Vec<String>>, Vec<String>)> {
    let address =
        || prop_oneof![(0..4_u8).prop_map(|last| format!("192.0.2.{last}")), "2001:DB?B8::1", "192.0.02.1"];
    (option::weighted(0.7, vec(address(), 0..4)), vec(address(), 0..4))
}

fn service(external_ips: &[String]) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": { "name": "web", "namespace": "shop" },
        "spec": { "ports": [{ "port": 80 }], "externalIPs": external_ips },
    })
}

#[derive(Debug, Deserialize)]
struct Verdict {
    allowed: bool,
    #[serde(default)]
    message: String,
}

pub fn compare_services(plan: Plan) -> Result<Row, String> {
    let mut server = Kubernetes::start("services")?;
    let policy = rules::find("external-ips").ok_or("there is no policy external-ips")?;
    Row::compare(plan, &services(), |(old, new)| {
        let case = json!({
            "name": "generated",
            "operation": if old.is_some() { "UPDATE" } else { "CREATE" },
            "object": service(new),
            "oldObject": old.as_deref().map(service),
            "want": {},
        });
        let case: Case = serde_json::from_value(case).map_err(|error| error.to_string())?;
        let request = case.admission_request()?;
        let theirs: Verdict = server.ask(&kubernetes::question(&request))?;
        let ours = judge::natively(policy, &case)?.outcome;
        let is_equal = if theirs.allowed { ours.admitted == Some(true) } else { ours.denied.is_some() };
        Ok(if is_equal {
            Outcome::Equal
        } else {
            Outcome::Different(format!("Kubernetes: {}; here: {ours:?}", theirs.message))
        })
    })
}
