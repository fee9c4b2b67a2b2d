//! The review of Namespaces whose levels are annotations: the levels are allocated, protected and
//! unique.

use std::sync::Arc;

use admission::{
    Cluster, Edits, Fault, Node, Operation, Quoted, Remedy, Request, Verdict, Violation, Violations,
};

use super::holders::{Holder, holders, other};
use super::level::Level;
use super::namespace_hash;
use super::namespace_level::{annotated, hash_key, hashed};
use super::pool::{PROBES, RESERVED};
use super::rule;
use super::settings::{Allocation, Mode, Settings, Source};
use super::text::filled;
use crate::view::Namespace;

const CHOSEN: (&str, Remedy<&str>) = (
    "only allocation.annotationEditors may choose the level of a Namespace",
    Remedy::REMOVE.and(", or ask one of them"),
);

const CHANGED: (&str, Remedy<&str>) = (
    "only allocation.annotationEditors may change the level of a Namespace",
    Remedy::in_words("restore it, or ask one of them"),
);

const OTHER_LEVEL: &str = "choose another one, or put both in one of allocation.sharedGroups";

const WIDEN: &str = "widen allocation.categories";

struct Review<'a, 'd> {
    settings: &'a Settings,
    cluster: &'a dyn Cluster,
    namespace: Namespace<'d>,
    name: &'d str,
    /// Whether the requesting user may choose levels.
    is_editor: bool,
}

/// Findings from the request alone, and the levels to compare with those of other Namespaces.
#[derive(Default)]
struct Findings<'d> {
    violations: Violations<'d>,
    levels: Vec<(Node<'d>, Level)>,
    /// The hashed level, which a Namespace has again without this annotation.
    hashed: Option<(Node<'d>, Level)>,
    needs_level: bool,
}

pub(super) fn review<'d>(
    settings: &Settings,
    request: &Request<'d>,
    cluster: &dyn Cluster,
) -> Result<Verdict<'d>, Fault> {
    let namespace = Namespace::of(request.object()?);
    let allocation = &settings.allocation;
    if matches!(allocation.source, Source::Runtime | Source::Fixed) {
        return Ok(Verdict::admit());
    }
    let name = namespace.metadata().name().text()?.unwrap_or_default();
    // Requests of audits have no namespace, which API servers set to the name.
    if settings.exempt.has_namespace(name) {
        return Ok(Verdict::admit());
    }
    if allocation.source == Source::Hash {
        return namespace_hash::review(settings, request, cluster);
    }
    let is_editor = allocation.is_editor(request)?;
    let review = Review { settings, cluster, namespace, name, is_editor };
    let mut findings = Findings::default();
    match request.operation {
        Operation::Update => review.update(Namespace::of(request.stored_object()?), &mut findings)?,
        _ => review.create(&mut findings)?,
    }
    let Findings { mut violations, levels, hashed, needs_level } = findings;
    if levels.is_empty() && hashed.is_none() && !needs_level {
        return Ok(violations.into());
    }
    let holders = match review.holders() {
        Err(fault) => return settings.without_lookup(violations.into(), fault),
        Ok(holders) => holders,
    };
    if needs_level {
        return review.allocate(&holders);
    }
    for (at, level) in levels {
        if let Some(other) = review.holder(&holders, &level) {
            let rule = ["Namespace ", &Quoted(other).to_string(), " has this level"].concat();
            violations.push(Violation::invalid(rule::LEVEL_TAKEN, at, rule, OTHER_LEVEL));
        }
    }
    if let Some((at, level)) = hashed
        && let Some(other) = review.holder(&holders, &level)
    {
        let other = Quoted(other).to_string();
        let rule = ["gives way to the hashed level ", &level.text(), ", which Namespace ", &other, " has"];
        violations.push(Violation::forbidden(rule::LEVEL_TAKEN, at, rule.concat(), OTHER_LEVEL));
    }
    Ok(violations.into())
}

impl<'d> Review<'_, 'd> {
    fn allocation(&self) -> &Allocation {
        &self.settings.allocation
    }

    fn create(&self, findings: &mut Findings<'d>) -> Result<(), Fault> {
        let annotations = self.namespace.metadata().annotations();
        let mut is_annotated = false;
        for key in &self.allocation().annotations {
            let Some(at) = annotations.entry(key)? else { continue };
            let Some(text) = at.filled_text()? else { continue };
            if !self.is_editor && !self.is_candidate(text) {
                let (rule, remedy) = CHOSEN;
                findings.violations.refuse(rule::NAMESPACE_LEVEL, at, rule, remedy);
            } else if let Some(level) = self.parse(at, text, &mut findings.violations)
                && !is_annotated
            {
                // Only the first annotation applies.
                findings.levels.push((at, level));
            }
            is_annotated = true;
        }
        // The members of a group have the same hashed level. Without a name, there is nothing to
        // hash.
        let is_in_group = self.allocation().group(self.name).is_some();
        let gets_level = self.settings.mode == Mode::Mutate || self.allocation().hashes(self.name);
        findings.needs_level = !is_annotated && !self.name.is_empty() && !is_in_group && gets_level;
        Ok(())
    }

    fn parse(&self, at: Node<'d>, text: &str, violations: &mut Violations<'d>) -> Option<Level> {
        let pool = &self.allocation().pool;
        match Level::parse(text).and_then(|level| pool.validated(level)) {
            Ok(level) if pool.excluded.iter().any(|extra| level.reaches(extra)) => {
                let rule = "gives access to the files of levels.extra, which every pod may set";
                violations.refuse(rule::NAMESPACE_LEVEL_VALUE, at, rule, "choose another level");
                None
            }
            Ok(level) if level.reaches(&Level::of(&RESERVED)) => {
                let rule = "gives access to the files of containers without SELinux labels";
                violations.refuse(rule::NAMESPACE_LEVEL_VALUE, at, rule, "choose another level");
                None
            }
            Ok(level) => Some(level),
            Err(rule) => {
                let remedy = if pool.per_level == 2 {
                    "write two categories, such as s0:c1,c2"
                } else {
                    "write three categories, such as s0:c1,c2,c3"
                };
                violations.refuse(rule::NAMESPACE_LEVEL_VALUE, at, rule, remedy);
                None
            }
        }
    }

    /// Whether a text is a level that the policy could allocate to the Namespace.
    fn is_candidate(&self, text: &str) -> bool {
        let Ok(level) = Level::parse(text) else { return false };
        let key = hash_key(self.allocation(), self.name);
        let pool = &self.allocation().pool;
        (0..PROBES).any(|number| pool.probe(&key, number).as_ref() == Some(&level))
    }

    fn holders(&self) -> Result<Arc<Vec<Holder>>, Fault> {
        let Settings { allocation, exempt, .. } = self.settings;
        holders(self.cluster, Namespace::OTHERS, &|name, namespace| {
            let key = hash_key(allocation, name);
            // A Namespace with a malformed annotation has no level, and its pods are denied.
            let level = match annotated(allocation, namespace) {
                Ok(Some((_, level))) => level,
                Ok(None) if allocation.hashes(name) && !exempt.has_namespace(name) => {
                    allocation.pool.level(&key)
                }
                Ok(None) | Err(_) => return Ok(None),
            };
            Ok(Some(Holder { name: name.to_owned(), key, level }))
        })
    }

    /// The other Namespace that has a level and is not in the same group.
    fn holder<'o>(&self, holders: &'o [Holder], level: &Level) -> Option<&'o str> {
        other(holders, self.name, &hash_key(self.allocation(), self.name), level)
    }

    /// Gives a new Namespace a level that no other Namespace has. [`Mode::Validate`] takes the
    /// hashed level for it and denies a duplicate.
    fn allocate(&self, holders: &[Holder]) -> Result<Verdict<'d>, Fault> {
        let allocation = self.allocation();
        let metadata = self.namespace.metadata();
        let mut violations = Violations::default();
        let is_taken = |level: &Level| self.holder(holders, level).is_some();
        let free = || allocation.pool.free(&hash_key(allocation, self.name), &is_taken);
        let key = allocation.annotations.first().map_or("", String::as_str);
        if self.settings.mode == Mode::Validate {
            let level = hashed(allocation, self.name);
            if let Some(other) = self.holder(holders, &level) {
                let rule = ["has the level of Namespace ", &Quoted(other).to_string(), ", ", &level.text()];
                let remedy = match free() {
                    Some(level) => ["annotate it with ", key, ": ", &level.text()].concat(),
                    None => WIDEN.to_owned(),
                };
                violations.push(Violation::invalid(
                    rule::LEVEL_TAKEN,
                    metadata.name(),
                    rule.concat(),
                    remedy,
                ));
            }
            return Ok(violations.into());
        }
        let Some(level) = free() else {
            let rule = "no level is free for this name";
            violations.forbid(rule::LEVELS_EXHAUSTED, metadata.annotations(), rule, WIDEN);
            return Ok(violations.into());
        };
        let mut edits = Edits::default();
        edits.set_entry(&metadata.annotations(), key, level.text().as_str())?;
        Ok(Verdict::from(edits).annotate("level", level.text()))
    }

    fn update(&self, old: Namespace<'d>, findings: &mut Findings<'d>) -> Result<(), Fault> {
        let (before, now) = (old.metadata().annotations(), self.namespace.metadata().annotations());
        let mut changed = Vec::new();
        // The annotations that apply: the first that is present.
        let (mut old_level, mut new_level) = (None, None);
        for key in &self.allocation().annotations {
            let (before, after) = (before.entry(key)?, now.entry(key)?);
            let (old_text, new_text) = (filled(before)?, filled(after)?);
            let at = after.or(before).unwrap_or(now);
            old_level = old_level.or(old_text.map(|text| (key, text)));
            if new_level.is_none() {
                new_level = new_text.map(|text| (key, text, at));
            }
            if old_text != new_text {
                changed.push((key, at, new_text));
            }
        }
        let allocation = self.allocation();
        let had_level = old_level.is_some();
        let hashed = allocation.hashes(self.name).then(|| hashed(allocation, self.name));
        let mut is_permitted = true;
        for (key, at, text) in &changed {
            // Anybody may write down the hashed level, which the Namespace had without an
            // annotation.
            let written = text.and_then(|text| Level::parse(text).ok());
            let keeps_level = !had_level && written.is_some() && written == hashed;
            if !self.is_editor && !keeps_level {
                let (rule, remedy) = if had_level { CHANGED } else { CHOSEN };
                findings.violations.forbid(rule::NAMESPACE_LEVEL, *at, rule, remedy);
                is_permitted = false;
            } else if let Some(text) = text
                && new_level.is_some_and(|(first, ..)| first != *key)
            {
                self.parse(*at, text, &mut findings.violations);
            }
        }
        if !is_permitted || old_level == new_level.map(|(key, text, _)| (key, text)) {
            return Ok(());
        }
        if let Some((_, text, at)) = new_level {
            let level = self.parse(at, text, &mut findings.violations);
            findings.levels.extend(level.map(|level| (at, level)));
        } else {
            // The first that was removed.
            findings.hashed = changed.first().map(|(_, at, _)| *at).zip(hashed);
        }
        Ok(())
    }
}
