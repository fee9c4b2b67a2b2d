//! IP addresses and CIDRs. IPv4 addresses in IPv6 and zones are refused.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::LazyLock;

use cel::common::types::{CelBool, CelInt, CelString, Type};
use cel::{DeclarationError, Env, ExecutionError, add_member_overload, add_overload};
use ipnet::IpNet;

use super::{Of, Opaque, failed};

impl Opaque for IpAddr {
    fn of_type() -> &'static Type {
        static TYPE: LazyLock<Type> = LazyLock::new(|| Type::new_opaque_type("net.IP"));
        &TYPE
    }

    fn is_equal(&self, other: &Self) -> bool {
        self == other
    }
}

impl Opaque for IpNet {
    fn of_type() -> &'static Type {
        static TYPE: LazyLock<Type> = LazyLock::new(|| Type::new_opaque_type("net.CIDR"));
        &TYPE
    }

    fn is_equal(&self, other: &Self) -> bool {
        self == other
    }
}

pub(super) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    add_overload!(env, fn ip: (CelString) -> Result<Of<IpAddr>>)?;
    add_overload!(env, fn is_ip: (CelString) -> CelBool, name = "isIP")?;
    add_overload!(env, fn is_canonical: (CelString) -> Result<CelBool>, name = "ip.isCanonical")?;
    add_overload!(env, fn text_of_ip: (Of<IpAddr>) -> CelString, name = "string", id = "ip_to_string")?;
    add_member_overload!(env, fn family: (Of<IpAddr>) -> CelInt)?;
    add_member_overload!(env, fn is_unspecified: (Of<IpAddr>) -> CelBool)?;
    add_member_overload!(env, fn is_loopback: (Of<IpAddr>) -> CelBool)?;
    add_member_overload!(env, fn is_link_local_multicast: (Of<IpAddr>) -> CelBool)?;
    add_member_overload!(env, fn is_link_local_unicast: (Of<IpAddr>) -> CelBool)?;
    add_member_overload!(env, fn is_global_unicast: (Of<IpAddr>) -> CelBool)?;
    add_overload!(env, fn cidr: (CelString) -> Result<Of<IpNet>>)?;
    add_overload!(env, fn is_cidr: (CelString) -> CelBool, name = "isCIDR")?;
    add_overload!(env, fn text_of_cidr: (Of<IpNet>) -> CelString, name = "string", id = "cidr_to_string")?;
    add_member_overload!(env, fn contains_ip: (Of<IpNet>, Of<IpAddr>) -> CelBool, name = "containsIP")?;
    add_member_overload!(env, fn contains_ip_text: (Of<IpNet>, CelString) -> Result<CelBool>, name = "containsIP")?;
    add_member_overload!(env, fn contains_cidr: (Of<IpNet>, Of<IpNet>) -> CelBool, name = "containsCIDR")?;
    add_member_overload!(env, fn contains_cidr_text: (Of<IpNet>, CelString) -> Result<CelBool>, name = "containsCIDR")?;
    add_member_overload!(env, fn ip_of_cidr: (Of<IpNet>) -> Of<IpAddr>, name = "ip")?;
    add_member_overload!(env, fn prefix_length: (Of<IpNet>) -> CelInt)?;
    add_member_overload!(env, fn masked: (Of<IpNet>) -> Of<IpNet>)
}

fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some())
}

fn ip(text: &CelString<'_>) -> Result<Of<IpAddr>, ExecutionError> {
    let address = text.inner().parse::<IpAddr>().ok().filter(|address| !is_mapped(*address));
    address.map(Of).ok_or_else(|| failed("ip", "not an IP address"))
}

fn is_ip(text: &CelString<'_>) -> CelBool {
    CelBool::from(ip(text).is_ok())
}

fn is_canonical(text: &CelString<'_>) -> Result<CelBool, ExecutionError> {
    Ok(CelBool::from(ip(text)?.0.to_string() == text.inner()))
}

fn text_of_ip(address: &Of<IpAddr>) -> CelString<'static> {
    CelString::from(address.0.to_string())
}

fn family(address: &Of<IpAddr>) -> CelInt {
    CelInt::from(if address.0.is_ipv4() { 4 } else { 6 })
}

fn is_unspecified(address: &Of<IpAddr>) -> CelBool {
    CelBool::from(address.0.is_unspecified())
}

fn is_loopback(address: &Of<IpAddr>) -> CelBool {
    CelBool::from(address.0.is_loopback())
}

fn is_link_local_multicast(address: &Of<IpAddr>) -> CelBool {
    CelBool::from(match address.0 {
        IpAddr::V4(address) => matches!(address.octets(), [224, 0, 0, _]),
        // The flags may be any.
        IpAddr::V6(address) => matches!(address.segments(), [first, ..] if first & 0xff0f == 0xff02),
    })
}

fn links_locally(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    }
}

fn is_link_local_unicast(address: &Of<IpAddr>) -> CelBool {
    CelBool::from(links_locally(address.0))
}

/// Private addresses count, too.
fn is_global_unicast(address: &Of<IpAddr>) -> CelBool {
    let Of(address) = *address;
    let is_excepted = address.is_unspecified()
        || address.is_loopback()
        || address.is_multicast()
        || address == IpAddr::V4(Ipv4Addr::BROADCAST)
        || links_locally(address);
    CelBool::from(!is_excepted)
}

fn cidr(text: &CelString<'_>) -> Result<Of<IpNet>, ExecutionError> {
    let has_plain_length = text.inner().rsplit_once('/').is_some_and(|(_, length)| {
        length.chars().all(|one| one.is_ascii_digit()) && (length == "0" || !length.starts_with('0'))
    });
    let network =
        text.inner().parse::<IpNet>().ok().filter(|network| has_plain_length && !is_mapped(network.addr()));
    network.map(Of).ok_or_else(|| failed("cidr", "not a CIDR"))
}

fn is_cidr(text: &CelString<'_>) -> CelBool {
    CelBool::from(cidr(text).is_ok())
}

fn text_of_cidr(network: &Of<IpNet>) -> CelString<'static> {
    CelString::from(network.0.to_string())
}

fn contains_ip(network: &Of<IpNet>, address: &Of<IpAddr>) -> CelBool {
    CelBool::from(network.0.contains(&address.0))
}

fn contains_ip_text(network: &Of<IpNet>, address: &CelString<'_>) -> Result<CelBool, ExecutionError> {
    Ok(contains_ip(network, &ip(address)?))
}

fn contains_cidr(network: &Of<IpNet>, other: &Of<IpNet>) -> CelBool {
    CelBool::from(network.0.trunc().contains(&other.0.trunc()))
}

fn contains_cidr_text(network: &Of<IpNet>, other: &CelString<'_>) -> Result<CelBool, ExecutionError> {
    Ok(contains_cidr(network, &cidr(other)?))
}

fn ip_of_cidr(network: &Of<IpNet>) -> Of<IpAddr> {
    Of(network.0.addr())
}

fn prefix_length(network: &Of<IpNet>) -> CelInt {
    CelInt::from(i64::from(network.0.prefix_len()))
}

fn masked(network: &Of<IpNet>) -> Of<IpNet> {
    Of(network.0.trunc())
}
