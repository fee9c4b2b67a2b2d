//! Laws that hold for arbitrary bytes.
//!
//! Each target takes arbitrary bytes and panics if a law is violated. `tests/fuzz/` runs the
//! targets under `cargo fuzz` (`just fuzz`). The test `fuzz` runs them on the seeds in
//! `tests/fuzz/seeds` and on a few thousand changed copies of the seeds.

mod address;
mod edit;
mod level;
mod manifest;
mod pattern;
mod payload;
mod settings;

/// A target: its name, which is also the name of its folder of seeds, and its function.
///
/// The function returns whether the input reached the laws that check more than the absence of
/// panics.
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

/// Runs the target with a name and returns whether the input reached its laws.
///
/// # Panics
/// Panics if a law is violated or there is no such target.
pub fn run(name: &str, input: &[u8]) -> bool {
    let target = TARGETS.iter().find(|(known, _)| *known == name);
    target.unwrap_or_else(|| panic!("no target {name}")).1(input)
}
