//! CIDR blocks, as Go's `net.ParseCIDR` reads them.

use std::net::IpAddr;

use ipnet::{IpNet, Ipv4Net};
use serde_json::{Value, json};

use crate::InputError;
use crate::fields::Fields;

/// The length of the prefix of all IPv4-mapped IPv6 addresses.
const MAPPED_PREFIX: u8 = 96;

/// All addresses.
const ALL: [&str; 2] = ["0.0.0.0/0", "::/0"];

/// Parses a CIDR block. Bits after the prefix are ignored, and a block of IPv4-mapped IPv6
/// addresses is a block of IPv4 addresses. Blocks of one family contain no addresses of the other.
///
/// Source: `ParseCIDR` and `IPNet.Contains` in Go's net/ip.go.
fn parse(text: &str) -> Option<IpNet> {
    let (address, prefix) = text.split_once('/')?;
    let address: IpAddr = address.parse().ok()?;
    if !prefix.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let prefix: u8 = prefix.parse().ok()?;
    let mapped = match (address, prefix.checked_sub(MAPPED_PREFIX)) {
        (IpAddr::V6(address), Some(prefix)) => address.to_ipv4_mapped().map(|address| (address, prefix)),
        _ => None,
    };
    let block = match mapped {
        Some((address, prefix)) => Ipv4Net::new(address, prefix).ok()?.into(),
        None => IpNet::new(address, prefix).ok()?,
    };
    Some(block.trunc())
}

/// Reads a list of CIDR blocks.
///
/// # Errors
/// An element that is not a CIDR block; `consequence` says what happens then.
pub(super) fn read(fields: &Fields<'_>, key: &str, consequence: &str) -> Result<Vec<IpNet>, InputError> {
    let texts = fields.texts(key)?.into_iter().enumerate();
    let block = |(index, text): (usize, &str)| {
        parse(text).ok_or_else(|| fields.element_error(key, index, invalid(text, consequence)))
    };
    texts.map(block).collect()
}

/// Parses a CIDR block.
///
/// # Errors
/// The problem with a text that is not a CIDR block.
pub(super) fn block(text: &str, consequence: &str) -> Result<IpNet, String> {
    parse(text).ok_or_else(|| invalid(text, consequence))
}

fn invalid(text: &str, consequence: &str) -> String {
    format!("{} is not a CIDR block such as 192.0.2.0/24 or 2001:db8::/64; {consequence}", Value::from(text))
}

/// All addresses, as blocks.
pub(super) fn all() -> Vec<IpNet> {
    ALL.into_iter().filter_map(parse).collect()
}

/// The blocks of a setting.
pub(super) fn setting(blocks: &[IpNet]) -> Value {
    let mut texts: Vec<String> = Vec::new();
    for block in blocks {
        let text = block.to_string();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    json!(texts)
}

/// The addresses of blocks without those of other blocks, in as few blocks as each of them takes.
pub(super) fn without(blocks: &[IpNet], removed: &[IpNet]) -> Vec<IpNet> {
    let mut rest = Vec::new();
    for block in blocks {
        remove(*block, removed, &mut rest);
    }
    rest
}

fn remove(block: IpNet, removed: &[IpNet], rest: &mut Vec<IpNet>) {
    if removed.iter().any(|other| other.contains(&block)) {
        return;
    }
    if !removed.iter().any(|other| block.contains(other)) {
        rest.push(block);
        return;
    }
    // A block that contains another one has a shorter prefix than the longest.
    let halves = block.subnets(block.prefix_len().saturating_add(1));
    for half in halves.into_iter().flatten() {
        remove(half, removed, rest);
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use super::*;

    fn blocks(texts: &[&str]) -> Vec<IpNet> {
        texts.iter().map(|text| parse(text).unwrap()).collect()
    }

    #[test]
    fn reads_blocks_as_go_does() {
        for (text, expected) in [
            ("192.0.2.7/24", Some("192.0.2.0/24")),
            ("192.0.2.7/032", Some("192.0.2.7/32")),
            ("::ffff:192.0.2.7/120", Some("192.0.2.0/24")),
            ("::ffff:0:0/95", Some("::fffe:0:0/95")),
            ("2001:DB8::1/32", Some("2001:db8::/32")),
            ("192.0.2.7", None),
            ("192.0.2.7/33", None),
            ("192.0.2.7/+8", None),
            ("192.0.2.7/", None),
            ("192.0.02.7/8", None),
            ("fe80::1%eth0/64", None),
        ] {
            let read = parse(text).map(|block| block.to_string());
            assert_eq!(read.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn removes_blocks_from_blocks() {
        for (from, removed, rest) in [
            (vec!["10.0.0.0/8"], vec!["11.0.0.0/8", "::/0"], vec!["10.0.0.0/8"]),
            (vec!["10.0.0.0/8"], vec!["0.0.0.0/0"], vec![]),
            (vec!["10.0.0.0/8"], vec!["10.0.0.0/8"], vec![]),
            (vec!["10.0.0.0/30"], vec!["10.0.0.1/32"], vec!["10.0.0.0/32", "10.0.0.2/31"]),
            (vec!["::/0", "1.0.0.0/8"], vec!["8000::/1", "1.0.0.0/9"], vec!["::/1", "1.128.0.0/9"]),
        ] {
            let rest: Vec<IpNet> = blocks(&rest);
            assert_eq!(without(&blocks(&from), &blocks(&removed)), rest, "{from:?} {removed:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_remains_is_what_was_not_removed(
            from in proptest::collection::vec((0_u32..8, 29_u8..=32), 0..3),
            removed in proptest::collection::vec((0_u32..8, 29_u8..=32), 0..3),
            address in 0_u32..8,
        ) {
            let v4 = |(address, prefix): (u32, u8)| IpNet::from(Ipv4Net::new(Ipv4Addr::from(address), prefix).unwrap().trunc());
            let (from, removed): (Vec<_>, Vec<_>) = (from.into_iter().map(v4).collect(), removed.into_iter().map(v4).collect());
            let rest = without(&from, &removed);
            let address = IpAddr::V4(Ipv4Addr::from(address));
            let within = |blocks: &[IpNet]| blocks.iter().any(|block| block.contains(&address));
            proptest::prop_assert_eq!(within(&rest), within(&from) && !within(&removed));
            proptest::prop_assert!(!rest.iter().any(|block| block.contains(&IpAddr::V6(Ipv6Addr::LOCALHOST))));
        }
    }
}
