//! The rules of `selinux`.

use crate::rule_ids::rule_ids;

rule_ids! {
    HOST_NAMESPACE = "host-namespace": "Shared host namespace",
    IMAGE_NOT_COVERED = "image-not-covered": "Image that an exemption does not cover",
    INTRA_POD = "intra-pod": "Containers of a pod at different levels",
    LEVEL = "level": "Level of a pod",
    LEVEL_TAKEN = "level-taken": "Level of another Namespace",
    LEVELS_EXHAUSTED = "levels-exhausted": "No free level",
    LOCAL_VOLUME = "local-volume": "Local volume with a system path",
    NAMESPACE_LABEL = "namespace-label": "Label that determines the level",
    NAMESPACE_LEVEL = "namespace-level": "Choice of the level of a Namespace",
    NAMESPACE_LEVEL_VALUE = "namespace-level-value": "Value of the level of a Namespace",
    NAMESPACE_WITHOUT_LEVEL = "namespace-without-level": "Namespace without a level",
    ROLE = "role": "Role of a pod",
    SHARED_CLAIM = "shared-claim": "Claim of pods at different levels",
    TYPE = "type": "Type of a pod",
    USER = "user": "User of a pod",
    VOLUME = "volume": "Volume that is not relabelled",
}

/// Returns the id of the rule about a field of SELinux options.
pub(super) fn of_field(field: &str) -> &'static str {
    match field {
        "level" => LEVEL,
        "role" => ROLE,
        "user" => USER,
        _ => TYPE,
    }
}
