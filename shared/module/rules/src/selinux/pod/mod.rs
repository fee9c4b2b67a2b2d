//! The review of pods and of templates.

mod check;
mod claims;
mod complete;
mod context;
mod findings;
mod images;
mod intra_pod;
mod lookups;
mod owner;
mod profiles;
mod report;
mod running;
mod site;
mod skip;
mod subject;
mod volumes;

use admission::{Cluster, Fault, Operation, Remedy, Request, Verdict};

pub(super) use self::claims::change_policy;
use self::context::Context;
use self::findings::Findings;
use self::lookups::Lookups;
pub(super) use self::profiles::API_VERSION as PROFILE_API_VERSION;
pub use self::profiles::KINDS as PROFILE_KINDS;
pub(super) use self::site::{Options, Site};
use self::subject::{Subject, SubjectKind};
use super::settings::{HostNamespaceAction, Settings};
use crate::namespace_lookup::NamespaceLookup;
use crate::selinux::rule::HOST_NAMESPACE;
use crate::view::{Namespace, Pod};

/// Evaluates a pod, a template of `kind`, ephemeral containers that are added to a pod, or new
/// images in a pod.
pub(super) fn review<'d>(
    settings: &Settings,
    request: &Request<'d>,
    kind: &str,
    cluster: &dyn Cluster,
) -> Result<Verdict<'d>, Fault> {
    let written = request.object()?;
    let is_update = request.operation == Operation::Update;
    let (object, subject_kind) = match kind {
        "Pod" if is_update && request.subresource.is_empty() => {
            if !settings.exempt.depend_on_images() {
                return Ok(Verdict::admit());
            }
            (written, SubjectKind::NewImages(Pod::of(request.stored_object()?)))
        }
        "Pod" if is_update => (request.stored_object()?, SubjectKind::AddedContainers(Pod::of(written))),
        "Pod" => (written, SubjectKind::NewPod),
        _ => (written, SubjectKind::Template),
    };
    let pod = Pod::in_object(object, kind);
    if skip::is_unaffected(pod)? {
        return Ok(Verdict::admit());
    }
    if matches!(subject_kind, SubjectKind::Template)
        && is_update
        && skip::is_unchanged(Pod::in_object(request.stored_object()?, kind), pod)?
    {
        return Ok(Verdict::admit());
    }
    let Some(namespace) = request.namespace()? else {
        return Err(Fault::in_payload(&["request", "namespace"], "expected a string, found nothing"));
    };
    let subject = Subject { request, kind: subject_kind, object, pod, namespace };
    let mut lookups = Lookups {
        cluster,
        namespace: NamespaceLookup::new(Some(namespace), cluster, Namespace::DESCRIBED),
        profile_types: [None, None],
    };
    findings(settings, subject, &mut lookups)?.verdict(settings.mode)
}

/// Collects the findings about a pod, in the order in which messages list them.
fn findings<'a, 'd>(
    settings: &'a Settings,
    subject: Subject<'a, 'd>,
    lookups: &mut Lookups<'a>,
) -> Result<Findings<'d>, Fault> {
    let mut findings = Findings::new(settings.on_lookup_failure);
    let pod_site = Site::of_pod(subject.pod)?;
    let mut sites = subject.sites()?;
    images::exempt(&settings.exempt, &subject, lookups, &mut sites)?;
    let has_new_images = matches!(subject.kind, SubjectKind::NewImages(_));
    if has_new_images && sites.iter().all(|site| site.lifts.others().are_empty()) {
        return Ok(findings);
    }
    let context = Context::of(settings, subject, &pod_site, &sites, lookups, &mut findings)?;
    images::check_images(&context, lookups, &mut findings, &pod_site, &sites)?;
    if has_new_images {
        return Ok(findings);
    }
    let adds_containers = context.subject.adds_containers();
    if !adds_containers {
        reject_host_namespaces(&context, &mut findings)?;
    }
    let running = running::running(&context, lookups, &mut findings, &pod_site, &sites)?;
    intra_pod::compare(&context, &mut findings, &running)?;
    complete::complete(&context, &mut findings, &pod_site, &sites)?;
    report::report(&context, &mut findings, &running)?;
    if !adds_containers {
        volumes::review(&context, lookups, &mut findings, &running)?;
    }
    Ok(findings)
}

fn reject_host_namespaces<'d>(context: &Context<'_, 'd>, findings: &mut Findings<'d>) -> Result<(), Fault> {
    let host_namespaces = &context.settings.host_namespaces;
    if host_namespaces.action == HostNamespaceAction::Reject {
        for trigger in host_namespaces.triggers(context.subject.pod.spec())? {
            let rule = "pods must not share host namespaces, where SELinux does not confine them";
            findings.violations.forbid(HOST_NAMESPACE, trigger, rule, Remedy::REMOVE);
        }
    }
    Ok(())
}
