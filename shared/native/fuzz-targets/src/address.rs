//! IP addresses, compared with the parser of the standard library.

use std::net::IpAddr;

use rules::address::{Ambiguity, octets, parse};

/// Addresses are read as by the standard library, apart from leading zeros, and the canonical text
/// of an address is read as the same address.
pub(crate) fn run(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let standard = text.parse::<IpAddr>().ok().map(|address| address.to_canonical());
    let parsed = parse(text);
    let plain = parsed.filter(|parsed| parsed.ambiguity != Some(Ambiguity::LeadingZeros));
    // A mapped address with leading zeros is reported as mapped.
    if plain.is_none_or(|parsed| parsed.ambiguity.is_none()) || standard.is_some() {
        assert_eq!(plain.map(|parsed| parsed.address), standard, "{text:?}");
    }
    assert_eq!(parsed.is_some(), octets(text).is_some(), "{text:?}");
    let Some(parsed) = parsed else { return false };
    let again = parse(&parsed.address.to_string());
    assert_eq!(again.map(|again| (again.address, again.ambiguity)), Some((parsed.address, None)), "{text:?}");
    assert_eq!(octets(&parsed.address.to_string()), octets(text), "{text:?}");
    true
}
