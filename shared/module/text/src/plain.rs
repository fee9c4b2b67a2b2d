//! The plain text of JSON strings, found several bytes at a time.

/// Returns the position of the first byte from `at` that ends the text of a string or starts an
/// escape.
#[inline]
#[must_use]
pub fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    let Some(mut rest) = bytes.get(at..) else { return at };
    while let Some((chunk, after)) = rest.split_first_chunk() {
        if let Some(special) = special(*chunk) {
            return at.wrapping_add(special as usize);
        }
        at = at.wrapping_add(chunk.len());
        rest = after;
    }
    while bytes.get(at).is_some_and(|byte| *byte >= 0x20 && *byte != b'"' && *byte != b'\\') {
        at = at.wrapping_add(1);
    }
    at
}

/// Returns the position of the first quote, backslash or control character.
#[cfg(not(target_feature = "simd128"))]
#[inline]
fn special(chunk: [u8; 8]) -> Option<u32> {
    const ONES: u64 = u64::MAX / 255;
    const HIGHS: u64 = ONES << 7;
    let word = u64::from_le_bytes(chunk);
    // Flipping the second bit makes the quote and the control characters the bytes below 0x21. The
    // subtraction then sets the high bit of each of them. A borrow can set wrong bits only behind
    // the first of them. Bytes that are not ASCII are masked out.
    let quote_or_control = (word ^ ONES.wrapping_mul(0x02)).wrapping_sub(ONES.wrapping_mul(0x21));
    let backslash = (word ^ ONES.wrapping_mul(0x5c)).wrapping_sub(ONES);
    let special = (quote_or_control | backslash) & !word & HIGHS;
    (special != 0).then(|| special.trailing_zeros() / 8)
}

/// Returns the position of the first quote, backslash or control character.
#[cfg(target_feature = "simd128")]
#[inline]
fn special(chunk: [u8; 16]) -> Option<u32> {
    use core::arch::wasm32::{u8x16_bitmask, u8x16_eq, u8x16_lt, u8x16_splat, v128_or};

    let bytes = vector(&chunk);
    let quote = u8x16_eq(bytes, u8x16_splat(b'"'));
    let backslash = u8x16_eq(bytes, u8x16_splat(b'\\'));
    let control = u8x16_lt(bytes, u8x16_splat(0x20));
    let special = u8x16_bitmask(v128_or(v128_or(quote, backslash), control));
    (special != 0).then(|| special.trailing_zeros())
}

/// Returns 16 bytes as a vector, which the compiler loads at once.
#[cfg(target_feature = "simd128")]
#[inline]
#[must_use]
pub fn vector(bytes: &[u8; 16]) -> core::arch::wasm32::v128 {
    let (low, high) = (bytes.first_chunk().copied(), bytes.last_chunk().copied());
    let word = |bytes: Option<[u8; 8]>| bytes.map_or(0, u64::from_le_bytes);
    core::arch::wasm32::u64x2(word(low), word(high))
}
