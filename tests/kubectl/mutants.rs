//! Changed copies of texts, as editors, merges and attackers change them.

use tests::random::Random;

/// Tokens with a meaning in YAML 1.1, in YAML 1.2, or in one of them only.
const TOKENS: &[&str] = &[
    "\u{85}",
    "\u{2028}",
    "\u{2029}",
    "\r",
    "\r\n",
    "\n",
    "\t",
    " ",
    "  ",
    "\u{feff}",
    "\u{a0}",
    "\u{7f}",
    "\u{1f600}",
    "ü",
    "#",
    " # ",
    "# a\n",
    "---\n",
    "--- ",
    "---",
    "...\n",
    "... ",
    "%YAML 1.1\n",
    "%TAG ! a\n",
    "<<: *a\n",
    "<<: ",
    "<<",
    "\"<<\": {a: 1}\n",
    "*a",
    "*a ",
    "&a ",
    "&a",
    "!!str ",
    "!!int ",
    "!!float ",
    "!!bool ",
    "!!null ",
    "!!binary ",
    "!!merge ",
    "!!map ",
    "!!seq ",
    "!a ",
    "! ",
    "? ",
    "?",
    "- ",
    "-",
    ": ",
    ":",
    "a:",
    "a: ",
    "|\n",
    "|-\n",
    ">\n",
    ">+\n",
    "|2\n",
    "\"",
    "'",
    "\\",
    "\\x41",
    "\\N",
    "\\L",
    "\\_",
    "\\/",
    "\\e",
    "\\u0041",
    "\\\n",
    "{",
    "}",
    "[",
    "]",
    ",",
    "{}",
    "[]",
    "{a: 1}",
    "[a, b]",
    "\"a\":1",
    "0o7",
    "012",
    "0b11",
    "0x1F",
    "1_000",
    "+1",
    "-1",
    "1:30",
    "1e3",
    "1.0",
    "1.",
    ".5",
    "-.5",
    "1e400",
    "089",
    "0b2",
    "-0b1",
    "18446744073709551616",
    "9223372036854775808",
    "2001-01-01",
    "2001-1-1 1:2:3",
    "~",
    "null",
    "Null",
    "NULL",
    "yes",
    "No",
    "oN",
    "on",
    "off",
    "y",
    "N",
    "true",
    "TRUE",
    "tRUE",
    ".inf",
    "-.Inf",
    ".nan",
    "+.inf",
    "=",
    "items:\n",
    "@",
    "`",
    "%",
    "\u{0}",
    "\u{1}",
    "\u{fffe}",
    "null:",
    "1: ",
    "1.0: ",
    "true: ",
    "~: ",
    "[a]: ",
];

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
            0 | 1 => format!("{before}{}{behind}", self.random.pick(TOKENS)),
            // A token at the beginning or the end of a line.
            2 | 3 if !lines.is_empty() => {
                let token = *self.random.pick(TOKENS);
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
                Some(colon) => format!("{}: {}{behind}", &before[..colon], self.random.pick(TOKENS)),
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
