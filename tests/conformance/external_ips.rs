//! `external-ips`: addresses as Kubernetes parses them, and Services compared with the plugin
//! `DenyServiceExternalIPs`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use rules::address::{Ambiguity, parse};
use scan::Policy;
use serde::Deserialize;
use serde_json::json;
use suite::cases::Case;
use tests::evaluate;
use tests::kubernetes::{self, Kubernetes};
use tests::services::service;

use super::comparison::{Outcome, Plan, Row};
use super::node::PluginAnswer;

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

/// Generates ranges of addresses, and what resembles them.
fn ranges() -> impl Strategy<Value = String> {
    // The first address of a range, mostly.
    let network = prop_oneof![
        2 => (any::<u32>(), 0..=32_u32).prop_map(|(address, prefix)| {
            let address = Ipv4Addr::from(address & u32::MAX.checked_shl(32 - prefix).unwrap_or_default());
            format!("{address}/{prefix}")
        }),
        2 => (any::<u128>(), 0..=128_u32).prop_map(|(address, prefix)| {
            let address = Ipv6Addr::from(address & u128::MAX.checked_shl(128 - prefix).unwrap_or_default());
            format!("{address}/{prefix}")
        }),
    ];
    let prefix = prop_oneof![(0..140_u32).prop_map(|prefix| prefix.to_string()), "[0-9a ./+-]{0,4}"];
    prop_oneof![3 => network, 2 => (texts(), prefix).prop_map(|(address, prefix)| format!("{address}/{prefix}"))]
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    #[serde(default)]
    address: Option<IpAddr>,
    #[serde(default)]
    range: Option<String>,
    is_strict: bool,
}

const AMBIGUOUS: &str =
    "ranges with bits after the prefix, or that programs read differently, which settings cannot have";

/// Compares whether the settings of the policy can have a range.
fn compare_range(text: &str, theirs: &Answer) -> Outcome {
    let settings = json!({ "allow": [{ "cidrs": [text] }] });
    let problem = Policy::of_rules("external-ips", &settings).and_then(|policy| policy.settings_error());
    // Both accept a range whose text says all of it.
    let is_whole = theirs.range.as_deref().is_some_and(|range| {
        let [ours, theirs] = [text, range].map(|range| range.split_once('/').unwrap_or((range, "")));
        parse(ours.0).map(|parsed| parsed.address) == theirs.0.parse().ok() && ours.1 == theirs.1
    });
    match (&problem, is_whole && theirs.is_strict) {
        (None, true) => Outcome::Equal,
        (Some(_), false) if theirs.range.is_none() => Outcome::Equal,
        (Some(_), false) => Outcome::Named(AMBIGUOUS),
        _ => Outcome::Different(format!("Kubernetes: {theirs:?}; here: {problem:?}")),
    }
}

pub fn compare_addresses(plan: Plan) -> Result<Row, String> {
    let mut server = Kubernetes::start("addresses")?;
    Row::compare(plan, Vec::new(), &prop_oneof![3 => texts(), 1 => ranges()], |text| {
        let theirs: Answer = server.ask(&json!({ "text": text }))?;
        if text.contains('/') {
            return Ok(compare_range(text, &theirs));
        }
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

pub fn compare_services(plan: Plan) -> Result<Row, String> {
    let mut server = Kubernetes::start("services")?;
    let policy = rules::find("external-ips").ok_or("there is no policy external-ips")?;
    Row::compare(plan, Vec::new(), &services(), |(old, new)| {
        let case = json!({
            "name": "generated",
            "operation": if old.is_some() { "UPDATE" } else { "CREATE" },
            "object": service(&json!(new)),
            "oldObject": old.as_ref().map(|old| service(&json!(old))),
            "want": {},
        });
        let case: Case = serde_json::from_value(case).map_err(|error| error.to_string())?;
        let request = case.admission_request()?;
        let theirs = PluginAnswer::to(&mut server, &kubernetes::question(&request))?;
        let ours = evaluate::natively(policy, &case)?.outcome;
        let is_equal = if theirs.allowed { ours.admitted == Some(true) } else { ours.denied.is_some() };
        Ok(if is_equal {
            Outcome::Equal
        } else {
            Outcome::Different(format!("Kubernetes: {}; here: {ours:?}", theirs.message))
        })
    })
}
