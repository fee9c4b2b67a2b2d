//! The arguments of `portcullis push` and `portcullis pull`.
#![expect(clippy::doc_markdown, reason = "the comments are the help, which has no links")]

use std::path::PathBuf;

use clap::Args;

use crate::args::TextOrData;

/// Push policies to a registry in the format that Kubewarden pulls.
///
/// Prints the digest of each policy, which `cosign sign` takes. Exits with status 0 if all policies
/// are pushed, and 2 otherwise; every policy whose digest is printed is in the registry.
#[derive(Args, Debug)]
pub(crate) struct PushArgs {
    /// Module files, or IDs of built policies.
    #[arg(required = true, value_name = "POLICY")]
    pub(crate) policies: Vec<String>,

    /// Destination: HOST/REPOSITORY or HOST/REPOSITORY:TAG of one policy, or HOST/PREFIX/ of any
    /// number.
    ///
    /// A reference that ends in a slash is a prefix: each policy goes to HOST/PREFIX/ID. The
    /// default tag is v followed by the version in the metadata of the policy.
    pub(crate) reference: String,

    /// Directory of the built modules.
    #[arg(long, value_name = "DIR", default_value = "target/policies")]
    pub(crate) modules: PathBuf,

    #[command(flatten)]
    pub(crate) registry: RegistryArgs,

    /// Output format of the digests; as data, each policy has an immutable_ref.
    #[arg(short, long, value_enum, default_value_t)]
    pub(crate) output: TextOrData,
}

/// Pull a policy from a registry into a file.
#[derive(Args, Debug)]
pub(crate) struct PullArgs {
    /// HOST/REPOSITORY:TAG or HOST/REPOSITORY@DIGEST.
    pub(crate) reference: String,

    /// File for the module [default: the last part of the repository name, with .wasm]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) registry: RegistryArgs,

    /// Output format of the digest.
    #[arg(short, long, value_enum, default_value_t)]
    pub(crate) output: TextOrData,
}

#[derive(Args, Debug, Default)]
pub(crate) struct RegistryArgs {
    /// Use HTTP without TLS, which exposes credentials on the network.
    #[arg(long)]
    pub(crate) plain_http: bool,

    /// Directory of the config.json with Docker credentials [default: $DOCKER_CONFIG or ~/.docker]
    #[arg(long, value_name = "DIR")]
    pub(crate) docker_config: Option<PathBuf>,
}
