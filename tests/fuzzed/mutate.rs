//! Changed copies of seeds, which are the same in every run.

use serde_json::{Value, json};
use tests::random::Random;

/// Tokens with a meaning in one of the targets.
const TOKENS: &[&str] = &[
    "null",
    "true",
    "\"\"",
    "{}",
    "[]",
    "[null]",
    "0",
    "-1",
    "1.5",
    "1e9",
    "1234567890123456789012",
    "\\u0000",
    "\\ud800",
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\n",
    "-",
    "&a ",
    "*a",
    "!",
    "%",
    "s0",
    ":c1",
    ".c9",
    "-s0",
    "::",
    "ffff:",
    "0",
    "/24",
    "*",
    "?",
    "ü",
    "\u{0}",
    "e",
    "r",
    "s",
    "t",
    "0",
    "1",
    "a",
    ".",
    "spec",
    "object",
    "oldObject",
    "UPDATE",
];

/// Generates inputs.
pub struct Mutator<'s> {
    seeds: &'s [Vec<u8>],
    random: Random,
}

impl<'s> Mutator<'s> {
    /// Creates a mutator of seeds.
    pub fn new(seeds: &'s [Vec<u8>]) -> Self {
        Self { seeds, random: Random::new(0x9e37_79b9_7f4a_7c15) }
    }

    /// Returns a number below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit)
    }

    fn seed(&mut self) -> &'s [u8] {
        let index = self.below(self.seeds.len());
        &self.seeds[index]
    }

    /// Returns a changed copy of a seed.
    pub fn input(&mut self) -> Vec<u8> {
        let seed = self.seed();
        let changes = 1 + self.below(3);
        if self.below(3) > 0
            && let Ok(mut value) = serde_json::from_slice::<Value>(seed)
        {
            for _ in 0..changes {
                self.change_value(&mut value);
            }
            return value.to_string().into_bytes();
        }
        let mut input = seed.to_vec();
        for _ in 0..changes {
            self.change_bytes(&mut input);
        }
        input
    }

    /// Replaces the value at one place of a JSON value by a common value or by one of another seed.
    fn change_value(&mut self, value: &mut Value) {
        let pointers = tests::laws::pointers(value);
        let pointer = &pointers[self.below(pointers.len())];
        let new = match self.below(12) {
            0 => json!(null),
            1 => json!({}),
            2 => json!([]),
            3 => json!([null]),
            4 => json!(""),
            5 => json!(true),
            6 => json!(0),
            7 => json!(-1.5),
            8 => json!(TOKENS[self.below(TOKENS.len())]),
            _ => {
                let other: Value = serde_json::from_slice(self.seed()).unwrap_or_default();
                let pointers = tests::laws::pointers(&other);
                other.pointer(&pointers[self.below(pointers.len())]).cloned().unwrap_or_default()
            }
        };
        if let Some(place) = value.pointer_mut(pointer) {
            *place = new;
        }
    }

    fn change_bytes(&mut self, input: &mut Vec<u8>) {
        let at = self.below(input.len() + 1);
        let length = self.below(16).min(input.len() - at);
        match self.below(6) {
            0 if at < input.len() => input[at] ^= 1 << self.below(8),
            1 => drop(input.drain(at..at + length)),
            2 => {
                let copy = input[at..at + length].to_vec();
                let to = self.below(input.len() + 1);
                input.splice(to..to, copy);
            }
            3 => {
                let other = self.seed();
                let from = self.below(other.len() + 1);
                let until = (from + self.below(64)).min(other.len());
                input.splice(at..at, other[from..until].iter().copied());
            }
            4 => {
                let token = TOKENS[self.below(TOKENS.len())];
                input.splice(at..at + length.min(token.len()), token.bytes());
            }
            _ => {
                let token = TOKENS[self.below(TOKENS.len())];
                input.splice(at..at, token.bytes());
            }
        }
    }
}
