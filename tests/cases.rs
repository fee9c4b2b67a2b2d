//! Every case, judged by the rules as they are. `BLESS=1` writes down what came of a case.

use cases::{Case, bless, judge, load_dir};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for entry in rules::CATALOG {
        let dir = tests::root().join("policies").join(entry.id).join("cases");
        match load_dir(&dir) {
            Ok(cases) => {
                trials.extend(cases.into_iter().map(|case| {
                    Trial::test(format!("{}: {}", entry.id, case.name), move || run(entry, &case))
                }))
            }
            Err(error) => trials.push(Trial::test(entry.id, move || Err(Failed::from(error)))),
        }
    }
    // A test that rewrites files must not meet another that does.
    let threads = if bless::is_wanted() { Some(1) } else { arguments.test_threads };
    libtest_mimic::run(&Arguments { test_threads: threads, ..arguments }, trials).exit();
}

fn run(entry: &admission::Entry, case: &Case) -> Result<(), Failed> {
    let outcome = judge::natively(entry, case).map_err(|error| format!("{}: {error}", case.place()))?.outcome;
    if outcome == case.want {
        return Ok(());
    }
    if bless::is_wanted() {
        let text = std::fs::read_to_string(&case.file)?;
        std::fs::write(&case.file, bless::bless(&text, case, &outcome)?)?;
        return Ok(());
    }
    Err(format!("{}\nwant {:#?}\ngot  {outcome:#?}", case.place(), case.want).into())
}
