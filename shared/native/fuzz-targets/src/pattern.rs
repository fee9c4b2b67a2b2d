//! Patterns with `*` and `?`, compared with a table of matching prefixes.

use rules::pattern::Pattern;

/// A pattern matches the same texts as the table. The first line of the input is the pattern, the
/// rest is the text.
pub(crate) fn run(input: &[u8]) -> bool {
    let Some((pattern, text)) = std::str::from_utf8(input).ok().and_then(|input| input.split_once('\n'))
    else {
        return false;
    };
    // The size of the table is quadratic.
    if input.len() > 512 {
        return false;
    }
    assert_eq!(Pattern::of(pattern).matches(text), fits(pattern, text), "{pattern:?} {text:?}");
    true
}

fn fits(pattern: &str, text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    // For each length, whether the pattern so far matches that many characters of the text.
    let mut fits: Vec<bool> = (0..=text.len()).map(|length| length == 0).collect();
    for wanted in pattern.chars() {
        let mut next = vec![false; fits.len()];
        for length in 0..fits.len() {
            next[length] = match wanted {
                '*' => fits[length] || length > 0 && next[length - 1],
                _ => length > 0 && fits[length - 1] && (wanted == '?' || wanted == text[length - 1]),
            };
        }
        fits = next;
    }
    fits[text.len()]
}
