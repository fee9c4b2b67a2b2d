//! The review of Namespaces whose levels are hashed: the label that a level is hashed from is
//! protected, and the levels are unique.

use admission::{Cluster, Fault, Node, Operation, Quoted, Remedy, Request, Verdict, Violation, Violations};

use super::holders::{Holder, holders, other};
use super::namespace_level::label_key;
use super::rule::{LEVEL_TAKEN, NAMESPACE_LABEL};
use super::settings::{Allocation, Collisions, OwnerScope, Settings};
use super::text::filled;
use crate::view::Namespace;

pub(super) fn review<'d>(
    settings: &Settings,
    request: &Request<'d>,
    cluster: &dyn Cluster,
) -> Result<Verdict<'d>, Fault> {
    let allocation = &settings.allocation;
    let is_update = request.operation == Operation::Update;
    match allocation.scope {
        OwnerScope::NamespaceLabel => {}
        OwnerScope::Namespace if !is_update => {}
        // Other owners are smaller than a Namespace, and an update cannot change its name.
        _ => return Ok(Verdict::admit()),
    }
    let namespace = Namespace::of(request.object()?);
    let old = if is_update { Some(Namespace::of(request.stored_object()?)) } else { None };
    let mut violations = Violations::default();
    if allocation.protects_label && !allocation.is_editor(request)? {
        protect_label(allocation, namespace, old, &mut violations)?;
    }
    let at = namespace.metadata().name();
    let name = at.text()?.unwrap_or_default();
    let key = label_key(allocation, name, namespace)?;
    let is_changed = match old {
        Some(old) => label_key(allocation, name, old)? != key,
        // Without a name, there is nothing to hash.
        None => !name.is_empty(),
    };
    if !violations.is_empty() || !is_changed || allocation.collisions == Collisions::Ignore {
        return Ok(violations.into());
    }
    let (level, other) = match holder(settings, cluster, name, &key) {
        Err(fault) => return settings.without_lookup(Verdict::admit(), fault),
        Ok(None) => return Ok(Verdict::admit()),
        Ok(Some(found)) => found,
    };
    let rule = ["has the level of Namespace ", &Quoted(&other).to_string(), ", ", &level].concat();
    if allocation.collisions == Collisions::Warn {
        let warning = ["Namespace ", &Quoted(name).to_string(), " ", &rule].concat();
        return Ok(Verdict::admit().warn(warning));
    }
    let label = label(allocation, namespace)?;
    let remedy = if label.is_some() {
        "choose another value"
    } else {
        "choose another name, or put both in one of allocation.sharedGroups"
    };
    violations.push(Violation::invalid(LEVEL_TAKEN, label.unwrap_or(at), rule, remedy));
    Ok(violations.into())
}

/// The label that the level is hashed from, if it is set.
fn label<'d>(allocation: &Allocation, namespace: Namespace<'d>) -> Result<Option<Node<'d>>, Fault> {
    let Some(key) = &allocation.namespace_label else { return Ok(None) };
    let label = namespace.metadata().labels().entry(key)?;
    Ok(if filled(label)?.is_some() { label } else { None })
}

/// Adds a violation for a label that a user who is not an editor sets, changes or removes.
fn protect_label<'d>(
    allocation: &Allocation,
    namespace: Namespace<'d>,
    old: Option<Namespace<'d>>,
    violations: &mut Violations<'d>,
) -> Result<(), Fault> {
    let now = label(allocation, namespace)?;
    let before = match old {
        Some(old) => label(allocation, old)?,
        None => None,
    };
    if filled(now)? == filled(before)? {
        return Ok(());
    }
    let (rule, remedy) = if before.is_some() {
        (
            "only allocation.annotationEditors may change this label, which determines the level",
            Remedy::in_words("restore it, or ask one of them"),
        )
    } else {
        (
            "only allocation.annotationEditors may set this label, which determines the level",
            Remedy::REMOVE.and(", or ask one of them"),
        )
    };
    if let Some(at) = now.or(before) {
        violations.forbid(NAMESPACE_LABEL, at, rule, remedy);
    }
    Ok(())
}

/// The level that a key hashes to, and the Namespace of another key that has it. `None` if no other
/// one has it.
///
/// The pods of an exempt Namespace do not have its level.
fn holder(
    settings: &Settings,
    cluster: &dyn Cluster,
    name: &str,
    key: &str,
) -> Result<Option<(String, String)>, Fault> {
    let allocation = &settings.allocation;
    let level = allocation.pool.level(key);
    let shape =
        if allocation.namespace_label.is_some() { Namespace::NAMED_AND_LABELLED } else { Namespace::NAMED };
    let holders = holders(cluster, shape, &|name, namespace| {
        if settings.exempt.has_namespace(name) {
            return Ok(None);
        }
        let key = label_key(allocation, name, namespace)?;
        Ok(Some(Holder { name: name.to_owned(), level: allocation.pool.level(&key), key }))
    })?;
    Ok(other(&holders, name, key, &level).map(|other| (level.text(), other.to_owned())))
}
