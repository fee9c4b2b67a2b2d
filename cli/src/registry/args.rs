//! The arguments of `portcullis push` and `portcullis pull`.
#![expect(clippy::doc_markdown, reason = "the comments are the help, which has no links")]

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Push policies to a registry in the format that Kubewarden pulls.
///
/// Prints the digest of each policy, which `cosign sign` takes. Exits with status 0 if all policies
/// are pushed, and 2 otherwise; every policy whose digest is printed is in the registry.
#[derive(Args, Debug)]
pub(crate) struct PushArgs {
    /// Module files, or IDs of built policies.
    #[arg(required = true, value_name = "POLICY")]
    pub(crate) policies: Vec<String>,

    /// Destination: HOST/REPOSITORY for one policy, with an optional :TAG; HOST/PREFIX for several.
    ///
    /// The default tag is v followed by the version in the metadata of the policy. Each of several
    /// policies goes to HOST/PREFIX/ID.
    pub(crate) reference: String,

    /// Directory of the built modules.
    #[arg(long, value_name = "DIR", default_value = "target/policies")]
    pub(crate) modules: PathBuf,

    #[command(flatten)]
    pub(crate) registry: RegistryArgs,

    /// Output format of the digests.
    #[arg(short, long, value_enum, default_value_t)]
    pub(crate) output: DigestFormat,
}

/// The output format of digests.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum DigestFormat {
    /// Text.
    #[default]
    Text,
    /// A JSON object with immutable_ref for each policy, one per line.
    Json,
}

/// Pull a policy from a registry into a file.
#[derive(Args, Debug)]
pub(crate) struct PullArgs {
    /// HOST/REPOSITORY:TAG or HOST/REPOSITORY@DIGEST.
    pub(crate) reference: String,

    /// File for the module [default: the last part of the repository name, with .wasm]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) registry: RegistryArgs,
}

#[derive(Args, Debug)]
pub(crate) struct RegistryArgs {
    /// Use HTTP without TLS, which exposes credentials on the network.
    #[arg(long)]
    pub(crate) plain_http: bool,

    /// Directory of the config.json with Docker credentials [default: $DOCKER_CONFIG or ~/.docker]
    #[arg(long, value_name = "DIR")]
    pub(crate) docker_config: Option<PathBuf>,
}
