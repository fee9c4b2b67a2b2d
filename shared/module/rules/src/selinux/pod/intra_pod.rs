//! The levels of one pod's containers, compared with each other: they share volumes, and a volume
//! has one level.

use admission::{Fault, Quoted, Violation};

use super::context::Context;
use super::findings::Findings;
use super::running::Running;
use super::subject::SubjectKind;
use crate::selinux::level::Level;
use crate::selinux::rule::INTRA_POD;
use crate::selinux::settings::{IntraPod, LevelMatch};

/// Compares the level of each container with that of the first.
pub(super) fn compare<'d>(
    context: &Context<'_, 'd>,
    findings: &mut Findings<'d>,
    running: &[Running<'d>],
) -> Result<(), Fault> {
    let settings = context.settings;
    let is_unknown = context.subject.adds_containers() && context.stored_level.is_none();
    if settings.levels.matching == LevelMatch::Any || is_unknown {
        return Ok(());
    }
    // A container of a template without a level can still get the level of the others.
    let is_template = matches!(context.subject.kind, SubjectKind::Template);
    let mut comparable = running.iter().filter(|container| {
        container.is_compared && !is_unconstrained(container) && (container.level.is_some() || !is_template)
    });
    let Some(first) = comparable.next() else { return Ok(()) };
    for other in comparable.filter(|other| other.level != first.level) {
        let names = [first.container.name()?, other.container.name()?];
        match settings.intra_pod {
            IntraPod::Ignore => {}
            IntraPod::Warn => {
                findings.warn("containers of one pod run at different levels", &names);
                return Ok(());
            }
            IntraPod::Enforce => findings.violations.push(violation(first, other, names)?),
        }
    }
    Ok(())
}

/// Whether a container neither needs categories nor takes files from other containers: it is
/// unconfined, so it accesses the files of every level, and every container may access its files,
/// because they have no categories.
///
/// Source: `mcs_constrained_type` in refpolicy's `policy/mcs`, which does not apply to unconfined
/// types.
fn is_unconstrained(container: &Running<'_>) -> bool {
    !container.is_confined() && container.level.as_ref().is_some_and(Level::is_lowest)
}

fn violation<'d>(first: &Running<'d>, other: &Running<'d>, names: [&str; 2]) -> Result<Violation<'d>, Fault> {
    let [first_name, other_name] = names.map(|name| Quoted(name).to_string());
    let [first_level, other_level] = [first, other].map(|container| match &container.level {
        Some(level) => level.text(),
        None => "one from the runtime".to_owned(),
    });
    let rule = [
        "containers ",
        &first_name,
        " and ",
        &other_name,
        " share volumes but run at different levels, ",
        &first_level,
        " and ",
        &other_level,
    ];
    let at = other.site.at("level");
    let remedy = "set one level for all containers";
    Ok(if at.is_present()? {
        Violation::invalid(INTRA_POD, at, rule.concat(), remedy)
    } else {
        Violation::required(INTRA_POD, at, rule.concat(), remedy)
    })
}
