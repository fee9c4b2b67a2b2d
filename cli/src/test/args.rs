//! The arguments of `portcullis test`.

use clap::Args;
use regex::Regex;
use suite::Output;

use crate::args::EngineArgs;

/// Test what policies do with requests, from files.
///
/// Exits with status 0 if all cases pass, 1 if a case fails, and 2 if a file, a case or a policy
/// cannot be read or nothing is tested.
#[derive(Args, Debug)]
pub(crate) struct TestArgs {
    /// Test files, and directories that contain some.
    ///
    /// A test file is YAML with policies and cases, or a list of cases for the policy of --policy.
    #[arg(value_name = "FILE|DIR", default_value = ".")]
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

    /// Output format, and the file that it is written to. Repeat the option for several; only one
    /// can be without a file. [default: text]
    ///
    /// The formats are text, json, junit and github.
    #[arg(short, long, value_name = "FORMAT[=FILE]")]
    pub(super) output: Vec<Output>,

    #[command(flatten)]
    pub(super) engine: EngineArgs,
}

/// Returns an expression that a name matches if it contains the text or matches it.
fn filter(text: &str) -> Result<Regex, regex::Error> {
    let literal = regex::escape(text);
    Regex::new(&format!("{literal}|(?:{text})")).or_else(|_| Regex::new(&literal))
}
