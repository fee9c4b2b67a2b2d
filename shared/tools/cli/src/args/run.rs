//! The arguments of `portcullis run`.

use clap::Args;

use super::{EngineArgs, SettingsArgs, TextOrData};

/// Evaluate requests, or the creation of objects, with one policy.
///
/// Exits with status 0 if all requests are admitted, 1 if a request is denied, and 2 if the
/// requests cannot be evaluated.
#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    /// Id of a policy of Portcullis, module file, reference of a module in a registry, or manifest
    /// of a ClusterAdmissionPolicy or AdmissionPolicy.
    ///
    /// The ids are external-ips, node-labels, node-pods, pod-security and selinux. A manifest
    /// provides the module, the settings, the granted look-ups, mutating and message: every request
    /// is evaluated, whatever the rules and selectors are, and mode is ignored. A module from a
    /// registry is kept in $XDG_CACHE_HOME/portcullis or ~/.cache/portcullis.
    pub(crate) policy: String,

    /// Files, or directories of files, to evaluate, as JSON or YAML: AdmissionReviews,
    /// AdmissionRequests, and Kubernetes objects and lists of them; `-` reads standard input.
    ///
    /// An object is evaluated as if an ordinary user created it.
    #[arg(required_unless_present = "request", value_name = "FILE")]
    pub(crate) files: Vec<String>,

    /// A file to evaluate, as FILE. Those of the option come first.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) request: Vec<String>,

    /// Namespace of namespaced objects that name none.
    #[arg(short, long, value_name = "NAME", default_value = "default")]
    pub(crate) namespace: String,

    #[command(flatten)]
    pub(crate) settings: SettingsArgs,

    /// Kubernetes objects that the policy can look up: a file of objects and lists, or a directory
    /// of such files (*.json, *.yaml, *.yml). Repeat the option for several.
    #[arg(short, long, value_name = "FILE|DIR")]
    pub(crate) cluster: Vec<String>,

    /// Evaluate each file NAME.request.json with the settings in NAME.settings.yaml and the cluster
    /// in NAME.cluster.yaml of its folder, where they exist.
    #[arg(long, conflicts_with_all = ["settings", "settings_json", "cluster"])]
    pub(crate) samples: bool,

    /// Output format of the verdicts. As data, each is an AdmissionReview with a response.
    #[arg(short, long, value_enum, default_value_t)]
    pub(crate) output: TextOrData,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}
