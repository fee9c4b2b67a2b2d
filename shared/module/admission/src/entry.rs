//! Policies as values.

use crate::{
    Cluster, Fault, Outcome, Policy, Reads, Response, Scope, Setting, SettingsError, Shape, check_settings,
    evaluate, evaluates_user, render,
};

/// A policy as a value, for lists of policies.
#[derive(Clone, Copy, Debug)]
pub struct PolicyEntry {
    /// [`Policy::ID`].
    pub id: &'static str,
    /// [`Policy::SCOPE`].
    pub scope: Scope,
    /// [`Policy::READS`].
    pub reads: Reads,
    /// [`Policy::MUTATES`].
    pub mutates: bool,
    /// [`Policy::OBJECT`].
    pub object: Shape<'static>,
    /// [`Policy::RULES`].
    pub rules: &'static [(&'static str, &'static str)],
    /// [`Policy::SETTINGS`].
    pub settings: &'static [Setting],
    /// [`Policy::DOCS`].
    pub docs: &'static [(&'static str, &'static str)],
    /// [`evaluate()`], with an outcome that does not borrow from the payload.
    pub evaluate: fn(&[u8], &dyn Cluster) -> Outcome,
    /// [`render()`].
    pub render: fn(Outcome) -> Response,
    /// [`evaluates_user()`].
    pub evaluates_user: fn(&[u8]) -> Result<Option<bool>, Fault>,
    /// [`check_settings()`].
    pub check_settings: fn(&[u8]) -> Result<(), SettingsError>,
}

impl PolicyEntry {
    /// Returns the entry of a policy.
    #[must_use]
    pub const fn of<P: Policy>() -> Self {
        Self {
            id: P::ID,
            scope: P::SCOPE,
            reads: P::READS,
            mutates: P::MUTATES,
            object: P::OBJECT,
            rules: P::RULES,
            settings: P::SETTINGS,
            docs: P::DOCS,
            evaluate: |payload, cluster| evaluate::<P, _>(payload, cluster, |outcome| outcome.into()),
            render: render::<P, _>,
            evaluates_user: evaluates_user::<P>,
            check_settings: check_settings::<P>,
        }
    }

    /// Returns the response of the policy's module to a payload, without a host:
    /// [`evaluate`](Self::evaluate), then [`render`](Self::render).
    #[must_use]
    pub fn respond(&self, payload: &[u8], cluster: &dyn Cluster) -> Response {
        (self.render)((self.evaluate)(payload, cluster))
    }

    /// Returns the name of a rule; `None` if the policy has no such rule.
    #[must_use]
    pub fn name_of(&self, rule: &str) -> Option<&'static str> {
        self.rules.iter().find(|(id, _)| *id == rule).map(|(_, name)| *name)
    }
}
