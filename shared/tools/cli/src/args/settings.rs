//! The arguments for the settings of a policy.

use clap::Args;

#[derive(Args, Debug)]
pub(crate) struct SettingsArgs {
    /// File with the settings of the policy, as JSON or YAML [default: {}]
    #[arg(short, long, value_name = "FILE", conflicts_with = "settings_json")]
    pub(crate) settings: Option<String>,

    /// Settings of the policy.
    #[arg(long, value_name = "JSON")]
    pub(crate) settings_json: Option<String>,
}
