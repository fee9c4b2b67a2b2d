//! The descriptions of the settings, for README tables and forms. No module contains them.

pub(in crate::selinux) const DOCS: &[(&str, &str)] = &[
    (
        "mode",
        "`Mutate` completes pods and must be deployed with `mutating: true`. `Validate` denies incomplete pods; deploy it as a guard, with the same settings.",
    ),
    ("allocation", "The source and the owners of levels."),
    (
        "allocation.source",
        "`Hash`: a hash of the owner's name. `NamespaceAnnotation`: an annotation of the Namespace, which the policy writes on new Namespaces. `Runtime`: the container runtime, at random. `Fixed`: the setting `fixed`.",
    ),
    (
        "allocation.scope",
        "The owner of a level. All scopes other than `Namespace` require the source `Hash`. `StatefulPod` leaves pods with generated names to the runtime.",
    ),
    ("allocation.namespaceLabel", "The label key whose value owns a level, for the scope `NamespaceLabel`."),
    (
        "allocation.protectNamespaceLabel",
        "If `true`, only `annotationEditors` may set, change and remove this label on Namespaces.",
    ),
    (
        "allocation.collisions",
        "How a new Namespace is handled whose hashed level another Namespace has, for the source `Hash` and the scopes `Namespace` and `NamespaceLabel`. `Reject` and `Warn` look up all Namespaces.",
    ),
    (
        "allocation.annotations",
        "Annotation keys that hold a level. The first annotation present applies; the policy writes the first key of the list. Defaults to `[portcullis.dev/selinux-level, openshift.io/sa.scc.mcs]`.",
    ),
    (
        "allocation.onMissingAnnotation",
        "How pods in a Namespace without an annotation are handled: they get the hashed level, or they are denied.",
    ),
    ("allocation.categories", "The categories that levels consist of."),
    ("allocation.categories.min", "The lowest category. Defaults to 0."),
    ("allocation.categories.max", "The highest category. Defaults to 1023."),
    (
        "allocation.categories.perLevel",
        "The number of categories of every level, 2 or 3. Defaults to 2. A level of three categories contains three pairs, which runtimes may draw for other pods.",
    ),
    (
        "allocation.salt",
        "A text of at most 64 bytes that changes every hashed level. Clusters that share storage need the same salt.",
    ),
    ("allocation.sharedGroups", "Groups of Namespaces that share one level."),
    ("allocation.sharedGroups.name", "Required. The name that the level is hashed from."),
    (
        "allocation.sharedGroups.namespaces",
        "Required. Names of Namespaces. A Namespace can be in one group only.",
    ),
    (
        "allocation.annotationEditors",
        "The users, groups and service accounts that may set, change and remove the annotations and a protected label. Defaults to the group `system:masters`.",
    ),
    ("allocation.annotationEditors.groups", "Names of groups."),
    ("allocation.annotationEditors.users", "Full names of users."),
    ("allocation.annotationEditors.serviceAccounts", "Service accounts, as `namespace/name`."),
    (
        "allocation.fixed",
        "The context of every pod, for the source `Fixed`. Fields that are not set are not restricted.",
    ),
    ("allocation.fixed.user", "The SELinux user."),
    ("allocation.fixed.role", "The SELinux role."),
    (
        "allocation.fixed.type",
        "The SELinux type. Pods in host namespaces may also set `hostNamespaces.type`.",
    ),
    ("allocation.fixed.level", "The level, compared by meaning."),
    ("levels", "The levels that pods may set."),
    (
        "levels.match",
        "`Exact`: the level of the owner, and none if the runtime chooses the level, as with the source `Runtime`. `Format`: any level with categories, at most `allocation.categories.perLevel`, that is not a range. `Any`: levels are not checked.",
    ),
    (
        "levels.missing",
        "How `mode: Validate` handles a pod without a level. `Require`: it is denied, if levels are those of owners or fixed. `Allow`: it is admitted; only levels that are set are checked. `Mutate` adds missing levels in any case.",
    ),
    (
        "levels.extra",
        "At most 100 additional levels that every pod may set. No owner gets one of them or a level that contains one.",
    ),
    ("types", "The SELinux types that pods may set."),
    (
        "types.allowed",
        "Types, with one `*` at the beginning or the end, which matches no type that is known to be unconfined. Defaults to `[container_t, container_init_t, container_kvm_t, container_engine_t]`.",
    ),
    (
        "types.unconfined",
        "Types that do not confine processes. Allowed for pods in the host PID or IPC namespace, privileged containers and exemptions; `super_t` for exemptions only. Defaults to `[spc_t]`.",
    ),
    (
        "types.fromSelinuxProfiles",
        "If `true`, the types of SelinuxProfile and RawSelinuxProfile objects installed for the cluster or the Namespace are also allowed. The policy looks them up.",
    ),
    ("users", "SELinux users that pods may set. Defaults to none."),
    ("roles", "SELinux roles that pods may set. Defaults to none."),
    ("hostNamespaces", "Pods in host namespaces, which the runtime cannot confine."),
    (
        "hostNamespaces.triggers",
        "The host namespaces that count. Defaults to `[HostPID, HostIPC]`. With CRI-O, which does not confine pods with `hostNetwork` by default, add `HostNetwork`.",
    ),
    (
        "hostNamespaces.action",
        "`Default`: such pods get the type, with a warning. `Require`: they must set a type. `Ignore`: they are handled like other pods. `Reject`: they are denied.",
    ),
    (
        "hostNamespaces.type",
        "The type that such pods get. Defaults to the first of `types.unconfined`; `super_t` is not possible.",
    ),
    (
        "hostNamespaces.level",
        "`Allocated`: the level of the owner. `s0`: no categories, because unconfined types do not need them.",
    ),
    (
        "intraPod",
        "How a pod is handled whose containers would run at different levels and could not share its volumes.",
    ),
    ("volumes", "How levels affect volumes."),
    (
        "volumes.changePolicy",
        "`Recursive`: pods that get a level also get this `seLinuxChangePolicy`, unless they set one. `FromNamespaceLabel`: pods get `Recursive` if the Namespace label `storage.openshift.io/selinux-change-policy` is `Recursive`.",
    ),
    (
        "volumes.sharedClaims",
        "How a pod is handled whose claim is in use by a running pod with another level or change policy. Other values than `Off` list the pods of the Namespace.",
    ),
    (
        "volumes.hostPath",
        "How confined containers that mount hostPath volumes are handled. Such volumes are never relabelled.",
    ),
    (
        "volumes.readOnlyClaims",
        "How confined containers that mount read-only claims are handled. Such claims are never relabelled.",
    ),
    (
        "volumes.localPersistentVolumes",
        "How PersistentVolumes are handled whose `local.path` is in, is or contains a system directory, which the runtime would relabel.",
    ),
    (
        "volumes.crioTrySkip",
        "If `true`, pods with a level get the annotation that makes CRI-O skip relabelling volumes that already have the level.",
    ),
    ("exempt", "Exemptions."),
    ("exempt.namespaces", "Names of Namespaces whose requests are not evaluated."),
    ("exempt.users", "Full names of users whose requests are not evaluated."),
    ("exempt.pods", "Entries that lift rules from containers. All conditions of an entry have to hold."),
    (
        "exempt.pods.namespaces",
        "Names of Namespaces. Required without `serviceAccounts`, because the author of a pod chooses its images and labels.",
    ),
    ("exempt.pods.serviceAccounts", "Service accounts of pods, as `namespace/name`."),
    (
        "exempt.pods.podSelector",
        "A label selector for pods. For a pod template, it selects by the labels of the template.",
    ),
    ("exempt.pods.podSelector.matchLabels", "Labels that must have these values."),
    ("exempt.pods.podSelector.matchExpressions", "Requirements that must all be met."),
    ("exempt.pods.podSelector.matchExpressions.key", "The label key."),
    ("exempt.pods.podSelector.matchExpressions.operator", "The comparison."),
    ("exempt.pods.podSelector.matchExpressions.values", "The values to compare with, for `In` and `NotIn`."),
    (
        "exempt.pods.images",
        "Images of the container, as full names or ending in `/*`, `:*` or `@*`. Changes of images are evaluated if the policy has a rule for the update of pods.",
    ),
    (
        "exempt.pods.lifts",
        "Required. `Type`: unconfined types need no other reason. `User`, `Role`: any value is allowed. `Level`: any well-formed level is allowed. `IntraPod`: the level may differ from that of other containers.",
    ),
    (
        "onLookupFailure",
        "How a request is handled if a look-up that the verdict depends on fails: it is denied, or admitted with a warning.",
    ),
];
