//! The annotations that give existing Namespaces levels of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt;

use admission::{Fault, Node};
use rules::name::is_label;
use rules::selinux::level::Level;
use rules::selinux::{Origin, Ownership};
use rules::view::Namespace;
use serde::Serialize;

use super::{NamespaceOwners, SelinuxSettings, SharedLevel, shared};
use crate::audit::{AuditError, Dump};

/// The command that creates a suitable dump.
const COMMAND: &str = "kubectl get namespaces";

/// The annotations that existing Namespaces need so that each owns a level, and what prevents it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LevelAllocation {
    /// The annotations to write, in this order: a Namespace gets another level before the one that
    /// has its hashed level is annotated with it.
    pub annotations: Vec<NewAnnotation>,
    /// The number of Namespaces that have an annotation.
    pub annotated: usize,
    /// The levels that several Namespaces have by annotations or as groups.
    pub collisions: Vec<SharedLevel>,
    /// The Namespaces that get no level.
    pub problems: Vec<AllocationProblem>,
}

/// An annotation to write.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct NewAnnotation {
    /// The name of the Namespace.
    pub namespace: String,
    /// The key of the annotation.
    pub key: String,
    /// The level.
    pub level: String,
    /// Whether the Namespace has the key with an empty value, which is then replaced.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub overwrite: bool,
    /// The level that the name hashes to, if another Namespace has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<TakenLevel>,
}

/// A hashed level that another Namespace has.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct TakenLevel {
    /// The level.
    pub level: String,
    /// The name of the Namespace that has it.
    pub holder: String,
}

/// A Namespace that gets no level, or whose level cannot stay.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct AllocationProblem {
    /// The name of the Namespace.
    pub namespace: String,
    /// The problem and its remedy.
    pub problem: String,
}

/// The reason why levels cannot be allocated.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum AllocateError {
    /// Namespaces own no levels under the settings.
    Settings(&'static str),
    /// The dump cannot be read.
    Dump(AuditError),
}

impl fmt::Display for AllocateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settings(problem) => f.write_str(problem),
            Self::Dump(error) => error.fmt(f),
        }
    }
}

impl Error for AllocateError {}

impl From<AuditError> for AllocateError {
    fn from(error: AuditError) -> Self {
        Self::Dump(error)
    }
}

impl LevelAllocation {
    /// Whether every Namespace has a level of its own once the annotations are written.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.collisions.is_empty() && self.problems.is_empty()
    }
}

/// A Namespace without an annotation.
struct Bare {
    /// In the form of the API server, so that texts sort by time; empty if the dump lacks it.
    created: String,
    name: String,
    has_empty_annotation: bool,
}

impl Bare {
    fn of(name: String, metadata: Node<'_>, key: &str) -> Result<Self, Fault> {
        let created = metadata.at("creationTimestamp").text()?.unwrap_or_default().to_owned();
        let has_empty_annotation = metadata.at("annotations").fields()?.any(|(known, _)| known == key);
        Ok(Self { created, name, has_empty_annotation })
    }
}

/// Allocates levels to the Namespaces of a dump, as the policy does for new ones.
///
/// A Namespace with an annotation keeps its level, and so does a group. Of several Namespaces with
/// the same hashed level, the oldest keeps it. The others get the first level of their name that no
/// Namespace has. The source `Hash` counts as `NamespaceAnnotation`, because annotations prepare
/// the change of the source. Exempt Namespaces get no annotation.
///
/// # Errors
/// Settings under which Namespaces own no levels, and a dump without Namespaces or with one whose
/// annotations or time of creation cannot be read.
pub fn allocate(dump: &Dump, settings: SelinuxSettings) -> Result<LevelAllocation, AllocateError> {
    let rules = settings.ownership.by_annotation().map_err(AllocateError::Settings)?;
    let mut allocation = LevelAllocation::default();
    let mut fixed = NamespaceOwners::new();
    let mut bare = Vec::new();
    dump.visit_some("Namespace", COMMAND, |object, root| {
        let name = object.name.clone();
        let owned = match rules.of(&name, Some(Namespace::of(root))) {
            Ok(owned) => owned,
            Err(fault) => {
                let problem = format!("{fault}; correct or remove it");
                allocation.problems.push(AllocationProblem { namespace: name, problem });
                return Ok(());
            }
        };
        let is_annotated = matches!(owned.origin, Origin::Annotation(_));
        if is_annotated {
            allocation.annotated += 1;
            if owned.level.as_ref().is_some_and(|level| rules.reaches_extra(level)) {
                let problem = "has access to the files of levels.extra; annotate it with another level";
                let namespace = name.clone();
                allocation.problems.push(AllocationProblem { namespace, problem: problem.to_owned() });
            }
        }
        if is_annotated || rules.is_in_group(&name) {
            if owned.level.is_some() {
                fixed.insert(name, owned);
            }
        } else if owned.origin != Origin::Exempt {
            bare.push(Bare::of(name, root.at("metadata"), rules.annotation())?);
        }
        Ok(())
    })?;
    allocation.collisions = shared::find(&fixed);
    let text = |level: &Level| level.text();
    let mut taken: BTreeMap<String, String> = BTreeMap::new();
    for (name, owned) in fixed {
        if let Some(level) = &owned.level {
            taken.entry(level.text()).or_insert(name);
        }
    }
    bare.sort_by(|a, b| (&a.created, &a.name).cmp(&(&b.created, &b.name)));
    let own_level = |bare: &Bare| rules.candidates(&bare.name).first().map(text);
    let hashes: BTreeSet<String> = bare.iter().filter_map(own_level).collect();
    for Bare { name, has_empty_annotation, .. } in bare {
        let overwriting = |annotation| NewAnnotation { overwrite: has_empty_annotation, ..annotation };
        match annotation(&rules, &name, &hashes, &taken).map(overwriting) {
            Ok(annotation) => {
                taken.insert(annotation.level.clone(), name);
                allocation.annotations.push(annotation);
            }
            Err(problem) => {
                allocation.problems.push(AllocationProblem { namespace: name, problem: problem.to_owned() });
            }
        }
    }
    allocation.annotations.sort_by_key(|annotation| annotation.instead_of.is_none());
    Ok(allocation)
}

/// The annotation for a Namespace. `taken` has the levels that are given, with the Namespace of
/// each, and `hashes` the hashed levels of all Namespaces that need an annotation.
fn annotation(
    rules: &Ownership,
    name: &str,
    hashes: &BTreeSet<String>,
    taken: &BTreeMap<String, String>,
) -> Result<NewAnnotation, &'static str> {
    if !is_label(name) {
        return Err("is not a valid Namespace name; correct the dump");
    }
    let new = |level: String, instead_of| NewAnnotation {
        namespace: name.to_owned(),
        key: rules.annotation().to_owned(),
        level,
        overwrite: false,
        instead_of,
    };
    let mut candidates = rules.candidates(name).into_iter().map(|level| level.text());
    let no_level = "no level is free for this name; widen allocation.categories";
    let own = candidates.next().ok_or(no_level)?;
    let Some(holder) = taken.get(&own) else { return Ok(new(own, None)) };
    let level = candidates.find(|level| !taken.contains_key(level) && !hashes.contains(level));
    let level = level.ok_or(no_level)?;
    Ok(new(level, Some(TakenLevel { level: own, holder: holder.clone() })))
}

#[cfg(test)]
mod tests {
    use kubernetes::objects::Objects;
    use serde_json::{Value, json};

    use super::*;

    fn namespace(name: &str, created: &str, annotations: &Value) -> Value {
        let metadata = json!({ "name": name, "creationTimestamp": created, "annotations": annotations });
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": metadata })
    }

    fn bare(name: &str, created: &str) -> Value {
        namespace(name, created, &Value::Null)
    }

    fn annotated(name: &str, level: &str) -> Value {
        namespace(name, "", &json!({ "portcullis.dev/selinux-level": level }))
    }

    fn allocated(namespaces: Vec<Value>, settings: &Value) -> LevelAllocation {
        let dump = Dump::new(Objects::from_values(namespaces).unwrap());
        allocate(&dump, SelinuxSettings::configure(settings).unwrap()).unwrap()
    }

    fn levels(allocation: &LevelAllocation) -> Vec<(&str, &str)> {
        allocation.annotations.iter().map(|new| (new.namespace.as_str(), new.level.as_str())).collect()
    }

    #[test]
    fn namespaces_keep_the_level_that_they_hash_to() {
        let found = allocated(vec![bare("team-b", ""), bare("team-a", "")], &json!({}));
        assert_eq!(levels(&found), [("team-a", "s0:c78,c138"), ("team-b", "s0:c458,c1021")]);
        assert!(found.is_complete() && found.annotated == 0);
        assert!(found.annotations.iter().all(|new| new.key == "portcullis.dev/selinux-level"));
    }

    #[test]
    fn the_oldest_of_several_namespaces_keeps_the_level_and_the_others_come_first() {
        let found = allocated(
            vec![
                bare("tenant-286", "2026-02-01T00:00:00Z"),
                bare("tenant-327", "2026-01-01T00:00:00Z"),
                bare("a", "2026-03-01T00:00:00Z"),
            ],
            &json!({}),
        );
        let names: Vec<&str> = found.annotations.iter().map(|new| new.namespace.as_str()).collect();
        assert_eq!(names, ["tenant-286", "tenant-327", "a"]);
        let moved = found.annotations.first().unwrap();
        let taken = TakenLevel { level: "s0:c136,c179".to_owned(), holder: "tenant-327".to_owned() };
        assert_eq!(moved.instead_of, Some(taken));
        assert_ne!(moved.level, "s0:c136,c179");
        assert!(found.is_complete());
    }

    #[test]
    fn annotated_namespaces_and_groups_keep_their_level() {
        let settings = json!({ "allocation": {
            "source": "NamespaceAnnotation",
            "sharedGroups": [{ "name": "shop", "namespaces": ["shop-front"] }],
        } });
        let group = allocated(vec![bare("shop-front", "")], &settings);
        assert!(group.annotations.is_empty() && group.annotated == 0 && group.is_complete());
        let found = allocated(
            vec![annotated("other", "s0:c138,c78"), bare("team-a", ""), bare("shop-front", "")],
            &settings,
        );
        assert_eq!(found.annotated, 1);
        let [new] = found.annotations.as_slice() else { panic!("{found:?}") };
        assert_eq!(new.instead_of.as_ref().unwrap().holder, "other");
        assert_eq!(new.level, "s0:c448,c664");
    }

    #[test]
    fn collisions_and_malformed_annotations_are_reported() {
        let found = allocated(
            vec![
                annotated("one", "s0:c5,c9"),
                annotated("two", "s0:c9,c5"),
                annotated("three", "s0:c1"),
                annotated("four", "s0:c1000,c1001"),
            ],
            &json!({ "levels": { "extra": ["s0:c1000,c1001"] } }),
        );
        let [collision] = found.collisions.as_slice() else { panic!("{found:?}") };
        assert_eq!((collision.level.as_str(), collision.namespaces.len()), ("s0:c5,c9", 2));
        let mut problems: Vec<&str> = found.problems.iter().map(|one| one.namespace.as_str()).collect();
        problems.sort_unstable();
        assert_eq!(problems, ["four", "three"]);
        assert!(!found.is_complete());
    }

    #[test]
    fn exempt_namespaces_get_no_annotation() {
        let settings = json!({ "exempt": { "namespaces": ["kube-system"] } });
        let found = allocated(vec![bare("kube-system", ""), bare("team-a", "")], &settings);
        assert_eq!(levels(&found), [("team-a", "s0:c78,c138")]);
    }

    #[test]
    fn a_name_that_a_shell_would_interpret_gets_no_command() {
        let found = allocated(vec![bare("a; reboot", "")], &json!({}));
        assert!(found.annotations.is_empty());
        assert_eq!(
            found.problems.first().unwrap().problem,
            "is not a valid Namespace name; correct the dump"
        );
    }

    #[test]
    fn settings_without_levels_of_namespaces_are_refused() {
        let dump = Dump::new(Objects::from_values(vec![bare("a", "")]).unwrap());
        for settings in [
            json!({ "allocation": { "source": "Runtime" } }),
            json!({ "allocation": { "source": "Fixed", "fixed": { "level": "s0:c1,c2" } } }),
            json!({ "allocation": { "scope": "Workload" } }),
            json!({ "allocation": { "annotations": [] } }),
        ] {
            let error = allocate(&dump, SelinuxSettings::configure(&settings).unwrap()).unwrap_err();
            assert!(matches!(error, AllocateError::Settings(_)), "{settings}: {error}");
        }
    }

    #[test]
    fn a_dump_without_namespaces_is_refused() {
        let settings = SelinuxSettings::configure(&Value::Null).unwrap();
        let dump = Dump::new(Objects::from_values(Vec::new()).unwrap());
        assert!(matches!(allocate(&dump, settings), Err(AllocateError::Dump(_))));
    }

    #[test]
    fn the_guard_admits_the_annotations_in_their_order() {
        // Every level is unique at the time it is written: no other Namespace has it by annotation
        // or by hash.
        let names: Vec<String> = (0..400).map(|number| format!("tenant-{number}")).collect();
        let found = allocated(names.iter().map(|name| bare(name, "")).collect(), &json!({}));
        assert_eq!(found.annotations.len(), names.len());
        let rules = Ownership::configure(b"{}").unwrap();
        let hash = |name: &str| rules.candidates(name).first().unwrap().text();
        let mut current: BTreeMap<&str, String> =
            names.iter().map(|name| (name.as_str(), hash(name))).collect();
        for new in &found.annotations {
            let others = current.iter().filter(|(name, _)| **name != new.namespace);
            assert!(others.clone().all(|(_, level)| *level != new.level), "{new:?}");
            current.insert(&new.namespace, new.level.clone());
        }
    }
}
