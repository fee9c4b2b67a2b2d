use admission::{Choice, Kind, Node, Setting, SettingsError, choices};

use super::mode::Mode;

choices! {
    /// Whether pods get a `seLinuxChangePolicy`.
    pub enum ChangePolicy {
        /// No.
        Leave,
        /// `Recursive`, together with a level.
        Recursive,
        /// `Recursive`, if a label of the Namespace says so.
        FromNamespaceLabel,
    }

    /// How a mount that SELinux probably denies at run time is handled.
    pub enum Caution {
        /// The pod is admitted with a warning.
        Warn,
        /// The mount is ignored.
        Off,
        /// The pod is denied.
        Reject,
    }

    /// How a pod is handled that shares a claim with a pod of another label.
    pub enum SharedClaims {
        /// Claims are not checked, and no pods are listed.
        Off,
        /// The pod is admitted with a warning.
        Warn,
        /// The pod is denied.
        Reject,
    }

    /// How a local PersistentVolume of a system path is handled.
    pub enum LocalVolumes {
        /// The volume is denied.
        Reject,
        /// The volume is admitted with a warning.
        Warn,
        /// The path is ignored.
        Off,
    }
}

pub(super) const VOLUMES: &[Setting] = &[
    Setting::new("changePolicy", Kind::Choice(ChangePolicy::NAMES)),
    Setting::new("sharedClaims", Kind::Choice(SharedClaims::NAMES)),
    Setting::new("hostPath", Kind::Choice(Caution::NAMES)),
    Setting::new("readOnlyClaims", Kind::Choice(Caution::NAMES)),
    Setting::new("localPersistentVolumes", Kind::Choice(LocalVolumes::NAMES)),
    Setting::new("crioTrySkip", Kind::Flag),
];

#[derive(Debug, Default)]
pub(in crate::selinux) struct Volumes {
    pub(in crate::selinux) change_policy: ChangePolicy,
    pub(in crate::selinux) shared_claims: SharedClaims,
    pub(in crate::selinux) host_path: Caution,
    pub(in crate::selinux) read_only_claims: Caution,
    pub(in crate::selinux) local: LocalVolumes,
    pub(in crate::selinux) crio_try_skip: bool,
}

impl Volumes {
    /// Reads `volumes`. A setting that changes pods is an error in [`Mode::Validate`].
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
                let problem = "changes pods, which requires mode: Mutate; remove it or set the mode";
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
