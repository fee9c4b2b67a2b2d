//! Judges every case natively, with the rules. `BLESS=1` writes the outcomes into the cases.

use admission::PolicyEntry;
use harness::{Case, bless, judge, load, load_dir};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for entry in rules::CATALOG {
        let dir = tests::root().join("policies").join(entry.id).join("cases");
        trials.extend(all(entry, entry.id, load_dir(&dir)));
    }
    // The documentation of the format consists of cases for one policy.
    if let Some(entry) = rules::find("external-ips") {
        let readme = tests::root().join("shared/native/harness/cases/readme.yaml");
        trials.extend(all(entry, "readme", load(&readme)));
    }
    // Tests that rewrite files must not run at the same time.
    let threads = if bless::is_wanted() { Some(1) } else { arguments.test_threads };
    libtest_mimic::run(&Arguments { test_threads: threads, ..arguments }, trials).exit();
}

fn all(entry: &'static PolicyEntry, title: &str, cases: Result<Vec<Case>, String>) -> Vec<Trial> {
    match cases {
        Ok(cases) => cases
            .into_iter()
            .map(|case| Trial::test(format!("{title}: {}", case.name), move || run(entry, &case)))
            .collect(),
        Err(error) => vec![Trial::test(title, move || Err(Failed::from(error)))],
    }
}

fn run(entry: &'static PolicyEntry, case: &Case) -> Result<(), Failed> {
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
