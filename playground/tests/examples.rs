//! Every sample and every case gets its verdict in the playground.

use std::fs;
use std::path::{Path, PathBuf};

use cases::Outcome as Want;
use playground::{Input, Outcome, Verdict, VerdictKind, case_input, cases, judge, sample_input};

fn policies() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies")
}

fn only(outcome: Outcome) -> Result<Verdict, String> {
    match <[Verdict; 1]>::try_from(outcome.verdicts) {
        Ok([verdict]) => Ok(verdict),
        Err(_) => Err(outcome.problems.into_iter().map(|problem| problem.message).collect()),
    }
}

fn message(verdict: &Verdict) -> Vec<&str> {
    verdict.violations.iter().map(|line| line.message.as_str()).collect()
}

#[test]
fn every_sample_gets_the_verdict_that_its_readme_says() {
    for restriction in playground::restrictions().restrictions {
        for sample in &restriction.samples {
            let input = sample_input(&restriction.id, &sample.name).unwrap();
            let verdict = only(judge(&input)).unwrap();
            let words = match verdict.kind {
                VerdictKind::Admitted | VerdictKind::NotConcerned => "admitted",
                VerdictKind::Mutated => "admitted, mutated",
                VerdictKind::Denied => "denied",
                VerdictKind::Fault => "a fault",
            };
            assert!(sample.verdict.starts_with(words), "{}, {}: {verdict:?}", restriction.id, sample.name);
        }
    }
}

/// Whether a case gets what it wants; if not, what came instead.
fn judged(id: &str, input: &Input, want: &Want) -> Result<(), String> {
    let outcome = judge(input);
    if let Some(error) = &want.settings_error {
        let told: Vec<&str> = outcome.problems.iter().map(|problem| problem.message.as_str()).collect();
        return if told.contains(&error.as_str()) { Ok(()) } else { Err(format!("{told:?}")) };
    }
    let verdict = only(outcome)?;
    let same = match (&want.denied, &want.fault, &want.mutated) {
        (Some(lines), _, _) => verdict.kind == VerdictKind::Denied && message(&verdict) == *lines,
        (_, Some(fault), _) => verdict.kind == VerdictKind::Fault && message(&verdict).join("\n") == *fault,
        (_, _, Some(object)) => {
            let after = verdict.change.as_ref().map(|change| change.after.as_str()).unwrap_or_default();
            verdict.kind == VerdictKind::Mutated
                && manifest::documents(after).is_ok_and(|documents| documents == [object.clone()])
        }
        _ => matches!(verdict.kind, VerdictKind::Admitted | VerdictKind::NotConcerned),
    };
    let warnings: Vec<&str> = verdict.warnings.iter().map(|line| line.message.as_str()).collect();
    if same && warnings == want.warnings { Ok(()) } else { Err(format!("{id}: {verdict:?}")) }
}

#[test]
fn every_case_gets_what_it_wants() {
    let mut marked = 0_usize;
    let mut lines = 0_usize;
    for entry in rules::CATALOG {
        let folder = policies().join(entry.id).join("cases");
        for file in fs::read_dir(folder).unwrap() {
            let file = file.unwrap().path();
            let text = fs::read_to_string(&file).unwrap();
            let known = cases::load(&file).unwrap();
            let names: Vec<String> = cases(&text).examples.into_iter().map(|example| example.name).collect();
            assert!(known.iter().map(|case| &case.name).eq(&names), "{}", file.display());
            // A look at each third keeps this short: each look reads the whole file, as the page does.
            for case in known.iter().step_by(3) {
                // What the host refuses is no request, so there is nothing to show.
                let Some(input) = case_input(entry.id, &text, &case.name) else {
                    panic!("{}: there is no input", case.place())
                };
                judged(entry.id, &input, &case.want)
                    .unwrap_or_else(|other| panic!("{}: {other}", case.place()));
                for verdict in judge(&input).verdicts {
                    lines += verdict.violations.len();
                    marked += verdict.violations.iter().filter(|line| line.mark.is_some()).count();
                }
            }
        }
    }
    // Some are about the user or about a look-up, which is in no manifest.
    assert!(marked * 10 > lines * 8, "{marked} of {lines} lines have a place");
}
