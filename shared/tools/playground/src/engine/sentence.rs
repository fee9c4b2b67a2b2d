//! The sentence about all objects.

use crate::matrix::{Counts, Matrix, ObjectState, Outcome, Sentence, Tone};

/// Says a result in a sentence. A good one has the fields that make it doubtful.
pub(crate) fn say(matrix: &Matrix) -> Sentence {
    let Matrix { objects, policies, counts, .. } = matrix;
    let said = match objects.as_slice() {
        [] => return said("Nothing to evaluate", Tone::None),
        _ if !policies.iter().any(|policy| policy.enabled) => {
            let tone = if counts.unreadable > 0 { Tone::Unreadable } else { Tone::None };
            return said("No policy is enabled", tone);
        }
        [only] => Sentence { text: about_one(only), tone: tone(counts) },
        _ => Sentence { text: about_all(counts), tone: tone(counts) },
    };
    let suspicious: Vec<&ObjectState> =
        objects.iter().filter(|object| !object.suspicions.is_empty()).collect();
    let is_good = matches!(said.tone, Tone::Changed | Tone::Warned | Tone::Passed);
    let Some(first) = suspicious.first().filter(|_| is_good) else { return said };
    let doubt = match objects.as_slice() {
        [_] => format!("{} first", count(first.suspicions.len(), "field")),
        _ => format!("the fields of {} first", count(suspicious.len(), "object")),
    };
    Sentence { text: format!("{}, but look at {doubt}", said.text), tone: Tone::Warned }
}

fn said(text: &str, tone: Tone) -> Sentence {
    Sentence { text: text.to_owned(), tone }
}

/// Names every count because of which not all objects are admitted, the worst first. No count is
/// left out of the pattern, so that a new one has to be considered here.
fn about_all(counts: &Counts) -> String {
    let Counts {
        objects,
        denied,
        unreadable,
        not_evaluated,
        unknown,
        monitored,
        changed,
        warned: _,
        passed: _,
        not_looked_at,
    } = *counts;
    let all = count(objects, "object");
    let of = |number: u32| format!("{} of {all}", grouped(number));
    let is = |number: u32| if number == 1 { "is" } else { "are" };
    let parts = [
        (denied, "denied", format!("{} would be denied", of(denied))),
        (unreadable, "not readable", format!("{} cannot be read", of(unreadable))),
        (
            not_evaluated,
            "not evaluated",
            format!("{} {} not evaluated", of(not_evaluated), is(not_evaluated)),
        ),
        (unknown, "not known", format!("It is not known whether {} would be admitted", of(unknown))),
        (
            monitored,
            "monitored",
            format!("{} would be denied if the policies did not only monitor", of(monitored)),
        ),
    ];
    let mut parts = parts.into_iter().filter(|(number, ..)| *number > 0);
    if let Some((.., mut text)) = parts.next() {
        text.extend(parts.map(|(number, word, _)| format!("; {word}: {}", grouped(number))));
        return text;
    }
    if not_looked_at == objects {
        return format!("No enabled policy looks at these {all}");
    }
    let changes = if changed > 0 { format!(", {} with changes", grouped(changed)) } else { String::new() };
    format!("All {all} would be admitted{changes}")
}

fn about_one(ObjectState { title, problem, outcome, .. }: &ObjectState) -> String {
    if problem.is_some() {
        return "The object cannot be read".to_owned();
    }
    match outcome {
        Some(Outcome::Denied | Outcome::Fault) => format!("{title} would be denied"),
        Some(Outcome::Unknown) => format!("It is not known whether {title} would be admitted"),
        Some(Outcome::Monitored) => format!("{title} would be denied if the policies did not only monitor"),
        Some(Outcome::Changed) => format!("{title} would be admitted with changes"),
        Some(Outcome::Warned) => format!("{title} would be admitted with warnings"),
        Some(Outcome::Passed) => format!("{title} would be admitted"),
        Some(Outcome::NotLookedAt) => format!("No enabled policy looks at {title}"),
        None => format!("{title} is not evaluated"),
    }
}

fn tone(counts: &Counts) -> Tone {
    [
        (counts.denied, Tone::Denied),
        (counts.unreadable, Tone::Unreadable),
        (counts.not_evaluated, Tone::Unreadable),
        (counts.unknown, Tone::Unknown),
        (counts.monitored, Tone::Monitored),
        (counts.changed, Tone::Changed),
        (counts.warned, Tone::Warned),
        (counts.passed, Tone::Passed),
        (counts.not_looked_at, Tone::NotLookedAt),
    ]
    .into_iter()
    .find(|(number, _)| *number > 0)
    .map_or(Tone::None, |(_, tone)| tone)
}

fn count(number: impl TryInto<u64>, noun: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// Returns a number with commas between groups of three digits.
fn grouped(number: impl Into<u64>) -> String {
    let digits = number.into().to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No, some or more objects of each outcome, in numbers that differ.
    #[test]
    fn all_objects_are_admitted_only_if_each_is_and_every_other_count_is_named() {
        let mut admitted = 0;
        for code in 0..3_u32.pow(9) {
            let number = |at: u32| code / 3_u32.pow(at) % 3 * (at + 2);
            let counts = Counts {
                objects: (0..9).map(number).sum(),
                denied: number(0),
                unreadable: number(1),
                not_evaluated: number(2),
                unknown: number(3),
                monitored: number(4),
                changed: number(5),
                warned: number(6),
                passed: number(7),
                not_looked_at: number(8),
            };
            let text = about_all(&counts);
            let bad = [
                (counts.denied, "would be denied", "denied"),
                (counts.unreadable, "cannot be read", "not readable"),
                (counts.not_evaluated, "are not evaluated", "not evaluated"),
                (counts.unknown, "would be admitted", "not known"),
                (counts.monitored, "would be denied if", "monitored"),
            ];
            let mut named = bad.into_iter().filter(|(number, ..)| *number > 0);
            let first = named.next();
            if let Some((number, words, _)) = first {
                assert!(text.contains(&format!("{number} of {} objects {words}", counts.objects)), "{text}");
            }
            for (number, _, word) in named {
                assert!(text.contains(&format!("; {word}: {number}")), "{text}");
            }
            let is_good = first.is_none() && counts.not_looked_at < counts.objects;
            let says_so = text.starts_with(&format!("All {} objects would be admitted", counts.objects));
            assert_eq!(says_so, is_good, "{counts:?}: {text}");
            admitted += u32::from(is_good);
        }
        assert_eq!(admitted, 78);
    }

    #[test]
    fn sentences_have_numbers_in_groups() {
        assert_eq!([0_u32, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
