//! `portcullis audit`.

mod mirror_labels;
mod selinux;

pub(super) use selinux::shared as selinux_level;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::process::ExitCode;

use ::scan::Kind;
use ::scan::audit::{self, AuditError, Kept};
use admission::PolicyEntry;
use rules::pod_security::PodSecurity;
use serde::Serialize;

use crate::args::{Audit, DumpArgs, TextOrData};
use crate::cluster::DumpFiles;
use crate::failure::Failure;
use crate::progress::bar;
use crate::scan;
use crate::settings;
use crate::source::InputReader;
use crate::stdout::{print, write_one};

/// The policy that evaluates whole dumps.
static POD_SECURITY: PolicyEntry = PolicyEntry::of::<PodSecurity>();

const FOUND: u8 = 1;

/// Audits a dump and prints the findings; prints nothing if the dump or settings cannot be read.
pub(crate) fn audit(command: &Audit) -> Result<ExitCode, Failure> {
    let mut reader = InputReader::default();
    match command {
        Audit::PodSecurity { dump, settings } => scan::audit(&POD_SECURITY, dump, settings, &mut reader),
        Audit::MirrorLabels(args) => {
            let kinds = audit::mirror_labels::kinds();
            let found = find(args, Kept::Metadata, &kinds, &mut reader, audit::mirror_labels::find)?;
            report(&found, found.is_empty(), args.output, |out| mirror_labels::write(out, &found))
        }
        Audit::Selinux { dump, settings } => {
            let (settings, _) = settings::of_selinux(settings, &mut reader)?;
            let kinds = audit::selinux::kinds(&settings);
            let found = find(dump, Kept::Levels, &kinds, &mut reader, |dump| {
                let progress = bar(None, "{spinner} {human_pos} objects evaluated, {per_sec}");
                audit::selinux::find(dump, &settings, &mut || progress.inc(1))
            })?;
            report(&found, found.is_empty(), dump.output, |out| selinux::write(out, &found))
        }
    }
}

fn find<F>(
    args: &DumpArgs,
    kept: Kept,
    kinds: &BTreeSet<Kind>,
    reader: &mut InputReader,
    find: impl FnOnce(&::scan::audit::Dump) -> Result<F, AuditError>,
) -> Result<F, Failure> {
    let files = DumpFiles::read_any(args, kept, kinds, reader)?;
    find(&files.dump).map_err(|error| files.failure(&error))
}

fn report(
    findings: &impl Serialize,
    is_empty: bool,
    format: TextOrData,
    write_text: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<ExitCode, Failure> {
    print(|out| write_one(out, format, findings, write_text))?;
    Ok(if is_empty { ExitCode::SUCCESS } else { ExitCode::from(FOUND) })
}

/// A number with a singular or plural noun.
fn counted(count: usize, singular: &str, plural: &str) -> String {
    match count {
        1 => format!("1 {singular}"),
        count => format!("{count} {plural}"),
    }
}
