//! The results of tests.

use serde::Serialize;

use crate::{Coverage, Difference, Mistake};

/// The results of all test files.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Results {
    /// The files, in the order of the arguments, and by name within a directory.
    pub files: Vec<FileResult>,
    /// The coverage of the policies, if it is asked for.
    pub coverage: Option<Coverage>,
    /// Mistakes outside of files, such as arguments that name no test file.
    pub mistakes: Vec<Mistake>,
}

/// The results of a file.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileResult {
    /// The file.
    pub name: String,
    /// The names of the policies.
    pub policies: Vec<String>,
    /// The mistakes of the file itself and of its policies.
    pub mistakes: Vec<Mistake>,
    /// Policies that no case reaches, which is a failure.
    pub not_reached: Vec<String>,
    /// The number of cases that were blessed.
    pub blessed: usize,
    /// The cases that were chosen.
    pub cases: Vec<CaseResult>,
}

/// The result of a case.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaseResult {
    /// The name.
    pub name: String,
    /// The line of the case.
    pub line: Option<u64>,
    /// The result.
    pub status: Status,
}

/// The result of a case.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Status {
    /// Everything is as wanted.
    Passed,
    /// Something differs.
    Failed(Vec<Difference>),
    /// The case cannot be read.
    Broken(Mistake),
}

/// The numbers of cases.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Totals {
    /// All.
    pub cases: usize,
    /// Those that passed.
    pub passed: usize,
    /// Those that failed, and policies that no case reaches.
    pub failed: usize,
    /// Cases, policies and files that cannot be read.
    pub broken: usize,
}

impl Results {
    /// Returns the numbers of cases.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let mut totals = Totals { broken: self.mistakes.len(), ..Totals::default() };
        for file in &self.files {
            totals.broken += file.mistakes.len();
            totals.failed += file.not_reached.len();
            for case in &file.cases {
                let count = match case.status {
                    Status::Passed => &mut totals.passed,
                    Status::Failed(_) => &mut totals.failed,
                    Status::Broken(_) => &mut totals.broken,
                };
                *count += 1;
                totals.cases += 1;
            }
        }
        totals
    }

    /// Returns the exit status: 0 if all cases passed, 1 if one failed or they cover too little, 2
    /// if something could not be read or there was no case.
    #[must_use]
    pub fn exit_status(&self) -> u8 {
        match self.totals() {
            Totals { broken: 1.., .. } | Totals { cases: 0, .. } => 2,
            Totals { failed: 1.., .. } => 1,
            _ if self.coverage.as_ref().is_some_and(Coverage::is_too_low) => 1,
            _ => 0,
        }
    }
}
