//! `portcullis report apply`.
#![expect(clippy::doc_markdown, reason = "the comments are the help, which has no links")]

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use live::{AppliedReports, Apply, Connection, ReportApi, Target, apply_reports};
use report::Format;

use crate::failure::Failure;
use crate::print_problem;
use crate::source::{InputReader, SourceName};
use crate::stdout::print;

/// Write a report into a cluster as policy reports: one for each object with findings.
///
/// They are Reports and ClusterReports of openreports.io/v1alpha1, or PolicyReports and
/// ClusterPolicyReports of wgpolicyk8s.io/v1alpha2 where only those are installed. Exits with
/// status 0 if the report was applied, and 2 if a part of it was not, or if the scan did not judge
/// everything.
#[derive(Args, Debug)]
pub(super) struct ApplyArgs {
    /// Report of a scan; `-` reads standard input.
    #[arg(default_value = "-", hide_default_value = true, value_name = "FILE")]
    report: String,

    /// Kubeconfig [default: those of KUBECONFIG or ~/.kube/config, then the service account of the
    /// pod]
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,

    /// Context of the kubeconfig [default: the current one]
    #[arg(long, value_name = "NAME")]
    context: Option<String>,

    /// Remove our earlier reports about objects without findings in this report, which must cover
    /// the whole cluster. If the scan did not judge everything, nothing is removed. Reports of
    /// other programs are never removed.
    #[arg(long)]
    prune: bool,

    /// Let the server check the reports without storing them.
    #[arg(long, value_enum, value_name = "WHERE")]
    dry_run: Option<DryRun>,
}

/// The number of refused reports that are named one by one.
const NAMED: usize = 20;

/// The place of a dry run.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum DryRun {
    /// The server checks them.
    Server,
}

/// Writes policy reports into a cluster.
///
/// # Errors
/// A file that is not the report of a whole scan, a cluster that cannot be reached or has no API
/// for policy reports, and rights that are missing.
pub(super) fn apply(args: &ApplyArgs) -> Result<ExitCode, Failure> {
    let report = super::read_whole(&args.report, &mut InputReader::default())?;
    if let Some(namespace) = report.namespace.as_ref().filter(|_| args.prune) {
        let problem = format!(
            "is about the namespace {namespace} alone, and --prune would remove the reports of the others; scan \
             the whole cluster, or omit --prune"
        );
        return Err(Failure::about(&args.report, problem));
    }
    let failed = |error: live::Error| Failure::new(error.to_string());
    let target = Target { kubeconfig: args.kubeconfig.clone(), context: args.context.clone() };
    let connection = Connection::open(&target).map_err(failed)?;
    let installed = ReportApi::installed(&connection).map_err(failed)?;
    let Some(api) = installed.first() else { return Ok(ExitCode::from(crate::FAILED)) };
    let format = match api {
        ReportApi::OpenReports => Format::OpenReports,
        ReportApi::PolicyReport => Format::PolicyReport,
    };
    let manifests = report::policy_reports(&report, format)
        .map_err(|error| Failure::about(&args.report, format!("cannot be written: {error}")))?;
    let is_whole = report.is_whole();
    let how = Apply { removes_stale: args.prune && is_whole, is_dry_run: args.dry_run.is_some() };
    let applied = apply_reports(&connection, &installed, &manifests, how).map_err(failed)?;
    let text = shown(*api, &applied, how);
    print(|out| writeln!(out, "{text}"))?;
    if applied.refused.is_empty() && is_whole {
        return Ok(ExitCode::SUCCESS);
    }
    for refused in applied.refused.iter().take(NAMED) {
        print_problem(refused);
    }
    if let Some(more) = applied.refused.len().checked_sub(NAMED).filter(|more| *more > 0) {
        print_problem(format!("{more} more reports were refused"));
    }
    if is_whole {
        return Ok(ExitCode::from(crate::FAILED));
    }
    let problem = "the scan did not judge everything, so that no earlier report is removed; portcullis report convert \
                   shows why";
    print_problem(format!("{}: {problem}", SourceName::of_argument(&args.report)));
    Ok(ExitCode::from(crate::FAILED))
}

/// Returns a line about what was applied: `openreports.io/v1alpha1: 3 applied, 1 removed`.
fn shown(api: ReportApi, applied: &AppliedReports, how: Apply) -> String {
    let AppliedReports { written, removed, kept, without_namespace, refused } = applied;
    let stay = match kept {
        0 => String::new(),
        number => format!(", {number} earlier ones kept"),
    };
    let failed = match refused.len() {
        0 => String::new(),
        number => format!(", {number} refused by the server"),
    };
    let gone = match without_namespace {
        0 => String::new(),
        number => format!(", {number} not written because their namespaces are gone"),
    };
    let tried = if how.is_dry_run { " (tried by the server, nothing stored)" } else { "" };
    format!("{api}: {written} applied, {removed} removed{stay}{gone}{failed}{tried}")
}
