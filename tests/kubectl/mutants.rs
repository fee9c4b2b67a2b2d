//! Changed copies of texts, as editors, merges and attackers change them.

use std::sync::LazyLock;

use tests::random::Random;

/// Tokens with a meaning in YAML 1.1, in YAML 1.2, or in one of them only.
static TOKENS: LazyLock<Vec<String>> =
    LazyLock::new(|| serde_json::from_str(include_str!("tokens.json")).unwrap());

/// Generates changed copies of seeds.
#[derive(Debug)]
pub(crate) struct Mutants<'s> {
    seeds: &'s [String],
    random: Random,
}

impl<'s> Mutants<'s> {
    pub(crate) fn new(seeds: &'s [String], seed: u64) -> Self {
        Self { seeds, random: Random::new(seed) }
    }

    fn change(&mut self, text: &str) -> String {
        let chars: Vec<char> = text.chars().collect();
        let at = self.random.below(chars.len() + 1);
        let (before, behind): (String, String) = (chars[..at].iter().collect(), chars[at..].iter().collect());
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        let line = self.random.below(lines.len());
        match self.random.below(9) {
            0 | 1 => format!("{before}{}{behind}", self.random.pick(&TOKENS)),
            // A token at the beginning or the end of a line.
            2 | 3 if !lines.is_empty() => {
                let token = self.random.pick(&TOKENS);
                let content = lines[line].trim_end_matches('\n').to_owned();
                let indentation = content.len() - content.trim_start_matches(' ').len();
                let (spaces, rest) = content.split_at(indentation);
                lines[line] = match self.random.below(3) {
                    0 => format!("{spaces}{token}{rest}\n"),
                    1 => format!("{content}{token}\n"),
                    _ => format!("{spaces}{token}\n{content}\n"),
                };
                lines.concat()
            }
            // Another value behind a colon.
            4 => match before.rfind(": ") {
                Some(colon) => format!("{}: {}{behind}", &before[..colon], self.random.pick(&TOKENS)),
                None => text.to_owned(),
            },
            5 => {
                let length = self.random.below(12);
                format!("{before}{}", behind.chars().skip(length).collect::<String>())
            }
            6 if !lines.is_empty() => {
                let copy = lines[line].clone();
                let to = self.random.below(lines.len() + 1);
                lines.insert(to, copy);
                lines.concat()
            }
            7 if !lines.is_empty() => {
                lines[line] = match self.random.below(2) {
                    0 => format!("{}{}", " ".repeat(1 + self.random.below(3)), lines[line]),
                    _ => lines[line].strip_prefix(' ').unwrap_or(&lines[line]).to_owned(),
                };
                lines.concat()
            }
            _ => {
                let other: Vec<char> = self.random.pick(self.seeds).chars().collect();
                let from = self.random.below(other.len() + 1);
                let until = (from + self.random.below(48)).min(other.len());
                format!("{before}{}{behind}", other[from..until].iter().collect::<String>())
            }
        }
    }
}

impl Iterator for Mutants<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let mut text = self.random.pick(self.seeds).clone();
        for _ in 0..=self.random.below(3) {
            text = self.change(&text);
        }
        Some(text)
    }
}
