//! What levels mean for volumes: who relabels them, who cannot, and who shares them.

use admission::{Choice, Fault, Kind, Lookup, Node, Quoted, Setting, SettingsError, Violation, choices};

use super::claims;
use super::pod::{Review, ReviewKind, Running};
use super::settings::{Mode, OnLookupFailure};
use crate::view::Namespace;

choices! {
    /// Whether pods get a `seLinuxChangePolicy`.
    pub enum ChangePolicy {
        /// No.
        Leave,
        /// `Recursive`, with a level.
        Recursive,
        /// `Recursive`, where a label of the Namespace says so.
        FromNamespaceLabel,
    }

    /// What becomes of what may go wrong.
    pub enum Caution {
        /// It is admitted with a warning.
        Warn,
        /// Nothing.
        Off,
        /// It is denied.
        Reject,
    }

    /// What becomes of claims that are shared.
    pub enum SharedClaims {
        /// Nothing; no pods are listed.
        Off,
        /// They are admitted with a warning.
        Warn,
        /// They are denied.
        Reject,
    }

    /// What becomes of local volumes of the system.
    pub enum LocalVolumes {
        /// They are denied.
        Reject,
        /// They are admitted with a warning.
        Warn,
        /// Nothing.
        Off,
    }
}

/// The keys of `volumes`.
pub(super) const VOLUMES: &[Setting] = &[
    Setting::new("changePolicy", Kind::Choice(ChangePolicy::NAMES)),
    Setting::new("sharedClaims", Kind::Choice(SharedClaims::NAMES)),
    Setting::new("hostPath", Kind::Choice(Caution::NAMES)),
    Setting::new("readOnlyClaims", Kind::Choice(Caution::NAMES)),
    Setting::new("localPersistentVolumes", Kind::Choice(LocalVolumes::NAMES)),
    Setting::new("crioTrySkip", Kind::Flag),
];

/// The label of a Namespace that names a change policy.
const CHANGE_POLICY: &str = "storage.openshift.io/selinux-change-policy";

/// The annotation by which CRI-O leaves volumes that have the level already.
const TRY_SKIP: &str = "try-skip-volume-selinux-label.crio.io";

/// What levels mean for volumes.
#[derive(Debug, Default)]
pub(super) struct Volumes {
    change_policy: ChangePolicy,
    shared_claims: SharedClaims,
    host_path: Caution,
    read_only_claims: Caution,
    pub(super) local: LocalVolumes,
    crio_try_skip: bool,
}

impl Volumes {
    /// Reads `volumes`.
    ///
    /// # Errors
    /// What a guard cannot do.
    pub(super) fn read(&mut self, setting: Node<'_>, mode: Mode) -> Result<(), SettingsError> {
        if !setting.object()? {
            return Ok(());
        }
        let (policy, try_skip) = (setting.at("changePolicy"), setting.at("crioTrySkip"));
        self.change_policy = Choice::read(policy)?;
        self.crio_try_skip = try_skip.boolean()?.unwrap_or_default();
        let changes = [(policy, self.change_policy != ChangePolicy::Leave), (try_skip, self.crio_try_skip)];
        for (setting, is_set) in changes {
            if is_set && mode == Mode::Validate {
                let problem =
                    "changes pods, which mode: Validate does not; remove it, or set it where mode is Mutate";
                return Err(SettingsError::at(setting, problem));
            }
        }
        self.shared_claims = Choice::read(setting.at("sharedClaims"))?;
        self.host_path = Choice::read(setting.at("hostPath"))?;
        self.read_only_claims = Choice::read(setting.at("readOnlyClaims"))?;
        self.local = Choice::read(setting.at("localPersistentVolumes"))?;
        Ok(())
    }
}

impl<'d> Review<'_, 'd> {
    /// Judges and completes what concerns volumes.
    ///
    /// # Errors
    /// What cannot be read or looked up.
    pub(super) fn volumes(&mut self, running: &[Running<'d>]) -> Result<(), Fault> {
        let settings = &self.policy.volumes;
        let mut claims = Vec::new();
        let mut mounted: Option<Lookup<&str>> = None;
        for volume in self.asked.pod.volumes()? {
            let claim = volume.entry("persistentVolumeClaim")?;
            let (caution, at, rule) = if let Some(path) = volume.entry("hostPath")? {
                (settings.host_path, path, "paths of the node are never relabelled for a confined container")
            } else if let Some(claim) = claim {
                claims.push(claim);
                let Some(read_only) = claim.entry("readOnly")? else { continue };
                if read_only.boolean()? != Some(true) {
                    continue;
                }
                let rule = "claims that are read-only are never relabelled for a confined container";
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
                None => mounted.insert(mounts(running)?),
            };
            if mounted.position(&name).is_some() {
                self.caution(caution, at, name, rule);
            }
        }
        if matches!(self.what, ReviewKind::Pod) {
            let policy = self.change_policy(running)?;
            if settings.shared_claims != SharedClaims::Off && !claims.is_empty() {
                self.shared(&claims, running, policy)?;
            }
        }
        Ok(())
    }

    fn caution(&mut self, caution: Caution, at: Node<'d>, volume: &str, rule: &'static str) {
        match caution {
            Caution::Off => {}
            Caution::Warn => self.found.warn(rule, &[volume]),
            Caution::Reject => {
                let mut text = "volume ".to_owned();
                text.push_str(&Quoted(volume).to_string());
                text.push_str(": ");
                text.push_str(rule);
                self.found.violations.push(Violation::forbidden(at, text, "remove it"));
            }
        }
    }

    /// Adds what the settings want of pods with a level, unless the pod says something else. The policy that it has then.
    fn change_policy(&mut self, running: &[Running<'d>]) -> Result<&'d str, Fault> {
        let pod = self.asked.pod;
        let settings = &self.policy.volumes;
        let has_level = running.iter().any(|one| one.level.is_some());
        if settings.crio_try_skip && has_level {
            let annotation = pod.metadata().annotations().at(TRY_SKIP);
            if !annotation.is_present()? {
                self.found.add(annotation, "true");
            }
        }
        let set = claims::change_policy(pod)?;
        let is_recursive = match settings.change_policy {
            _ if set.is_some() => false,
            ChangePolicy::Leave => false,
            ChangePolicy::Recursive => self.found.lacks_level,
            ChangePolicy::FromNamespaceLabel => self.wants_recursive()?,
        };
        if is_recursive {
            self.found.add(pod.spec().at("securityContext").at("seLinuxChangePolicy"), "Recursive");
            return Ok("Recursive");
        }
        Ok(set.unwrap_or(claims::DEFAULT_CHANGE_POLICY))
    }

    fn wants_recursive(&mut self) -> Result<bool, Fault> {
        let read = |namespace: Namespace<'_>| {
            let label = namespace.metadata().labels().entry(CHANGE_POLICY)?;
            Ok(match label {
                Some(label) => label.text()? == Some("Recursive"),
                None => false,
            })
        };
        match self.lookup.namespace(&read) {
            Err(fault) if self.policy.on_lookup_failure == OnLookupFailure::Warn => {
                self.found.could_not(&fault);
                Ok(false)
            }
            other => other,
        }
    }

    /// Holds the claims of the pod against the pods that use them.
    fn shared(&mut self, claims: &[Node<'d>], running: &[Running<'d>], policy: &str) -> Result<(), Fault> {
        let level = running.iter().find_map(|one| one.level.clone());
        let mut ours = Vec::new();
        for claim in claims {
            ours.push(claim.at("claimName").text()?.unwrap_or_default());
        }
        let own_name = self.asked.pod.metadata().name().filled_text()?;
        let label = (level, policy);
        let conflicts = match claims::conflicts(self.cluster, self.asked.namespace, own_name, &ours, &label) {
            Err(fault) if self.policy.on_lookup_failure == OnLookupFailure::Warn => {
                self.found.could_not(&fault);
                return Ok(());
            }
            other => other?,
        };
        for (claim, other) in claims.iter().zip(conflicts) {
            let Some(other) = other else { continue };
            let rule = "claims are used by pods with another level or change policy";
            if self.policy.volumes.shared_claims == SharedClaims::Warn {
                self.found.warn(rule, &[&other]);
                continue;
            }
            let mut text = "Pod ".to_owned();
            text.push_str(&Quoted(&other).to_string());
            text.push_str(" uses it with another level or change policy");
            let remedy = "give both pods one level and one seLinuxChangePolicy";
            self.found.violations.push(Violation::invalid(claim.at("claimName"), text, remedy));
        }
        Ok(())
    }
}

/// The names of the volumes that confined containers mount.
fn mounts<'d>(running: &[Running<'d>]) -> Result<Lookup<&'d str>, Fault> {
    let mut names = Vec::new();
    for one in running.iter().filter(|one| one.is_confined()) {
        let Some(mounts) = one.container.place().entry("volumeMounts")? else { continue };
        for mount in mounts.items()? {
            if let Some(name) = mount.entry("name")? {
                names.push(name.text()?.unwrap_or_default());
            }
        }
    }
    Ok(Lookup::of(names))
}
