//! Rules for the options that a site sets: user, role, type and level.

use admission::{Change, Fault, Quoted, Remedy, Violation};

use super::context::Context;
use super::findings::Findings;
use super::lookups::Lookups;
use super::profiles;
use super::site::{Site, is_privileged};
use crate::selinux::level::Level;
use crate::selinux::rule;
use crate::selinux::settings::{LevelMatch, Lift, is_file_type, needs_exemption};

const DIFFERS: &str = "is not the value that every pod must have";

/// Checks the options of a site and returns whether its level is refused. `running` are the sites
/// of the containers that run with these options.
pub(super) fn check<'d>(
    context: &Context<'_, 'd>,
    lookups: &mut Lookups<'_>,
    findings: &mut Findings<'d>,
    site: &Site<'d>,
    running: &[Site<'d>],
) -> Result<bool, Fault> {
    let Some(options) = site.options else { return Ok(false) };
    let settings = context.settings;
    let fixed = &settings.allocation.fixed;
    if !are_lifted(running, Lift::User) {
        check_name(findings, site, "user", options.user, fixed.user.as_deref(), &settings.users)?;
    }
    if !are_lifted(running, Lift::Role) {
        check_name(findings, site, "role", options.role, fixed.role.as_deref(), &settings.roles)?;
    }
    check_type(context, lookups, findings, site, running)?;
    let Some(level) = options.level.filter(|_| evaluates_levels(context)) else { return Ok(false) };
    let freedom = if are_lifted(running, Lift::Level) {
        Freedom::Lifted
    } else if are_privileged(running)? {
        Freedom::Privileged
    } else if context.is_unconfined(options.type_name) {
        Freedom::Unconfined
    } else {
        Freedom::None
    };
    let Some(rule) = level_problem(context, level, freedom) else { return Ok(false) };
    // If only an exemption of other images permits the level of the pod, no level is right.
    let has_none = context.doubts_stored_level && context.stored_level != context.owner.level;
    let remedy = match context.expected_level(options.type_name) {
        _ if has_none => "use an image of the exemption that permits the level of the pod".into(),
        Some(expected) => Change::SetText(expected.text().into()).into(),
        None => Remedy::REMOVE.into(),
    };
    refuse(findings, site, "level", &rule, remedy)?;
    Ok(true)
}

/// Returns whether every container is exempt from a rule; `false` if there are no containers.
fn are_lifted(running: &[Site<'_>], lift: Lift) -> bool {
    !running.is_empty() && running.iter().all(|site| site.lifts.has(lift))
}

/// Whether all containers are privileged, so that runtimes do not confine them, or exempt from the
/// rule for levels.
fn are_privileged(running: &[Site<'_>]) -> Result<bool, Fault> {
    for site in running {
        if !site.lifts.has(Lift::Level) && !site.container.as_ref().map_or(Ok(false), is_privileged)? {
            return Ok(false);
        }
    }
    Ok(!running.is_empty())
}

fn refuse<'d>(
    findings: &mut Findings<'d>,
    site: &Site<'d>,
    field: &'static str,
    rule: &str,
    remedy: Remedy,
) -> Result<(), Fault> {
    let mut text = prefix(site)?;
    text.push_str(rule);
    findings.violations.push(Violation::invalid(rule::of_field(field), site.at(field), text, remedy));
    Ok(())
}

fn check_name<'d>(
    findings: &mut Findings<'d>,
    site: &Site<'d>,
    field: &'static str,
    name: Option<&str>,
    fixed: Option<&str>,
    allowed: &[String],
) -> Result<(), Fault> {
    let Some(name) = name else { return Ok(()) };
    if let Some(fixed) = fixed {
        return if name == fixed { Ok(()) } else { refuse_for_fixed(findings, site, field, fixed) };
    }
    if allowed.iter().any(|known| known == name) {
        return Ok(());
    }
    if name == "object_r" {
        return refuse(
            findings,
            site,
            field,
            "is the role of files, not of processes",
            Remedy::REMOVE.into(),
        );
    }
    let setting = if field == "user" { "users" } else { "roles" };
    refuse_for_list(findings, site, field, setting, allowed, None)
}

fn refuse_for_fixed<'d>(
    findings: &mut Findings<'d>,
    site: &Site<'d>,
    field: &'static str,
    fixed: &str,
) -> Result<(), Fault> {
    refuse(findings, site, field, DIFFERS, Change::SetText(fixed.to_owned().into()).into())
}

fn refuse_for_list<'d>(
    findings: &mut Findings<'d>,
    site: &Site<'d>,
    field: &'static str,
    setting: &str,
    allowed: &[String],
    default: Option<&str>,
) -> Result<(), Fault> {
    let mut remedy = default_or_none(default);
    if allowed.is_empty() {
        return refuse(findings, site, field, "must not be set", remedy);
    }
    remedy.words = " or use one of them".into();
    let rule = ["is not in ", setting, " (", &allowed.join(", "), ")"].concat();
    refuse(findings, site, field, &rule, remedy)
}

fn check_type<'d>(
    context: &Context<'_, 'd>,
    lookups: &mut Lookups<'_>,
    findings: &mut Findings<'d>,
    site: &Site<'d>,
    running: &[Site<'d>],
) -> Result<(), Fault> {
    let Some(type_name) = site.options.and_then(|options| options.type_name) else { return Ok(()) };
    let settings = context.settings;
    let is_unconfined = settings.types.is_unconfined(type_name);
    if let Some(fixed) = settings.allocation.fixed.type_name.as_deref() {
        let host_type = settings.host_namespaces.type_name.as_deref();
        let is_allowed = type_name == fixed
            || context.in_host_namespace && host_type == Some(type_name)
            || is_unconfined && are_lifted(running, Lift::Type);
        return if is_allowed { Ok(()) } else { refuse_for_fixed(findings, site, "type", fixed) };
    }
    if is_unconfined {
        let needs_exemption = needs_exemption(type_name);
        if may_be_unconfined(context, site, running, needs_exemption)? {
            return Ok(());
        }
        let rule = if needs_exemption {
            "gives more than privileges and is only for pods of exempt.pods"
        } else {
            "is unconfined and only for privileged containers and pods with hostPID or hostIPC"
        };
        return refuse(findings, site, "type", rule, default_or_none(context.default_type));
    }
    if settings.types.is_unlisted_unconfined(type_name) {
        return refuse(
            findings,
            site,
            "type",
            "is unconfined and not one of types.unconfined",
            default_or_none(context.default_type),
        );
    }
    if is_file_type(type_name) {
        return refuse(
            findings,
            site,
            "type",
            "is a type of files, not of processes",
            default_or_none(context.default_type),
        );
    }
    if settings.types.allow(type_name)
        || settings.types.from_profiles && is_profile_type(context, lookups, findings, type_name)?
    {
        return Ok(());
    }
    refuse_for_list(findings, site, "type", "types.allowed", &settings.types.allowed, context.default_type)
}

/// The remedy for a value that may be only the default, if there is one: that of types in pods in
/// host namespaces.
fn default_or_none(default: Option<&str>) -> Remedy {
    match default {
        Some(name) => Change::SetText(name.to_owned().into()).into(),
        None => Remedy::REMOVE.into(),
    }
}

/// Whether all containers that run with the options of a site may be unconfined.
fn may_be_unconfined(
    context: &Context<'_, '_>,
    site: &Site<'_>,
    running: &[Site<'_>],
    needs_exemption: bool,
) -> Result<bool, Fault> {
    if context.may_be_unconfined && !needs_exemption {
        return Ok(true);
    }
    // Without a container that inherits the options of the pod, there is no reason for an
    // unconfined type.
    let mut all = site.container.is_some() || !running.is_empty();
    for site in running {
        let is_privileged = match &site.container {
            Some(container) => is_privileged(container)? && !needs_exemption,
            None => false,
        };
        all &= is_privileged || site.lifts.has(Lift::Type);
    }
    Ok(all)
}

fn is_profile_type(
    context: &Context<'_, '_>,
    lookups: &mut Lookups<'_>,
    findings: &mut Findings<'_>,
    type_name: &str,
) -> Result<bool, Fault> {
    for (kind, known) in profiles::KINDS.into_iter().zip(&mut lookups.profile_types) {
        let types = match known.take() {
            Some(types) => types,
            None => match profiles::installed(lookups.cluster, kind, context.subject.namespace) {
                Ok(types) => types,
                Err(fault) => {
                    findings.tolerate(fault)?;
                    return Ok(true);
                }
            },
        };
        if known.insert(types).iter().any(|known| known == type_name) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn evaluates_levels(context: &Context<'_, '_>) -> bool {
    let settings = context.settings;
    settings.levels.matching != LevelMatch::Any || settings.allocation.fixed.level.is_some()
}

/// Why a container may set a level that is not the one of its owner.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Freedom {
    None,
    /// Its type is unconfined, and needs no categories: it may set `s0`.
    Unconfined,
    /// It is privileged: runtimes do not apply the level to its process, so it gains nothing from
    /// `s0` or from a range.
    Privileged,
    /// An exemption lifts the rule: it may set any level.
    Lifted,
}

fn level_problem(context: &Context<'_, '_>, level: &str, freedom: Freedom) -> Option<String> {
    let settings = context.settings;
    let level = match Level::parse(level) {
        Ok(level) => level,
        Err(problem) => return Some(problem.to_owned()),
    };
    if freedom == Freedom::Lifted {
        return None;
    }
    let owner = &context.owner;
    if let Some(fixed) = &settings.allocation.fixed.level {
        return (level != *fixed).then(|| DIFFERS.to_owned());
    }
    if let Some(stored) = &context.stored_level {
        if level != *stored {
            return Some("is not the level of its pod".to_owned());
        }
        let is_for_privileged = level.is_range() && freedom != Freedom::Privileged;
        if !is_for_privileged && !context.doubts_stored_level {
            return None;
        }
    }
    let is_lowest = level.is_lowest();
    if owner.level.as_ref() == Some(&level)
        || settings.levels.extra.contains(&level)
        || is_lowest && freedom != Freedom::None
        || level.is_range() && freedom == Freedom::Privileged
    {
        return None;
    }
    let is_exact = settings.levels.matching == LevelMatch::Exact;
    let rule = if level.is_range() {
        "is a range, which gives access to the files of others"
    } else if is_lowest {
        "has no categories, so every container can access its files"
    } else if level.categories() > usize::from(settings.allocation.pool.per_level) {
        "has too many categories, which gives access to the files of others"
    } else if is_exact && owner.level.is_some() {
        return Some(["is not the level of ", &owner.text()].concat());
    } else if is_exact && let Some(rule) = owner.forbids_levels {
        rule
    } else {
        return None;
    };
    Some(rule.to_owned())
}

/// The beginning of a message about a site: `container "app": `, or nothing for the pod.
pub(super) fn prefix(site: &Site<'_>) -> Result<String, Fault> {
    let Some(container) = site.container else { return Ok(String::new()) };
    Ok([container.kind.noun(), " ", &Quoted(container.name()?).to_string(), ": "].concat())
}
