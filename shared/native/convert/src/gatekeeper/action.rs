//! The enforcement action of a constraint.

use crate::InputError;
use crate::fields::Fields;
use crate::kubewarden::PolicyMode;

/// The consequences of violations of a constraint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Action {
    pub(super) mode: PolicyMode,
    /// Whether violations of requests cause warnings alone.
    pub(super) warns: bool,
    pub(super) evaluates_requests: bool,
    pub(super) audits: bool,
}

pub(super) const ACTIONS: [&str; 3] = ["deny", "warn", "dryrun"];

impl Action {
    pub(super) fn of_requests(action: &str, audits: bool) -> Self {
        let mode = if action == "dryrun" { PolicyMode::Monitor } else { PolicyMode::Protect };
        Self { mode, warns: action == "warn", evaluates_requests: true, audits }
    }

    /// Reads the action of a constraint.
    ///
    /// Source: `pkg/util/enforcement_action.go` and `website/docs/enforcement-points.md` in
    /// open-policy-agent/gatekeeper.
    pub(super) fn read(spec: Option<&Fields<'_>>) -> Result<Self, InputError> {
        let Some(spec) = spec else { return Ok(Self::of_requests("deny", true)) };
        match spec.text("enforcementAction")?.filter(|action| !action.is_empty()) {
            None => Ok(Self::of_requests("deny", true)),
            Some("scoped") => Self::scoped(spec),
            Some(action) if ACTIONS.contains(&action) => Ok(Self::of_requests(action, true)),
            Some(_) => Err(spec.error("enforcementAction", "expected deny, dryrun, warn or scoped")),
        }
    }

    /// The strongest action at the enforcement points of requests.
    fn scoped(spec: &Fields<'_>) -> Result<Self, InputError> {
        let mut of_requests: Vec<&str> = Vec::new();
        let mut audits = false;
        for scoped in spec.objects("scopedEnforcementActions")? {
            let action = scoped.required_text("action")?;
            if !ACTIONS.contains(&action) {
                return Err(scoped.error("action", "expected deny, dryrun or warn"));
            }
            for point in scoped.objects("enforcementPoints")? {
                let name = point.required_text("name")?;
                audits |= matches!(name, "*" | "audit.gatekeeper.sh");
                if matches!(name, "*" | "validation.gatekeeper.sh" | "vap.k8s.io") {
                    of_requests.push(action);
                }
            }
        }
        let strongest = ACTIONS.into_iter().find(|action| of_requests.contains(action));
        Ok(match strongest {
            Some(action) => Self::of_requests(action, audits),
            None => Self { mode: PolicyMode::Monitor, warns: false, evaluates_requests: false, audits },
        })
    }
}
