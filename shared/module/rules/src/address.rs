//! IP addresses and ranges as Kubernetes reads them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use admission::{Node, SettingsError};

/// An address, and whether it is written as every reader understands it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Reading {
    /// What the API server reads; an IPv4-mapped IPv6 address as the IPv4 address.
    pub address: IpAddr,
    /// What other readers may understand differently or refuse.
    pub oddity: Option<Oddity>,
}

/// A way to write an address that readers disagree on.
///
/// Lists of ranges are evaded with them; the API server warns of them since 1.36.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Oddity {
    /// Leading zeros: decimal to some readers, octal to others.
    LeadingZeros,
    /// An IPv4-mapped IPv6 address.
    Mapped,
}

/// Reads an address as the API server does: with leading zeros, which it takes for decimal, and with groups
/// of any length. Upper case and IPv6 that is not shortened are nothing odd.
///
/// Source: `ParseIPSloppy` of k8s.io/utils/net, Go's parser before 1.17.
///
/// # Example
/// ```
/// use rules::address::{Oddity, read};
///
/// let reading = read("192.012.2.2").unwrap();
/// assert_eq!(reading.address.to_string(), "192.12.2.2");
/// assert_eq!(reading.oddity, Some(Oddity::LeadingZeros));
/// assert_eq!(read("2001:DB8::1").unwrap().oddity, None);
/// assert_eq!(read("192.0.2.1/32"), None);
/// ```
#[must_use]
pub fn read(text: &str) -> Option<Reading> {
    let mut padded = false;
    let written = if text.bytes().find(|byte| matches!(byte, b'.' | b':'))? == b'.' {
        IpAddr::V4(read_v4(text, &mut padded)?)
    } else {
        IpAddr::V6(read_v6(text, &mut padded)?)
    };
    let address = written.to_canonical();
    let oddity = match (address != written, padded) {
        (true, _) => Some(Oddity::Mapped),
        (_, true) => Some(Oddity::LeadingZeros),
        _ => None,
    };
    Some(Reading { address, oddity })
}

/// An address to compare with others: the octets of IPv6, IPv4 as IPv4-mapped.
pub type Octets = [u8; 16];

/// The octets of the address that the API server reads.
#[must_use]
pub fn octets(text: &str) -> Option<Octets> {
    Some(mapped(read(text)?.address).to_be_bytes())
}

fn read_v4(text: &str, padded: &mut bool) -> Option<Ipv4Addr> {
    let mut parts = text.split('.');
    let mut octets = [0_u8; 4];
    for octet in &mut octets {
        let part = parts.next()?;
        *padded |= part.len() > 1 && part.starts_with('0');
        *octet = u8::try_from(number(part, 10)?).ok()?;
    }
    parts.next().is_none().then(|| Ipv4Addr::from(octets))
}

fn read_v6(text: &str, padded: &mut bool) -> Option<Ipv6Addr> {
    let mut groups = [0_u16; 8];
    let mut given = 0_usize;
    let mut push = |group: u16| {
        let place = groups.get_mut(given);
        given = given.saturating_add(1);
        place.map(|place| *place = group)
    };
    // How many groups are before `::`, which stands for groups of zero.
    let mut gap = None;
    let mut before = 0_usize;
    let mut rest = text;
    if let Some(after) = rest.strip_prefix("::") {
        gap = Some(0);
        rest = after;
    }
    while gap != Some(before) || !rest.is_empty() {
        let Some((part, after)) = rest.split_once(':') else {
            if rest.contains('.') {
                let [a, b, c, d] = read_v4(rest, padded)?.octets();
                push(u16::from_be_bytes([a, b]))?;
                push(u16::from_be_bytes([c, d]))?;
            } else {
                push(group(rest, padded)?)?;
            }
            break;
        };
        push(group(part, padded)?)?;
        before = before.saturating_add(1);
        rest = after;
        if let Some(after) = after.strip_prefix(':') {
            if gap.is_some() {
                return None;
            }
            gap = Some(before);
            rest = after;
        }
    }
    let zeros = groups.len().checked_sub(given)?;
    match gap {
        None => (zeros == 0).then_some(())?,
        // It stands for at least one group; what comes behind it moves to the end.
        Some(gap) => {
            (zeros > 0).then_some(())?;
            for index in (gap..given).rev() {
                groups.swap(index, index.saturating_add(zeros));
            }
        }
    }
    Some(Ipv6Addr::from(groups))
}

fn group(text: &str, padded: &mut bool) -> Option<u16> {
    *padded |= text.len() > 4;
    u16::try_from(number(text, 16)?).ok()
}

/// A number of any length below 2^24, without sign.
fn number(text: &str, radix: u32) -> Option<u32> {
    const LIMIT: u32 = 0xff_ffff;
    if text.is_empty() {
        return None;
    }
    text.chars().try_fold(0_u32, |number, c| {
        number.checked_mul(radix)?.checked_add(c.to_digit(radix)?).filter(|number| *number < LIMIT)
    })
}

/// A CIDR block. IPv4 blocks are kept as IPv4-mapped, so that one comparison serves both families, which never
/// cross all the same: `::/0` covers no IPv4 address.
///
/// `ipnet` is what the tests hold it against; in a module it would be 2 KB more.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Range {
    network: u128,
    /// How many leading bits of the 128 are the network's.
    bits: u32,
    v4: bool,
}

impl Range {
    /// The block of an address and the length of its prefix; `None` if the prefix is too long.
    #[must_use]
    pub fn new(address: IpAddr, prefix: u32) -> Option<Self> {
        let (v4, bits) = match address {
            IpAddr::V4(_) => (true, prefix.checked_add(96)?),
            IpAddr::V6(_) => (false, prefix),
        };
        (bits <= 128).then_some(Self { network: mapped(address), bits, v4 })
    }

    /// The block of one address.
    #[must_use]
    pub fn of(address: IpAddr) -> Self {
        Self { network: mapped(address), bits: 128, v4: address.is_ipv4() }
    }

    /// Whether all of another block is in this one.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        self.v4 == other.v4 && self.bits <= other.bits && (self.network ^ other.network) & self.mask() == 0
    }

    fn mask(&self) -> u128 {
        // All bits of the host: none for a block of one address.
        !u128::MAX.checked_shr(self.bits).unwrap_or_default()
    }
}

fn mapped(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// Whether an address is in one of the ranges.
#[must_use]
pub fn covered(ranges: &[Range], address: IpAddr) -> bool {
    ranges.iter().any(|range| range.contains(&Range::of(address)))
}

/// Reads a setting that lists ranges, `192.0.2.0/24`, and addresses, which are ranges of themselves.
///
/// # Errors
/// Everything that two readers could understand differently, with what to write instead.
pub fn ranges(setting: Node<'_>) -> Result<Vec<Range>, SettingsError> {
    let mut ranges = Vec::new();
    for (item, text) in setting.texts()? {
        match range(text) {
            Ok(range) => ranges.push(range),
            Err(problem) => return Err(SettingsError::about(item, text, problem)),
        }
    }
    Ok(ranges)
}

fn range(text: &str) -> Result<Range, &'static str> {
    const NO_RANGE: &str =
        "is no IP address and no CIDR block; write it as 192.0.2.0/24, 2001:db8::/64 or 192.0.2.1";
    const NO_LENGTH: &str = "has no plain number behind the /; write 0 to 32, or up to 128 for IPv6";
    if text.bytes().any(|byte| byte.is_ascii_whitespace()) {
        return Err("contains white space; remove it");
    }
    let (address, prefix) = match text.split_once('/') {
        Some((address, prefix)) => (address, Some(prefix)),
        None => (text, None),
    };
    let Some(Reading { address, oddity }) = read(address) else {
        let from = text.split_once('-').and_then(|(from, _)| read(from));
        return Err(if text.starts_with('!') {
            "is negated; list ranges that nobody may use under reject, without the !"
        } else if text.contains('%') {
            "has a zone, which external addresses never have; remove it"
        } else if from.is_some() {
            "goes from one address to another; write it as CIDR blocks"
        } else {
            NO_RANGE
        });
    };
    match oddity {
        Some(Oddity::Mapped) => return Err("is an IPv4-mapped IPv6 address; write the IPv4 range"),
        Some(Oddity::LeadingZeros) => return Err("has leading zeros; write it without them"),
        None => {}
    }
    let Some(prefix) = prefix else { return Ok(Range::of(address)) };
    if read(prefix).is_some() {
        return Err("has a netmask; write the length of the prefix instead, such as /24");
    }
    let plain =
        prefix.bytes().all(|byte| byte.is_ascii_digit()) && (prefix == "0" || !prefix.starts_with('0'));
    match number(prefix, 10).filter(|_| plain).and_then(|length| Range::new(address, length)) {
        None => Err(NO_LENGTH),
        Some(range) if range.network & !range.mask() == 0 => Ok(range),
        Some(_) => Err("has bits set behind its prefix; write the first address of the block for the whole \
                        block, or no prefix for the one address"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_api_server_reads_is_read_and_nothing_else() {
        for (text, same_as) in [
            ("1.2.3.4", Some("1.2.3.4")),
            ("010.08.0000000003.4", Some("10.8.3.4")),
            ("::", Some("::")),
            ("1::", Some("1::")),
            ("::1", Some("::1")),
            ("1:2:3:4:5:6:7:8", Some("1:2:3:4:5:6:7:8")),
            ("1:2:3:4:5:6:1.2.3.4", Some("1:2:3:4:5:6:102:304")),
            ("64:ff9b::1.2.3.04", Some("64:ff9b::102:304")),
            ("::FFFF:1.2.3.4", Some("1.2.3.4")),
            ("0:0:0:0:0:ffff:0102:0304", Some("1.2.3.4")),
            ("1:2:3:4:5:6:7::", Some("1:2:3:4:5:6:7:0")),
            ("2001:00db8::1", Some("2001:db8::1")),
            ("1:2:3:4:5:6:7:8::", None),
            ("1:2:3:4:5:6:7", None),
            ("1::2::3", None),
            (":::", None),
            ("1:::2", None),
            (":1::", None),
            ("1:2:3:4:5:6:7:", None),
            ("1.2.3.4::", None),
            ("1:1.2.3.4::", None),
            ("12345::", None),
            ("1.2.3", None),
            ("1.2.3.4.5", None),
            ("1.2.3.256", None),
            ("1.2.3.99999999999999999999", None),
            ("1..2.3", None),
            ("+1.2.3.4", None),
            (" 1.2.3.4", None),
            ("1.2.3.4/32", None),
            ("fe80::1%eth0", None),
            ("[::1]", None),
            ("", None),
            ("a", None),
            ("1", None),
        ] {
            let address = read(text).map(|reading| reading.address);
            assert_eq!(address, same_as.map(|same| same.parse().unwrap()), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_standard_address_is_read_as_itself(address: IpAddr) {
            proptest::prop_assert_eq!(read(&address.to_string()).map(|r| r.address), Some(address.to_canonical()));
        }

        #[test]
        fn nothing_makes_the_parser_stop(text in "[0-9a-f:.%/ -]{0,50}") {
            // The standard library reads what is not odd, and nothing else but mapped addresses.
            let strict = text.parse::<IpAddr>().ok();
            let reading = read(&text).filter(|reading| reading.oddity != Some(Oddity::LeadingZeros));
            proptest::prop_assert_eq!(reading.map(|reading| reading.address), strict.map(|a| a.to_canonical()));
            let _ = range(&text);
        }
    }

    #[test]
    fn what_readers_disagree_on_is_odd() {
        let oddity = |text| read(text).unwrap().oddity;
        for text in ["192.0.2.1", "2001:DB8::1", "2001:0db8:0:0:0:0:0:1", "::1", "64:ff9b::192.0.2.1"] {
            assert_eq!(oddity(text), None, "{text}");
        }
        for text in ["192.0.02.1", "2001:00db8::1", "64:ff9b::192.0.02.1"] {
            assert_eq!(oddity(text), Some(Oddity::LeadingZeros), "{text}");
        }
        for text in ["::ffff:192.0.2.1", "::ffff:c000:201", "::FFFF:192.0.02.1"] {
            assert_eq!(oddity(text), Some(Oddity::Mapped), "{text}");
        }
    }

    #[test]
    fn families_never_cross() {
        let all = [range("::/0").unwrap()];
        assert!(!covered(&all, "192.0.2.1".parse().unwrap()));
        assert!(covered(&all, "2001:db8::1".parse().unwrap()));
    }

    proptest::proptest! {
        #[test]
        fn ranges_contain_what_ipnet_says(one: IpAddr, other: IpAddr, prefix in 0_u8..=128, longer in 0_u8..=128) {
            let nets = (ipnet::IpNet::new(one, prefix), ipnet::IpNet::new(other, longer));
            let ranges = (Range::new(one, prefix.into()), Range::new(other, longer.into()));
            proptest::prop_assert_eq!((ranges.0.is_some(), ranges.1.is_some()), (nets.0.is_ok(), nets.1.is_ok()));
            if let ((Ok(net), Ok(of)), (Some(range), Some(inner))) = (nets, ranges) {
                proptest::prop_assert_eq!(range.contains(&inner), net.contains(&of));
                proptest::prop_assert_eq!(range.contains(&Range::of(other)), net.contains(&other));
                // As a setting, an IPv4-mapped block is refused whatever it contains.
                if net.network() == net.network().to_canonical() && one == one.to_canonical() {
                    let read = super::range(&net.trunc().to_string()).unwrap();
                    proptest::prop_assert!(read.contains(&Range::of(one)));
                    proptest::prop_assert_eq!(super::range(&net.to_string()).is_ok(), net == net.trunc());
                }
            }
        }
    }

    #[test]
    fn a_range_that_could_be_misread_is_refused_with_what_to_write() {
        let prefix = "has no plain number behind the /; write 0 to 32, or up to 128 for IPv6";
        for (text, problem) in [
            ("", "is no IP address and no CIDR block; write it as 192.0.2.0/24, 2001:db8::/64 or 192.0.2.1"),
            ("10.0.0.0/33", prefix),
            ("10.0.0.0/+8", prefix),
            ("10.0.0.0/08", prefix),
            ("10.0.0.0/", prefix),
            ("2001:db8::/129", prefix),
            ("10.0.0.0/255.0.0.0", "has a netmask; write the length of the prefix instead, such as /24"),
            ("10.0.0.1-10.0.0.9", "goes from one address to another; write it as CIDR blocks"),
            ("!10.0.0.0/8", "is negated; list ranges that nobody may use under reject, without the !"),
            ("fe80::1%eth0", "has a zone, which external addresses never have; remove it"),
            (" 10.0.0.0/8", "contains white space; remove it"),
            ("10.0.0.0/ 8", "contains white space; remove it"),
            ("010.0.0.0/8", "has leading zeros; write it without them"),
            ("::ffff:10.0.0.0/104", "is an IPv4-mapped IPv6 address; write the IPv4 range"),
            (
                "172.16.66.10/23",
                "has bits set behind its prefix; write the first address of the block for the whole block, or no prefix for the one address",
            ),
        ] {
            assert_eq!(range(text).unwrap_err(), problem, "{text}");
        }
        for text in ["10.0.0.0/8", "192.0.2.1", "::/0", "0.0.0.0/0", "2001:DB8::/32", "2001:db8::1"] {
            assert!(range(text).is_ok(), "{text}");
        }
    }
}
