//! The arguments of `portcullis scan`.
#![expect(clippy::doc_markdown, reason = "the comments are the help, which has no links")]

use std::path::PathBuf;

use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use kubewarden::matching::Installation;
use report::{FailOn, Output};
use scan::{Chart, Patterns};

use super::policies::PolicyChoice;
use crate::args::{EngineArgs, SettingsArgs};

/// The arguments of scans of files. With one of them, clap would not require --live.
const OF_FILES: [&str; 6] = ["paths", "helm", "kustomize", "old", "cluster", "compare"];

/// Evaluate objects as the API server and Kubewarden would, before they are applied.
///
/// Exits with status 0 if nothing is denied, 1 if something is denied (--fail-on), and 2 if
/// something could not be evaluated or nothing was evaluated. A verdict that cannot be evaluated is
/// unknown, with the reason, and never a pass.
#[derive(Args, Debug)]
pub(crate) struct ScanArgs {
    /// Objects to evaluate: files and directories of YAML and JSON; `-` reads standard input.
    ///
    /// In directories, these are the files *.yaml, *.yml and *.json that git does not ignore: those
    /// that no rule of .gitignore matches, and those that git tracks. A file can contain several
    /// documents, lists and AdmissionReviews. Charts and kustomizations in directories are rendered
    /// if helm, and kustomize or kubectl, are installed. The default are the paths of
    /// portcullis.yaml.
    #[arg(value_name = "FILE|DIR")]
    pub(crate) paths: Vec<String>,

    /// Policy that evaluates: a manifest or a directory of manifests as they are deployed, an id of
    /// Portcullis, also with settings as in pod-security=baseline, a module file, or the reference
    /// of a module in a registry. Repeat the option for several.
    ///
    /// Manifests are ClusterAdmissionPolicies, AdmissionPolicies and groups of them, with their
    /// rules, selectors and conditions. ClusterPolicies and Policies of Kyverno are converted as by
    /// `portcullis convert kyverno`, and what cannot be converted is an error. An id or a module is
    /// matched by its own rules. The ids are external-ips, node-labels, node-pods, pod-security and
    /// selinux. The default are the policies of portcullis.yaml, or these five, with the settings
    /// of their manifests; with --live, the policies that are deployed in the cluster.
    #[arg(short, long, value_name = "POLICY")]
    pub(crate) policy: Vec<PolicyChoice>,

    #[command(flatten)]
    pub(crate) settings: SettingsArgs,

    /// Policy to compare with, named as in --policy: print what changes if the policies of --policy
    /// replace those of --compare. Repeat the option for several.
    ///
    /// Exits with status 0 if nothing is denied that was not denied before, 1 if there are new
    /// denials (--fail-on), and 2 if either side could not evaluate something. The formats are
    /// text, json and markdown.
    #[arg(
        long,
        value_name = "POLICY",
        conflicts_with_all = ["baseline", "write_baseline", "explain"],
    )]
    pub(crate) compare: Vec<PolicyChoice>,

    /// File with the settings of the policy of --compare [default: {}]
    #[arg(long, value_name = "FILE", requires = "compare")]
    pub(crate) compare_settings: Option<String>,

    #[command(flatten)]
    pub(crate) input: InputArgs,

    #[command(flatten)]
    pub(crate) live: LiveArgs,

    #[command(flatten)]
    pub(crate) request: RequestArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,

    #[command(flatten)]
    pub(crate) installation: InstallationArgs,

    #[command(flatten)]
    pub(crate) config: ConfigArgs,
}

/// The configuration of the scan.
#[derive(Args, Debug)]
#[command(next_help_heading = "Configuration")]
pub(crate) struct ConfigArgs {
    /// Configuration file [default: portcullis.yaml in the working directory, or in the nearest
    /// directory above it in the same git repository]
    ///
    /// It has policies, files to leave out, charts with values, a baseline and outputs. An option
    /// replaces the key that says the same, and --exclude adds to it. A scan with --live has no
    /// configuration.
    /// `portcullis init` writes the file.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["no_config", "live"])]
    pub(crate) config: Option<PathBuf>,

    /// Use no configuration file.
    #[arg(long)]
    pub(crate) no_config: bool,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Policies")]
pub(crate) struct InstallationArgs {
    /// Namespace of Kubewarden, which cluster-wide policies leave out, and in which policy servers
    /// admit each request. [default: kubewarden; with --live, that of the webhook configurations]
    #[arg(long, value_name = "NAMESPACE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) kubewarden_namespace: Option<String>,

    /// Policy servers evaluate requests in the namespace of Kubewarden, too: it was installed with
    /// alwaysAcceptAdmissionReviewsOnDeploymentsNamespace: false.
    #[arg(long)]
    pub(crate) evaluate_kubewarden_namespace: bool,
}

impl InstallationArgs {
    /// Returns how Kubewarden is installed, as far as the arguments say it.
    pub(crate) fn installation(&self) -> Installation {
        let default = Installation::default();
        Installation {
            namespace: self.kubewarden_namespace.clone().unwrap_or(default.namespace),
            accepts_own_namespace: !self.evaluate_kubewarden_namespace,
            policy_namespace: None,
        }
    }
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Input")]
pub(crate) struct InputArgs {
    /// Chart to render by `helm template`: a directory, an archive or a reference.
    #[arg(long, value_name = "CHART")]
    pub(crate) helm: Vec<String>,

    /// Values for the charts.
    #[arg(long, value_name = "FILE", requires = "helm")]
    pub(crate) values: Vec<String>,

    /// Name of the release of the charts.
    #[arg(long, value_name = "NAME", default_value = "release-name", requires = "helm")]
    pub(crate) release: String,

    /// Directory to render by `kustomize build`, or by `kubectl kustomize`.
    #[arg(long, value_name = "DIR")]
    pub(crate) kustomize: Vec<String>,

    /// Pattern of files in directories to leave out, as in .gitignore and relative to the working
    /// directory, in addition to the file .portcullisignore. Repeat the option for several.
    #[arg(long, alias = "ignore", value_name = "PATTERN", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) exclude: Vec<String>,

    /// The charts of the configuration file.
    #[arg(skip)]
    pub(crate) charts: Vec<Chart>,

    /// The files that the configuration file leaves out.
    #[arg(skip)]
    pub(crate) excluded: Option<Patterns>,

    /// The configuration file, and the files that it lets the scan write.
    #[arg(skip)]
    pub(crate) other: Vec<PathBuf>,

    /// The state before the change: files, directories, or git:REVISION with the same paths, charts
    /// and directories to render. Objects that it has are evaluated as updates, and those that only
    /// it has as deletions.
    #[arg(long, value_name = "FILE|DIR|git:REV")]
    pub(crate) old: Vec<String>,

    /// Objects that exist in addition to the input, for look-ups and for the labels of Namespaces:
    /// files or directories. With it, an object that is in neither does not exist.
    #[arg(short, long, value_name = "FILE|DIR")]
    pub(crate) cluster: Vec<String>,

    /// Treat unknown fields, duplicate keys, workloads without containers, and templates, charts
    /// and kustomizations that are not rendered as errors.
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Running cluster")]
pub(crate) struct LiveArgs {
    /// Evaluate the objects of a running cluster, which are read with the credentials of kubectl,
    /// or with the service account of the pod. The cluster is not changed.
    ///
    /// Only objects that the rules of a policy name are read, and those that policies look up.
    #[arg(long, conflicts_with_all = OF_FILES)]
    pub(crate) live: bool,

    /// Context of the kubeconfig [default: the current context]
    #[arg(long, value_name = "NAME", requires = "live", conflicts_with_all = OF_FILES)]
    pub(crate) context: Option<String>,

    /// Kubeconfig [default: the files in $KUBECONFIG, or ~/.kube/config]
    #[arg(long, value_name = "FILE", requires = "live", conflicts_with_all = OF_FILES)]
    pub(crate) kubeconfig: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Requests")]
pub(crate) struct RequestArgs {
    /// Operation that is asked about each object.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) operation: OperationChoice,

    /// Namespace of namespaced objects that name none [default: default]. With --live, the only
    /// namespace whose objects are evaluated [default: all, and objects in no namespace].
    #[arg(short, long, value_name = "NAME")]
    pub(crate) namespace: Option<String>,

    /// Name of the requesting user [default: alice, an ordinary user]
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,

    /// Group of the requesting user. Repeat the option for several.
    #[arg(long, value_name = "GROUP", requires = "user")]
    pub(crate) group: Vec<String>,

    /// Service account that makes the requests.
    #[arg(long, value_name = "NAMESPACE/NAME", conflicts_with = "user", value_parser = service_account)]
    pub(crate) service_account: Option<(String, String)>,

    /// Whether workloads are also evaluated as the pods that they would make [default: auto; off
    /// with --live, where the pods exist]
    #[arg(long, value_enum)]
    pub(crate) pods: Option<PodsChoice>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    #[command(flatten)]
    pub(crate) write: WriteArgs,

    #[command(flatten)]
    pub(crate) baseline: BaselineArgs,

    #[command(flatten)]
    pub(crate) exceptions: ExceptionArgs,

    /// Show what policies change: in text, markdown and html as a diff of each object and policy,
    /// in json also as a JSON patch.
    #[arg(long, conflicts_with = "compare")]
    pub(crate) diff: bool,

    /// Print why each policy looked at each object or did not.
    #[arg(long)]
    pub(crate) explain: bool,
}

/// The exceptions that count.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct ExceptionArgs {
    /// Evaluate without the exceptions that annotations of the objects make.
    ///
    /// The annotation portcullis.dev/except.POLICY or portcullis.dev/except.POLICY.RULE accepts
    /// findings about its object. Its value is the reason, which can end in "until YYYY-MM-DD".
    #[arg(long)]
    pub(crate) no_exceptions: bool,

    /// Honour also the exceptions of objects that come from a cluster, where others than the
    /// authors of manifests can annotate them: those with metadata.uid or metadata.resourceVersion.
    #[arg(long, conflicts_with = "no_exceptions")]
    pub(crate) exceptions: bool,
}

/// An example of a report with a file.
pub(super) const OUTPUT: &str = "html=report.html";

/// The reports that a command writes.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct WriteArgs {
    /// Output format, and the file that it is written to. Repeat the option for several; only one
    /// can be without a file. [default: text]
    ///
    /// The formats are text, compact, json, sarif, junit, github, gitlab, markdown, openreports and
    /// html.
    #[arg(short, long, alias = "format", value_name = "FORMAT[=FILE]")]
    pub(crate) output: Vec<Output>,

    /// Findings that fail the scan. [default: deny]
    #[arg(
        long,
        value_name = "FINDINGS",
        value_parser = PossibleValuesParser::new(FailOn::NAMES).try_map(|name| name.parse::<FailOn>()),
    )]
    pub(crate) fail_on: Option<FailOn>,

    /// Category of the results in SARIF. Results in GitHub replace earlier ones of the same
    /// category.
    #[arg(long, value_name = "NAME")]
    pub(crate) category: Option<String>,
}

/// The known findings.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct BaselineArgs {
    /// Findings that are known and do not fail the scan, as --write-baseline wrote them.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<String>,

    /// Write all present findings into a baseline, after which they are known. Without a file, the
    /// baseline is that of --baseline or of portcullis.yaml.
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "")]
    pub(crate) write_baseline: Option<String>,
}

/// The operation that is asked about.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum OperationChoice {
    /// CREATE; with --old, UPDATE of what it has, and DELETE of what only it has.
    #[default]
    Create,
    /// UPDATE without a change; with --old as for create.
    Update,
    /// DELETE.
    Delete,
}

/// Whether workloads are evaluated as their pods.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum PodsChoice {
    /// By policies that evaluate pods and did not object to the workload itself.
    Auto,
    /// By all policies that evaluate pods.
    On,
    /// Never.
    Off,
}

fn service_account(text: &str) -> Result<(String, String), String> {
    match text.split_once('/') {
        Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() && !name.contains('/') => {
            Ok((namespace.to_owned(), name.to_owned()))
        }
        _ => Err("write it as NAMESPACE/NAME".to_owned()),
    }
}
