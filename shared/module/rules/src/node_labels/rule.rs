//! The rules of `node-labels`.

use crate::rule_ids::rule_ids;

rule_ids! {
    BOUND_TOKEN = "bound-token": "Node of another node than that of the token",
    CONFIG_SOURCE = "config-source": "ConfigMap of the kubelet",
    CREATE_ONLY_LABEL = "create-only-label": "Label that is set only on creation",
    DELETION = "deletion": "Deletion of a Node by its node",
    NAMELESS_NODE = "nameless-node": "User of a node without its name",
    OTHER_NODE = "other-node": "Node of another node",
    OWNER_REFERENCE = "owner-reference": "Owner references of a Node",
    PROTECTED_LABEL = "protected-label": "Protected label",
    RESERVED_LABEL = "reserved-label": "Reserved label",
    SELF_REGISTRATION = "self-registration": "Creation of a Node by its node",
    TAINT = "taint": "Taints of a Node",
    UNLISTED_LABEL = "unlisted-label": "Label that no list has",
}
