//! The policy that evaluates what a check is about.

use std::collections::BTreeSet;

use rules::external_ips::ExternalIps;
use rules::pod_security::PodSecurity;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::check_settings;
use super::violation_action::ViolationAction;
use crate::conversion::{Effect, FieldProblem};
use crate::external_ips::{self, EXTERNAL_IPS};
use crate::settings::{self, POD_SECURITY};
use crate::target::Target;
use crate::{MatchCondition, PolicyMode};

/// Why a manifest does not deny although the rule does.
pub(crate) const MONITORS: &str = "Because of these differences, this policy refuses more than the rule. It is in mode \
                        monitor, from which Kubewarden allows a change to protect, but no way back.";

/// A difference between a check of external IPs and the module, unless Kyverno compares with the
/// old object.
const KEEPS: &str = "in Kyverno, every update of a Service with external IPs violates the check; the manifest admits the \
                     addresses that a Service has already, so that it can be updated";

/// Why a check of external IPs that only warns has a manifest in mode monitor.
const CANNOT_WARN: &str = "warns, which external-ips cannot; the manifest is in mode monitor, which reports violations in the log \
                           of the policy server";

#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Evaluator {
    #[default]
    PodSecurity,
    ExternalIps,
}

impl Evaluator {
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::PodSecurity => POD_SECURITY,
            Self::ExternalIps => EXTERNAL_IPS,
        }
    }

    pub(super) fn targets(self) -> BTreeSet<Target> {
        match self {
            Self::PodSecurity => Target::OF_POD_SECURITY.into(),
            Self::ExternalIps => Target::OF_EXTERNAL_IPS.into(),
        }
    }

    /// Why the policy rejects settings; `None` if it accepts them.
    pub(super) fn problem_with(self, settings: &Map<String, Value>) -> Option<String> {
        let problem = match self {
            Self::PodSecurity => settings::problem_with::<PodSecurity>(settings),
            Self::ExternalIps => settings::problem_with::<ExternalIps>(settings),
        };
        problem.map(|problem| problem.to_string())
    }

    /// The conditions that filter out requests that the policy would admit.
    pub(super) fn match_conditions(self, settings: &Map<String, Value>) -> Vec<MatchCondition> {
        match self {
            Self::PodSecurity => Vec::new(),
            Self::ExternalIps => external_ips::match_conditions(settings),
        }
    }

    /// The mode of a manifest, and the notes that explain it. `widens` is whether the manifest
    /// refuses more than the rule.
    pub(super) fn mode(self, action: ViolationAction, widens: bool) -> (PolicyMode, Option<&'static str>) {
        match (action, self) {
            (ViolationAction::Deny, _) if widens => (PolicyMode::Monitor, Some(MONITORS)),
            (ViolationAction::Deny, _) => (PolicyMode::Protect, None),
            (ViolationAction::Warn, Self::PodSecurity) => (PolicyMode::Protect, Some(check_settings::WARNS)),
            (ViolationAction::Warn, Self::ExternalIps) | (ViolationAction::Report, _) => {
                (PolicyMode::Monitor, None)
            }
        }
    }

    /// The problems with what Kyverno does on violations and the policy does not. `tolerates` is
    /// whether Kyverno compares with the old object.
    pub(super) fn problems(
        self,
        check: &str,
        tolerates: bool,
        mut actions: impl Iterator<Item = ViolationAction>,
    ) -> Vec<FieldProblem> {
        let mut problems = Vec::new();
        if self == Self::ExternalIps {
            if !tolerates {
                problems.push(FieldProblem::new(check, KEEPS).with(Effect::Admits));
            }
            if actions.any(|action| action == ViolationAction::Warn) {
                problems.push(FieldProblem::new(check, CANNOT_WARN).with(Effect::Admits));
            }
        }
        problems
    }
}
