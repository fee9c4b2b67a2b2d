use std::fmt::Write;

/// Percent-encodes a text as a segment of a path or a value of a query (RFC 3986): all bytes but
/// the unreserved characters.
#[must_use]
pub fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_all_but_unreserved_characters() {
        assert_eq!(percent_encoded("Az09-._~"), "Az09-._~");
        assert_eq!(percent_encoded("external-ips/v0.1.0"), "external-ips%2Fv0.1.0");
        assert_eq!(percent_encoded("größe 1%&=+\n"), "gr%C3%B6%C3%9Fe%201%25%26%3D%2B%0A");
    }
}
