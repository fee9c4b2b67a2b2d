//! Every law holds for every case, and for cases with arbitrary changes.

use harness::Case;
use harness::{laws, load_dir};
use libtest_mimic::{Arguments, Failed, Trial};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for entry in rules::CATALOG {
        let dir = tests::root().join("policies").join(entry.id).join("cases");
        let cases = match load_dir(&dir) {
            Ok(cases) => cases,
            Err(error) => {
                trials.push(Trial::test(entry.id, move || Err(Failed::from(error))));
                continue;
            }
        };
        for (sentence, law) in laws::ALL {
            let cases = cases.clone();
            trials.push(Trial::test(format!("{}: {sentence}", entry.id), move || {
                for case in &cases {
                    law(entry, case).map_err(|error| format!("{}: {error}", case.place()))?;
                }
                Ok(())
            }));
        }
        trials.push(Trial::test(format!("{}: laws over changed cases", entry.id), move || {
            generated(entry, &cases)
        }));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// Tests the laws with cases in which one place has another, mostly malformed value.
fn generated(entry: &admission::PolicyEntry, cases: &[Case]) -> Result<(), Failed> {
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
    let mut runner = TestRunner::new(Config { cases: 2_000, failure_persistence: None, ..Config::default() });
    let chosen = (any::<prop::sample::Index>(), any::<usize>(), values);
    runner
        .run(&chosen, |(index, at, value)| {
            let case = laws::changed(index.get(cases), at, &value);
            for (sentence, law) in laws::GENERATED {
                law(entry, &case).map_err(|error| {
                    TestCaseError::fail(format!("{sentence}: {}: {error}: {:?}", case.place(), case.object))
                })?;
            }
            Ok(())
        })
        .map_err(|error| Failed::from(error.to_string()))
}
