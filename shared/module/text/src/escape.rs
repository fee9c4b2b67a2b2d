//! Escapes in JSON strings.

/// An unpaired surrogate, which is not a character.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Unpaired;

/// Returns the text of a JSON string, given the bytes between its quotes, whose escapes must be
/// well-formed (RFC 8259, section 7).
///
/// # Errors
/// Returns [`Unpaired`] if an escape is half of a surrogate pair without the other half.
pub fn unescape(raw: &[u8]) -> Result<Vec<u8>, Unpaired> {
    let mut text = Vec::with_capacity(raw.len());
    let mut rest = raw.iter().copied();
    let unit = |rest: &mut std::iter::Copied<std::slice::Iter<'_, u8>>| {
        let digits = rest.by_ref().take(4).filter_map(|byte| char::from(byte).to_digit(16));
        digits.fold(0, |unit: u32, digit| (unit << 4) | digit)
    };
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            text.push(byte);
            continue;
        }
        let code = match rest.next().unwrap_or_default() {
            b'b' => 0x08,
            b'f' => 0x0c,
            b'n' => 0x0a,
            b'r' => 0x0d,
            b't' => 0x09,
            b'u' => match unit(&mut rest) {
                high @ 0xd800..=0xdbff => {
                    if (rest.next(), rest.next()) != (Some(b'\\'), Some(b'u')) {
                        return Err(Unpaired);
                    }
                    match unit(&mut rest) {
                        low @ 0xdc00..=0xdfff => {
                            (((high & 0x3ff) << 10) | (low & 0x3ff)).saturating_add(0x1_0000)
                        }
                        _ => return Err(Unpaired),
                    }
                }
                unit => unit,
            },
            // A quote, a backslash or a slash.
            byte => u32::from(byte),
        };
        let c = char::from_u32(code).ok_or(Unpaired)?;
        text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
    Ok(text)
}
