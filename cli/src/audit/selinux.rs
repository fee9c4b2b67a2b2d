//! Levels: who has the same one, who uses another's, and what the policy would refuse or change.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use admission::{Operation, Policy, Response};
use rules::selinux::level::Level;
use rules::selinux::{Origin, Owned, Selinux, levels_set_by};
use rules::view::{Namespace, Pod};
use serde::Serialize;
use serde_json::{Map, Value, json};
use text::{Path, Step};

use super::dump::Item;
use super::{Dump, Findings, counted, some_of};
use crate::failure::Failure;
use crate::selinux::{NamespaceLevel, Settings};
use crate::text::one_line;

/// The command that makes a dump with all that matters.
const COMMAND: &str = "kubectl get namespaces,pods,deployments,statefulsets,daemonsets,replicasets,\
                       replicationcontrollers,jobs,cronjobs,podtemplates,persistentvolumes --all-namespaces";

/// The kinds of the policy that are in no Namespace.
const CLUSTER_WIDE: [&str; 2] = ["Namespace", "PersistentVolume"];

/// What is found.
#[derive(Debug, Default, Serialize)]
pub(super) struct Levels {
    collisions: Vec<Collision>,
    foreign: Vec<Foreign>,
    refused: Vec<Refused>,
    changed: Vec<Changed>,
    notes: Vec<String>,
}

/// Namespaces that have the same level, and not on purpose.
#[derive(Debug, Serialize)]
struct Collision {
    level: String,
    namespaces: Vec<NamespaceLevel>,
}

/// An object.
#[derive(Clone, Debug, Serialize)]
struct Object {
    kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    namespace: String,
    name: String,
    /// The three as a sentence writes them.
    #[serde(skip)]
    text: String,
}

/// A level that others own.
#[derive(Debug, Serialize)]
struct Foreign {
    #[serde(flatten)]
    object: Object,
    path: String,
    /// As it is written.
    level: String,
    /// The Namespaces whose files it reaches.
    reaches: Vec<String>,
    /// Whether it is just theirs, and no wider.
    equal: bool,
}

#[derive(Debug, Serialize)]
struct Refused {
    #[serde(flatten)]
    object: Object,
    messages: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Changed {
    #[serde(flatten)]
    object: Object,
    /// What there would be at a path.
    changes: Map<String, Value>,
}

/// What Namespaces own, by their names.
type Owners = BTreeMap<String, Owned>;

/// Holds a dump against the policy.
///
/// # Errors
/// A dump without Namespaces, and an object that cannot be read.
pub(super) fn find(dump: &Dump, settings: &Settings) -> Result<Levels, Failure> {
    let mut owners = Owners::new();
    let mut listed = BTreeSet::new();
    dump.each_of_some("Namespace", COMMAND, |_, name, object| {
        listed.insert(name.to_owned());
        // One whose annotation is no level owns none, and is refused below.
        if let Ok(owned) = settings.ownership.of(name, Some(Namespace::of(object))) {
            owners.insert(name.to_owned(), owned);
        }
        Ok(())
    })?;
    let mut levels = Levels::default();
    let mut set = Vec::new();
    let mut lacking = BTreeSet::new();
    for rule in Selinux::SCOPE.0 {
        if !rule.subresource().is_empty() || !rule.operations.contains(&Operation::Create) {
            continue;
        }
        for version in rule.versions {
            let api_version = if rule.group.is_empty() {
                (*version).to_owned()
            } else {
                format!("{}/{version}", rule.group)
            };
            for item in dump.items(&api_version, rule.kind)? {
                let is_lacking = !CLUSTER_WIDE.contains(&rule.kind) && !listed.contains(&item.namespace);
                if !CLUSTER_WIDE.contains(&rule.kind) {
                    set.extend(levels_of(dump, &item)?);
                    if is_lacking && let Ok(owned) = settings.ownership.of(&item.namespace, None) {
                        owners.insert(item.namespace.clone(), owned);
                    }
                }
                let request = json!({
                    "uid": "audit",
                    "kind": { "group": rule.group, "version": version, "kind": rule.kind },
                    "resource": { "group": rule.group, "version": version, "resource": rule.resource },
                    "name": item.name,
                    "namespace": item.namespace,
                    "operation": "CREATE",
                });
                let response = judged(&request, &item, settings, dump);
                if is_lacking && (settings.ownership.reads_namespaces() || is_fault(&response)) {
                    lacking.insert(item.namespace.clone());
                }
                if !(is_lacking && is_fault(&response)) {
                    levels.add(&item, &response);
                }
            }
        }
    }
    levels.collisions = collisions(&owners);
    levels.foreign = foreign(set, &owners);
    levels.notes = notes(&lacking, &owners);
    Ok(levels)
}

/// The answer to an object as the audit scanner sends it: new, and asked for by nobody.
fn judged(request: &Value, item: &Item, settings: &Settings, dump: &Dump) -> Response {
    // The object goes in as text: parsed and written once more it would cost as much as its verdict.
    let request = request.to_string();
    let open = request.strip_suffix('}').unwrap_or_default();
    let payload = format!(r#"{{"request":{open},"object":{}}},"settings":{}}}"#, item.json, settings.json);
    admission::evaluate::<Selinux>(payload.as_bytes(), dump.objects())
}

/// Whether something could not be read or looked up.
fn is_fault(response: &Response) -> bool {
    response.code == Some(500)
}

/// A level that a pod or a template sets.
struct SetLevel {
    object: Object,
    path: String,
    text: String,
}

fn levels_of(dump: &Dump, item: &Item) -> Result<Vec<SetLevel>, Failure> {
    dump.visit(item, |object| {
        let pod = Pod::in_object(object, &item.kind);
        if item.namespace.is_empty() {
            let at = Pod::of(object).metadata().namespace();
            return Err(at.fault("expected a string, found nothing"));
        }
        let set = levels_set_by(pod)?;
        let level = |(at, text): (admission::Node<'_>, &str)| SetLevel {
            object: Object::of(item),
            // Without the name of the object, which messages have before it.
            path: Path(&at.steps()).to_string(),
            text: text.to_owned(),
        };
        Ok(set.into_iter().map(level).collect())
    })
}

/// Namespaces that have the same level, though they are not one owner.
fn collisions(owners: &Owners) -> Vec<Collision> {
    let mut by_level: BTreeMap<String, Vec<(&str, &Owned)>> = BTreeMap::new();
    for (name, owned) in owners.iter().filter(|(_, owned)| is_own(owned)) {
        if let Some(level) = &owned.level {
            by_level.entry(level.text()).or_default().push((name, owned));
        }
    }
    let collide = |namespaces: &[(&str, &Owned)]| match namespaces {
        [(_, first), rest @ ..] => rest.iter().any(|(_, owned)| owned.owner != first.owner),
        [] => false,
    };
    let collision = |(level, namespaces): (String, Vec<(&str, &Owned)>)| Collision {
        level,
        namespaces: namespaces.iter().map(|(name, owned)| NamespaceLevel::new(name, owned)).collect(),
    };
    by_level.into_iter().filter(|(_, namespaces)| collide(namespaces)).map(collision).collect()
}

/// Whether a level is not the same for all.
fn is_own(owned: &Owned) -> bool {
    owned.origin != Origin::Fixed
}

/// The levels that reach those of others.
fn foreign(set: Vec<SetLevel>, owners: &Owners) -> Vec<Foreign> {
    // The same level is set over and over.
    let mut reached: BTreeMap<String, Vec<(&str, &Owned, bool)>> = BTreeMap::new();
    let mut foreign = Vec::new();
    for SetLevel { object, path, text } in set {
        let own = owners.get(&object.namespace);
        // What is no level is refused by the policy and by the runtime.
        let Ok(level) = Level::parse(&text) else { continue };
        if own.is_some_and(|own| own.level.as_ref() == Some(&level)) {
            continue;
        }
        let owned = reached.entry(level.text()).or_insert_with(|| {
            let all = owners.iter().filter(|(_, owned)| is_own(owned));
            all.filter_map(|(name, owned)| {
                let other = owned.level.as_ref()?;
                level.reaches(other).then_some((name.as_str(), owned, level == *other))
            })
            .collect()
        });
        let others: Vec<_> =
            owned.iter().filter(|(_, owned, _)| own.is_none_or(|own| own.owner != owned.owner)).collect();
        if !others.is_empty() {
            foreign.push(Foreign {
                object,
                path,
                level: text,
                reaches: others.iter().map(|(name, ..)| (*name).to_owned()).collect(),
                equal: others.iter().all(|(.., equal)| *equal),
            });
        }
    }
    foreign
}

fn notes(lacking: &BTreeSet<String>, owners: &Owners) -> Vec<String> {
    let mut notes = Vec::new();
    if !lacking.is_empty() {
        notes.push(format!(
            "Not all was judged, as the dump lacks Namespaces ({}); make it with {COMMAND} -o json",
            some_of(lacking)
        ));
    }
    let without = owners
        .values()
        .find(|owned| matches!(owned.origin, Origin::Below(_) | Origin::Fixed | Origin::Runtime));
    if let Some(Owned { origin, .. }) = without {
        notes.push(format!("Namespaces have no levels of their own and were not compared: {origin}"));
    }
    notes
}

impl Object {
    fn of(item: &Item) -> Self {
        Self {
            kind: item.kind.clone(),
            namespace: item.namespace.clone(),
            name: item.name.clone(),
            text: item.to_string(),
        }
    }
}

impl Levels {
    /// Adds what becomes of an object.
    fn add(&mut self, item: &Item, response: &Response) {
        let object = Object::of(item);
        if !response.accepted {
            let messages = response.message.as_deref().unwrap_or_default();
            self.refused.push(Refused { object, messages: messages.lines().map(str::to_owned).collect() });
        } else if let Some(changed) = &response.mutated_object
            // A Namespace that is there already gets nothing.
            && item.kind == "Pod"
        {
            let read = |json: &str| serde_json::from_str::<Value>(json).unwrap_or_default();
            let mut changes = Map::new();
            differences(Some(&read(&item.json)), Some(&read(changed)), &[], &mut changes);
            self.changed.push(Changed { object, changes });
        }
    }
}

/// What two values differ in, by path. The policy never moves the elements of a list, and takes nothing away.
fn differences(old: Option<&Value>, new: Option<&Value>, at: &[Step<'_>], found: &mut Map<String, Value>) {
    match (old.filter(|old| !old.is_null()), new) {
        (old, new) if old == new => {}
        (Some(Value::Array(old)), Some(Value::Array(new))) if old.len() == new.len() => {
            for (index, (old, new)) in (0..).zip(old.iter().zip(new)) {
                differences(Some(old), Some(new), &[at, &[Step::Index(index)]].concat(), found);
            }
        }
        (None, Some(Value::Object(new))) if !new.is_empty() => {
            for (key, new) in new {
                differences(None, Some(new), &[at, &[Step::Field(key)]].concat(), found);
            }
        }
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            for key in keys {
                differences(old.get(key), new.get(key), &[at, &[Step::Field(key)]].concat(), found);
            }
        }
        (_, new) => {
            found.insert(Path(at).to_string(), new.cloned().unwrap_or_default());
        }
    }
}

impl Findings for Levels {
    fn is_empty(&self) -> bool {
        self.collisions.is_empty()
            && self.foreign.is_empty()
            && self.refused.is_empty()
            && self.changed.is_empty()
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut collisions = Vec::new();
        for Collision { level, namespaces } in &self.collisions {
            let one = |one: &NamespaceLevel| format!("{} ({})", one.namespace, one.explanation);
            collisions
                .push(format!("{level}: {}", namespaces.iter().map(one).collect::<Vec<_>>().join(", ")));
        }
        let foreign = self.foreign.iter().map(|Foreign { object, path, level, reaches, equal }| {
            let names = some_of(&reaches.iter().cloned().collect());
            let verb = if *equal { "is that of" } else { "reaches that of" };
            format!("{}: {path}: {level} {verb} {names}", object.text)
        });
        let refused = self.refused.iter().flat_map(|Refused { object, messages }| {
            messages.iter().map(|message| format!("{}: {message}", object.text))
        });
        let changed = self.changed.iter().flat_map(|Changed { object, changes }| {
            changes.iter().map(|(path, value)| match value {
                Value::String(text) => format!("{}: {path}: set to {text}", object.text),
                other => format!("{}: {path}: set to {other}", object.text),
            })
        });
        for (title, lines) in [
            ("Namespaces with the same level", collisions),
            ("Levels of other Namespaces", foreign.collect()),
            ("Would be refused", refused.collect()),
            ("Would be changed", changed.collect()),
        ] {
            if !lines.is_empty() {
                writeln!(out, "{title}:")?;
                for line in lines {
                    writeln!(out, "  {}", one_line(&line))?;
                }
                writeln!(out)?;
            }
        }
        if self.is_empty() {
            writeln!(
                out,
                "No two Namespaces have the same level, no pod has another's, and nothing would be refused or changed."
            )?;
        } else {
            let collisions = self.collisions.len();
            let objects: BTreeSet<&str> = self.foreign.iter().map(|one| one.object.text.as_str()).collect();
            writeln!(
                out,
                "{} shared, {} with a level of others, {} refused, {} changed.",
                counted(collisions, "level", "levels"),
                counted(objects.len(), "object", "objects"),
                self.refused.len(),
                self.changed.len(),
            )?;
        }
        for note in &self.notes {
            writeln!(out, "\n{}", one_line(note))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_has_a_path() {
        let old = json!({ "spec": {
            "securityContext": null, "containers": [{ "name": "a", "options": {} }, { "name": "b" }],
        } });
        let new = json!({
            "metadata": { "annotations": { "a.example/b": "true" } },
            "spec": {
                "securityContext": { "options": { "level": "s0:c1,c2" } },
                "containers": [{ "name": "a", "options": { "level": "s0" } }, { "name": "b", "privileged": false }],
            },
        });
        let mut found = Map::new();
        differences(Some(&old), Some(&new), &[], &mut found);
        assert_eq!(
            Value::Object(found),
            json!({
                "metadata.annotations[a.example/b]": "true",
                "spec.securityContext.options.level": "s0:c1,c2",
                "spec.containers[0].options.level": "s0",
                "spec.containers[1].privileged": false,
            })
        );
    }
}
