//! IP addresses and CIDR blocks, parsed as Kubernetes parses them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use admission::{Node, SettingsError};

/// A parsed IP address.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ParsedAddress {
    /// The address that the API server reads, in canonical form: an IPv4-mapped IPv6 address is
    /// given as the IPv4 address.
    pub address: IpAddr,
    /// The reason why other programs may read another address or none; `None` if all agree.
    pub ambiguity: Option<Ambiguity>,
}

/// A notation that programs read differently, so that it can evade lists of ranges. The API server
/// warns about such addresses since Kubernetes 1.36.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Ambiguity {
    /// Leading zeros, which some programs read as decimal and others as octal.
    LeadingZeros,
    /// An IPv4-mapped IPv6 address.
    Ipv4Mapped,
}

/// Parses an address as the API server does. Leading zeros are read as decimal, and groups may have
/// any length. Returns `None` for any text that the API server does not accept as an address.
///
/// Upper case and unshortened IPv6 addresses are not ambiguous.
///
/// Source: `ParseIPSloppy` of k8s.io/utils/net, which is Go's parser before 1.17.
///
/// # Example
/// ```
/// use rules::address::{Ambiguity, parse};
///
/// let parsed = parse("192.012.2.2").unwrap();
/// assert_eq!(parsed.address.to_string(), "192.12.2.2");
/// assert_eq!(parsed.ambiguity, Some(Ambiguity::LeadingZeros));
/// assert_eq!(parse("2001:DB8::1").unwrap().ambiguity, None);
/// assert_eq!(parse("192.0.2.1/32"), None);
/// ```
#[must_use]
pub fn parse(text: &str) -> Option<ParsedAddress> {
    let mut padded = false;
    let written = if text.bytes().find(|byte| matches!(byte, b'.' | b':'))? == b'.' {
        IpAddr::V4(parse_v4(text, &mut padded)?)
    } else {
        IpAddr::V6(parse_v6(text, &mut padded)?)
    };
    let address = written.to_canonical();
    let ambiguity = match (address != written, padded) {
        (true, _) => Some(Ambiguity::Ipv4Mapped),
        (_, true) => Some(Ambiguity::LeadingZeros),
        _ => None,
    };
    Some(ParsedAddress { address, ambiguity })
}

/// The 16 octets of an IPv6 address, or of an IPv4 address in IPv4-mapped form. Two texts denote
/// the same address if and only if their octets are equal.
pub type Octets = [u8; 16];

/// Returns the octets of the address that the API server reads; `None` if the text is not an
/// address.
#[must_use]
pub fn octets(text: &str) -> Option<Octets> {
    Some(mapped(parse(text)?.address).to_be_bytes())
}

fn parse_v4(text: &str, padded: &mut bool) -> Option<Ipv4Addr> {
    let mut parts = text.split('.');
    let mut octets = [0_u8; 4];
    for octet in &mut octets {
        let part = parts.next()?;
        *padded |= part.len() > 1 && part.starts_with('0');
        *octet = u8::try_from(number(part, 10)?).ok()?;
    }
    parts.next().is_none().then(|| Ipv4Addr::from(octets))
}

fn parse_v6(text: &str, padded: &mut bool) -> Option<Ipv6Addr> {
    let mut groups = [0_u16; 8];
    let mut given = 0_usize;
    let mut push = |group: u16| {
        let place = groups.get_mut(given);
        given = given.saturating_add(1);
        place.map(|place| *place = group)
    };
    // The number of groups before `::`, which stands for groups of zeros.
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
                let [a, b, c, d] = parse_v4(rest, padded)?.octets();
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
        // The gap is at least one group long; the groups after it move to the end.
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

/// Parses an unsigned number below 2^24 with any number of digits.
fn number(text: &str, radix: u32) -> Option<u32> {
    const LIMIT: u32 = 0xff_ffff;
    if text.is_empty() {
        return None;
    }
    text.chars().try_fold(0_u32, |number, c| {
        number.checked_mul(radix)?.checked_add(c.to_digit(radix)?).filter(|number| *number < LIMIT)
    })
}

/// A CIDR block. IPv4 and IPv6 blocks never overlap: `::/0` does not contain IPv4 addresses.
///
/// Both families are stored as 128 bits, IPv4 in IPv4-mapped form, so that one comparison serves
/// both. The tests compare the type with that of the crate `ipnet`, which would add 2 KB to a
/// module.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct CidrBlock {
    network: u128,
    /// The length of the prefix, of 128 bits.
    bits: u32,
    v4: bool,
}

impl CidrBlock {
    /// Creates the block of the given address and prefix length in bits. Returns `None` if the
    /// prefix is too long for the family.
    #[must_use]
    pub fn new(address: IpAddr, prefix: u32) -> Option<Self> {
        let (v4, bits) = match address {
            IpAddr::V4(_) => (true, prefix.checked_add(96)?),
            IpAddr::V6(_) => (false, prefix),
        };
        (bits <= 128).then_some(Self { network: mapped(address), bits, v4 })
    }

    /// Creates the block of a single address.
    #[must_use]
    pub fn of(address: IpAddr) -> Self {
        Self { network: mapped(address), bits: 128, v4: address.is_ipv4() }
    }

    /// Returns whether this block contains the whole of another one.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        self.v4 == other.v4 && self.bits <= other.bits && (self.network ^ other.network) & self.mask() == 0
    }

    fn mask(&self) -> u128 {
        // The shift leaves the host bits set; for a single address there are none.
        !u128::MAX.checked_shr(self.bits).unwrap_or_default()
    }
}

fn mapped(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// Returns whether one of the blocks contains the address.
#[must_use]
pub fn covered(blocks: &[CidrBlock], address: IpAddr) -> bool {
    blocks.iter().any(|block| block.contains(&CidrBlock::of(address)))
}

/// Reads a setting that lists CIDR blocks such as `192.0.2.0/24` and single addresses, each of
/// which becomes a block of its own.
///
/// # Errors
/// Returns an error, with the notation to use instead, for an element that is not a block or an
/// address, and for one that programs could read differently: with leading zeros, IPv4-mapped, or
/// with host bits set.
pub fn cidr_blocks(setting: Node<'_>) -> Result<Vec<CidrBlock>, SettingsError> {
    let mut blocks = Vec::new();
    for (item, text) in setting.texts()? {
        match cidr_block(text) {
            Ok(block) => blocks.push(block),
            Err(problem) => return Err(SettingsError::about(item, text, problem)),
        }
    }
    Ok(blocks)
}

fn cidr_block(text: &str) -> Result<CidrBlock, &'static str> {
    const INVALID: &str =
        "is not an IP address or CIDR block; use a form such as 192.0.2.0/24, 2001:db8::/64 or 192.0.2.1";
    const INVALID_PREFIX: &str = "has an invalid prefix length; write 0 to 32, or 0 to 128 for IPv6";
    if text.bytes().any(|byte| byte.is_ascii_whitespace()) {
        return Err("contains white space; remove it");
    }
    let (address, prefix) = match text.split_once('/') {
        Some((address, prefix)) => (address, Some(prefix)),
        None => (text, None),
    };
    let Some(ParsedAddress { address, ambiguity }) = parse(address) else {
        let from = text.split_once('-').and_then(|(from, _)| parse(from));
        return Err(if text.starts_with('!') {
            "is negated; list ranges that nobody may use under reject, without the !"
        } else if text.contains('%') {
            "has a zone, and external addresses have no zones; remove it"
        } else if from.is_some() {
            "is a range from one address to another; write it as CIDR blocks"
        } else {
            INVALID
        });
    };
    match ambiguity {
        Some(Ambiguity::Ipv4Mapped) => return Err("is an IPv4-mapped IPv6 address; write the IPv4 range"),
        Some(Ambiguity::LeadingZeros) => return Err("has leading zeros; write it without them"),
        None => {}
    }
    let Some(prefix) = prefix else { return Ok(CidrBlock::of(address)) };
    if parse(prefix).is_some() {
        return Err("has a netmask; write the prefix length instead, such as /24");
    }
    let plain =
        prefix.bytes().all(|byte| byte.is_ascii_digit()) && (prefix == "0" || !prefix.starts_with('0'));
    match number(prefix, 10).filter(|_| plain).and_then(|length| CidrBlock::new(address, length)) {
        None => Err(INVALID_PREFIX),
        Some(block) if block.network & !block.mask() == 0 => Ok(block),
        Some(_) => Err("has bits set after its prefix; write the first address of the block for the whole \
                        block, or no prefix for the single address"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_exactly_what_the_api_server_accepts() {
        for (text, same_as) in [
            ("1.2.3.4", "1.2.3.4"),
            ("010.08.0000000003.4", "10.8.3.4"),
            ("::", "::"),
            ("1::", "1::"),
            ("::1", "::1"),
            ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
            ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"),
            ("64:ff9b::1.2.3.04", "64:ff9b::102:304"),
            ("::FFFF:1.2.3.4", "1.2.3.4"),
            ("0:0:0:0:0:ffff:0102:0304", "1.2.3.4"),
            ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
            ("2001:00db8::1", "2001:db8::1"),
        ] {
            let address = parse(text).unwrap().address;
            assert_eq!(address, same_as.parse::<IpAddr>().unwrap(), "{text}");
        }
        let others = "1:2:3:4:5:6:7:8::|1:2:3:4:5:6:7|1::2::3|:::|1:::2|:1::|1:2:3:4:5:6:7:|\
                      1.2.3.4::|1:1.2.3.4::|12345::|1.2.3|1.2.3.4.5|1.2.3.256|\
                      1.2.3.99999999999999999999|1..2.3|+1.2.3.4| 1.2.3.4|1.2.3.4/32|fe80::1%eth0|\
                      [::1]||a|1";
        for text in others.split('|') {
            assert!(parse(text).is_none(), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn parses_every_standard_notation(address: IpAddr) {
            proptest::prop_assert_eq!(parse(&address.to_string()).map(|parsed| parsed.address), Some(address.to_canonical()));
        }

        #[test]
        fn parser_agrees_with_the_standard_library(text in "[0-9a-f:.%/ -]{0,50}") {
            // The standard library accepts IPv4-mapped addresses but no leading zeros.
            let strict = text.parse::<IpAddr>().ok();
            let parsed = parse(&text).filter(|parsed| parsed.ambiguity != Some(Ambiguity::LeadingZeros));
            proptest::prop_assert_eq!(parsed.map(|parsed| parsed.address), strict.map(|a| a.to_canonical()));
            let _ = cidr_block(&text);
        }
    }

    #[test]
    fn reports_ambiguous_notations() {
        let ambiguity = |text| parse(text).unwrap().ambiguity;
        for text in ["192.0.2.1", "2001:DB8::1", "2001:0db8:0:0:0:0:0:1", "::1", "64:ff9b::192.0.2.1"] {
            assert_eq!(ambiguity(text), None, "{text}");
        }
        for text in ["192.0.02.1", "2001:00db8::1", "64:ff9b::192.0.02.1"] {
            assert_eq!(ambiguity(text), Some(Ambiguity::LeadingZeros), "{text}");
        }
        for text in ["::ffff:192.0.2.1", "::ffff:c000:201", "::FFFF:192.0.02.1"] {
            assert_eq!(ambiguity(text), Some(Ambiguity::Ipv4Mapped), "{text}");
        }
    }

    #[test]
    fn address_families_do_not_overlap() {
        let all = [cidr_block("::/0").unwrap()];
        assert!(!covered(&all, "192.0.2.1".parse().unwrap()));
        assert!(covered(&all, "2001:db8::1".parse().unwrap()));
    }

    proptest::proptest! {
        #[test]
        fn containment_agrees_with_ipnet(one: IpAddr, other: IpAddr, prefix in 0_u8..=128, longer in 0_u8..=128) {
            let nets = (ipnet::IpNet::new(one, prefix), ipnet::IpNet::new(other, longer));
            let blocks = (CidrBlock::new(one, prefix.into()), CidrBlock::new(other, longer.into()));
            proptest::prop_assert_eq!((blocks.0.is_some(), blocks.1.is_some()), (nets.0.is_ok(), nets.1.is_ok()));
            if let ((Ok(net), Ok(of)), (Some(block), Some(inner))) = (nets, blocks) {
                proptest::prop_assert_eq!(block.contains(&inner), net.contains(&of));
                proptest::prop_assert_eq!(block.contains(&CidrBlock::of(other)), net.contains(&other));
                // Settings reject IPv4-mapped blocks.
                if net.network() == net.network().to_canonical() && one == one.to_canonical() {
                    let read = cidr_block(&net.trunc().to_string()).unwrap();
                    proptest::prop_assert!(read.contains(&CidrBlock::of(one)));
                    proptest::prop_assert_eq!(cidr_block(&net.to_string()).is_ok(), net == net.trunc());
                }
            }
        }
    }

    #[test]
    fn rejects_blocks_that_could_be_misread() {
        let prefix = "has an invalid prefix length; write 0 to 32, or 0 to 128 for IPv6";
        for (text, problem) in [
            (
                "",
                "is not an IP address or CIDR block; use a form such as 192.0.2.0/24, 2001:db8::/64 or 192.0.2.1",
            ),
            ("10.0.0.0/33", prefix),
            ("10.0.0.0/+8", prefix),
            ("10.0.0.0/08", prefix),
            ("10.0.0.0/", prefix),
            ("2001:db8::/129", prefix),
            ("10.0.0.0/255.0.0.0", "has a netmask; write the prefix length instead, such as /24"),
            ("10.0.0.1-10.0.0.9", "is a range from one address to another; write it as CIDR blocks"),
            ("!10.0.0.0/8", "is negated; list ranges that nobody may use under reject, without the !"),
            ("fe80::1%eth0", "has a zone, and external addresses have no zones; remove it"),
            (" 10.0.0.0/8", "contains white space; remove it"),
            ("10.0.0.0/ 8", "contains white space; remove it"),
            ("010.0.0.0/8", "has leading zeros; write it without them"),
            ("::ffff:10.0.0.0/104", "is an IPv4-mapped IPv6 address; write the IPv4 range"),
            (
                "172.16.66.10/23",
                "has bits set after its prefix; write the first address of the block for the whole block, or no prefix for the single address",
            ),
        ] {
            assert_eq!(cidr_block(text).unwrap_err(), problem, "{text}");
        }
        for text in ["10.0.0.0/8", "192.0.2.1", "::/0", "0.0.0.0/0", "2001:DB8::/32", "2001:db8::1"] {
            assert!(cidr_block(text).is_ok(), "{text}");
        }
    }
}
