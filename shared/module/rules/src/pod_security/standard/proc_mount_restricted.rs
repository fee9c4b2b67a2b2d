//! The same as `procMount`, for pods with a user namespace as well.

use super::{Check, Level, Revision, proc_mount};

pub(super) const CHECK: Check = Check {
    id: "procMount_restricted",
    control: "/proc Mount Type",
    level: Level::Restricted,
    replaced_by: None,
    revisions: &[Revision { since: 35, unless: None, rules: proc_mount::RULES }],
};
