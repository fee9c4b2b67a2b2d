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
    /// Convert what restricts the external IPs of Services.
    ///
    /// The Network configuration of OpenShift, the flags of externalip-webhook, and the in-tree
    /// plugin DenyServiceExternalIPs become policies of external-ips.
    ExternalIps {
        /// Files with the Network configuration, workloads that run externalip-webhook and its
        /// webhook configuration, pods of kube-apiserver, ClusterConfigurations of kubeadm,
        /// AdmissionConfigurations and lists of them, as JSON or YAML; `-` reads standard input.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<String>,

        #[command(flatten)]
        conversion: ConversionArgs,
    },
    /// Convert constraints of Gatekeeper's library for pods and external IPs.
    ///
    /// Constraints that judge the same requests become one manifest. If a manifest refuses more
    /// than a constraint, it is in mode monitor.
    Gatekeeper {
        /// Files with constraints, the Config, ConstraintTemplates, ExpansionTemplates and lists of
        /// them, as JSON or YAML; `-` reads standard input.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<String>,

        #[command(flatten)]
        conversion: ConversionArgs,
    },
    /// Convert policies with Kubewarden's official modules for single controls.
    ///
    /// Policies that judge the same requests become one manifest. If a manifest refuses more than a
    /// policy, it is in mode monitor.
    Kubewarden {
        /// Files with policies, groups of policies and lists of them, as JSON or YAML; `-` reads
        /// standard input.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<String>,

        #[command(flatten)]
        conversion: ConversionArgs,
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
    /// Convert PodSecurityPolicies, which Kubernetes removed in v1.25.
    ///
    /// No manifest refuses a pod that a policy admits as it is. Comments above the manifests list
    /// what policies refuse beyond the Pod Security Standards, and the defaults that they set.
    Psp {
        /// Files with PodSecurityPolicies, and with the roles and bindings that permit their use,
        /// as JSON or YAML; `-` reads standard input.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<String>,

        #[command(flatten)]
        conversion: ConversionArgs,
    },
    /// Convert SecurityContextConstraints of OpenShift, and the roles that grant their use.
    ///
    /// They become policies of pod-security and selinux. Without bindings in the input, the
    /// policies refuse more pods and are in mode monitor.
    Scc {
        /// Files with SecurityContextConstraints, ClusterRoles, Roles, ClusterRoleBindings,
        /// RoleBindings and lists of them, as JSON or YAML; `-` reads standard input.
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
