//! The arguments of `portcullis audit`.

use clap::{Args, Subcommand};

use super::{SettingsArgs, TextOrData};

/// List the findings of a restriction in a cluster, from a dump of its objects.
///
/// Create a dump with `kubectl get … -o json`. Exits with status 0 if nothing is found, 1 if
/// something is found, and 2 if the dump cannot be read.
#[derive(Args, Debug)]
pub(crate) struct AuditArgs {
    #[command(subcommand)]
    pub(crate) audit: Audit,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Audit {
    /// List labels of mirror pods that their namespaces do not allow, and the commands that allow
    /// them.
    ///
    /// The dump needs pods, namespaces and nodes:
    /// `kubectl get pods,namespaces,nodes --all-namespaces -o json`.
    MirrorLabels(DumpArgs),
    /// List pods and workloads that the Pod Security Standards deny, under settings of the policy
    /// pod-security.
    ///
    /// The output is that of `portcullis scan`. All objects are evaluated as if they were being
    /// created.
    PodSecurity {
        #[command(flatten)]
        dump: DumpArgs,
        #[command(flatten)]
        settings: SettingsArgs,
    },
    /// List SELinux levels that Namespaces share or pods take from others, and objects that the
    /// policy would deny or change.
    ///
    /// The dump needs Namespaces, pods, workloads with pod templates, and PersistentVolumes. With
    /// types.fromSelinuxProfiles, it also needs SelinuxProfiles. All objects are evaluated as if
    /// they were being created.
    Selinux {
        #[command(flatten)]
        dump: DumpArgs,
        #[command(flatten)]
        settings: SettingsArgs,
    },
}

#[derive(Args, Debug)]
pub(crate) struct DumpArgs {
    /// Files of Kubernetes objects and lists, as JSON or YAML, or directories of such files
    /// (*.json, *.yaml, *.yml); `-` reads standard input.
    #[arg(required = true, value_name = "FILE|DIR")]
    pub(crate) dump: Vec<String>,

    /// Output format of the findings.
    #[arg(short, long, value_enum, default_value_t)]
    pub(crate) output: TextOrData,
}
