//! `portcullis audit`: what a restriction would find, from a dump of a cluster.

mod dump;
mod external_ips;
mod mirror_labels;
mod node_labels;
mod selinux;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::process::ExitCode;

use serde::Serialize;

use crate::args::{Audit, AuditOutput, DumpArgs};
use crate::failure::Failure;
use crate::report::to_stdout;
use crate::selinux::Settings;
use crate::source::Reader;
pub(crate) use dump::Dump;

/// The exit status when something is found.
const FOUND: u8 = 1;

/// What an audit finds: data for programs, and text for people.
trait Findings: Serialize {
    /// Whether there is nothing.
    fn is_empty(&self) -> bool;

    /// Writes it for people.
    ///
    /// # Errors
    /// When it cannot be written.
    fn print(&self, out: &mut dyn Write) -> io::Result<()>;
}

/// Audits a dump and prints the findings.
///
/// # Errors
/// A dump or settings that cannot be read; nothing is printed then.
pub(crate) fn audit(what: &Audit) -> Result<ExitCode, Failure> {
    match what {
        Audit::ExternalIps(args) => report(&external_ips::find(&Dump::read(args)?)?, args.output),
        Audit::MirrorLabels(args) => report(&mirror_labels::find(&Dump::read(args)?)?, args.output),
        Audit::NodeLabels { dump, settings } => {
            let policy = node_labels::policy(settings)?;
            report(&node_labels::find(&Dump::read(dump)?, &policy)?, dump.output)
        }
        Audit::Selinux { dump: DumpArgs { dump, output }, settings } => {
            let mut reader = Reader::default();
            let settings = Settings::read(settings, &mut reader)?;
            report(&selinux::find(&Dump::of(dump, &mut reader)?, &settings)?, *output)
        }
    }
}

fn report(findings: &impl Findings, output: AuditOutput) -> Result<ExitCode, Failure> {
    to_stdout(|out| match output {
        AuditOutput::Text => findings.print(out),
        AuditOutput::Json => {
            serde_json::to_writer(&mut *out, findings)?;
            writeln!(out)
        }
    })?;
    Ok(if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FOUND) })
}

/// A number of things, as a sentence writes it.
fn counted(count: usize, one: &str, many: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    }
}

/// Some of the names and how many more there are, as a sentence writes them.
fn some_of(names: &BTreeSet<String>) -> String {
    const NAMED: usize = 3;
    let first: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
    let first = first.join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
