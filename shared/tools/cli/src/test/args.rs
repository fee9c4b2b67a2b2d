//! The arguments of `portcullis test`.

use clap::Args;
use regex::Regex;
use suite::Output;

use crate::args::EngineArgs;
use crate::scan::InstallationArgs;

/// Test what policies do with requests, from files.
///
/// Exits with status 0 if all cases pass, 1 if a case fails, and 2 if a file, a case or a policy
/// cannot be read or nothing is tested.
#[derive(Args, Debug)]
pub(crate) struct TestArgs {
    /// Test files, and directories that contain some.
    ///
    /// A test file is YAML with policies and cases, or a list of cases for the policy of --policy.
    /// [default: the working directory]
    #[arg(value_name = "FILE|DIR")]
    pub(super) paths: Vec<String>,

    /// Policy of the test files that name none: an id of Portcullis, a module file, a manifest, or
    /// the reference of a module in a registry.
    #[arg(short, long, value_name = "POLICY")]
    pub(super) policy: Vec<String>,

    /// Run only the cases whose name contains the text or matches the regular expression.
    #[arg(short, long, value_name = "TEXT|REGEX", value_parser = filter)]
    pub(super) filter: Option<Regex>,

    /// Run the programs that test files name for their objects, such as helm template.
    #[arg(long)]
    pub(super) allow_commands: bool,

    /// Rewrite the cases that fail, so that they want what happens. Read the change before you
    /// accept it.
    #[arg(long)]
    pub(super) bless: bool,

    #[command(flatten)]
    pub(super) coverage: CoverageArgs,

    /// Run again whenever a file changes that the run has read. End it with Ctrl-C.
    #[arg(long, conflicts_with_all = ["bless", "init"])]
    pub(super) watch: bool,

    /// Write a first test file for the policies of a manifest: a case for each rule, one that no
    /// rule matches, and one that each selector leaves out.
    ///
    /// The file is FILE, or NAME.test.yaml in the working directory, and must not exist.
    #[arg(long, value_name = "MANIFEST", conflicts_with_all = ["bless", "filter", "policy"])]
    pub(super) init: Option<String>,

    /// Output format, and the file that it is written to. Repeat the option for several; only one
    /// can be without a file. [default: text]
    ///
    /// The formats are text, json, junit and github.
    #[arg(short, long, value_name = "FORMAT[=FILE]")]
    pub(super) output: Vec<Output>,

    #[command(flatten)]
    pub(super) engine: EngineArgs,

    #[command(flatten)]
    pub(super) installation: InstallationArgs,
}

#[derive(Args, Debug)]
pub(crate) struct CoverageArgs {
    /// Print which rules, selectors, conditions and verdicts no case shows.
    #[arg(long)]
    pub(super) coverage: bool,

    /// Percentage of the coverage below which the run fails.
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(super) coverage_threshold: Option<u8>,
}

/// Returns an expression that a name matches if it contains the text or matches it.
fn filter(text: &str) -> Result<Regex, regex::Error> {
    let literal = regex::escape(text);
    Regex::new(&format!("{literal}|(?:{text})")).or_else(|_| Regex::new(&literal))
}
