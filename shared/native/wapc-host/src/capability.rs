//! The host capabilities, and patterns for them.

/// All host calls of the policy server, apart from the log, which is always granted.
const KNOWN: [&str; 11] = [
    "crypto/v1/is_certificate_trusted",
    "kubernetes/can_i",
    "kubernetes/get_resource",
    "kubernetes/list_resources_all",
    "kubernetes/list_resources_by_namespace",
    "net/v1/dns_lookup_host",
    "oci/v1/manifest_digest",
    "oci/v1/oci_manifest",
    "oci/v1/oci_manifest_config",
    "oci/v1/verify",
    "oci/v2/verify",
];

pub(crate) fn is_pattern(pattern: &str) -> bool {
    KNOWN.iter().any(|known| grants(pattern, known))
}

pub(crate) fn grants(pattern: &str, call: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some("") => true,
        Some(prefix) => prefix.ends_with('/') && call.starts_with(prefix),
        None => pattern == call,
    }
}

pub(crate) fn is_known(call: &str) -> bool {
    KNOWN.contains(&call)
}

pub(crate) fn is_namespace(namespace: &str) -> bool {
    KNOWN.iter().any(|known| known.split_once('/').is_some_and(|(known, _)| known == namespace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_grants_all_calls_a_prefix_or_one() {
        assert!(grants("*", "kubernetes/can_i"));
        assert!(grants("kubernetes/*", "kubernetes/can_i"));
        assert!(grants("oci/v1/*", "oci/v1/verify"));
        assert!(grants("oci/*", "oci/v1/verify"));
        assert!(grants("kubernetes/can_i", "kubernetes/can_i"));
        assert!(!grants("oci/v1/*", "oci/v2/verify"));
        assert!(!grants("kubernetes/can_i", "kubernetes/get_resource"));
        assert!(!grants("kubernetes", "kubernetes/can_i"));
    }

    #[test]
    fn a_pattern_that_grants_nothing_is_invalid() {
        for pattern in ["*", "kubernetes/*", "oci/v2/*", "net/v1/dns_lookup_host"] {
            assert!(is_pattern(pattern), "{pattern}");
        }
        for pattern in ["", "oci*", "oci/v1/oci_*", "kubernetes", "kubernetes/", "tracing/log", "oci/v3/*"] {
            assert!(!is_pattern(pattern), "{pattern}");
        }
    }
}
