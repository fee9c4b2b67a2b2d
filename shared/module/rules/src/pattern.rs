//! Patterns with the wildcards `*` and `?`.

/// A pattern in which `*` matches any number of characters, including none, and `?` matches exactly
/// one character. Both match slashes; there is no escape character.
#[derive(Clone, Debug)]
pub struct Pattern(String);

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
        Self(text.to_owned())
    }

    /// Returns whether one of the patterns matches a text, or there are none.
    #[must_use]
    pub fn any_or_none(patterns: &[Self], text: &str) -> bool {
        patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(text))
    }

    /// Returns whether the pattern matches the whole text. The comparison is case-sensitive.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        let (mut pattern, mut rest) = (self.0.chars(), text.chars());
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
