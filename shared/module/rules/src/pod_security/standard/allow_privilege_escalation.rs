//! A process can gain more privileges than its parent, for example through a setuid file.
//! Containers must rule that out.
//!
//! **Control:** `Privilege Escalation`, level `restricted`
//!
//! **Since v1.8**
//!
//! Restricted fields:
//! - `container.securityContext.allowPrivilegeEscalation`
//!
//! Allowed values: `false`
//!
//! **Since v1.25**
//!
//! Not checked for pods with `spec.os.name: windows`
//!
//! Source: `policy/check_allowPrivilegeEscalation.go` in k8s.io/pod-security-admission,
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/>

use super::{Allowed, Check, Exception, Field, FieldRule, Level, Part, Remedy, Revision, ValueType};

const RULES: &[FieldRule] = &[FieldRule::of(
    Field::Container(Part::SecurityContext, &["allowPrivilegeEscalation"]),
    ValueType::Flag,
    Allowed::Only(&["false"]),
    Remedy::set_flag(false),
)
.required()];

pub(super) const CHECK: Check = Check {
    id: "allowPrivilegeEscalation",
    control: "Privilege Escalation",
    level: Level::Restricted,
    superseded_by: None,
    revisions: &[Revision::since(8, RULES), Revision::since(25, RULES).unless(Exception::Windows)],
};
