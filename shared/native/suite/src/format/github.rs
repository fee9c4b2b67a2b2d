//! Annotations of GitHub Actions.

use std::io::{self, Write};

use report::{Place, Position, Span, github_command};

use super::junit::summary;
use crate::{Mistake, Results, Status};

/// The number of annotations that GitHub shows for a step.
const SHOWN: usize = 10;

pub(super) fn write(out: &mut dyn Write, results: &Results) -> io::Result<()> {
    let mut commands: Vec<String> = results.mistakes.iter().map(of_mistake).collect();
    if let Some((coverage, least)) =
        results.coverage.as_ref().filter(|one| one.is_too_low()).and_then(|one| Some((one, one.threshold?)))
    {
        let message = format!("the cases cover {} %, less than {least} %", coverage.percent());
        commands.push(github_command("error", None, "coverage", &message));
    }
    for file in &results.files {
        commands.extend(file.mistakes.iter().map(of_mistake));
        for case in &file.cases {
            match &case.status {
                Status::Passed => {}
                Status::Broken(mistake) => commands.push(of_mistake(mistake)),
                Status::Failed(differences) => {
                    let message: Vec<String> = differences.iter().map(summary).collect();
                    let place = place(&file.name, case.line);
                    commands.push(github_command("error", Some(&place), &case.name, &message.join("\n")));
                }
            }
        }
        for policy in &file.not_reached {
            let message = format!("no case reaches the policy {policy}; add one");
            commands.push(github_command("error", Some(&place(&file.name, None)), "not reached", &message));
        }
    }
    for command in commands.iter().take(SHOWN) {
        writeln!(out, "{command}")?;
    }
    let more = commands.len().saturating_sub(SHOWN);
    if more > 0 {
        writeln!(out, "{more} more are not annotated, because GitHub shows {SHOWN}")?;
    }
    if let Some(coverage) = &results.coverage {
        let (seen, all) = coverage.seen();
        writeln!(out, "portcullis test: coverage {seen} of {all} ({} %)", coverage.percent())?;
    }
    let totals = results.totals();
    writeln!(
        out,
        "portcullis test: {} cases, {} passed, {} failed, {} broken",
        totals.cases, totals.passed, totals.failed, totals.broken
    )
}

fn of_mistake(mistake: &Mistake) -> String {
    github_command("error", Some(&place(&mistake.file, mistake.line)), "broken", &mistake.message)
}

/// The place of a line; without one, that of the file.
fn place(file: &str, line: Option<u64>) -> Place {
    let at = line.map(|line| Position { line, column: 1 });
    Place { file: file.to_owned(), span: at.map(|at| Span { start: at, end: at }), is_exact: false }
}
