//! The verdict on a pod: the reports on all standards become one response.

use admission::bounds::ANNOTATION;
use admission::{Json, Verdict};

use super::report::Report;
use crate::summary::LONGEST;

/// The keys of the audit annotations. All but `controls` are those of
/// k8s.io/pod-security-admission.
const ENFORCE_POLICY: &str = "enforce-policy";
const AUDIT_VIOLATIONS: &str = "audit-violations";
const EXEMPT: &str = "exempt";
pub(super) const ERROR: &str = "error";
const CONTROLS: &str = "controls";

pub(super) fn exempt<'d>(reason: &'static str) -> Verdict<'d> {
    Verdict::admit().annotate(EXEMPT, reason.to_owned())
}

/// Returns the verdict on a request that could not be evaluated and cannot be denied.
pub(super) fn unevaluated<'d>(error: String) -> Verdict<'d> {
    Verdict::admit().annotate(ERROR, error)
}

/// Returns the verdict of all reports, with warnings and audit annotations. `errors` are recorded
/// in the audit log.
pub(super) fn verdict<'d>(reports: Vec<Report<'d>>, errors: &[String]) -> Verdict<'d> {
    let mut warnings = Vec::new();
    let mut annotations = Vec::new();
    let mut controls = Vec::new();
    let mut verdict = Verdict::admit();
    let mut denied = false;
    for report in reports {
        report.controls(&mut controls);
        if report.modes.enforce {
            annotations.push((ENFORCE_POLICY, report.standard.to_string()));
        }
        if report.modes.audit && report.has_violations() {
            annotations.push((AUDIT_VIOLATIONS, report.audit_line()));
        }
        if report.modes.warn {
            warnings.append(&mut report.lines(&report.start(), LONGEST));
        }
        if report.modes.enforce {
            denied = report.has_violations();
            verdict = report.violations.into();
        }
    }
    if !errors.is_empty() {
        annotations.push((ERROR, errors.join("; ")));
    }
    if !controls.is_empty() {
        annotations.push((CONTROLS, Json::array_within(ANNOTATION, &controls).into_text()));
    }
    // As in-tree, a denied request has no warnings: the message gives the reasons.
    if !denied {
        for warning in warnings {
            verdict = verdict.warn(warning);
        }
    }
    for (key, annotation) in annotations {
        verdict = verdict.annotate(key, annotation);
    }
    verdict
}
