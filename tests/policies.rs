//! The policies compared with second implementations and with their own data.

mod catalogue;
mod conflicts;
mod controls;
mod external_ips;
mod nodes;
mod pod_security;
mod rule_ids;
mod selinux;
