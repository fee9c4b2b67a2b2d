//! The policies compared with second implementations, with their own data, and on the largest
//! requests.

mod conflicts;
mod controls;
mod external_ips;
#[cfg(feature = "modules")]
mod huge;
mod nodes;
mod pod_security;
mod selinux;
