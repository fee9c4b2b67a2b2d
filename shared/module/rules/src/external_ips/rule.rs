//! The rules of `external-ips`.

use crate::rule_ids::rule_ids;

rule_ids! {
    AMBIGUOUS_NOTATION = "ambiguous-notation": "Address that programs read differently",
    ASSIGNED_ADDRESS = "assigned-address": "Assigned load balancer address",
    NOT_ALLOWED = "not-allowed": "External IP that no rule allows",
    NOT_AN_ADDRESS = "not-an-address": "Text that is not an IP address",
    PORT_CONFLICT = "port-conflict": "Address and port of another Service",
    REJECTED_RANGE = "rejected-range": "Address that no Service may claim",
    REQUESTED_ADDRESS = "requested-address": "Requested load balancer address",
}
