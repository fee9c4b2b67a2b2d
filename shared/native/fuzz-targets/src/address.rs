//! IP addresses, compared with the parser of the standard library.

use std::net::IpAddr;

use rules::address::{Oddity, octets, read};

/// Addresses are read as by the standard library, apart from leading zeros, and the canonical text
/// of an address is read as the same address.
pub(crate) fn run(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let standard = text.parse::<IpAddr>().ok().map(|address| address.to_canonical());
    let reading = read(text);
    let plain = reading.filter(|reading| reading.oddity != Some(Oddity::LeadingZeros));
    // A mapped address with leading zeros is reported as mapped.
    if plain.is_none_or(|reading| reading.oddity.is_none()) || standard.is_some() {
        assert_eq!(plain.map(|reading| reading.address), standard, "{text:?}");
    }
    assert_eq!(reading.is_some(), octets(text).is_some(), "{text:?}");
    let Some(reading) = reading else { return false };
    let again = read(&reading.address.to_string());
    assert_eq!(again.map(|again| (again.address, again.oddity)), Some((reading.address, None)), "{text:?}");
    assert_eq!(octets(&reading.address.to_string()), octets(text), "{text:?}");
    true
}
