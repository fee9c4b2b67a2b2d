//! The fuzz targets, run on their seeds and on changed copies of the seeds: a smoke test of the
//! laws that `just fuzz` tests for any length of time.

#[cfg(feature = "modules")]
mod modules;
mod mutate;
#[cfg(feature = "modules")]
mod structure;

use std::fs;

use fuzz_targets::TARGETS;
use libtest_mimic::{Failed, Trial};
use mutate::Mutator;

/// Returns a test for each target, and for each module.
pub(crate) fn trials() -> Vec<Trial> {
    let trials = TARGETS.iter().map(|(name, target)| {
        Trial::test(*name, move || run(name, *target, count(name)).map_err(Failed::from))
    });
    #[cfg(feature = "modules")]
    let trials = trials.chain(modules::trials()).chain(structure::trials());
    trials.map(|trial| trial.with_kind("fuzz")).collect()
}

/// Returns the number of changed inputs for a target, which take some seconds in all.
fn count(target: &str) -> usize {
    match target {
        "payload" => 2_000,
        "settings" => 4_000,
        _ => 8_000,
    }
}

/// Runs a target on its seeds and on changed copies, and counts the inputs that reach a law.
fn run(name: &str, target: fn(&[u8]) -> bool, count: usize) -> Result<(), String> {
    let seeds = seeds(name)?;
    let mut evaluated = 0_usize;
    for seed in &seeds {
        evaluated += usize::from(target(seed));
    }
    if evaluated == 0 {
        return Err(format!("none of the {} seeds of {name} reaches a law", seeds.len()));
    }
    let mut evaluated = 0_usize;
    let mut mutator = Mutator::new(&seeds);
    for _ in 0..count {
        let input = mutator.input();
        let outcome = std::panic::catch_unwind(|| target(&input));
        let Ok(outcome) = outcome else {
            let text = String::from_utf8_lossy(&input).into_owned();
            return Err(format!("{name} violates a law (see above) with {text:?}"));
        };
        evaluated += usize::from(outcome);
    }
    println!("{name}: {} seeds and {count} changed inputs, {evaluated} of which reach the laws", seeds.len());
    if evaluated > count / 50 {
        Ok(())
    } else {
        Err(format!("only {evaluated} inputs of {name} reach the laws"))
    }
}

/// Returns the committed inputs of a target, sorted by name.
fn seeds(name: &str) -> Result<Vec<Vec<u8>>, String> {
    let dir = tests::root().join("tests/fuzz/seeds").join(name);
    let about = |error: std::io::Error| format!("{}: {error}", dir.display());
    let entries = fs::read_dir(&dir).map_err(about)?;
    let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let seeds: Result<Vec<_>, _> = files.iter().map(fs::read).collect();
    seeds.map_err(about)
}
