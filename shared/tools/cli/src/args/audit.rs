//! The arguments of `portcullis audit`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{SettingsArgs, TextOrData};
use crate::failure::Failure;
use crate::scan::Cluster;

/// List the findings of a restriction in a cluster, running or from a dump of its objects.
///
/// Create a dump with `kubectl get … -o json`, or read the cluster with --live. Exits with status 0
/// if there are no findings, 1 if there are findings, and 2 if there are no objects, or if some
/// cannot be read.
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
    /// List SELinux levels that Namespaces share or pods take from others, volumes that pods mount
    /// with different labels, and objects that the policy would deny or change.
    ///
    /// The dump needs Namespaces, pods, workloads with pod templates, PersistentVolumes,
    /// PersistentVolumeClaims and CSIDrivers. With types.fromSelinuxProfiles, it also needs
    /// SelinuxProfiles. All objects are evaluated as if they were being created.
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
    #[arg(required_unless_present = "live", value_name = "FILE|DIR")]
    pub(crate) dump: Vec<String>,

    /// Output format of the findings.
    #[arg(short, long, value_enum, default_value_t)]
    pub(crate) output: TextOrData,

    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Running cluster")]
pub(crate) struct ClusterArgs {
    /// Read the objects of a running cluster instead of a dump, with the credentials of kubectl or
    /// the service account of the pod. The cluster is not changed.
    #[arg(long, conflicts_with = "dump")]
    live: bool,

    /// Context of the kubeconfig [default: the current context]
    #[arg(long, value_name = "NAME", requires = "live", conflicts_with = "dump")]
    context: Option<String>,

    /// Kubeconfig [default: the files in $KUBECONFIG, or ~/.kube/config]
    #[arg(long, value_name = "FILE", requires = "live", conflicts_with = "dump")]
    kubeconfig: Option<PathBuf>,
}

impl ClusterArgs {
    /// Connects to the cluster, if it is to be read.
    pub(crate) fn connect(&self) -> Result<Option<Cluster>, Failure> {
        let Self { live, context, kubeconfig } = self;
        live.then(|| Cluster::connect(kubeconfig.as_deref(), context.as_deref())).transpose()
    }
}
