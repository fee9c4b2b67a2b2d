//! Every law holds for every case, and for cases with arbitrary changes.

use std::cell::RefCell;

use harness::Case;
use harness::laws::{self, Law};
use libtest_mimic::{Arguments, Failed, Trial};
use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence, TestRunner};
use serde_json::{Value, json};

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for entry in rules::CATALOG {
        let dir = tests::root().join("policies").join(entry.id).join("cases");
        let cases = match harness::load_dir(&dir) {
            Ok(cases) => cases,
            Err(error) => {
                trials.push(Trial::test(entry.id, move || Err(Failed::from(error))));
                continue;
            }
        };
        for law in laws::ALL.iter().filter(|law| (law.applies)(entry)) {
            let cases = cases.clone();
            trials.push(Trial::test(format!("{}: {}", entry.id, law.sentence), move || {
                let mut judged = 0;
                for case in &cases {
                    judged +=
                        (law.check)(entry, case).map_err(|error| format!("{}: {error}", case.place()))?;
                }
                count(entry.id, law, judged, "cases")
            }));
        }
        trials.push(Trial::test(format!("{}: laws over changed cases", entry.id), move || {
            generated(entry, &cases)
        }));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// Prints how many requests a law compared; a law that compared none proves nothing.
fn count(id: &str, law: &Law, judged: usize, of: &str) -> Result<(), Failed> {
    println!("{id}: {}: {judged} requests, changed from {of}", law.sentence);
    if judged > 0 { Ok(()) } else { Err(format!("no request was compared: {}", law.sentence).into()) }
}

/// Tests the laws with cases in which one place has another, mostly malformed value.
fn generated(entry: &'static admission::PolicyEntry, cases: &[Case]) -> Result<(), Failed> {
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
    let judged = RefCell::new(vec![0; laws.len()]);
    // A failure is kept beside this file, and tried first the next time.
    let failures = Box::new(FileFailurePersistence::WithSource("proptest-regressions"));
    let mut runner = TestRunner::new(Config {
        cases: 2_000,
        failure_persistence: Some(failures),
        source_file: Some(file!()),
        ..Config::default()
    });
    let chosen = (any::<prop::sample::Index>(), any::<usize>(), values);
    runner
        .run(&chosen, |(index, at, value)| {
            let case = laws::changed(index.get(cases), at, &value);
            for (law, judged) in laws.iter().zip(judged.borrow_mut().iter_mut()) {
                *judged += (law.check)(entry, &case).map_err(|error| {
                    TestCaseError::fail(format!(
                        "{}: {}: {error}: {:?}",
                        law.sentence,
                        case.place(),
                        case.object
                    ))
                })?;
            }
            Ok(())
        })
        .map_err(|error| Failed::from(error.to_string()))?;
    laws.iter()
        .zip(judged.into_inner())
        .try_for_each(|(law, judged)| count(entry.id, law, judged, "generated changes"))
}
