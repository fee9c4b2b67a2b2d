//! The end of an object or array, found by its structure alone.
//!
//! Most of a payload is never read by any rule, so passing over it dominates the cost of a request.
//! Only quotes, escapes and brackets matter for the end of a value. They are found for 64 bytes at
//! a time, as bits of a word, the way simdjson does it ("Parsing Gigabytes of JSON per Second",
//! Langdale and Lemire, 2019, sections 3.1.1 and 3.1.2). The text between them is not validated:
//! the host has parsed and serialized the payload, and the native tools parse what they read.
//! DESIGN.md has the figures.

/// The number of bytes that are examined at once: one bit of a word for each.
const BLOCK: usize = 64;

/// The bytes of a block that matter, as bits; that of the first byte is the lowest.
struct Marks {
    quotes: u64,
    backslashes: u64,
    /// `{` and `[`.
    opening: u64,
    /// `}` and `]`.
    closing: u64,
}

/// Returns the position after the bracket that closes the object or array at `start`; `None` if the
/// text ends before.
pub(crate) fn end(text: &[u8], start: usize) -> Option<usize> {
    match OpenValue::default().pass(text.get(start..).unwrap_or_default(), true) {
        Passed::Whole(length) => Some(start.wrapping_add(length)),
        Passed::Part(_) => None,
    }
}

/// An object or array whose end is searched for, while its text is read.
///
/// # Example
/// ```
/// use document::{OpenValue, Passed};
///
/// let text = format!("{{\"key\": [\"}}{}\"]}}, 2", " ".repeat(100));
/// let mut value = OpenValue::default();
/// assert_eq!(value.pass(text.as_bytes(), false), Passed::Part(64));
/// let rest = &text.as_bytes()[64..];
/// assert_eq!(value.pass(rest, true), Passed::Whole(rest.len() - ", 2".len()));
/// ```
#[derive(Clone, Debug, Default)]
pub struct OpenValue {
    depth: u32,
    /// Whether the text goes on within a string: no bit or every bit.
    within: u64,
    /// Whether the next byte is escaped: the lowest bit.
    carried: u64,
}

/// The bytes of a text that belong to a value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Passed {
    /// The value ends after this number of bytes.
    Whole(usize),
    /// The value does not end within this number of bytes.
    Part(usize),
}

impl OpenValue {
    /// The number of bytes of a block.
    pub const BLOCK: usize = BLOCK;

    /// Examines the whole blocks of a text. If `is_last`, nothing follows the text, and a last
    /// block that is not whole is examined as well. The first text starts at the opening bracket.
    /// Each further text starts where the last [`Passed::Part`] ended.
    #[inline]
    pub fn pass(&mut self, text: &[u8], is_last: bool) -> Passed {
        let mut at = 0;
        loop {
            let rest = text.get(at..).unwrap_or_default();
            let filled;
            let block = match rest.first_chunk() {
                Some(block) => block,
                None if rest.is_empty() || !is_last => return Passed::Part(at.min(text.len())),
                None => {
                    filled = padded(rest);
                    &filled
                }
            };
            if let Some(end) = self.end(block) {
                return Passed::Whole(at.wrapping_add(end));
            }
            at = at.wrapping_add(BLOCK);
        }
    }

    /// Returns the position in a block after the last bracket of the value; `None` if the value
    /// does not end there.
    #[inline]
    fn end(&mut self, block: &[u8; BLOCK]) -> Option<usize> {
        let Marks { mut quotes, backslashes, mut opening, mut closing } = marks(block);
        if backslashes | self.carried != 0 {
            quotes &= !escaped(backslashes, &mut self.carried);
        }
        let strings = self.within ^ parity(quotes);
        // Copies the highest bit to all others.
        self.within = 0_u64.wrapping_sub(strings >> 63);
        opening &= !strings;
        closing &= !strings;
        if closing.count_ones() >= self.depth {
            // The value ends at the bracket that brings the depth to zero, if it is in this block.
            let mut brackets = closing;
            let mut closed = 0_u32;
            while brackets != 0 {
                let bracket = brackets & brackets.wrapping_neg();
                closed = closed.wrapping_add(1);
                let opened = (opening & bracket.wrapping_sub(1)).count_ones();
                if self.depth.wrapping_add(opened) == closed {
                    return Some((bracket.trailing_zeros() as usize).wrapping_add(1));
                }
                brackets ^= bracket;
            }
        }
        self.depth = self.depth.wrapping_add(opening.count_ones()).wrapping_sub(closing.count_ones());
        None
    }
}

/// Returns the rest of a text, padded with spaces to a block.
#[cold]
fn padded(rest: &[u8]) -> [u8; BLOCK] {
    let mut block = [b' '; BLOCK];
    for (byte, rest) in block.iter_mut().zip(rest) {
        *byte = *rest;
    }
    block
}

/// Returns the bytes that backslashes escape. `carried` is the escape from one block to the next.
fn escaped(backslashes: u64, carried: &mut u64) -> u64 {
    let mut escaped = *carried;
    let mut rest = backslashes & !escaped;
    *carried = 0;
    while rest != 0 {
        let backslash = rest & rest.wrapping_neg();
        let next = backslash << 1;
        *carried = backslash >> 63;
        escaped |= next;
        rest &= !(backslash | next);
    }
    escaped
}

/// Returns for each bit whether the number of bits up to and including it is odd: from the bit of
/// an opening quote up to that before its closing quote.
fn parity(mut bits: u64) -> u64 {
    for distance in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << distance;
    }
    bits
}

/// `[` and `{`, and `]` and `}`, differ in this bit, which no other byte that matters has.
const BRACE: u8 = 0x20;

/// Examines 16 bytes at a time, with what the target has for it.
#[cfg(not(target_feature = "simd128"))]
fn marks(block: &[u8; BLOCK]) -> Marks {
    use wide::u8x16;

    let (chunks, _) = block.as_chunks();
    let bits = |byte: u8, mask: u8| {
        chunks.iter().rev().fold(0_u64, |bits, chunk| {
            let bytes = u8x16::new(*chunk) | u8x16::splat(mask);
            bits << 16 | u64::from(bytes.simd_eq(u8x16::splat(byte)).to_bitmask())
        })
    };
    Marks {
        quotes: bits(b'"', 0),
        backslashes: bits(b'\\', 0),
        opening: bits(b'{', BRACE),
        closing: bits(b'}', BRACE),
    }
}

/// Examines 16 bytes at a time.
#[cfg(target_feature = "simd128")]
fn marks(block: &[u8; BLOCK]) -> Marks {
    use core::arch::wasm32::{u8x16_bitmask, u8x16_eq, u8x16_splat, v128, v128_any_true, v128_or};
    use text::vector;

    let (vectors, _) = block.as_chunks();
    let [a, b, c, d] = vectors else { return Marks { quotes: 0, backslashes: 0, opening: 0, closing: 0 } };
    let vectors = [vector(a), vector(b), vector(c), vector(d)];
    let bits = |[a, b, c, d]: [v128; 4]| {
        let word = |low, high| u64::from(u8x16_bitmask(low)) | u64::from(u8x16_bitmask(high)) << 16;
        word(a, b) | word(c, d) << 32
    };
    let equal = |vectors: [v128; 4], byte| vectors.map(|bytes| u8x16_eq(bytes, u8x16_splat(byte)));
    let braces = vectors.map(|bytes| v128_or(bytes, u8x16_splat(BRACE)));
    let backslashes = equal(vectors, b'\\');
    let [a, b, c, d] = backslashes;
    Marks {
        quotes: bits(equal(vectors, b'"')),
        // Most blocks have none.
        backslashes: if v128_any_true(v128_or(v128_or(a, b), v128_or(c, d))) { bits(backslashes) } else { 0 },
        opening: bits(equal(braces, b'{')),
        closing: bits(equal(braces, b'}')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the end of the first value of a text as `serde_json` finds it.
    fn expected(text: &str) -> Option<usize> {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>();
        values.next()?.ok()?;
        Some(values.byte_offset())
    }

    /// Strings that look like structure, and structure that looks like strings.
    const VALUES: &[&str] = &[
        "{}",
        "[]",
        "[[],{}]",
        r#"{"a":"}"}"#,
        r#"{"}":1}"#,
        r#"["]","[","{","}"]"#,
        r#"["\""]"#,
        r#"["\"]"]"#,
        r#"["\\"]"#,
        r#"["\\\"]"]"#,
        r#"{"\"":["\\",{"\\\"}":"]"}]}"#,
        r#"["\u0022]"]"#,
        r#"[""]"#,
        "[1e5,-0.5,true,null]",
        "[\"\u{e9}\u{1f600}\u{5b57}\u{fb}\u{fd}\u{7f}\"]",
        "[ \t\n\r]",
    ];

    /// Every value at every offset of a block, behind text with and without quotes and escapes, and
    /// across the border of two blocks.
    #[test]
    fn a_value_ends_where_serde_json_ends_it_at_every_offset() {
        let fillers = [" ", "x", r"\\", r#"\""#, "[", "}"];
        let mut evaluated = 0_usize;
        for value in VALUES {
            for offset in 0..=2 * BLOCK {
                for filler in fillers {
                    let padding = filler.repeat(offset);
                    let padding = if filler == " " { padding } else { format!("\"{padding}\",") };
                    let text = format!("[{padding}{value}],\"]");
                    let expected = expected(&text);
                    assert_eq!(end(text.as_bytes(), 0), expected, "{text}");
                    evaluated += usize::from(expected.is_some());
                }
            }
        }
        assert_eq!(evaluated, VALUES.len() * (2 * BLOCK + 1) * fillers.len());
    }

    /// Every byte at every offset of a block: only those that matter change the end of a value.
    #[test]
    fn other_bytes_do_not_matter() {
        for byte in 0..=u8::MAX {
            for offset in 0..BLOCK {
                let mut text = [b"[", vec![b' '; offset].as_slice(), &[byte], b" ]"].concat();
                let expected = match byte {
                    b'"' | b'[' | b'{' => None,
                    b']' | b'}' => Some(offset + 2),
                    _ => Some(text.len()),
                };
                text.extend(vec![b' '; BLOCK]);
                assert_eq!(end(&text, 0), expected, "{byte:#x} at {offset}");
            }
        }
    }

    #[test]
    fn a_text_that_ends_early_has_no_end() {
        for text in ["", "[", r#"{"a":[1,2]"#, r#"["]"#, r#"["\"]"#, "[[[]"] {
            for spaces in [0, 1, 62, 63, 64, 65, 128] {
                let text = format!("{text}{}", " ".repeat(spaces));
                assert_eq!(end(text.as_bytes(), 0), None, "{text}");
            }
        }
    }

    #[test]
    fn depth_and_length_have_no_limit() {
        let brackets = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
        assert_eq!(end(&brackets, 0), Some(brackets.len()));
        let string = format!("[\"{}\"]", r#"\"]"#.repeat(2_000_000));
        assert_eq!(end(string.as_bytes(), 0), Some(string.len()));
    }

    #[test]
    fn escapes_are_carried_to_the_next_block() {
        let mut carried = 0;
        assert_eq!((escaped(1 << 63, &mut carried), carried), (0, 1));
        // An escaped backslash escapes nothing.
        assert_eq!((escaped(0b1, &mut carried), carried), (0b1, 0));
        assert_eq!((escaped(0b1011, &mut carried), carried), (0b1_0010, 0));
    }
}
