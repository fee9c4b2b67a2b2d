//! Exemptions of containers, and images that change while options stay.
//!
//! The image of a container can change in a pod that exists, and an ephemeral container can run any
//! image with the options of the pod. Neither may keep an exemption that depends on another image.
//!
//! Source: `ValidatePodUpdate` of Kubernetes, which allows changes of images of containers and init
//! containers, and not of `securityContext`.

use std::mem::{replace, take};

use admission::{Fault, Quoted, Violation};

use super::check::check;
use super::context::Context;
use super::findings::Findings;
use super::lookups::Lookups;
use super::site::Site;
use super::subject::{Subject, SubjectKind};
use crate::conditions::{Asker, EvalContext};
use crate::selinux::rule::IMAGE_NOT_COVERED;
use crate::selinux::settings::{Exempt, Lift};

/// Determines for each site which rules do not apply to its container.
///
/// For a container whose options are stored already, these are all rules except those that
/// exemptions lift with other images only. Labels can change before images do, so exemptions count
/// whose labels the pod does not have.
pub(super) fn exempt<'d>(
    exempt: &Exempt,
    subject: &Subject<'_, 'd>,
    lookups: &mut Lookups<'_>,
    sites: &mut [Site<'d>],
) -> Result<(), Fault> {
    let entries = exempt.pods.len();
    if entries == 0 {
        return Ok(());
    }
    let conditions = || EvalContext::of(Asker::Of(subject.request), subject.pod, entries);
    let (mut now, mut ever) = (conditions(), conditions().ignoring_labels());
    for site in sites {
        let Some(container) = &site.container else { continue };
        let lifts = exempt.lifts(Some(container), &mut now, &mut lookups.namespace)?;
        let lost = exempt.lifts(None, &mut ever, &mut lookups.namespace)?.without(lifts);
        site.loses_level = lost.has(Lift::Level);
        site.lifts = if runs_stored_options(subject, site) { lost.others() } else { lifts };
    }
    Ok(())
}

/// Denies images with which a container would keep an exemption of other images.
pub(super) fn check_images<'d>(
    context: &Context<'_, 'd>,
    lookups: &mut Lookups<'_>,
    findings: &mut Findings<'d>,
    pod_site: &Site<'d>,
    sites: &[Site<'d>],
) -> Result<(), Fault> {
    if !context.settings.exempt.depend_on_images() {
        return Ok(());
    }
    for site in sites {
        let Some(container) = site.container else { continue };
        if !runs_stored_options(&context.subject, site) || site.lifts.others().are_empty() {
            continue;
        }
        let applied = if site.options.is_some() { site } else { pod_site };
        let others = take(&mut findings.violations);
        check(context, lookups, findings, applied, &[*site])?;
        if !replace(&mut findings.violations, others).is_empty() {
            let name = Quoted(container.name()?).to_string();
            let rule = [
                container.kind.noun(),
                " ",
                &name,
                ": exempt.pods does not cover its SELinux options with this image",
            ];
            let at = container.place().at("image");
            findings.violations.push(Violation::invalid(
                IMAGE_NOT_COVERED,
                at,
                rule.concat(),
                "use an image that it covers",
            ));
        }
    }
    Ok(())
}

fn runs_stored_options(subject: &Subject<'_, '_>, site: &Site<'_>) -> bool {
    match subject.kind {
        SubjectKind::NewImages(_) => true,
        SubjectKind::AddedContainers(_) => site.options.is_none(),
        SubjectKind::NewPod | SubjectKind::Template => false,
    }
}
