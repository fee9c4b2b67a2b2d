//! The modes in which a standard applies, and the standards of each mode.
//!
//! Source: KEP-2579, whose modes are `enforce`, `audit` and `warn`.

use super::LevelVersion;

/// The ways in which violations of one standard are handled. More than one may apply.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Modes {
    pub(super) enforce: bool,
    pub(super) audit: bool,
    pub(super) warn: bool,
}

impl Modes {
    pub(super) const NONE: Self = Self { enforce: false, audit: false, warn: false };
    pub(super) const ENFORCE: Self = Self { enforce: true, ..Self::NONE };
    pub(super) const AUDIT: Self = Self { audit: true, ..Self::NONE };
    pub(super) const WARN: Self = Self { warn: true, ..Self::NONE };

    /// Returns the names, for the audit annotation `controls`.
    pub(super) fn names(self) -> Vec<String> {
        let modes = [(self.enforce, "enforce"), (self.audit, "audit"), (self.warn, "warn")];
        modes.into_iter().filter(|(applies, _)| *applies).map(|(_, name)| name.to_owned()).collect()
    }
}

#[derive(Clone, Debug)]
pub(super) struct StandardsByMode {
    pub(super) enforce: LevelVersion,
    pub(super) audit: Option<LevelVersion>,
    pub(super) warn: Option<LevelVersion>,
}

impl StandardsByMode {
    /// Returns each distinct standard once, with its modes. `enforcement` is how violations of the
    /// enforced standard are handled.
    pub(super) fn distinct(self, enforcement: Modes) -> Vec<(LevelVersion, Modes)> {
        // As in `ValidatePodController` of k8s.io/pod-security-admission, what is not enforced
        // warns at the standard of `warn` alone.
        let enforcement = if enforcement.warn && self.warn.is_some() { Modes::NONE } else { enforcement };
        let all = [(Some(self.enforce), enforcement), (self.audit, Modes::AUDIT), (self.warn, Modes::WARN)];
        let mut standards: Vec<(LevelVersion, Modes)> = Vec::new();
        for (standard, mode) in all {
            let Some(standard) = standard else { continue };
            match standards.iter_mut().find(|(known, _)| *known == standard) {
                Some((_, modes)) => {
                    modes.audit |= mode.audit;
                    modes.warn |= mode.warn;
                }
                None if mode == Modes::NONE => {}
                None => standards.push((standard, mode)),
            }
        }
        standards
    }
}
