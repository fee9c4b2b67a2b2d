//! The arguments of `portcullis explain`.

use clap::Args;

use super::TextOrData;

/// Explain the rules of Portcullis' policies: the reason for each, an example, and the remedy.
///
/// Without an argument, list all rules; with a policy, those of the policy.
#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// Policy and rule, as reports name them.
    #[arg(value_name = "POLICY[/RULE]")]
    pub(crate) rule: Option<String>,

    /// Output format.
    #[arg(short, long, value_enum, default_value_t)]
    pub(crate) output: TextOrData,
}
