//! Whether a text can be that of an object, before it is parsed.

use memchr::memmem;

/// Returns whether a text can be that of an object: whether it has the names of the fields that all
/// objects have, or can spell them in another way.
pub(super) fn may_be_object(text: &[u8]) -> bool {
    let has = |word: &[u8]| memmem::find(text, word).is_some();
    may_spell(text) || has(b"apiVersion") && has(b"kind")
}

/// Returns whether a text can spell a word in another way: in UTF-16, with escapes of quoted text
/// or of tags, or in base64.
pub(crate) fn may_spell(text: &[u8]) -> bool {
    let has = |word: &[u8]| memmem::find(text, word).is_some();
    let has_byte = |byte: u8| memchr::memchr(byte, text).is_some();
    // The last two begin the line separators of YAML 1.1.
    let is_escape = |at: usize| {
        let next = text.get(at.saturating_add(1));
        matches!(next, Some(b'u' | b'x' | b'U' | b'\r' | b'\n' | 0xc2 | 0xe2))
    };
    let is_tag_with_escape = |word: &[u8]| {
        let tag = memchr::memchr(b'!', word).and_then(|at| word.get(at..));
        tag.is_some_and(|tag| tag.contains(&b'%'))
    };
    has_byte(0)
        || has(b"binary")
        || has(b"%TAG")
        || memchr::memchr_iter(b'\\', text).any(is_escape)
        || has_byte(b'!') && has_byte(b'%') && text.split(u8::is_ascii_whitespace).any(is_tag_with_escape)
}
