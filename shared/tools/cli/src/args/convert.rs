//! The arguments of `portcullis convert`.

use clap::{Args, Subcommand, ValueEnum};
use convert::{Class, Source};

/// Convert existing restrictions on pods and Services into manifests for Kubewarden.
///
/// Exits with status 0 if no verdict differs from that of the input, 1 if one may differ, and 2 if
/// a document cannot be read. Each difference is a line on standard error, with its place, its
/// class and the reason; differences of the class text do not change the status.
#[derive(Args, Debug)]
pub(crate) struct ConvertArgs {
    #[command(subcommand)]
    pub(crate) source: ConvertSource,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConvertSource {
    /// Convert pod security rules of Kyverno, and the PolicyExceptions for them.
    ///
    /// The files have ClusterPolicies, Policies, ValidatingPolicies and PolicyExceptions: rules
    /// with validate.podSecurity, and those of Kyverno's library in patterns or CEL. Rules of the
    /// library that differ in nothing but the control become one manifest.
    ///
    /// Comments above each manifest list the differences. If a match or an exclude cannot be
    /// expressed, the manifest evaluates more requests than the rule, never fewer, and is in mode
    /// monitor.
    Kyverno {
        #[command(flatten)]
        args: SourceArgs,

        /// File with the ConfigMap of Kyverno, which leaves out requests for all policies. Without
        /// it, the defaults of Kyverno's chart are applied.
        #[arg(long, value_name = "FILE")]
        kyverno_config: Option<String>,
    },
    /// Convert constraints of Gatekeeper's library for pods and external IPs.
    ///
    /// The files have constraints, the Config, ConstraintTemplates and ExpansionTemplates.
    ///
    /// Constraints that evaluate the same requests become one manifest. If a manifest refuses more
    /// than a constraint, it is in mode monitor.
    Gatekeeper(SourceArgs),
    /// Convert policies with Kubewarden's official modules for single controls.
    ///
    /// The files have policies and groups of policies. Those that evaluate the same requests become
    /// one manifest. If a manifest refuses more than a policy, it is in mode monitor.
    Kubewarden(SourceArgs),
    /// Convert the configuration of the admission plugin PodSecurity.
    ///
    /// The file has a PodSecurityConfiguration, or an AdmissionConfiguration that contains one.
    Psa(SourceArgs),
}

impl ConvertSource {
    pub(crate) fn parts(&self) -> (Source, &SourceArgs) {
        match self {
            Self::Gatekeeper(args) => (Source::GATEKEEPER, args),
            Self::Kubewarden(args) => (Source::KUBEWARDEN, args),
            Self::Kyverno { args, .. } => (Source::KYVERNO, args),
            Self::Psa(args) => (Source::PSA, args),
        }
    }
}

/// The arguments of all sources.
#[derive(Args, Debug)]
pub(crate) struct SourceArgs {
    /// Files, or directories of files, with the objects to convert and lists of them, as JSON or
    /// YAML; `-` reads standard input.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,

    #[command(flatten)]
    pub(crate) conversion: ConversionArgs,
}

/// Options of all conversions.
#[derive(Args, Debug)]
pub(crate) struct ConversionArgs {
    /// Classes of differences with which the status is still 0.
    #[arg(long, value_enum, value_name = "CLASS", value_delimiter = ',')]
    pub(crate) allow: Vec<ClassArg>,

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
}

/// The effect of a difference on verdicts.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ClassArg {
    /// The manifests admit what the input refuses.
    Weaker,
    /// The manifests refuse or report what the input admits.
    Stricter,
    /// No manifest contains the part, whatever it does.
    NotConverted,
    /// Verdicts are the same, and messages are not.
    Text,
}

impl From<ClassArg> for Class {
    fn from(class: ClassArg) -> Self {
        match class {
            ClassArg::Weaker => Self::Weaker,
            ClassArg::Stricter => Self::Stricter,
            ClassArg::NotConverted => Self::NotConverted,
            ClassArg::Text => Self::Text,
        }
    }
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
    /// YAML documents, with comments on differences.
    #[default]
    Yaml,
    /// A List as a single JSON object, with the differences in a field of their own.
    Json,
}
