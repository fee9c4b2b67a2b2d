//! Warnings: the findings of a policy on one line of a terminal.

/// The maximum length of a warning, in bytes. The API server asks webhooks to stay within 120
/// characters.
///
/// Source: `AdmissionResponse.warnings` of k8s.io/api/admission/v1.
pub const LONGEST: usize = 120;

/// Returns a line of at most [`LONGEST`] bytes: `what`, then as many items as fit, then the number
/// of items left out.
///
/// `beyond` is the number of further items that are not in `items`; they count as left out. Items
/// that contain anything but visible ASCII characters are left out, too.
///
/// # Example
/// ```
/// use rules::summary::summary;
///
/// assert_eq!(summary("would deny", &["a", "b"], 0), "would deny: a, b");
/// let long = "x".repeat(100);
/// assert_eq!(summary("would deny", &["a", &long, "b"], 0), "would deny: a, b and 1 more");
/// ```
#[must_use]
pub fn summary(what: &str, items: &[&str], beyond: usize) -> String {
    within(LONGEST, what, items, beyond)
}

/// Returns the same line as [`summary`], with another maximum length in bytes.
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
        // Control characters would move the cursor of a terminal.
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
    fn counts_items_that_do_not_fit() {
        let long = "x".repeat(200);
        assert_eq!(summary("denied", &[&long, "a\nb"], 3), "denied: 5 in all");
    }

    proptest! {
        #[test]
        fn warning_is_one_short_line(items: Vec<String>) {
            let items: Vec<&str> = items.iter().map(String::as_str).collect();
            let line = summary("node-pods would deny", &items, 500_000);
            prop_assert!(line.len() <= LONGEST && !line.contains(char::is_control), "{}", line);
        }
    }
}
