//! The policies compared with second implementations, with their own data, and on the largest
//! requests.

mod conflicts;
mod controls;
#[cfg(feature = "modules")]
mod external_ips;
#[cfg(feature = "modules")]
mod nodes;
mod pod_security;
mod selinux;
