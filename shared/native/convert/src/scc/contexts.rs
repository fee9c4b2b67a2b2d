//! The SELinux contexts that constraints require, as settings of `selinux`.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::Usable;
use super::access::Access;
use super::constraints::{Constraints, SeLinux};
use crate::conversion::{FieldProblem, NotConverted};

/// The annotation of Namespaces with their level.
const LEVEL_ANNOTATION: &str = "openshift.io/sa.scc.mcs";

const FOR_ALL: &str = "the policy allows these SELinux options to all pods, not only to those who may use the \
                       constraints, and sets only the level";

const OWN_LEVEL: &str = "the policy does not judge the SELinux options of the pods that may use the constraints, because \
                         their level is not that of the Namespace";

/// The contexts that all constraints require.
#[derive(Default)]
pub(super) struct Contexts {
    /// Those whose contexts are not judged.
    free: Access,
    users: BTreeSet<String>,
    roles: BTreeSet<String>,
    types: BTreeSet<String>,
    /// The contexts of constraints for everyone that have a level of their own.
    fixed: Vec<Map<String, Value>>,
    /// Whether constraints for everyone require the level of the Namespace.
    has_namespace_level: bool,
}

impl Contexts {
    /// Returns the contexts, and lists what they cannot say; `None` if everyone may have any
    /// context.
    pub(super) fn of(usable: &[Usable<'_>], missing: &mut Vec<NotConverted>) -> Option<Self> {
        let mut contexts = Self::default();
        let mut has_common = false;
        for Usable { constraints, access } in usable.iter().filter(|usable| !usable.access.is_nobody()) {
            has_common |= access.is_everyone();
            match constraints.se_linux() {
                SeLinux::Any if access.is_everyone() => return None,
                SeLinux::Any => contexts.free.extend(access),
                SeLinux::Required { level, .. } if !level.is_empty() && !access.is_everyone() => {
                    missing.push(listed(constraints, OWN_LEVEL));
                    contexts.free.extend(access);
                }
                SeLinux::Required { user, role, type_name, level } => {
                    let options = [("user", user), ("role", role), ("type", type_name), ("level", level)];
                    let set = options.into_iter().filter(|(_, text)| !text.is_empty());
                    let context: Map<String, Value> =
                        set.map(|(key, text)| (key.to_owned(), text.as_str().into())).collect();
                    if level.is_empty() {
                        contexts.has_namespace_level |= access.is_everyone();
                        if !context.is_empty() {
                            missing.push(listed(constraints, FOR_ALL));
                        }
                    } else {
                        contexts.fixed.push(context);
                    }
                    for (names, name) in [
                        (&mut contexts.users, user),
                        (&mut contexts.roles, role),
                        (&mut contexts.types, type_name),
                    ] {
                        names.extend(Some(name.clone()).filter(|name| !name.is_empty()));
                    }
                }
            }
        }
        contexts.has_namespace_level |= !has_common;
        Some(contexts)
    }

    /// Those whose contexts are not judged.
    pub(super) fn free(&self) -> &Access {
        &self.free
    }

    /// The only context of all pods, if there is one.
    fn only(&self) -> Option<&Map<String, Value>> {
        match self.fixed.as_slice() {
            [context] if !self.has_namespace_level => Some(context),
            _ => None,
        }
    }

    /// Whether levels are those of Namespaces.
    pub(super) fn are_of_namespaces(&self) -> bool {
        self.only().is_none()
    }

    /// The settings in a mode of the module.
    pub(super) fn settings(&self, mode: &str) -> Map<String, Value> {
        let mut settings = Map::new();
        settings.insert("mode".to_owned(), mode.into());
        let allocation = match self.only() {
            Some(context) => json!({ "source": "Fixed", "fixed": context }),
            None => json!({
                "source": "NamespaceAnnotation",
                "annotations": [LEVEL_ANNOTATION],
                "onMissingAnnotation": "Reject",
            }),
        };
        settings.insert("allocation".to_owned(), allocation);
        settings.insert("types".to_owned(), json!({ "allowed": self.types, "unconfined": [] }));
        for (key, names) in [("users", &self.users), ("roles", &self.roles)] {
            if !names.is_empty() {
                settings.insert(key.to_owned(), json!(names));
            }
        }
        let levels: Vec<&Value> = self.fixed.iter().filter_map(|context| context.get("level")).collect();
        if self.are_of_namespaces() && !levels.is_empty() {
            settings.insert("levels".to_owned(), json!({ "extra": levels }));
        }
        // Constraints are about the context alone.
        settings.insert("hostNamespaces".to_owned(), json!({ "action": "Ignore" }));
        settings.insert("intraPod".to_owned(), "Ignore".into());
        let volumes = json!({ "hostPath": "Off", "readOnlyClaims": "Off", "localPersistentVolumes": "Off" });
        settings.insert("volumes".to_owned(), volumes);
        settings
    }
}

fn listed(constraints: &Constraints<'_>, problem: &str) -> NotConverted {
    let problem = FieldProblem::new(constraints.path("seLinuxContext"), problem);
    NotConverted::new(constraints.document(), constraints.title(), None, problem)
}
