//! The policy `external-ips` beyond its cases: the manual test of KEP-2200, properties of all
//! Services, and large ones.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use admission::{PolicyEntry, Response};
use kubernetes::objects::Objects;
use proptest::prelude::*;
use serde_json::{Value, json};
use tests::services::{many_ips, service};

fn entry() -> &'static PolicyEntry {
    rules::find("external-ips").expect("the policy is in the catalog")
}

fn request(object: &Value, old: Option<&Value>) -> Value {
    json!({
        "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
        "kind": { "group": "", "version": "v1", "kind": "Service" },
        "resource": { "group": "", "version": "v1", "resource": "services" },
        "name": "extip",
        "namespace": "shop",
        "operation": if old.is_some() { "UPDATE" } else { "CREATE" },
        "userInfo": { "username": "alice", "groups": ["developers", "system:authenticated"] },
        "object": object,
        "oldObject": old,
    })
}

fn payload(settings: &Value, object: &Value, old: Option<&Value>) -> Vec<u8> {
    json!({ "request": request(object, old), "settings": settings }).to_string().into_bytes()
}

/// Returns a cluster without objects.
fn empty_cluster() -> Objects {
    Objects::from_values(Vec::new()).unwrap()
}

fn evaluate(settings: &Value, object: &Value, old: Option<&Value>) -> Response {
    entry().respond(&payload(settings, object, old), &empty_cluster())
}

/// Returns the lines of the message; none if the request is admitted.
fn lines(settings: &Value, new: &[String], old: &[String]) -> Vec<String> {
    let response = evaluate(settings, &service(&json!(new)), Some(&service(&json!(old))));
    let message = response.message.unwrap_or_default();
    assert_eq!(
        (response.accepted, response.code),
        if message.is_empty() { (true, None) } else { (false, Some(403)) }
    );
    message.lines().map(str::to_owned).collect()
}

/// Returns the part of a line after the path.
fn without_path(line: &str) -> &str {
    line.split_once(": ").map_or(line, |(_, rest)| rest)
}

// The manual test of KEP-2200, section Rollout, Upgrade and Rollback Planning.

/// An API server with at most one Service, whose policy can be enabled and disabled.
#[derive(Default)]
struct ApiServer {
    plugin: bool,
    stored: Option<Value>,
}

impl ApiServer {
    /// Creates or updates the Service, and returns whether the request is admitted. Stores it only
    /// then.
    fn write(&mut self, object: Value) -> bool {
        let admitted = !self.plugin || evaluate(&json!({}), &object, self.stored.as_ref()).accepted;
        if admitted {
            self.stored = Some(object);
        }
        admitted
    }

    fn write_ips(&mut self, external_ips: &Value) -> bool {
        self.write(service(external_ips))
    }
}

#[test]
fn passes_the_manual_test_of_the_kep() {
    let mut server = ApiServer::default();
    assert!(server.write_ips(&json!(["192.0.2.1", "192.0.2.2"])), "create a Service with two values");
    server.plugin = true;

    let mut other = ApiServer { plugin: true, stored: None };
    assert!(!other.write_ips(&json!(["192.0.2.3"])), "create another Service with a value");
    assert!(other.write_ips(&json!([])), "create another Service without values");

    let mut unrelated = service(&json!(["192.0.2.1", "192.0.2.2"]));
    unrelated["metadata"]["labels"] = json!({ "team": "blue" });
    assert!(server.write(unrelated), "change the Service in an unrelated way");
    assert!(!server.write_ips(&json!(["192.0.2.1", "192.0.2.9"])), "change one value");
    assert!(server.write_ips(&json!(["192.0.2.2"])), "remove value 0");
    assert!(!server.write_ips(&json!(["192.0.2.1", "192.0.2.2"])), "add the removed value back");
    assert!(server.write_ips(&Value::Null), "remove the last value");
    assert!(!server.write_ips(&json!(["192.0.2.2"])), "add the removed value back");

    server.plugin = false;
    assert!(server.write_ips(&json!(["192.0.2.2"])), "add the removed value back with the policy disabled");
    server.plugin = true;
    assert!(server.write_ips(&json!(["192.0.2.2"])), "keep it with the policy enabled again");
}

// Properties of all lists.

/// Generates few different values, so that lists overlap: few addresses in standard and ambiguous
/// notations, and values that are not addresses.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        (0..6_u8).prop_map(|last| format!("192.0.2.{last}")),
        (0..4_u8).prop_map(|last| format!("2001:db8::{last}")),
        (0..4_u8).prop_map(|last| format!("::ffff:192.0.2.{last}")),
        (0..4_u8).prop_map(|last| format!("192.0.02.{last}")),
        "[a-f0-9:.]{0,6}",
        "\\PC{0,4}",
    ]
}

fn values() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(value(), 0..14)
}

proptest! {
    #[test]
    fn denies_exactly_the_new_strings_by_default(new in values(), old in values()) {
        let stored: BTreeSet<&String> = old.iter().collect();
        let fresh: Vec<usize> = (0..new.len()).filter(|index| !stored.contains(&new[*index])).collect();
        let lines = lines(&json!({}), &new, &old);
        prop_assert_eq!(lines.len(), fresh.len());
        for (line, index) in lines.iter().zip(fresh) {
            let start = format!("spec.externalIPs[{index}]: Invalid value: ");
            prop_assert!(line.starts_with(&start), "{} {}", line, start);
        }
    }

    #[test]
    fn removing_values_keeps_an_update_admitted(
        new in values(),
        old in values(),
        kept in proptest::collection::vec(any::<bool>(), 14),
    ) {
        for settings in [json!({}), json!({ "allow": [{ "cidrs": ["192.0.2.0/30", "2001:db8::/127"] }] })] {
            if lines(&settings, &new, &old).is_empty() {
                let fewer: Vec<String> =
                    new.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(value, _)| value.clone()).collect();
                prop_assert!(lines(&settings, &fewer, &old).is_empty());
            }
        }
    }

    #[test]
    fn compliant_values_do_not_affect_others(new in values(), old in values()) {
        let settings = json!({ "allow": [{ "cidrs": ["192.0.2.0/30", "198.51.100.7"] }] });
        let before = lines(&settings, &new, &old);
        let mut more = new;
        more.push("198.51.100.7".to_owned());
        more.extend(old.first().cloned());
        prop_assert_eq!(lines(&settings, &more, &old), before);
    }

    #[test]
    fn reports_violations_in_the_order_of_values(new in values(), old in values()) {
        let settings = json!({ "allow": [{ "cidrs": ["192.0.2.0/30"] }], "reject": ["192.0.2.1"] });
        let mut reversed = new.clone();
        reversed.reverse();
        let mut forth = lines(&settings, &new, &old);
        let back = lines(&settings, &reversed, &old);
        forth.reverse();
        let rests = |lines: &[String]| lines.iter().map(|line| without_path(line).to_owned()).collect::<Vec<_>>();
        prop_assert_eq!(rests(&forth), rests(&back));
        let rotated = |old: &[String]| [&old[old.len() / 2..], &old[..old.len() / 2]].concat();
        prop_assert_eq!(lines(&settings, &reversed, &rotated(&old)), back);
    }
}

// Ranges, compared with plain arithmetic.

#[derive(Clone, Copy, Debug)]
struct Range {
    base: IpAddr,
    length: u8,
}

impl Range {
    fn text(self) -> String {
        format!("{}/{}", self.base, self.length)
    }

    fn has(self, address: IpAddr) -> bool {
        match (self.base, address) {
            (IpAddr::V4(base), IpAddr::V4(address)) => {
                let hosts = 32 - u32::from(self.length);
                u64::from(base.to_bits()) >> hosts == u64::from(address.to_bits()) >> hosts
            }
            (IpAddr::V6(base), IpAddr::V6(address)) => {
                let hosts = 128 - u32::from(self.length);
                (base.to_bits() ^ address.to_bits()).checked_shr(hosts).unwrap_or(0) == 0
            }
            _ => false,
        }
    }

    fn within(self, other: Range) -> bool {
        self.length >= other.length && other.has(self.base)
    }
}

/// Generates addresses that differ in one bit at any position, so that ranges of every length
/// separate them.
fn address() -> impl Strategy<Value = IpAddr> {
    let v4 = (any::<bool>(), 0..32_u32)
        .prop_map(|(flip, bit)| IpAddr::V4(Ipv4Addr::from_bits(0xc000_0201 ^ (u32::from(flip) << bit))));
    let v6 = (any::<bool>(), 0..128_u32).prop_map(|(flip, bit)| {
        IpAddr::V6(Ipv6Addr::from_bits(0x2001_0db8_0000_0000_0000_0000_0000_0001 ^ (u128::from(flip) << bit)))
    });
    prop_oneof![v4, v6, any::<Ipv4Addr>().prop_map(IpAddr::V4)]
}

fn range() -> impl Strategy<Value = Range> {
    (address(), 0..=128_u8).prop_map(|(address, length)| match address {
        IpAddr::V4(address) => {
            let length = length % 33;
            let mask = u32::MAX.checked_shl(32 - u32::from(length)).unwrap_or(0);
            Range { base: IpAddr::V4(Ipv4Addr::from_bits(address.to_bits() & mask)), length }
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(length)).unwrap_or(0);
            Range { base: IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask)), length }
        }
    })
}

proptest! {
    #[test]
    fn ranges_agree_with_arithmetic(
        allow in proptest::collection::vec(range(), 1..4),
        reject in proptest::collection::vec(range(), 0..3),
        addresses in proptest::collection::vec(address(), 1..8),
    ) {
        let texts = |ranges: &[Range]| ranges.iter().map(|range| range.text()).collect::<Vec<_>>();
        let settings = json!({ "allow": [{ "cidrs": texts(&allow) }], "reject": texts(&reject) });
        let useless = allow.iter().any(|range| reject.iter().any(|rejected| range.within(*rejected)));
        let checked = (entry().check_settings)(settings.to_string().as_bytes());
        prop_assert_eq!(checked.is_err(), useless);
        if useless {
            return Ok(());
        }
        let new: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        let has = |ranges: &[Range], address| ranges.iter().any(|range| range.has(address));
        let expected: Vec<(usize, bool)> = addresses
            .iter()
            .enumerate()
            .map(|(index, address)| (index, has(&reject, *address), has(&allow, *address)))
            .filter(|(_, rejected, allowed)| *rejected || !*allowed)
            .map(|(index, rejected, _)| (index, rejected))
            .collect();
        let lines = lines(&settings, &new, &[]);
        prop_assert_eq!(lines.len(), expected.len());
        for (line, (index, rejected)) in lines.iter().zip(expected) {
            prop_assert!(line.starts_with(&format!("spec.externalIPs[{index}]: ")), "{}", line);
            prop_assert_eq!(line.contains("no Service may claim this address"), rejected, "{}", line);
        }
        // Users who may not use a range must not learn about it.
        for secret in texts(&allow).into_iter().chain(texts(&reject)) {
            prop_assert!(!lines.iter().any(|line| line.contains(&secret)), "{} in {:?}", secret, lines);
        }
    }
}

#[test]
fn messages_do_not_disclose_ranges() {
    let settings = json!({
        "allow": [
            { "cidrs": ["203.0.113.0/24", "203.0.112.9"], "namespaces": ["ingress"] },
            { "cidrs": ["198.51.100.0/24"], "users": ["bob"] },
            { "cidrs": ["192.0.2.0/24"], "namespaceSelector": { "matchLabels": { "tier": "edge" } } },
        ],
        "reject": ["198.51.100.128/25", "192.0.2.200"],
    });
    let new =
        ["203.0.113.1", "198.51.100.1", "198.51.100.129", "192.0.2.1", "192.0.02.1", "::ffff:192.0.2.1", "x"];
    let response = evaluate(&settings, &service(&json!(new)), None);
    let message = response.message.unwrap();
    assert_eq!(message.lines().count(), new.len());
    for secret in [
        "203.0.113.0",
        "203.0.112.9",
        "198.51.100.0",
        "192.0.2.0",
        "198.51.100.128",
        "192.0.2.200",
        "/24",
        "/25",
    ] {
        assert!(!message.contains(secret), "{secret} in {message}");
    }
    for secret in ["bob", "ingress", "edge"] {
        assert!(!message.contains(secret), "{secret} in {message}");
    }
}

// Requests and settings that a host does not pass on.

#[test]
fn malformed_requests_cannot_be_evaluated() {
    let settings = json!({ "exempt": { "users": ["alice"], "groups": ["network"] } });
    for (field, value, message) in [
        ("userInfo", json!("alice"), "request.userInfo: expected an object, found a string"),
        (
            "userInfo",
            json!({ "username": ["alice"] }),
            "request.userInfo.username: expected a string, found an array",
        ),
        (
            "userInfo",
            json!({ "groups": "network" }),
            "request.userInfo.groups: expected an array, found a string",
        ),
        (
            "userInfo",
            json!({ "groups": [null] }),
            "request.userInfo.groups[0]: expected a string, found null",
        ),
        ("kind", json!("Service"), "request.kind: expected an object, found a string"),
        ("kind", json!(null), "request.kind.kind: expected a string, found nothing"),
        (
            "kind",
            json!({ "kind": "Service", "group": 7 }),
            "request.kind.group: expected a string, found a number",
        ),
        ("operation", json!(null), "request.operation: expected a string, found nothing"),
        ("operation", json!(7), "request.operation: expected a string, found a number"),
        ("subResource", json!(["status"]), "request.subResource: expected a string, found an array"),
    ] {
        let mut request = request(&service(&json!(["192.0.2.1"])), None);
        request[field] = value;
        let payload = json!({ "request": request, "settings": settings }).to_string();
        let response = entry().respond(payload.as_bytes(), &empty_cluster());
        assert_eq!(response.code, Some(500));
        assert_eq!(
            response.message.unwrap(),
            format!("external-ips: cannot evaluate this request: {message}")
        );
    }
}

// Very large requests.

#[test]
fn evaluates_ten_thousand_addresses() {
    let ten_thousand = service(&json!(many_ips(10_000)));
    let denied = evaluate(&json!({}), &ten_thousand, None).message.unwrap();
    assert!(tests::counts_the_rest(&denied, 10_000), "{denied}");

    let allowed = json!({ "allow": [{ "cidrs": ["10.0.0.0/8"] }] });
    assert!(evaluate(&allowed, &ten_thousand, None).accepted);

    let mut reversed = many_ips(10_000);
    reversed.reverse();
    for settings in [json!({}), json!({ "comparison": "Address" }), json!({ "conflicts": "DenySamePort" })] {
        assert!(evaluate(&settings, &service(&json!(reversed)), Some(&ten_thousand)).accepted);
    }
}

#[test]
fn evaluates_five_megabytes_of_addresses() {
    let count = 400_000;
    let object = service(&json!(many_ips(count)));
    assert!(object.to_string().len() > 5_000_000);
    let half = service(&json!(many_ips(count / 2)));
    assert!(evaluate(&json!({}), &half, Some(&half)).accepted);
    let more = evaluate(&json!({}), &object, Some(&object)).message.unwrap();
    assert!(more.contains("expected at most 524288 values that this policy reads"), "{more}");
}

#[test]
fn evaluates_a_value_of_one_megabyte() {
    let long = "1".repeat(1 << 20);
    let object = service(&json!([long]));
    let allowed = json!({ "allow": [{ "cidrs": ["0.0.0.0/0", "::/0"] }] });
    for settings in [&json!({}), &allowed] {
        let message = evaluate(settings, &object, None).message.unwrap();
        assert!(message.contains("(1048576 bytes)") && message.len() < 1000, "{message}");
    }
    assert!(evaluate(&json!({}), &object, Some(&object)).accepted);
}
