//! The settings, understood.

use admission::{Choice, Kind, Node, Setting, SettingsError, choices};

use super::Selinux;
use super::allocation::{ALLOCATION, read_level};
use super::exempt::EXEMPT;
use super::host_namespaces::HOST_NAMESPACES;
use super::level::Level;
use super::lists::names;
use super::types::{TYPES, no_name};
use super::volumes::VOLUMES;

choices! {
    /// What becomes of a pod that lacks something.
    pub enum Mode {
        /// It gets what it lacks.
        Mutate,
        /// It is denied.
        Validate,
    }

    /// Which levels a pod may set.
    pub enum LevelMatch {
        /// That of its owner.
        Exact,
        /// Any that is well formed and reaches no other's.
        Format,
        /// Any; levels are not looked at.
        Any,
    }

    /// What becomes of a pod whose containers would run at different levels.
    pub enum IntraPod {
        /// It is denied.
        Enforce,
        /// It is admitted with a warning.
        Warn,
        /// Nothing.
        Ignore,
    }

    /// What becomes of a request when the cluster cannot be asked.
    pub enum OnLookupFailure {
        /// It is denied.
        Reject,
        /// It is admitted with a warning, and what depends on the answer is not judged.
        Warn,
    }
}

/// The keys of the settings.
pub(super) const SETTINGS: &[Setting] = &[
    Setting::new("mode", Kind::Choice(Mode::NAMES)),
    Setting::new("allocation", Kind::Object(ALLOCATION)),
    Setting::new("levels", Kind::Object(LEVELS)),
    Setting::new("types", Kind::Object(TYPES)),
    Setting::new("users", Kind::List(&Kind::Text)),
    Setting::new("roles", Kind::List(&Kind::Text)),
    Setting::new("hostNamespaces", Kind::Object(HOST_NAMESPACES)),
    Setting::new("intraPod", Kind::Choice(IntraPod::NAMES)),
    Setting::new("volumes", Kind::Object(VOLUMES)),
    Setting::new("exempt", Kind::Object(EXEMPT)),
    Setting::new("onLookupFailure", Kind::Choice(OnLookupFailure::NAMES)),
];

const LEVELS: &[Setting] =
    &[Setting::new("match", Kind::Choice(LevelMatch::NAMES)), Setting::new("extra", Kind::List(&Kind::Text))];

/// What the settings mean.
pub(super) const DOCS: &[(&str, &str)] = &[
    (
        "mode",
        "`Mutate`: a pod gets what it lacks; needs a policy that is deployed as mutating. `Validate`: it is denied; the guard behind the other, with the same settings.",
    ),
    ("allocation", "Where levels come from."),
    (
        "allocation.source",
        "`Hash`: from the owner's name. `NamespaceAnnotation`: from an annotation of the Namespace, which the policy writes on new ones. `Runtime`: from the container runtime, at random. `Fixed`: from `fixed`.",
    ),
    (
        "allocation.scope",
        "Who owns a level. Other scopes than `Namespace` need the source `Hash`. `StatefulPod` leaves pods with generated names to the runtime.",
    ),
    ("allocation.namespaceLabel", "The key whose value owns a level, with the scope `NamespaceLabel`."),
    (
        "allocation.annotations",
        "Keys of annotations that hold a level; the first that is there counts, and the first of the list is written. `[portcullis.dev/selinux-level, openshift.io/sa.scc.mcs]` if absent.",
    ),
    (
        "allocation.onMissingAnnotation",
        "What becomes of pods in a Namespace without an annotation: they get the level of the hash, or are denied.",
    ),
    ("allocation.categories", "The categories that levels are made of."),
    ("allocation.categories.min", "The lowest; 0 if absent."),
    ("allocation.categories.max", "The highest; 1023 if absent."),
    (
        "allocation.categories.perLevel",
        "2 or 3; 2 if absent. All levels have as many, or one would reach another's.",
    ),
    (
        "allocation.salt",
        "Changes every hashed level. Clusters that share storage need the same; at most 64 bytes.",
    ),
    ("allocation.sharedGroups", "Namespaces that share one level."),
    ("allocation.sharedGroups.name", "Required. What the level is hashed from."),
    ("allocation.sharedGroups.namespaces", "Required. Names of Namespaces, each in one group."),
    (
        "allocation.annotationEditors",
        "Who may set, change and remove the annotations; the group `system:masters` if absent.",
    ),
    ("allocation.annotationEditors.groups", "Names of groups."),
    ("allocation.annotationEditors.users", "Full names of users."),
    ("allocation.annotationEditors.serviceAccounts", "Service accounts, as `namespace/name`."),
    ("allocation.fixed", "What every pod has, with the source `Fixed`; what is not named is free."),
    ("allocation.fixed.user", "The user."),
    ("allocation.fixed.role", "The role."),
    ("allocation.fixed.type", "The type; of pods in namespaces of the node, `hostNamespaces.type` as well."),
    ("allocation.fixed.level", "The level, compared by meaning."),
    ("levels", "Which levels a pod may set."),
    (
        "levels.match",
        "`Exact`: that of its owner, without one as `Format`. `Format`: any with categories that is no range. `Any`: levels are not looked at.",
    ),
    ("levels.extra", "Levels that every pod may set besides."),
    ("types", "Which types a pod may set."),
    (
        "types.allowed",
        "Types, with one `*` at the beginning or the end; `[container_t, container_init_t, container_kvm_t, container_engine_t]` if absent.",
    ),
    (
        "types.unconfined",
        "Types that confine nothing: for pods in the PID or IPC namespace of the node, privileged containers and exemptions; `[spc_t]` if absent.",
    ),
    (
        "types.fromSelinuxProfiles",
        "`true`: also the types of installed SelinuxProfile objects of the Namespace, which are looked up.",
    ),
    ("users", "SELinux users that a pod may set; none if absent."),
    ("roles", "Roles that a pod may set; none if absent."),
    ("hostNamespaces", "Pods in namespaces of the node, which the runtime cannot confine."),
    ("hostNamespaces.triggers", "Which namespaces count; `[HostPID, HostIPC]` if absent."),
    (
        "hostNamespaces.action",
        "`Default`: such pods get the type, with a warning. `Require`: they have to set one. `Ignore`: they are as others. `Reject`: they are denied.",
    ),
    ("hostNamespaces.type", "The type that they get; the first of `types.unconfined` if absent."),
    (
        "hostNamespaces.level",
        "`Allocated`: the level of their owner. `s0`: none, which unconfined types do not need.",
    ),
    (
        "intraPod",
        "What becomes of a pod whose containers would run at different levels, and could not share its volumes.",
    ),
    ("volumes", "What levels mean for volumes."),
    (
        "volumes.changePolicy",
        "`Recursive`: pods that get a level also get this `seLinuxChangePolicy`, if they set none. `FromNamespaceLabel`: pods get `Recursive` where the label `storage.openshift.io/selinux-change-policy` of the Namespace says so.",
    ),
    (
        "volumes.sharedClaims",
        "What becomes of a pod whose claim a running pod uses with another level or change policy. Lists the pods of the Namespace.",
    ),
    (
        "volumes.hostPath",
        "What becomes of confined containers that mount paths of the node, which are never relabelled.",
    ),
    (
        "volumes.readOnlyClaims",
        "What becomes of confined containers that mount claims read-only, which are never relabelled.",
    ),
    (
        "volumes.localPersistentVolumes",
        "What becomes of PersistentVolumes with a `local.path` of the system, which would be relabelled.",
    ),
    (
        "volumes.crioTrySkip",
        "`true`: pods with a level get the annotation by which CRI-O does not relabel volumes that have it already.",
    ),
    ("exempt", "Who and what is not judged."),
    ("exempt.namespaces", "Names of Namespaces."),
    ("exempt.users", "Full names of users who ask."),
    ("exempt.unconfined", "What may set an unconfined type besides; all else is judged."),
    ("exempt.unconfined.serviceAccounts", "Service accounts of pods, as `namespace/name`."),
    ("exempt.unconfined.images", "Images, in full or ending in `/*`, `:*` or `@*`."),
    ("exempt.unconfined.namespaces", "Names of Namespaces."),
    (
        "onLookupFailure",
        "What becomes of a request whose verdict depends on an answer that the cluster does not give.",
    ),
];

/// Which levels pods may set.
#[derive(Debug, Default)]
pub(super) struct Levels {
    pub(super) matching: LevelMatch,
    pub(super) extra: Vec<Level>,
}

pub(super) fn configure(settings: Node<'_>) -> Result<Selinux, SettingsError> {
    let mode = Choice::read(settings.at("mode"))?;
    let mut policy = Selinux { mode, ..Selinux::default() };
    policy.allocation.read(settings.at("allocation"))?;
    policy.types.read(settings.at("types"))?;
    let per_level = usize::from(policy.allocation.pool.per_level);
    policy.levels.read(settings.at("levels"), per_level)?;
    policy.host_namespaces.read(settings.at("hostNamespaces"), &policy.types)?;
    policy.volumes.read(settings.at("volumes"), policy.mode)?;
    policy.exempt.read(settings.at("exempt"))?;
    policy.users = names(settings.at("users"), &no_name)?;
    policy.roles = names(settings.at("roles"), &no_name)?;
    policy.intra_pod = Choice::read(settings.at("intraPod"))?;
    policy.on_lookup_failure = Choice::read(settings.at("onLookupFailure"))?;
    Ok(policy)
}

impl Levels {
    fn read(&mut self, setting: Node<'_>, per_level: usize) -> Result<(), SettingsError> {
        if !setting.object()? {
            return Ok(());
        }
        self.matching = Choice::read(setting.at("match"))?;
        for (item, text) in setting.at("extra").texts()? {
            let level = read_level(item, text)?;
            let problem = if level.is_range() {
                "is a range, which reaches the files of others; write one level"
            } else if !level.has_categories() {
                "has no categories, so that every container reaches its files; add some"
            } else if level.categories() > per_level {
                "has more categories than levels have here, and reaches the files of all who have some of them; remove some"
            } else if self.extra.contains(&level) {
                "is there twice; remove one"
            } else {
                self.extra.push(level);
                continue;
            };
            return Err(SettingsError::about(item, text, problem));
        }
        Ok(())
    }
}
