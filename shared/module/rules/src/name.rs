//! Validation of Kubernetes names in settings.
//!
//! Source: k8s.io/apimachinery/pkg/util/validation.

/// Returns whether the text is an RFC 1123 label, such as the name of a namespace: 1 to 63
/// characters of `a-z`, `0-9` and `-`, where `-` is neither the first nor the last.
#[must_use]
pub fn is_label(name: &str) -> bool {
    name.len() <= 63 && is_framed(name, |b| b.is_ascii_lowercase() || b.is_ascii_digit(), b"-")
}

/// Returns whether the text is an RFC 1123 subdomain: one or more labels joined by dots, of at most
/// 253 characters in total.
#[must_use]
pub fn is_subdomain(name: &str) -> bool {
    name.len() <= 253
        && name.split('.').all(|part| is_framed(part, |b| b.is_ascii_lowercase() || b.is_ascii_digit(), b"-"))
}

/// Returns whether the text is a valid label key: a name of the form of a label value, not empty,
/// optionally preceded by a subdomain and a slash.
#[must_use]
pub fn is_label_key(key: &str) -> bool {
    match key.split_once('/') {
        Some((domain, name)) => is_subdomain(domain) && !name.is_empty() && is_label_value(name),
        None => !key.is_empty() && is_label_value(key),
    }
}

/// Returns whether the text is a valid label value: empty, or at most 63 ASCII letters, digits,
/// `-`, `_` and `.`, where the first and the last are letters or digits.
#[must_use]
pub fn is_label_value(value: &str) -> bool {
    value.is_empty() || value.len() <= 63 && is_framed(value, |b| b.is_ascii_alphanumeric(), b"-_.")
}

/// Returns whether the first and the last byte satisfy `ends`, and all others satisfy `ends` or are
/// in `inside`.
fn is_framed(text: &str, ends: impl Fn(u8) -> bool, inside: &[u8]) -> bool {
    let bytes = text.as_bytes();
    matches!((bytes.first(), bytes.last()), (Some(first), Some(last)) if ends(*first) && ends(*last))
        && bytes.iter().all(|byte| ends(*byte) || inside.contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_the_names_that_the_api_server_accepts() {
        for good in ["a", "kube-system", "0", &"a".repeat(63)] {
            assert!(is_label(good), "{good}");
        }
        for bad in ["", "A", "a.b", "-a", "a-", "a_b", "*", &"a".repeat(64)] {
            assert!(!is_label(bad), "{bad}");
        }
        for good in ["team", "example.com/team", "kubernetes.io/metadata.name", "A_b.c"] {
            assert!(is_label_key(good), "{good}");
        }
        for bad in ["", "/x", "x/", "a/b/c", "Example.com/x", "a b", "-x", "a..b/x"] {
            assert!(!is_label_key(bad), "{bad}");
        }
        for good in ["", "a", "A-b_c.d", "1"] {
            assert!(is_label_value(good), "{good}");
        }
        for bad in ["-a", "a.", "a b", "ä", &"a".repeat(64)] {
            assert!(!is_label_value(bad), "{bad}");
        }
    }
}
