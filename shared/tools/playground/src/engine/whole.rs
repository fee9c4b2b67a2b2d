//! The functions of the whole engine for the last workspace.

use super::{Playground, case, deployed, export, fixes};
use crate::exchange::{CaseOptions, CaseText, Command, Fix, ReportFormat};
use crate::policy_manifest::Use;

impl Playground {
    /// Returns what fixes the violations of some controls of a cell of the last workspace; without
    /// controls, those of all. Nothing is changed.
    #[must_use]
    pub fn fix(&self, object: u32, policy: u32, controls: &[String]) -> Fix {
        let index = |number: u32| usize::try_from(number).ok();
        let evaluated = index(object).and_then(|index| self.evaluated.get(index));
        let (Some(evaluated), Some(policy)) = (evaluated, index(policy)) else { return Fix::default() };
        fixes::fix(self, evaluated, policy, controls)
    }

    /// Returns the manifest that deploys a policy of the last workspace: the one that was given, or
    /// the one for its settings. Empty if these are not valid.
    #[must_use]
    pub fn deployment(&self, policy: u32) -> String {
        let input = usize::try_from(policy).ok().and_then(|index| self.workspace.policies.get(index));
        input.and_then(|input| deployed::manifest(input, Use::Deployment)).unwrap_or_default()
    }

    /// Writes the last workspace as a test file of `portcullis test`.
    #[must_use]
    pub fn case_text(&self, options: &CaseOptions) -> CaseText {
        case::write(self, options)
    }

    /// Returns a report about the last workspace, as `portcullis scan` writes it.
    #[must_use]
    pub fn report(&self, format: ReportFormat) -> String {
        export::report(self, format)
    }

    /// Returns the commands that give the verdicts of the last workspace: one for all, and one for
    /// a cell, if there is one.
    #[must_use]
    pub fn commands(&self, object: Option<u32>, policy: Option<u32>) -> Vec<Command> {
        let index = |number: u32| usize::try_from(number).ok();
        let evaluated = object.and_then(index).and_then(|index| self.evaluated.get(index));
        let policy = policy.and_then(index).and_then(|index| self.policies.get(index));
        export::commands(self, evaluated.zip(policy.map(|policy| &**policy)))
    }
}
