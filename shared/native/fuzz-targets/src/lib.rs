//! Laws that hold for any bytes.
//!
//! Each target takes arbitrary bytes and panics if a law is broken. `fuzz/` runs the targets under
//! `cargo fuzz` (`just fuzz`); the test `fuzz` runs them over the seeds in `fuzz/seeds` and a few thousand
//! changed copies of each.

mod address;
mod edit;
mod level;
mod manifest;
mod pattern;
mod payload;
mod settings;

pub use payload::{cluster, matches};

/// A target: its name, which is also the name of its folder of seeds, and its function.
///
/// The function returns whether the input got as far as the laws that say more than that nothing panics.
pub type Target = (&'static str, fn(&[u8]) -> bool);

/// Every target.
pub const TARGETS: &[Target] = &[
    ("address", address::run),
    ("edit", edit::run),
    ("level", level::run),
    ("manifest", manifest::run),
    ("pattern", pattern::run),
    ("payload", payload::run),
    ("settings", settings::run),
];

/// Runs the target with a name.
///
/// # Panics
/// When a law is broken, or there is no such target.
pub fn run(name: &str, input: &[u8]) -> bool {
    let target = TARGETS.iter().find(|(known, _)| *known == name);
    target.unwrap_or_else(|| panic!("no target {name}")).1(input)
}
