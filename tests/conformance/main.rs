//! The policies compared with Kubernetes' own code on generated cases: `./justw conformance`.
//!
//! `CONFORMANCE_SUBJECT` is one of the subjects. `CONFORMANCE_SEED` replaces the seed, which is the
//! date, and `CONFORMANCE_CASES` the number of cases of each subject. With all subjects and both,
//! `BLESS=1` writes the table of `docs/conformance.md`.

mod comparison;
mod conditions;
mod external_ips;
mod lists;
mod mutants;
mod node;
mod objects;
mod pod_security;
mod reader;
mod received;
mod selinux_volumes;
mod typed;
mod webhooks;
mod zeros;

use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use comparison::{Plan, Row};
use libtest_mimic::{Arguments, Trial};
use tests::kubernetes;

type Subject = (&'static str, fn(Plan) -> Result<Row, String>);

const SUBJECTS: [Subject; 12] = [
    ("received", received::compare),
    ("webhooks", webhooks::compare),
    ("conditions", conditions::compare),
    ("reader", reader::compare),
    ("lists", lists::compare),
    ("typed", typed::compare),
    ("zeros", zeros::compare),
    ("addresses", external_ips::compare_addresses),
    ("services", external_ips::compare_services),
    ("node", node::compare),
    ("pod-security", pod_security::compare),
    ("selinux-volumes", selinux_volumes::compare),
];

/// The subjects that still differ, with the number of cases of [`RECORDED`] that differ, and of
/// those that are not equal. Neither may grow.
const PENDING: [(&str, [u64; 2]); 1] = [("conditions", [0, 43])];

/// The cases of the subjects in [`PENDING`].
const RECORDED: Plan = Plan { seed: 1, cases: CASES };

/// The cases of each subject that suit a gate.
const CASES: u64 = 1_000;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    if !kubernetes::program().is_file() {
        let why = "its program is not built, which needs Go";
        let not_run = tests::not_run("CONFORMANCE", "the comparison with Kubernetes' own code", why);
        return if not_run.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let (seed, cases) = match (number("CONFORMANCE_SEED"), number("CONFORMANCE_CASES")) {
        (Ok(seed), Ok(cases)) => (seed, cases),
        (Err(error), _) | (_, Err(error)) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let plan = Plan { seed: seed.unwrap_or_else(today), cases: cases.unwrap_or(CASES) };
    let is_recorded = seed.is_none() && cases.is_none();
    let rows = Arc::new(Mutex::new(Vec::new()));
    let trial = |(name, compare): Subject| {
        let rows = Arc::clone(&rows);
        Trial::test(name, move || {
            let pending = PENDING.iter().find(|(pending, _)| *pending == name);
            let plan = if is_recorded && pending.is_some() { RECORDED } else { plan };
            let row = compare(plan)?;
            let problem = match pending {
                None => row.difference(),
                Some((_, most)) if is_recorded => row.growth(most),
                Some(_) => {
                    println!("{}", row.difference().unwrap_or_default());
                    None
                }
            };
            rows.lock().unwrap().push((name, plan, row));
            problem.map_or(Ok(()), |problem| Err(problem.into()))
        })
    };
    let subject = std::env::var("CONFORMANCE_SUBJECT").unwrap_or_default();
    let is_chosen = |(name, _): &Subject| subject.is_empty() || subject == *name;
    let trials: Vec<Trial> = SUBJECTS.into_iter().filter(is_chosen).map(trial).collect();
    if trials.is_empty() {
        let known = SUBJECTS.map(|(name, _)| name).join(", ");
        eprintln!("{subject} is not a subject; use one of {known}");
        return ExitCode::FAILURE;
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    let mut rows = std::mem::take(&mut *rows.lock().unwrap());
    rows.sort_by_key(|(name, ..)| *name);
    if !rows.is_empty() {
        let table = comparison::table(&rows);
        println!("{table}");
        if tests::blesses() && rows.len() == SUBJECTS.len() && seed.is_some() && cases.is_some() {
            document(&table);
        }
    }
    conclusion.exit_code()
}

/// Writes the table into the documentation.
fn document(table: &str) {
    const START: &str = "<!-- conformance: written by `BLESS=1 ./justw conformance \"\" 1 20000` -->\n";
    const END: &str = "<!-- end of conformance -->";
    let path = tests::root().join("docs/conformance.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(START).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    std::fs::write(&path, format!("{before}{START}\n{table}\n{END}{after}")).unwrap();
}

/// Returns the days since 1970.
fn today() -> u64 {
    const DAY: u64 = 24 * 60 * 60;
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() / DAY)
}

fn number(variable: &str) -> Result<Option<u64>, String> {
    match std::env::var(variable) {
        Ok(text) if !text.is_empty() => {
            text.parse().map(Some).map_err(|_| format!("{variable}: {text:?} is not a number"))
        }
        _ => Ok(None),
    }
}
