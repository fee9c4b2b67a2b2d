//! Lines of JSON, each with a `type`.

use std::io::{self, Write};

use serde::Serialize;

use crate::names::View;
use crate::{Finding, Mutation, Notice, PolicyRef, Report, Shard, Totals, VERSION, fingerprint};

/// A line. The index of a policy in a finding counts the lines of policies.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Line<'r> {
    Report {
        version: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        shard: Option<&'r Shard>,
        #[serde(skip_serializing_if = "Option::is_none")]
        namespace: Option<&'r str>,
    },
    Policy(&'r PolicyRef),
    Finding {
        fingerprint: String,
        policy_name: &'r str,
        #[serde(flatten)]
        finding: &'r Finding,
    },
    Mutation {
        policy_name: &'r str,
        #[serde(flatten)]
        mutation: &'r Mutation,
    },
    Notice(&'r Notice),
    Totals {
        is_partial: bool,
        #[serde(flatten)]
        totals: &'r Totals,
    },
}

/// Writes a line with the version, one for each policy, finding, mutation and notice, and one for
/// the totals.
pub(super) fn write(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    let view = View::new(report);
    let mut line = |line: &Line| {
        serde_json::to_writer(&mut *out, line)?;
        writeln!(out)
    };
    let (shard, namespace) = (report.shard.as_ref(), report.namespace.as_deref());
    line(&Line::Report { version: VERSION, shard, namespace })?;
    report.policies.iter().try_for_each(|policy| line(&Line::Policy(policy)))?;
    report.findings.iter().try_for_each(|finding| {
        let (fingerprint, policy_name) = (fingerprint(report, finding), view.label(finding));
        line(&Line::Finding { fingerprint, policy_name, finding })
    })?;
    report.mutations.iter().try_for_each(|mutation| {
        let policy_name = view.policy_label(mutation.policy);
        line(&Line::Mutation { policy_name, mutation })
    })?;
    report.notices.iter().try_for_each(|notice| line(&Line::Notice(notice)))?;
    line(&Line::Totals { is_partial: report.is_partial, totals: &report.totals })
}
