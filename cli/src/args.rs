//! The arguments.
#![expect(clippy::doc_markdown, reason = "the comments are the help, where there are no links")]

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Judges AdmissionRequests with policy modules, without a cluster.
#[derive(Debug, Parser)]
#[command(name = "portcullis", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(RunArgs),
    Audit(AuditArgs),
    Convert(ConvertArgs),
    Annotate(AnnotateArgs),
    Push(PushArgs),
    Pull(PullArgs),
    Selinux(SelinuxArgs),
}

/// Judges AdmissionRequests with a policy.
///
/// Exit status: 0 if all requests are admitted, 1 if some are denied, 2 if they could not be judged.
#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    /// The file of a module, or the id of a built one.
    pub(crate) policy: String,

    /// Files with an AdmissionReview or a bare AdmissionRequest, as JSON or YAML; `-` is standard input.
    #[arg(short, long, required = true, num_args = 1.., value_name = "FILE")]
    pub(crate) request: Vec<String>,

    #[command(flatten)]
    pub(crate) settings: SettingsArgs,

    /// What the policy may look up: files of Kubernetes objects and lists of them, or directories of such
    /// files (*.json, *.yaml, *.yml).
    #[arg(short, long, num_args = 1.., value_name = "FILE|DIR")]
    pub(crate) cluster: Vec<String>,

    /// How the verdicts are printed.
    #[arg(short, long, value_enum, default_value_t)]
    pub(crate) output: Output,

    /// Where the built modules are.
    #[arg(long, value_name = "DIR", default_value = "target/policies")]
    pub(crate) modules: PathBuf,
}

/// The settings of a policy.
#[derive(Args, Debug)]
pub(crate) struct SettingsArgs {
    /// A file with the settings of the policy, as JSON or YAML; `{}` without it.
    #[arg(short, long, value_name = "FILE", conflicts_with = "settings_json")]
    pub(crate) settings: Option<String>,

    /// The settings of the policy.
    #[arg(long, value_name = "JSON")]
    pub(crate) settings_json: Option<String>,
}

/// Lists what a restriction would find in a cluster, from a dump of its objects.
///
/// A dump is what `kubectl get … -o json` writes. Exit status: 0 if nothing is found, 1 if something is, 2 if the
/// dump cannot be read.
#[derive(Args, Debug)]
pub(crate) struct AuditArgs {
    #[command(subcommand)]
    pub(crate) what: Audit,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Audit {
    /// Services that use spec.externalIPs.
    ExternalIps(DumpArgs),
    /// Labels of mirror pods that their namespaces do not list, and the commands that list them.
    ///
    /// Give pods, namespaces and nodes: `kubectl get pods,namespaces,nodes --all-namespaces -o json`.
    MirrorLabels(DumpArgs),
    /// Labels of Nodes that kubelets could no longer set, change or remove.
    ///
    /// Labels that an administrator set are listed, too: a dump does not say who set a label.
    NodeLabels {
        #[command(flatten)]
        dump: DumpArgs,
        #[command(flatten)]
        settings: SettingsArgs,
    },
    /// SELinux levels: Namespaces that have the same one, pods that use another Namespace's, and what selinux would
    /// refuse or change.
    ///
    /// Give Namespaces, pods, what makes pods, and PersistentVolumes; with types.fromSelinuxProfiles, SelinuxProfiles.
    /// All of them are judged as if they were created anew.
    Selinux {
        #[command(flatten)]
        dump: DumpArgs,
        #[command(flatten)]
        settings: SettingsArgs,
    },
}

/// A dump, and how what is found in it is printed.
#[derive(Args, Debug)]
pub(crate) struct DumpArgs {
    /// Files of Kubernetes objects and lists of them, as JSON or YAML, or directories of such files (*.json,
    /// *.yaml, *.yml); `-` is standard input.
    #[arg(required = true, value_name = "FILE|DIR")]
    pub(crate) dump: Vec<String>,

    /// How the findings are printed.
    #[arg(short, long, value_enum, default_value_t)]
    pub(crate) output: AuditOutput,
}

/// Tells what settings of selinux mean.
#[derive(Args, Debug)]
pub(crate) struct SelinuxArgs {
    #[command(subcommand)]
    pub(crate) what: Selinux,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Selinux {
    Level(LevelArgs),
}

/// The levels that Namespaces have under given settings, and where they come from.
///
/// Exit status: 0 if it is told, also where a Namespace has no level of its own; 2 if it cannot be told.
#[derive(Args, Debug)]
pub(crate) struct LevelArgs {
    /// Names of Namespaces.
    #[arg(required = true, value_name = "NAMESPACE")]
    pub(crate) namespaces: Vec<String>,

    #[command(flatten)]
    pub(crate) settings: SettingsArgs,

    /// The Namespaces, where their labels or annotations decide: files of Kubernetes objects and lists of them, or
    /// directories of such files (*.json, *.yaml, *.yml).
    #[arg(short, long, num_args = 1.., value_name = "FILE|DIR")]
    pub(crate) cluster: Vec<String>,

    /// How the levels are printed.
    #[arg(short, long, value_enum, default_value_t)]
    pub(crate) output: AuditOutput,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum AuditOutput {
    /// For people.
    #[default]
    Text,
    /// One JSON object.
    Json,
}

/// Writes manifests for Kubewarden from what others restrict pods with.
///
/// Exit status: 0 if all is converted, 1 if something is not, 2 if it cannot be read.
#[derive(Args, Debug)]
pub(crate) struct ConvertArgs {
    #[command(subcommand)]
    pub(crate) what: Convert,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Convert {
    /// Rules of Kyverno with validate.podSecurity, and PolicyExceptions from them.
    ///
    /// Whatever is not converted is listed above the manifest that it concerns. Where a match or an exclude cannot be
    /// said, the manifest judges more and not less.
    Kyverno {
        /// Files with ClusterPolicies, Policies, PolicyExceptions and lists of them, as JSON or YAML; `-` is standard
        /// input.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<String>,

        /// How the manifests are printed.
        #[arg(short, long, value_enum, default_value_t)]
        output: ManifestOutput,
    },
    /// The configuration of the admission plugin PodSecurity.
    Psa {
        /// A file with a PodSecurityConfiguration, or with an AdmissionConfiguration that has one, as JSON or YAML; `-`
        /// is standard input.
        file: String,

        /// How the manifest is printed.
        #[arg(short, long, value_enum, default_value_t)]
        output: ManifestOutput,
    },
}

/// How manifests are printed.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum ManifestOutput {
    /// YAML documents, with comments on what is not converted.
    #[default]
    Yaml,
    /// One JSON object: a List, with what is not converted in notConverted.
    Json,
}

/// How verdicts are printed.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum Output {
    /// For people: verdict, messages, warnings and the patch as a diff.
    #[default]
    Text,
    /// An AdmissionReview with the response for each request, one on each line.
    Json,
    /// The same as YAML documents.
    Yaml,
}

/// Writes metadata into a module, in the place of what is there.
#[derive(Args, Debug)]
pub(crate) struct AnnotateArgs {
    /// The file of the module.
    pub(crate) module: PathBuf,

    /// The metadata.yml of the policy.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) metadata: PathBuf,

    /// Where the annotated module goes; may be the module itself.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

/// Pushes policies to a registry, as Kubewarden takes them from there.
///
/// Prints their digests, which `cosign sign` wants. Exit status: 0 if all are pushed, 2 if one is not; those that are
/// printed are.
#[derive(Args, Debug)]
pub(crate) struct PushArgs {
    /// The files of modules, or the ids of built ones.
    #[arg(required = true, value_name = "POLICY")]
    pub(crate) policies: Vec<String>,

    /// Where the policy goes: HOST/REPOSITORY, or HOST/REPOSITORY:TAG for another tag than v and the version that its
    /// metadata says. With several policies HOST/PREFIX; each goes to HOST/PREFIX/ID.
    pub(crate) reference: String,

    /// Where the built modules are.
    #[arg(long, value_name = "DIR", default_value = "target/policies")]
    pub(crate) modules: PathBuf,

    #[command(flatten)]
    pub(crate) registry: RegistryArgs,

    /// How the digests are printed.
    #[arg(short, long, value_enum, default_value_t)]
    pub(crate) output: PushOutput,
}

/// How digests are printed.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum PushOutput {
    /// For people.
    #[default]
    Text,
    /// A JSON object with immutable_ref for each policy, one on each line.
    Json,
}

/// Pulls a policy from a registry into a file.
#[derive(Args, Debug)]
pub(crate) struct PullArgs {
    /// HOST/REPOSITORY:TAG or HOST/REPOSITORY@DIGEST.
    pub(crate) reference: String,

    /// Where the module goes; without it, into the working directory under the last name of the repository.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) registry: RegistryArgs,
}

/// How a registry is talked to.
#[derive(Args, Debug)]
pub(crate) struct RegistryArgs {
    /// Talk HTTP without TLS; credentials can then be read on the way.
    #[arg(long)]
    pub(crate) plain_http: bool,

    /// The folder of the config.json in which docker keeps credentials; without it, $DOCKER_CONFIG or ~/.docker.
    #[arg(long, value_name = "DIR")]
    pub(crate) docker_config: Option<PathBuf>,
}
