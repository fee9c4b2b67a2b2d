//! The rules of `node-pods`.

use crate::rule_ids::rule_ids;

rule_ids! {
    ANNOTATION = "annotation": "Annotation of a pod",
    BOUND_TOKEN = "bound-token": "Pod of another node than that of the token",
    FOREIGN_MIRROR_POD = "foreign-mirror-pod": "Mirror pod of another node",
    FOREIGN_POD_CONNECT = "foreign-pod-connect": "Connection to a pod of another node",
    FOREIGN_POD_DELETE = "foreign-pod-delete": "Deletion of a pod of another node",
    FOREIGN_POD_EVICT = "foreign-pod-evict": "Eviction of a pod of another node",
    FOREIGN_POD_STATUS = "foreign-pod-status": "Pod of another node",
    MIRROR_LABEL = "mirror-label": "Label of a mirror pod",
    MIRROR_NAMESPACE = "mirror-namespace": "Namespace without mirror pods",
    MIRROR_OWNER = "mirror-owner": "Owner of a mirror pod",
    MIRROR_OWNER_MISSING = "mirror-owner-missing": "Mirror pod without an owner",
    MIRROR_REFERENCE = "mirror-reference": "Reference of a mirror pod to an API object",
    MIRROR_VOLUME = "mirror-volume": "Unknown volume of a mirror pod",
    NAMELESS_NODE = "nameless-node": "User of a node without its name",
    NO_SUCH_POD = "no-such-pod": "Pod that the cluster does not have",
    NOT_A_MIRROR_POD = "not-a-mirror-pod": "Pod that is not a mirror pod",
    REMOVAL_RECORD = "removal-record": "Record of what was removed from a pod",
    RESOURCE_CLAIM = "resource-claim": "Resource claims of a pod",
    STATUS_LABEL = "status-label": "Labels through pods/status",
    STATUS_ONLY = "status-only": "Change of a pod other than its status",
    STATUS_OWNER = "status-owner": "Owners through pods/status",
}
