use report::{Level, Notice};

use crate::evaluate::Kept;
use crate::options::{Operation, Options};
use crate::policy::Policy;
use crate::tally::Tally;

/// Policies that evaluate objects.
#[derive(Debug)]
pub struct Scan {
    policies: Vec<Policy>,
    options: Options,
    kept: Kept,
}

impl Scan {
    /// Creates a scan of policies, in the order in which the API server calls them.
    #[must_use]
    pub fn new(mut policies: Vec<Policy>, options: Options) -> Self {
        policies.sort_by_key(Policy::order);
        for policy in &mut policies {
            policy.reference.digest = policy.digest();
        }
        let kept = Kept::by(&policies);
        Self { policies, options, kept }
    }

    /// Returns the policies in the order in which they evaluate.
    #[must_use]
    pub fn policies(&self) -> &[Policy] {
        &self.policies
    }

    pub(crate) fn kept(&self) -> &Kept {
        &self.kept
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// Adds what is to say before any object is evaluated.
    pub(crate) fn introduce(&self, has_old: bool, tally: &mut Tally) {
        for policy in &self.policies {
            for warning in &policy.warnings {
                let message = format!("policy {policy}: {warning}");
                tally.notice(Notice { level: Level::Warning, place: None, message });
            }
            if let Some(reason) = policy.unavailable() {
                let message = format!("policy {policy} evaluates nothing: {reason}");
                tally.notice(Notice { level: Level::Error, place: None, message });
            }
        }
        if self.options.operation == Operation::Update && !has_old {
            let message =
                "the objects are evaluated as updates without a change, so that policies tolerate the values \
                           that they tolerate when stored; give the state before the change with --old"
                    .to_owned();
            tally.notice(Notice { level: Level::Warning, place: None, message });
        }
    }
}
