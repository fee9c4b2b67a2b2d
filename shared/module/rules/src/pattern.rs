//! Patterns with the wildcards `*` and `?`.

use admission::sorted;

/// A pattern in which `*` matches any number of characters, including none, and `?` matches exactly
/// one character. Both match slashes; there is no escape character.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The text before the first wildcard; the whole pattern if it has none.
    head: String,
    /// The first to the last wildcard.
    middle: String,
    /// The text after the last wildcard.
    tail: String,
}

impl Pattern {
    /// Creates a pattern. Every text is a valid pattern.
    ///
    /// # Example
    /// ```
    /// use rules::pattern::Pattern;
    ///
    /// let pattern = Pattern::of("ghcr.io/*/proxy:1.?");
    /// assert!(pattern.matches("ghcr.io/a/b/proxy:1.2"));
    /// assert!(!pattern.matches("ghcr.io/a/proxy:1.20"));
    /// ```
    #[must_use]
    pub fn of(text: &str) -> Self {
        let first = text.find(WILDCARDS).unwrap_or(text.len());
        let (head, rest) = text.split_at_checked(first).unwrap_or((text, ""));
        let tail = rest.rsplit(WILDCARDS).next().unwrap_or_default();
        let middle = rest.strip_suffix(tail).unwrap_or_default();
        Self { head: head.to_owned(), middle: middle.to_owned(), tail: tail.to_owned() }
    }

    /// Returns whether the pattern matches the whole text. The comparison is case-sensitive.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        let rest = text.strip_prefix(self.head.as_str());
        rest.and_then(|rest| rest.strip_suffix(self.tail.as_str()))
            .is_some_and(|rest| matches_wildcards(&self.middle, rest))
    }
}

const WILDCARDS: [char; 2] = ['*', '?'];

fn matches_wildcards(pattern: &str, text: &str) -> bool {
    let (mut pattern, mut rest) = (pattern.chars(), text.chars());
    // The place to resume at after a mismatch: the last star then matches one more character.
    let mut retry = None;
    loop {
        let mut ahead = pattern.clone();
        match ahead.next() {
            Some('*') => {
                pattern = ahead;
                retry = Some((pattern.clone(), rest.clone()));
                continue;
            }
            Some(wanted) => {
                let mut following = rest.clone();
                if following.next().is_some_and(|found| wanted == '?' || wanted == found) {
                    (pattern, rest) = (ahead, following);
                    continue;
                }
            }
            None if rest.as_str().is_empty() => return true,
            None => {}
        }
        let Some((star, mut taken)) = retry.take() else { return false };
        if taken.next().is_none() {
            return false;
        }
        (pattern, rest) = (star.clone(), taken.clone());
        retry = Some((star, taken));
    }
}

/// Patterns of which one has to match, grouped by form: a text is looked up among those without
/// wildcards and among those whose only wildcard is a final `*`, and compared only with the others
/// one by one.
#[derive(Debug, Default)]
pub struct Patterns {
    /// The patterns without wildcards, sorted.
    exact: Vec<String>,
    /// The texts before a final `*`, sorted. None of them starts with another one, so only the
    /// last one that is not greater than a text can be its prefix.
    prefixes: Vec<String>,
    others: Vec<Pattern>,
}

impl Patterns {
    /// Groups patterns.
    ///
    /// # Example
    /// ```
    /// use rules::pattern::Patterns;
    ///
    /// let patterns = Patterns::of(&["/etc/hosts", "/var/log/*", "*.sock"]);
    /// assert!(patterns.match_text("/var/log/pods") && patterns.match_text("/run/x.sock"));
    /// assert!(!patterns.match_text("/etc"));
    /// ```
    #[must_use]
    pub fn of(texts: &[&str]) -> Self {
        let mut patterns = Self::default();
        let mut stems = Vec::new();
        for text in sorted(texts) {
            let stem = text.trim_end_matches('*');
            if stem.contains(WILDCARDS) {
                patterns.others.push(Pattern::of(text));
            } else if stem.len() < text.len() {
                stems.push(stem);
            } else {
                patterns.exact.push(text.to_owned());
            }
        }
        for stem in sorted(&stems) {
            if !patterns.prefixes.last().is_some_and(|prefix| stem.starts_with(prefix.as_str())) {
                patterns.prefixes.push(stem.to_owned());
            }
        }
        patterns
    }

    pub(crate) fn are_empty(&self) -> bool {
        self.exact.is_empty() && self.prefixes.is_empty() && self.others.is_empty()
    }

    /// Returns whether one of the patterns matches a text.
    #[must_use]
    pub fn match_text(&self, text: &str) -> bool {
        last_up_to(&self.exact, text) == Some(text)
            || last_up_to(&self.prefixes, text).is_some_and(|prefix| text.starts_with(prefix))
            || self.others.iter().any(|pattern| pattern.matches(text))
    }

    /// Returns whether one of the patterns matches a text, or there are none.
    pub(crate) fn are_met_by(&self, text: &str) -> bool {
        self.are_empty() || self.match_text(text)
    }
}

/// Returns the last of some sorted texts that is not greater than a text.
fn last_up_to<'a>(sorted: &'a [String], text: &str) -> Option<&'a str> {
    let greater = sorted.partition_point(|known| known.as_str() <= text);
    sorted.get(greater.checked_sub(1)?).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The meaning of a pattern as a recursive definition.
    fn fits(pattern: &[char], text: &[char]) -> bool {
        match (pattern, text) {
            ([], []) => true,
            (['*', rest @ ..], _) => fits(rest, text) || !text.is_empty() && fits(pattern, &text[1..]),
            (['?', rest @ ..], [_, text @ ..]) => fits(rest, text),
            ([one, rest @ ..], [other, text @ ..]) => one == other && fits(rest, text),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_recursive_definition(pattern in "[ab*?ä]{0,7}", text in "[abä/]{0,9}") {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(Pattern::of(&pattern).matches(&text), fits(&chars(&pattern), &chars(&text)));
        }
    }

    proptest! {
        #[test]
        fn grouped_patterns_match_what_one_of_them_matches(
            patterns in prop::collection::vec("[ab*?ä]{0,4}", 0..9), text in "[abä]{0,5}",
        ) {
            let texts: Vec<&str> = patterns.iter().map(String::as_str).collect();
            let expected = texts.iter().any(|pattern| Pattern::of(pattern).matches(&text));
            prop_assert_eq!(Patterns::of(&texts).match_text(&text), expected);
        }
    }

    // S4
    #[test]
    fn only_real_patterns_are_compared_one_by_one() {
        let texts: Vec<String> =
            (0..200).map(|n| format!("/data/{n}{}", if n % 2 == 0 { "" } else { "/*" })).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).chain(["*", "/dat?/x"]).collect();
        let patterns = Patterns::of(&texts);
        assert_eq!((patterns.exact.len(), patterns.others.len()), (100, 1));
        assert_eq!(patterns.prefixes, [""], "the star includes every other prefix");
    }

    #[test]
    fn matches_images() {
        for (pattern, image, expected) in [
            ("nginx", "nginx", true),
            ("nginx", "nginx:latest", false),
            ("nginx", "docker.io/library/nginx", false),
            ("*nginx*", "evil.example/not-nginx", true),
            ("ghcr.io/*", "ghcr.io/a/b@sha256:c", true),
            ("ghcr.io/*", "GHCR.io/a", false),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("?", "", false),
        ] {
            assert_eq!(Pattern::of(pattern).matches(image), expected, "{pattern} {image}");
        }
    }
}
