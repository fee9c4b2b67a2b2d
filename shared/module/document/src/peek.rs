//! Strings near the beginning of a document, found without reading the rest.

use crate::json::{Scanner, Start, SyntaxError};

/// Returns the strings of two fields of the object below some keys; `None` unless both strings have
/// no escapes and occur before any text that is not JSON.
///
/// The text after them is not read: it may not be JSON, or may repeat a key. The result is
/// therefore only a guess, which must be checked later.
///
/// # Example
/// ```
/// let payload = br#"{"request": {"kind": {"group": "", "kind": "Pod"}, "object": "#;
/// let found = document::peek(payload, &["request", "kind"], ["group", "kind"]);
/// assert_eq!(found, Some([&b""[..], b"Pod"]));
/// assert_eq!(document::peek(payload, &["request", "kind"], ["group", "version"]), None);
/// ```
#[must_use]
pub fn peek<'t>(text: &'t [u8], keys: &[&str], fields: [&str; 2]) -> Option<[&'t [u8]; 2]> {
    find(&mut Scanner::new(text), keys, fields).ok().flatten()
}

fn find<'t>(
    scanner: &mut Scanner<'t>,
    keys: &[&str],
    fields: [&str; 2],
) -> Result<Option<[&'t [u8]; 2]>, SyntaxError> {
    let mut keys = keys.iter();
    let mut found = [None; 2];
    let mut wanted = keys.next();
    let mut first = true;
    if scanner.start()? != Start::Object {
        return Ok(None);
    }
    scanner.enter()?;
    while scanner.field(first)? {
        first = false;
        let key = scanner.raw();
        if wanted.is_some_and(|wanted| wanted.as_bytes() == key) {
            if scanner.start()? != Start::Object {
                return Ok(None);
            }
            scanner.enter()?;
            (wanted, first) = (keys.next(), true);
            continue;
        }
        let field = fields.iter().zip(&mut found).find(|(field, _)| field.as_bytes() == key);
        match field {
            Some((_, value)) if wanted.is_none() && scanner.start()? == Start::String => {
                scanner.string()?;
                if scanner.is_escaped() {
                    return Ok(None);
                }
                *value = Some(scanner.raw());
                if let [Some(one), Some(other)] = found {
                    return Ok(Some([one, other]));
                }
            }
            _ => scanner.skip()?,
        }
    }
    Ok(None)
}
