//! The levels of Namespaces: given to new ones, protected, and held against those of all others.

use admission::{
    Cluster, Edits, Fault, List, Node, Operation, Quoted, Request, Verdict, Violation, Violations,
};

use super::Selinux;
use super::allocation::{Allocation, Source};
use super::level::Level;
use super::options::filled;
use super::owner::{annotated, implicit, of_namespace};
use super::pool::PROBES;
use super::settings::{Mode, OnLookupFailure};
use crate::summary::summary;
use crate::view::Namespace;

/// The way out for who may not choose a level.
const NOT_CHOSEN: &str = "remove it, or ask somebody of allocation.annotationEditors";

/// The way out where no level is left.
const WIDEN: &str = "widen allocation.categories";

/// A Namespace under review.
struct Review<'a, 'd> {
    policy: &'a Selinux,
    cluster: &'a dyn Cluster,
    namespace: Namespace<'d>,
    name: &'d str,
    /// Whether who asks may choose levels. The audit scanner asks for nobody, of whom nothing is known.
    is_editor: bool,
}

/// Judges a Namespace.
///
/// # Errors
/// What cannot be read or looked up.
pub(super) fn review<'d>(
    policy: &Selinux,
    request: &Request<'d>,
    cluster: &dyn Cluster,
) -> Result<Verdict<'d>, Fault> {
    let namespace = Namespace::of(request.object()?);
    if policy.allocation.source != Source::NamespaceAnnotation {
        return Ok(Verdict::admit());
    }
    let name = namespace.metadata().name().text()?.unwrap_or_default();
    let is_editor = request.username()?.is_empty() || policy.allocation.editors.contain(request)?;
    let review = Review { policy, cluster, namespace, name, is_editor };
    let mut found = Found::default();
    match request.operation {
        Operation::Update => review.update(Namespace::of(request.stored_object()?), &mut found)?,
        _ => review.create(&mut found)?,
    }
    let Found { mut violations, levels, is_new } = found;
    if levels.is_empty() && !is_new {
        return Ok(violations.into());
    }
    let others = match review.others() {
        Err(fault) if policy.on_lookup_failure == OnLookupFailure::Warn => {
            let warning = summary("selinux could not judge all", &[&fault.place().to_string()], 0);
            return Ok(Verdict::from(violations).warn(warning).annotate("error", fault.to_string()));
        }
        other => other?,
    };
    if is_new {
        return review.allocate(&others);
    }
    for (at, level) in levels {
        if let Some(other) = holder(&others, &level) {
            violations.push(duplicate(at, other));
        }
    }
    Ok(violations.into())
}

/// What is found without other Namespaces, and what has to be held against theirs.
#[derive(Default)]
struct Found<'d> {
    violations: Violations<'d>,
    levels: Vec<(Node<'d>, Level)>,
    /// Whether it is to be given a level.
    is_new: bool,
}

/// The Namespace that has a level; of several the least, as the cluster lists in any order.
fn holder<'o>(others: &'o [(String, Level)], level: &Level) -> Option<&'o str> {
    let same = others.iter().filter(|(_, other)| other == level);
    same.map(|(name, _)| name.as_str()).min()
}

fn duplicate<'d>(at: Node<'d>, other: &str) -> Violation<'d> {
    let mut rule = "Namespace ".to_owned();
    rule.push_str(&Quoted(other).to_string());
    rule.push_str(" has this level");
    Violation::invalid(at, rule, "choose another one, or put both in one of allocation.sharedGroups")
}

impl<'d> Review<'_, 'd> {
    fn allocation(&self) -> &Allocation {
        &self.policy.allocation
    }

    fn create(&self, found: &mut Found<'d>) -> Result<(), Fault> {
        let annotations = self.namespace.metadata().annotations();
        let mut is_written = false;
        for key in &self.allocation().annotations {
            let Some(at) = annotations.entry(key)? else { continue };
            let Some(text) = at.filled_text()? else { continue };
            if !self.is_editor && !self.is_its_own(text) {
                let rule = "who creates a Namespace may not choose its level";
                found.violations.refuse(at, rule, NOT_CHOSEN);
            } else if let Some(level) = self.checked(at, text, &mut found.violations)
                && !is_written
            {
                // The first one counts.
                found.levels.push((at, level));
            }
            is_written = true;
        }
        // The level of a group is hashed alike for all that are in it, and a name that is still to be made up leads to none.
        found.is_new = !is_written && !self.name.is_empty() && self.allocation().group(self.name).is_none();
        Ok(())
    }

    /// A level that may be a Namespace's.
    fn checked(&self, at: Node<'d>, text: &str, violations: &mut Violations<'d>) -> Option<Level> {
        let pool = &self.allocation().pool;
        match Level::parse(text).and_then(|level| pool.own(level)) {
            Ok(level) => Some(level),
            Err(rule) => {
                let remedy = if pool.per_level == 2 {
                    "write two, such as s0:c1,c2"
                } else {
                    "write three, such as s0:c1,c2,c3"
                };
                violations.refuse(at, rule, remedy);
                None
            }
        }
    }

    /// Whether a text is a level that the Namespace would be given.
    fn is_its_own(&self, text: &str) -> bool {
        let Ok(level) = Level::parse(text) else { return false };
        let key = of_namespace(self.allocation(), self.name);
        let pool = &self.allocation().pool;
        (0..PROBES).any(|number| pool.probe(&key, number).as_ref() == Some(&level))
    }

    /// All other Namespaces with their levels, without those of the same group.
    fn others(&self) -> Result<Vec<(String, Level)>, Fault> {
        let shape = Namespace::OTHERS;
        let list = List { api_version: "v1", kind: "Namespace", namespace: None, shape };
        let answer = list.ask(self.cluster)?;
        let document = answer.document()?;
        let allocation = self.allocation();
        let group = allocation.group(self.name);
        let mut others = Vec::new();
        for item in document.root().at("items").required_items()? {
            let other = Namespace::of(item);
            let name = other.metadata().name().text()?.unwrap_or_default();
            if name == self.name || group.is_some() && allocation.group(name) == group {
                continue;
            }
            // One whose annotation is no level has none, and its pods are denied.
            let level = match annotated(allocation, other) {
                Ok(Some((_, level))) => level,
                Ok(None) => implicit(allocation, name),
                Err(_) => continue,
            };
            others.push((name.to_owned(), level));
        }
        Ok(others)
    }

    /// Gives a new Namespace a level that no other has. In front of a guard, one without an annotation has the level of
    /// the hash.
    fn allocate(&self, others: &[(String, Level)]) -> Result<Verdict<'d>, Fault> {
        let allocation = self.allocation();
        let metadata = self.namespace.metadata();
        let mut violations = Violations::default();
        let is_taken = |level: &Level| others.iter().any(|(_, other)| other == level);
        let free = || allocation.pool.free(&of_namespace(allocation, self.name), &is_taken);
        let key = allocation.annotations.first().map_or("", String::as_str);
        if self.policy.mode == Mode::Validate {
            let level = implicit(allocation, self.name);
            if let Some(other) = holder(others, &level) {
                let rule = ["has the level of Namespace ", &Quoted(other).to_string(), ", ", &level.text()];
                let remedy = match free() {
                    Some(level) => ["annotate it with ", key, ": ", &level.text()].concat(),
                    None => WIDEN.to_owned(),
                };
                violations.push(Violation::invalid(metadata.name(), rule.concat(), remedy));
            }
            return Ok(violations.into());
        }
        let Some(level) = free() else {
            violations.forbid(metadata.annotations(), "no level is free for this name", WIDEN);
            return Ok(violations.into());
        };
        let mut edits = Edits::default();
        edits.set_entry(&metadata.annotations(), key, level.text().as_str())?;
        Ok(Verdict::from(edits).annotate("level", level.text()))
    }

    fn update(&self, old: Namespace<'d>, found: &mut Found<'d>) -> Result<(), Fault> {
        let (before, now) = (old.metadata().annotations(), self.namespace.metadata().annotations());
        let keys = &self.allocation().annotations;
        let mut changed = Vec::new();
        let mut had_level = false;
        for key in keys {
            let (before, after) = (before.entry(key)?, now.entry(key)?);
            let (old_text, new_text) = (filled(before)?, filled(after)?);
            had_level |= old_text.is_some();
            if old_text != new_text {
                changed.push((after.or(before).unwrap_or(now), new_text));
            }
        }
        for (at, text) in changed {
            // One that had none may be annotated with what it had all the time.
            let adds_its_own = !had_level
                && text.is_some_and(|text| {
                    Level::parse(text).is_ok_and(|level| level == implicit(self.allocation(), self.name))
                });
            if !self.is_editor && !adds_its_own {
                let (rule, remedy) = if had_level {
                    (
                        "the level of a Namespace may not be changed",
                        "restore it, or ask somebody of allocation.annotationEditors",
                    )
                } else {
                    ("the level of a Namespace may not be chosen", NOT_CHOSEN)
                };
                found.violations.forbid(at, rule, remedy);
                continue;
            }
            let level = match text {
                Some(text) => self.checked(at, text, &mut found.violations),
                None => Some(implicit(self.allocation(), self.name)),
            };
            found.levels.extend(level.map(|level| (at, level)));
        }
        Ok(())
    }
}
