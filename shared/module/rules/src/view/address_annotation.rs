//! Annotations of Services that request addresses of load balancers.

use admission::Shape;

/// The annotations in which a load balancer controller reads the addresses that the author of a
/// Service requests, by key. They hold one address, addresses that are separated by commas, or
/// (Calico) a JSON array of strings.
///
/// Annotations that hold names or identifiers of addresses are not listed, such as those of Google
/// Cloud, Scaleway and Elastic IPs of AWS: the cloud decides who may use these.
///
/// The README of the policy `external-ips` lists the controllers; `DESIGN.md` lists the sources.
pub const KEYS: [&str; 24] = [
    "ako.vmware.com/load-balancer-ip",
    "cis.f5.com/ip",
    "eip.openelb.kubesphere.io/v1alpha1",
    "io.cilium/lb-ipam-ips",
    "kube-vip.io/loadbalancerIPs",
    "kubernetes.civo.com/ipv4-address",
    "lb.stackit.cloud/external-address",
    "lbipam.cilium.io/ips",
    "load-balancer.hetzner.cloud/private-ipv4",
    "loxilb.io/secondaryIPs",
    "loxilb.io/staticIP",
    "metallb.io/loadBalancerIPs",
    "metallb.universe.tf/loadBalancerIPs",
    "oci-network-load-balancer.oraclecloud.com/assigned-ipv6",
    "oci-network-load-balancer.oraclecloud.com/assigned-private-ipv4",
    "projectcalico.org/loadBalancerIPs",
    "purelb.io/addresses",
    "service.beta.kubernetes.io/alibaba-cloud-loadbalancer-ip",
    "service.beta.kubernetes.io/aws-load-balancer-ipv6-addresses",
    "service.beta.kubernetes.io/aws-load-balancer-private-ipv4-addresses",
    "service.beta.kubernetes.io/azure-load-balancer-ipv4",
    "service.beta.kubernetes.io/azure-load-balancer-ipv6",
    "service.beta.kubernetes.io/linode-loadbalancer-reserved-ipv4",
    "service.citrix.com/frontend-ip",
];

/// The annotations, as a part of the shape of a Service.
pub(super) const SHAPE: Shape<'static> = Shape::Fields(&FIELDS);

static FIELDS: [(&str, Shape<'static>); KEYS.len()] = {
    let mut fields = [("", Shape::ALL); KEYS.len()];
    let mut rest = fields.as_mut_slice();
    let mut keys = KEYS.as_slice();
    while let ([key, more_keys @ ..], [field, more_fields @ ..]) = (keys, rest) {
        field.0 = key;
        (keys, rest) = (more_keys, more_fields);
    }
    fields
};

/// Returns the addresses that the text of such an annotation requests.
///
/// All formats are read alike, because no address contains a comma, a blank, a bracket or a
/// quotation mark. Another text, such as an escape sequence in a JSON string, is returned as it is,
/// so that it is a value that is not an address.
pub fn addresses(text: &str) -> impl Iterator<Item = &str> {
    let parts = text
        .split(',')
        .map(|part| part.trim_matches(|c: char| c.is_ascii_whitespace() || matches!(c, '[' | ']' | '"')));
    parts.filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_format() {
        for (text, expected) in [
            ("192.0.2.1", vec!["192.0.2.1"]),
            (" 192.0.2.1,\t2001:db8::1 \n", vec!["192.0.2.1", "2001:db8::1"]),
            (r#"["192.0.2.1", "2001:db8::1"]"#, vec!["192.0.2.1", "2001:db8::1"]),
            (r#"["\u0031"]"#, vec![r"\u0031"]),
            ("a b", vec!["a b"]),
            (",, [ ]\"\"", vec![]),
        ] {
            assert_eq!(addresses(text).collect::<Vec<&str>>(), expected, "{text}");
        }
    }

    #[test]
    fn keys_are_sorted() {
        assert!(KEYS.is_sorted());
    }
}
