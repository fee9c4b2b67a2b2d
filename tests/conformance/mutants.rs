//! Changed copies of texts, as editors, merges and attackers change them.

use std::sync::LazyLock;

use tests::random::Random;

/// Tokens with a meaning in YAML 1.1, in YAML 1.2, or in one of them only.
static TOKENS: LazyLock<Vec<String>> =
    LazyLock::new(|| serde_json::from_str(include_str!("tokens.json")).unwrap());

/// Returns a changed copy of a text, which may have a part of another one.
pub fn change(text: &str, others: &[String], random: &mut Random) -> String {
    let chars: Vec<char> = text.chars().collect();
    let at = random.below(chars.len() + 1);
    let (before, behind): (String, String) = (chars[..at].iter().collect(), chars[at..].iter().collect());
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let line = random.below(lines.len());
    match random.below(9) {
        0 | 1 => format!("{before}{}{behind}", random.pick(&TOKENS)),
        // A token at the beginning or the end of a line.
        2 | 3 if !lines.is_empty() => {
            let token = random.pick(&TOKENS);
            let content = lines[line].trim_end_matches('\n').to_owned();
            let indentation = content.len() - content.trim_start_matches(' ').len();
            let (spaces, rest) = content.split_at(indentation);
            lines[line] = match random.below(3) {
                0 => format!("{spaces}{token}{rest}\n"),
                1 => format!("{content}{token}\n"),
                _ => format!("{spaces}{token}\n{content}\n"),
            };
            lines.concat()
        }
        // Another value behind a colon.
        4 => match before.rfind(": ") {
            Some(colon) => format!("{}: {}{behind}", &before[..colon], random.pick(&TOKENS)),
            None => text.to_owned(),
        },
        5 => {
            let length = random.below(12);
            format!("{before}{}", behind.chars().skip(length).collect::<String>())
        }
        6 if !lines.is_empty() => {
            let copy = lines[line].clone();
            let to = random.below(lines.len() + 1);
            lines.insert(to, copy);
            lines.concat()
        }
        7 if !lines.is_empty() => {
            lines[line] = match random.below(2) {
                0 => format!("{}{}", " ".repeat(1 + random.below(3)), lines[line]),
                _ => lines[line].strip_prefix(' ').unwrap_or(&lines[line]).to_owned(),
            };
            lines.concat()
        }
        _ => {
            let other: Vec<char> = random.pick(others).chars().collect();
            let from = random.below(other.len() + 1);
            let until = (from + random.below(48)).min(other.len());
            format!("{before}{}{behind}", other[from..until].iter().collect::<String>())
        }
    }
}
