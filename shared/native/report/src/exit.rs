//! Whether a report fails a scan.

use std::fmt;
use std::str::FromStr;

use crate::{Finding, Level, Report, Status};

/// The findings that fail a scan.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum FailOn {
    /// Denials. This is the default.
    #[default]
    Deny,
    /// Denials, warnings, and denials of policies in monitor mode.
    Warn,
    /// Only findings that could not be evaluated.
    Unknown,
    /// Nothing: the scan is always clean.
    Never,
}

impl FailOn {
    /// The names of all choices.
    pub const NAMES: [&'static str; 4] = ["deny", "warn", "unknown", "never"];

    /// Returns whether a finding fails a scan. Findings that are excepted or known do not.
    #[must_use]
    pub fn fails(self, finding: &Finding) -> bool {
        finding.is_open()
            && match finding.status {
                Status::Denied => matches!(self, Self::Deny | Self::Warn),
                Status::Monitored | Status::Warned => self == Self::Warn,
                Status::Unknown => self != Self::Never,
            }
    }
}

impl FromStr for FailOn {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        match name {
            "deny" => Ok(Self::Deny),
            "warn" => Ok(Self::Warn),
            "unknown" => Ok(Self::Unknown),
            "never" => Ok(Self::Never),
            _ => Err(UnknownName::new(name, &Self::NAMES)),
        }
    }
}

/// The result of a scan as a whole.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Exit {
    /// Everything was evaluated, and nothing fails the scan.
    Clean,
    /// Everything was evaluated, and a finding fails the scan.
    Failed,
    /// Something could not be evaluated, or nothing was evaluated.
    NotEvaluated,
}

impl Exit {
    /// Returns the exit status of a command.
    #[must_use]
    pub fn status(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Failed => 1,
            Self::NotEvaluated => 2,
        }
    }
}

/// Returns the result of a scan.
///
/// An incomplete report outweighs a finding that fails, as in `grep` and `diff`. Input that could
/// not be read, an interruption, and a scan that evaluated nothing make a report incomplete.
#[must_use]
pub fn exit(report: &Report, fail_on: FailOn) -> Exit {
    if fail_on == FailOn::Never {
        return Exit::Clean;
    }
    let is_unknown = |finding: &Finding| finding.status == Status::Unknown && finding.is_open();
    if report.is_partial
        || report.totals.evaluations == 0
        || report.notices.iter().any(|notice| notice.level == Level::Error)
        || report.findings.iter().any(is_unknown)
    {
        Exit::NotEvaluated
    } else if report.findings.iter().any(|finding| fail_on.fails(finding)) {
        Exit::Failed
    } else {
        Exit::Clean
    }
}

/// A name that is not among the known ones.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UnknownName {
    name: String,
    known: &'static [&'static str],
}

impl UnknownName {
    pub(crate) fn new(name: &str, known: &'static [&'static str]) -> Self {
        Self { name: name.to_owned(), known }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = text::Quoted(&self.name);
        match text::nearest(&self.name, self.known) {
            Some(nearest) => write!(f, "{name} is not known; did you mean {nearest}?"),
            None => write!(f, "{name} is not known; use one of {}", self.known.join(", ")),
        }
    }
}

impl std::error::Error for UnknownName {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Notice, sample};

    fn report(finding: Finding) -> Report {
        let mut report = Report { findings: vec![finding], ..Report::default() };
        report.totals.evaluations = 1;
        report
    }

    #[test]
    fn the_exit_depends_on_status_and_choice() {
        use Exit::{Clean, Failed, NotEvaluated};
        let table = [
            (Status::Denied, [Failed, Failed, Clean, Clean]),
            (Status::Monitored, [Clean, Failed, Clean, Clean]),
            (Status::Warned, [Clean, Failed, Clean, Clean]),
            (Status::Unknown, [NotEvaluated, NotEvaluated, NotEvaluated, Clean]),
        ];
        for (status, wanted) in table {
            let report = report(Finding { status, ..sample::finding() });
            let exits = FailOn::NAMES.map(|name| exit(&report, name.parse().unwrap()));
            assert_eq!(exits, wanted, "{status:?}");
        }
    }

    #[test]
    fn excepted_and_known_findings_do_not_fail() {
        for status in [Status::Denied, Status::Monitored, Status::Warned, Status::Unknown] {
            let excepted = Finding { status, excepted: Some("planned".to_owned()), ..sample::finding() };
            let known = Finding { status, is_known: true, ..sample::finding() };
            for finding in [excepted, known] {
                assert_eq!(exit(&report(finding), FailOn::Warn), Exit::Clean, "{status:?}");
            }
        }
    }

    #[test]
    fn an_incomplete_scan_is_not_evaluated_even_if_something_is_denied() {
        let complete = report(sample::finding());
        assert_eq!(exit(&complete, FailOn::Deny), Exit::Failed);
        let partial = Report { is_partial: true, ..complete.clone() };
        let notice = |level| Notice { level, place: None, message: "not YAML".to_owned() };
        let unread = Report { notices: vec![notice(Level::Error)], ..complete.clone() };
        let mut nothing = complete.clone();
        nothing.totals.evaluations = 0;
        for report in [partial, unread, nothing, Report::default()] {
            assert_eq!(exit(&report, FailOn::Deny), Exit::NotEvaluated);
            assert_eq!(exit(&report, FailOn::Never), Exit::Clean);
        }
        let noted = Report { notices: vec![notice(Level::Warning), notice(Level::Note)], ..complete };
        assert_eq!(exit(&noted, FailOn::Deny), Exit::Failed);
    }

    #[test]
    fn a_misspelt_choice_is_corrected() {
        let error = "unknwon".parse::<FailOn>().unwrap_err().to_string();
        assert_eq!(error, r#""unknwon" is not known; did you mean unknown?"#);
        let error = "1".parse::<FailOn>().unwrap_err().to_string();
        assert_eq!(error, r#""1" is not known; use one of deny, warn, unknown, never"#);
    }
}
