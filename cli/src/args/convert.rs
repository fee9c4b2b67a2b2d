//! The arguments of `portcullis convert`.

use clap::{Args, Subcommand, ValueEnum};

/// Convert existing pod restrictions into manifests for Kubewarden.
///
/// Exits with status 0 if everything is converted, 1 if something is not converted, and 2 if the
/// input cannot be read.
#[derive(Args, Debug)]
pub(crate) struct ConvertArgs {
    #[command(subcommand)]
    pub(crate) source: ConvertSource,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConvertSource {
    /// Convert Kyverno rules with validate.podSecurity, and the PolicyExceptions for them.
    ///
    /// Comments above each manifest list what is not converted. If a match or an exclude cannot be
    /// expressed, the manifest judges more requests than the rule, never fewer.
    Kyverno {
        /// Files with ClusterPolicies, Policies, PolicyExceptions and lists of them, as JSON or
        /// YAML; `-` reads standard input.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<String>,

        /// Output format of the manifests.
        #[arg(short, long, value_enum, default_value_t)]
        output: ManifestFormat,
    },
    /// Convert the configuration of the admission plugin PodSecurity.
    Psa {
        /// File with a PodSecurityConfiguration, or with an AdmissionConfiguration that contains
        /// one, as JSON or YAML; `-` reads standard input.
        file: String,

        /// Output format of the manifest.
        #[arg(short, long, value_enum, default_value_t)]
        output: ManifestFormat,
    },
}

/// The output format of manifests.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum ManifestFormat {
    /// YAML documents, with comments on what is not converted.
    #[default]
    Yaml,
    /// A List as a single JSON object, with what is not converted in notConverted.
    Json,
}
