//! Volumes of a pod: their change policy, mounts that are never relabelled, and shared claims.

use admission::{Fault, Lookup, Node, Quoted, Violation};

use super::claims;
use super::context::Context;
use super::findings::Findings;
use super::lookups::Lookups;
use super::running::Running;
use super::subject::SubjectKind;
use crate::selinux::rule::{SHARED_CLAIM, VOLUME};
use crate::selinux::settings::{Caution, ChangePolicy, SharedClaims};
use crate::view::Namespace;

/// The OpenShift label of a Namespace that names the change policy of its pods.
const CHANGE_POLICY: &str = "storage.openshift.io/selinux-change-policy";

/// The annotation that makes CRI-O skip volumes that already have the level.
const TRY_SKIP: &str = "try-skip-volume-selinux-label.crio.io";

/// Checks the volumes of a pod and adds the settings of volumes that it lacks.
pub(super) fn review<'d>(
    context: &Context<'_, 'd>,
    lookups: &mut Lookups<'_>,
    findings: &mut Findings<'d>,
    running: &[Running<'d>],
) -> Result<(), Fault> {
    let settings = &context.settings.volumes;
    let mut claims = Vec::new();
    let mut mounted: Option<Lookup<&str>> = None;
    for volume in context.subject.pod.volumes()? {
        let claim = volume.entry("persistentVolumeClaim")?;
        let (caution, at, rule) = if let Some(path) = volume.entry("hostPath")? {
            (settings.host_path, path, "hostPath volumes are never relabelled for confined containers")
        } else if let Some(claim) = claim {
            claims.push(claim);
            let Some(read_only) = claim.entry("readOnly")? else { continue };
            if read_only.boolean()? != Some(true) {
                continue;
            }
            let rule = "read-only claims are never relabelled for confined containers";
            (settings.read_only_claims, read_only, rule)
        } else {
            continue;
        };
        let name = match volume.entry("name")? {
            Some(name) => name.text()?.unwrap_or_default(),
            None => "",
        };
        let mounted = match &mounted {
            Some(mounted) => mounted,
            None => mounted.insert(confined_mounts(running)?),
        };
        if mounted.position(&name).is_some() {
            add_caution(findings, caution, at, name, rule);
        }
    }
    if matches!(context.subject.kind, SubjectKind::NewPod) {
        let policy = complete_change_policy(context, lookups, findings, running)?;
        if settings.shared_claims != SharedClaims::Off && !claims.is_empty() {
            check_shared_claims(context, lookups, findings, running, &claims, policy)?;
        }
    }
    Ok(())
}

/// The names of the volumes that confined containers mount.
fn confined_mounts<'d>(running: &[Running<'d>]) -> Result<Lookup<&'d str>, Fault> {
    let mut names = Vec::new();
    for container in running.iter().filter(|container| container.is_confined()) {
        let Some(mounts) = container.container.place().entry("volumeMounts")? else { continue };
        for mount in mounts.items()? {
            if let Some(name) = mount.entry("name")? {
                names.push(name.text()?.unwrap_or_default());
            }
        }
    }
    Ok(Lookup::of(names))
}

fn add_caution<'d>(
    findings: &mut Findings<'d>,
    caution: Caution,
    at: Node<'d>,
    volume: &str,
    rule: &'static str,
) {
    match caution {
        Caution::Off => {}
        Caution::Warn => findings.warn(rule, &[volume]),
        Caution::Reject => {
            let text = ["volume ", &Quoted(volume).to_string(), ": ", rule].concat();
            findings.violations.push(Violation::forbidden(VOLUME, at, text, "remove it"));
        }
    }
}

/// Adds the annotation for CRI-O and the change policy, unless the pod sets them. Returns the
/// change policy that the pod has afterwards.
fn complete_change_policy<'d>(
    context: &Context<'_, 'd>,
    lookups: &mut Lookups<'_>,
    findings: &mut Findings<'d>,
    running: &[Running<'d>],
) -> Result<&'d str, Fault> {
    let pod = context.subject.pod;
    let settings = &context.settings.volumes;
    if settings.crio_try_skip && running.iter().any(|container| container.level.is_some()) {
        let annotation = pod.metadata().annotations().at(TRY_SKIP);
        if !annotation.is_present()? {
            findings.add(annotation, "true");
        }
    }
    let set = claims::change_policy(pod)?;
    let is_recursive = match settings.change_policy {
        _ if set.is_some() => false,
        ChangePolicy::Leave => false,
        ChangePolicy::Recursive => findings.lacks_level,
        ChangePolicy::FromNamespaceLabel => has_recursive_label(lookups, findings)?,
    };
    if is_recursive {
        findings.add(pod.spec().at("securityContext").at("seLinuxChangePolicy"), "Recursive");
        return Ok("Recursive");
    }
    Ok(set.unwrap_or(claims::DEFAULT_CHANGE_POLICY))
}

/// Whether the label of the Namespace asks for the change policy `Recursive`.
fn has_recursive_label(lookups: &mut Lookups<'_>, findings: &mut Findings<'_>) -> Result<bool, Fault> {
    let read = |namespace: Namespace<'_>| {
        let label = namespace.metadata().labels().entry(CHANGE_POLICY)?;
        Ok(match label {
            Some(label) => label.text()? == Some("Recursive"),
            None => false,
        })
    };
    match lookups.namespace.namespace(&read) {
        Ok(is_recursive) => Ok(is_recursive),
        Err(fault) => findings.tolerate(fault).map(|()| false),
    }
}

/// Compares the labels of the pod's claims with those of other pods that use them.
fn check_shared_claims<'d>(
    context: &Context<'_, 'd>,
    lookups: &Lookups<'_>,
    findings: &mut Findings<'d>,
    running: &[Running<'d>],
    claims: &[Node<'d>],
    policy: &str,
) -> Result<(), Fault> {
    let subject = &context.subject;
    let level = running.iter().find_map(|container| container.level.clone());
    let mut claim_names = Vec::new();
    for claim in claims {
        claim_names.push(claim.at("claimName").text()?.unwrap_or_default());
    }
    let pod_name = subject.pod.metadata().name().filled_text()?;
    let label = (level, policy);
    let conflicts =
        match claims::conflicts(lookups.cluster, subject.namespace, pod_name, &claim_names, &label) {
            Ok(conflicts) => conflicts,
            Err(fault) => return findings.tolerate(fault),
        };
    for (claim, other) in claims.iter().zip(conflicts) {
        let Some(other) = other else { continue };
        if context.settings.volumes.shared_claims == SharedClaims::Warn {
            findings.warn("pods use the same claims with another level or change policy", &[&other]);
            continue;
        }
        let rule =
            ["Pod ", &Quoted(&other).to_string(), " uses this claim with another level or change policy"];
        let remedy = "give both pods one level and one seLinuxChangePolicy";
        findings.violations.push(Violation::invalid(
            SHARED_CLAIM,
            claim.at("claimName"),
            rule.concat(),
            remedy,
        ));
    }
    Ok(())
}
