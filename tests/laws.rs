//! Properties of every case and of changed ones: the laws, match conditions that keep away only
//! what is admitted, and modules that evaluate as the native policies do.

mod conditions;
mod fuzzed;
#[cfg(feature = "modules")]
mod modules;
mod registrations;

use std::cell::RefCell;
use std::sync::Arc;

use admission::PolicyEntry;
use libtest_mimic::{Arguments, Failed, Trial};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use suite::cases::Case;
use tests::laws::{self, Law, Original};

/// The number of cases of a policy that are cut everywhere.
const CUT_EVERYWHERE: usize = 10;

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for entry in rules::CATALOG {
        match of_cases(entry) {
            Ok(of_cases) => trials.extend(of_cases),
            Err(error) => trials.push(Trial::test(entry.id, move || Err(Failed::from(error)))),
        }
    }
    trials.extend(fuzzed::trials());
    trials.extend(registrations::trials());
    libtest_mimic::run(&arguments, trials).exit();
}

/// Returns the tests that have the cases of a policy.
fn of_cases(entry: &'static PolicyEntry) -> Result<Vec<Trial>, String> {
    let cases = suite::cases::load_dir(&tests::root().join("policies").join(entry.id).join("cases"))?;
    let mut trials = of_laws(entry, &cases)?;
    #[cfg(feature = "modules")]
    trials.extend(modules::trials(entry, &cases));
    trials.push(conditions::trial(entry, cases));
    Ok(trials)
}

/// Returns a test for each law.
fn of_laws(entry: &'static PolicyEntry, cases: &[Case]) -> Result<Vec<Trial>, String> {
    let originals: Result<Vec<_>, _> = cases.iter().map(|case| Original::new(entry, case.clone())).collect();
    let originals = Arc::new(originals?);
    let mut trials = Vec::new();
    let every = laws::ALL.iter().map(|law| (law, 1));
    let sampled = [(&laws::CLOSED_EVERYWHERE, (originals.len() / CUT_EVERYWHERE).max(1))];
    for (law, step) in every.chain(sampled).filter(|(law, _)| (law.applies)(entry)) {
        let originals = Arc::clone(&originals);
        trials.push(Trial::test(format!("{}: {}", entry.id, law.sentence), move || {
            let mut evaluated = 0;
            for original in originals.iter().step_by(step) {
                evaluated +=
                    (law.check)(original).map_err(|error| format!("{}: {error}", original.case().place()))?;
            }
            count(entry.id, law, evaluated, "cases")
        }));
    }
    trials.push(Trial::test(format!("{}: laws over changed cases", entry.id), move || {
        generated(entry, &originals)
    }));
    Ok(trials)
}

/// Prints how many requests a law compared; a law that compared none proves nothing.
fn count(id: &str, law: &Law, evaluated: usize, of: &str) -> Result<(), Failed> {
    println!("{id}: {}: {evaluated} requests, changed from {of}", law.sentence);
    if evaluated > 0 { Ok(()) } else { Err(format!("no request was compared: {}", law.sentence).into()) }
}

/// Tests the laws with cases in which one place has another, mostly malformed value.
fn generated(entry: &'static PolicyEntry, originals: &[Original]) -> Result<(), Failed> {
    let values = prop_oneof![
        Just(json!(null)),
        Just(json!({})),
        Just(json!([])),
        Just(json!([null])),
        Just(json!(["192.0.2.1", 7])),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[0-9.:a-f]{0,20}".prop_map(Value::from),
    ];
    let laws: Vec<&Law> = laws::GENERATED.iter().filter(|law| (law.applies)(entry)).collect();
    let evaluated = RefCell::new(vec![0; laws.len()]);
    let mut runner = TestRunner::new(Config { source_file: Some(file!()), ..tests::bounded(500) });
    let chosen = (any::<prop::sample::Index>(), any::<usize>(), values);
    runner
        .run(&chosen, |(index, at, value)| {
            let case = laws::changed(index.get(originals).case(), at, &value);
            let fail = |law: &str, error: String| {
                TestCaseError::fail(format!("{law}: {}: {error}: {:?}", case.place(), case.object))
            };
            let original =
                Original::new(entry, case.clone()).map_err(|error| fail("a case can be evaluated", error))?;
            for (law, evaluated) in laws.iter().zip(evaluated.borrow_mut().iter_mut()) {
                *evaluated += (law.check)(&original).map_err(|error| fail(law.sentence, error))?;
            }
            Ok(())
        })
        .map_err(|error| Failed::from(error.to_string()))?;
    laws.iter()
        .zip(evaluated.into_inner())
        .try_for_each(|(law, evaluated)| count(entry.id, law, evaluated, "generated changes"))
}
