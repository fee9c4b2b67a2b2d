//! Warnings: what a policy finds, in one line for a terminal.

/// The length that the API server asks webhooks to keep warnings to.
pub const LONGEST: usize = 120;

/// A line with as many of the items as it has room for, and how many more there are, `beyond` of which are not
/// among the items.
///
/// # Example
/// ```
/// use rules::summary::summary;
///
/// assert_eq!(summary("would refuse", &["a", "b"], 0), "would refuse: a, b");
/// let long = "x".repeat(100);
/// assert_eq!(summary("would refuse", &["a", &long, "b"], 0), "would refuse: a, b and 1 more");
/// ```
#[must_use]
pub fn summary(what: &str, items: &[&str], beyond: usize) -> String {
    within(LONGEST, what, items, beyond)
}

/// The same of another length.
#[must_use]
pub fn within(longest: usize, what: &str, items: &[&str], beyond: usize) -> String {
    /// Room for ` and 524288 more`.
    const MORE: usize = 16;
    let mut line = what.to_owned();
    let mut listed = false;
    let mut more = beyond;
    for item in items {
        let separator = if listed { ", " } else { ": " };
        let length = line.len().saturating_add(separator.len()).saturating_add(item.len());
        // What would move the cursor of a terminal is counted, not listed.
        if length.saturating_add(MORE) > longest || !item.bytes().all(|byte| byte.is_ascii_graphic()) {
            more = more.saturating_add(1);
            continue;
        }
        line.push_str(separator);
        line.push_str(item);
        listed = true;
    }
    if more > 0 {
        line.push_str(if listed { " and " } else { ": " });
        line.push_str(&more.to_string());
        line.push_str(if listed { " more" } else { " in all" });
    }
    line
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_does_not_fit_is_counted() {
        let long = "x".repeat(200);
        assert_eq!(summary("refused", &[&long, "a\nb"], 3), "refused: 5 in all");
    }

    proptest! {
        #[test]
        fn a_warning_is_short_and_on_one_line(items: Vec<String>) {
            let items: Vec<&str> = items.iter().map(String::as_str).collect();
            let line = summary("node-pods would refuse", &items, 500_000);
            prop_assert!(line.len() <= LONGEST && !line.contains(char::is_control), "{}", line);
        }
    }
}
