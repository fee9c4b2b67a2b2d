//! The arguments of `portcullis convert`.

use clap::{Args, Subcommand, ValueEnum};

/// Convert existing pod restrictions into manifests for Kubewarden.
///
/// Exits with status 0 if the manifests are equivalent to the input, 1 if something is not
/// converted or differs, with the place and the reason on standard error, and 2 if the input cannot
/// be read. With --check, a different verdict is also status 1.
#[derive(Args, Debug)]
pub(crate) struct ConvertArgs {
    #[command(subcommand)]
    pub(crate) source: ConvertSource,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConvertSource {
    /// Convert pod security rules of Kyverno, and the PolicyExceptions for them.
    ///
    /// These are rules with validate.podSecurity, and those of Kyverno's library in patterns or
    /// CEL. Rules of the library that differ in nothing but the control become one manifest.
    ///
    /// Comments above each manifest list what is not converted. If a match or an exclude cannot be
    /// expressed, the manifest judges more requests than the rule, never fewer, and is in mode
    /// monitor.
    Kyverno {
        /// Files with ClusterPolicies, Policies, ValidatingPolicies, PolicyExceptions and lists of
        /// them, as JSON or YAML; `-` reads standard input.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<String>,

        #[command(flatten)]
        conversion: ConversionArgs,

        /// File with the ConfigMap of Kyverno, which leaves out requests for all policies. Without
        /// it, the defaults of Kyverno's chart are applied.
        #[arg(long, value_name = "FILE")]
        kyverno_config: Option<String>,
    },
    /// Convert the configuration of the admission plugin PodSecurity.
    Psa {
        /// File with a PodSecurityConfiguration, or with an AdmissionConfiguration that contains
        /// one, as JSON or YAML; `-` reads standard input.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<String>,

        #[command(flatten)]
        conversion: ConversionArgs,
    },
}

/// Options of all conversions.
#[derive(Args, Debug)]
pub(crate) struct ConversionArgs {
    /// Mode of the policies, instead of that of the input.
    #[arg(long, value_enum)]
    pub(crate) mode: Option<ModeArg>,

    /// Registry and path of the modules, such as registry.example.com/policies.
    #[arg(long, value_name = "REGISTRY")]
    pub(crate) registry: Option<String>,

    /// Beginning of the names of all policies.
    #[arg(long, value_name = "PREFIX", default_value = "")]
    pub(crate) name_prefix: String,

    /// Output format of the manifests.
    #[arg(short, long, value_enum, default_value_t)]
    pub(crate) output: ManifestFormat,

    /// Pods and workloads to judge by the manifests and by a model of the input, which shares no
    /// code with the conversion: a file, or a directory. Repeat the option for several.
    ///
    /// Each object that is judged differently, and each one whose verdict is unknown, has a line on
    /// standard error, and the exit status is 1. Add the Namespaces of the objects, whose labels
    /// can matter. There are models of the admission plugin PodSecurity and of Kyverno's rules with
    /// podSecurity.
    #[cfg(feature = "scan")]
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) check: Vec<String>,
}

/// The mode of policies.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ModeArg {
    /// Violations are denied.
    Protect,
    /// Violations are logged and admitted.
    Monitor,
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
