//! The restricted fields that rules cover together, and the settings that run exactly them.

use std::collections::{BTreeMap, BTreeSet};

use rules::pod_security::standard::{CHECKS, Check, Field, FieldRule};
use rules::pod_security::{Level, Version};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The version of the standards whose checks are those of the library: the newest without the
/// exception for Windows, which v1.25 adds to controls at restricted.
pub(super) const VERSION: &str = "v1.24";

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::kyverno) struct Covered {
    pub(super) check: String,
    /// The fields of the check that are covered; all if the list is empty.
    #[serde(default)]
    pub(super) fields: Vec<String>,
    /// The values that the check refuses and the rule allows.
    #[serde(default)]
    pub(super) allows: Vec<String>,
}

/// The restricted fields that rules cover, by check and number of the field rule, with the values
/// that they allow beyond the check.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(in crate::kyverno) struct Coverage(BTreeMap<(&'static str, usize), BTreeSet<String>>);

impl Coverage {
    pub(super) fn of(covered: &[Covered]) -> Self {
        let mut coverage = Self::default();
        for part in covered {
            for key in part.keys() {
                coverage.add(key, part.allows.iter().cloned().collect());
            }
        }
        coverage
    }

    /// Adds what other rules cover: every rule has to allow a value.
    pub(super) fn unite(&mut self, other: &Self) {
        for (key, allows) in &other.0 {
            self.add(*key, allows.clone());
        }
    }

    fn add(&mut self, key: (&'static str, usize), allows: BTreeSet<String>) {
        self.0.entry(key).and_modify(|known| known.retain(|value| allows.contains(value))).or_insert(allows);
    }

    /// Whether the rules refuse whatever the check refuses in fields.
    pub(super) fn includes(&self, covered: &Covered) -> bool {
        let mut keys = covered.keys().peekable();
        keys.peek().is_some() && keys.all(|key| self.0.get(&key).is_some_and(BTreeSet::is_empty))
    }

    pub(in crate::kyverno) fn level(&self) -> Level {
        let levels = self.0.keys().filter_map(|(id, _)| Check::find(id)).map(|check| check.level);
        levels.max().unwrap_or(Level::Baseline)
    }

    /// Writes the level, the version and the exclusions into settings, instead of those that they
    /// have.
    pub(in crate::kyverno) fn write(&self, settings: &mut Map<String, Value>) {
        let level = self.level().name();
        // A policy that only warns is at the level privileged; see check_settings.rs.
        let warns = settings.contains_key("warn");
        if warns {
            for mode in ["audit", "warn"] {
                settings.insert(mode.to_owned(), json!({ "level": level, "version": VERSION }));
            }
        } else {
            settings.insert("level".to_owned(), level.into());
            settings.insert("version".to_owned(), VERSION.into());
        }
        let entries = self.entries();
        if entries.is_empty() {
            settings.remove("exclude");
        } else {
            settings.insert("exclude".to_owned(), entries.into());
        }
    }

    /// Returns entries that exclude whatever the rules do not refuse.
    fn entries(&self) -> Vec<Value> {
        let level = self.level();
        let checks: Vec<(&Check, &[FieldRule])> = CHECKS
            .iter()
            .filter(|check| check.level <= level)
            .filter_map(|check| Some((check, check.at(minor())?.rules)))
            .collect();
        let mut entries = Vec::new();
        let mut whole = BTreeSet::new();
        for (check, rules) in &checks {
            let of_control: Vec<_> =
                checks.iter().filter(|(other, _)| other.control == check.control).collect();
            if of_control.iter().all(|(check, _)| self.lacks(check)) {
                if whole.insert(check.control) {
                    let rules = of_control.iter().flat_map(|(_, rules)| rules.iter());
                    entries.extend(whole_control(check.control, rules));
                }
                continue;
            }
            // The stricter check refuses whatever this one refuses.
            let stricter = check.superseded_by.filter(|stricter| stricter.level <= level);
            if stricter.is_some_and(|stricter| self.covers_all_of(stricter)) {
                continue;
            }
            let name = if of_control.len() > 1 { check.id } else { check.control };
            if self.lacks(check) {
                entries.extend(whole_control(name, rules.iter()));
                continue;
            }
            for (number, rule) in rules.iter().enumerate() {
                match self.0.get(&(check.id, number)) {
                    None => entries.extend(of_field(name, rule.field, &["*"])),
                    Some(allows) if !allows.is_empty() => {
                        let allows: Vec<&str> = allows.iter().map(String::as_str).collect();
                        entries.extend(of_field(name, rule.field, &allows));
                    }
                    Some(_) => {}
                }
            }
        }
        entries
    }

    /// Whether no rule covers a field of the check.
    fn lacks(&self, check: &Check) -> bool {
        !self.0.keys().any(|(id, _)| *id == check.id)
    }

    /// Whether the rules refuse whatever the check refuses.
    fn covers_all_of(&self, check: &Check) -> bool {
        self.includes(&Covered { check: check.id.to_owned(), fields: Vec::new(), allows: Vec::new() })
    }
}

impl Covered {
    /// The check and the number of each field rule.
    fn keys(&self) -> impl Iterator<Item = (&'static str, usize)> + '_ {
        let check = Check::find(&self.check);
        let rules = check.and_then(|check| Some((check.id, check.at(minor())?.rules)));
        rules.into_iter().flat_map(|(id, rules)| {
            let is_covered = |rule: &FieldRule| {
                let paths = rule.field.paths();
                self.fields.is_empty() || paths.iter().any(|path| self.fields.contains(path))
            };
            let covered = rules.iter().enumerate().filter(move |(_, rule)| is_covered(rule));
            covered.map(move |(number, _)| (id, number))
        })
    }
}

fn minor() -> u8 {
    Version::parse(VERSION).map_or(0, |version| version.minor())
}

/// The entries that exclude all fields: one for those of the pod, and one for those of containers.
fn whole_control<'r>(name: &str, rules: impl Iterator<Item = &'r FieldRule>) -> Vec<Value> {
    let (of_containers, of_pod): (Vec<Field>, Vec<Field>) =
        rules.map(|rule| rule.field).partition(|field| field.is_of_containers());
    let mut entries = Vec::new();
    if !of_pod.is_empty() {
        entries.push(json!({ "controlName": name }));
    }
    if !of_containers.is_empty() {
        entries.push(json!({ "controlName": name, "images": ["*"] }));
    }
    entries
}

/// The entries that exclude values of a field, one for each list of containers.
fn of_field(name: &str, field: Field, values: &[&str]) -> Vec<Value> {
    let entry = |path: String| {
        let mut entry = json!({ "controlName": name, "restrictedField": path, "values": values });
        if field.is_of_containers()
            && let Some(entry) = entry.as_object_mut()
        {
            entry.insert("images".to_owned(), json!(["*"]));
        }
        entry
    };
    field.paths().into_iter().map(entry).collect()
}
