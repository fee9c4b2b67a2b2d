//! The settings of the policy, read and validated.

mod allocation;
mod docs;
mod exempt;
mod host_namespaces;
mod levels;
mod mode;
mod names;
mod types;
mod unconfined;
mod volumes;

use admission::{Choice, Fault, Kind, Node, Setting, SettingsError, Verdict, choices};

use allocation::ALLOCATION;
pub(super) use allocation::Allocation;
pub use allocation::{Collisions, OnMissingAnnotation, OwnerScope, Source};
pub(super) use docs::DOCS;
use exempt::EXEMPT;
pub(super) use exempt::{Exempt, Lift, Lifts};
use host_namespaces::{HOST_NAMESPACES, HostNamespaces};
pub use host_namespaces::{HostNamespace, HostNamespaceAction, HostNamespaceLevel};
pub(super) use host_namespaces::{shares_host_network, shares_host_processes};
use levels::{LEVELS, Levels};
pub use levels::{LevelMatch, MissingLevel};
pub use mode::Mode;
use names::{names, selinux_name_problem};
use types::{TYPES, Types};
pub(super) use types::{is_file_type, needs_exemption};
pub use volumes::{Caution, ChangePolicy, LocalVolumes, SharedClaims};
use volumes::{VOLUMES, Volumes};

choices! {
    /// How a pod whose containers would run at different levels is handled.
    pub enum IntraPod {
        /// The pod is denied.
        Enforce,
        /// The pod is admitted with a warning.
        Warn,
        /// The levels are not compared.
        Ignore,
    }

    /// How a failed look-up is handled.
    pub enum OnLookupFailure {
        /// The request is denied as a fault.
        Reject,
        /// The request is admitted with a warning; rules that need the answer are skipped.
        Warn,
    }
}

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new("mode", Kind::Choice(Mode::NAMES)),
    Setting::new("allocation", Kind::Object(ALLOCATION)),
    Setting::new("levels", Kind::Object(LEVELS)),
    Setting::new("types", Kind::Object(TYPES)),
    Setting::new("users", Kind::List(&Kind::Text)),
    Setting::new("roles", Kind::List(&Kind::Text)),
    Setting::new("hostNamespaces", Kind::Object(HOST_NAMESPACES)),
    Setting::new("intraPod", Kind::Choice(IntraPod::NAMES)),
    Setting::new("volumes", Kind::Object(VOLUMES)),
    Setting::new("exempt", Kind::Object(EXEMPT)),
    Setting::new("onLookupFailure", Kind::Choice(OnLookupFailure::NAMES)),
];

#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) mode: Mode,
    pub(super) allocation: Allocation,
    pub(super) levels: Levels,
    pub(super) types: Types,
    pub(super) users: Vec<String>,
    pub(super) roles: Vec<String>,
    pub(super) host_namespaces: HostNamespaces,
    pub(super) intra_pod: IntraPod,
    pub(super) volumes: Volumes,
    pub(super) exempt: Exempt,
    pub(super) on_lookup_failure: OnLookupFailure,
}

impl Settings {
    /// Reads the settings, whose keys and types are already checked.
    pub(super) fn read(setting: Node<'_>) -> Result<Self, SettingsError> {
        let mode = Choice::read(setting.at("mode"))?;
        let mut settings = Self { mode, ..Self::default() };
        settings.allocation.read(setting.at("allocation"))?;
        settings.types.read(setting.at("types"))?;
        settings.levels.read(setting.at("levels"), &settings.allocation.pool)?;
        settings.allocation.pool.excluded.clone_from(&settings.levels.extra);
        settings.host_namespaces.read(setting.at("hostNamespaces"), &settings.types)?;
        settings.volumes.read(setting.at("volumes"), mode)?;
        settings.exempt.read(setting.at("exempt"))?;
        settings.users = names(setting.at("users"), &selinux_name_problem)?;
        settings.roles = names(setting.at("roles"), &selinux_name_problem)?;
        settings.intra_pod = Choice::read(setting.at("intraPod"))?;
        settings.on_lookup_failure = Choice::read(setting.at("onLookupFailure"))?;
        Ok(settings)
    }

    /// The verdict on a Namespace if the others cannot be looked up: `verdict`, with a warning.
    /// Unless the settings tolerate failed look-ups, it is the fault itself.
    pub(super) fn without_lookup<'d>(
        &self,
        verdict: Verdict<'d>,
        fault: Fault,
    ) -> Result<Verdict<'d>, Fault> {
        if self.on_lookup_failure != OnLookupFailure::Warn {
            return Err(fault);
        }
        let warning = ["selinux could not look up: ", &fault.place().to_string()].concat();
        Ok(verdict.warn(warning).annotate("error", fault.to_string()))
    }

    pub(super) fn require_levels(&self) -> bool {
        self.levels.missing == MissingLevel::Require
            && (self.levels.matching == LevelMatch::Exact || self.allocation.source == Source::Fixed)
    }
}
