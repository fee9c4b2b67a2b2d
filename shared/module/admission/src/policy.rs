//! Policies: settings become a policy, and a policy and a request become a verdict.

use document::{Document, Origin};

use crate::request::{self, Request};
use crate::verdict::{RULES, Review, names_of_rules};
use crate::{
    Cluster, Decision, Fault, Node, Outcome, Reads, Scope, Setting, SettingsError, Shape, Verdict,
    Violations, settings,
};

/// A policy: its settings, parsed and validated.
///
/// A review has nothing left to check in the settings.
pub trait Policy: Sized {
    /// The name of the module: kebab-case, a noun for what is restricted.
    const ID: &'static str;
    /// The requests that the policy matches.
    const SCOPE: Scope;
    /// The look-ups that the policy may make.
    const READS: Reads = Reads::NONE;
    /// Whether the policy may change the object: `mutating` in the metadata. If not, the module has
    /// no code for it.
    const MUTATES: bool = false;
    /// Whether the kind is checked before any part of the object is kept. This costs matching
    /// requests a little and saves all others much if the policy reads many fields.
    const CHECK_KIND_FIRST: bool = false;
    /// Texts with which a string in `userInfo` begins, a key or a value, if the policy
    /// [evaluates](Self::evaluates) the user; empty if it evaluates all users. Parts of the object
    /// are kept only for such users, which saves all other requests much if the policy reads many
    /// fields.
    const USERS: &'static [&'static str] = &[];
    /// The fields of the object and the old object that the policy reads.
    const OBJECT: Shape<'static>;
    /// The rules of the policy: the id of each, and its name for people. No module carries them. An
    /// id is never renamed or used again; `rules.txt` of the crate `rules` has those of all
    /// policies.
    const RULES: &'static [(&'static str, &'static str)];
    /// The fields of `userInfo` that the policy reads: at least the name and the groups.
    const USER: Shape<'static> = request::USER;
    /// The settings of the policy.
    const SETTINGS: &'static [Setting];
    /// The descriptions of the settings, one or two sentences each, by path: `allow.cidrs`.
    const DOCS: &'static [(&'static str, &'static str)];

    /// Creates the policy from its settings, which already have the declared keys and types.
    ///
    /// # Errors
    /// Returns the first setting that is not valid, with its path.
    fn configure(settings: Node<'_>) -> Result<Self, SettingsError>;

    /// Returns whether a request matches the policy: by default, whether it is in
    /// [`SCOPE`](Policy::SCOPE).
    #[must_use]
    fn matches(request: &Request<'_>) -> bool {
        Self::SCOPE.covers(request)
    }

    /// Returns whether the policy evaluates requests of the user. Otherwise the review does not
    /// read the object.
    ///
    /// # Errors
    /// Returns a fault if the user cannot be read.
    fn evaluates(_: &Request<'_>) -> Result<bool, Fault> {
        Ok(true)
    }

    /// Returns whether the policy, with its settings, evaluates requests of the user; `None` if it
    /// evaluates those of every user. Explains a verdict, and does not decide it.
    ///
    /// # Errors
    /// Returns a fault if the user cannot be read.
    fn evaluates_user(&self, _: &Request<'_>) -> Result<Option<bool>, Fault> {
        Ok(None)
    }

    /// Evaluates a request that matches the policy.
    ///
    /// # Errors
    /// Returns a fault if the verdict depends on a value that cannot be read or looked up.
    fn review<'d>(&self, request: &Request<'d>, cluster: &dyn Cluster) -> Result<Verdict<'d>, Fault>;
}

/// Evaluates the payload of a `validate` call, `{"request": …, "settings": …}`, and passes the
/// outcome to `receive` while the document that it borrows from is available.
///
/// The same payload and the same answers of the cluster give the same outcome on every target. A
/// fault becomes a denial here and nowhere else.
pub fn evaluate<P: Policy, T>(
    payload: &[u8],
    cluster: &dyn Cluster,
    receive: impl FnOnce(Outcome<Violations<'_>>) -> T,
) -> T {
    let is_of_kind = !P::CHECK_KIND_FIRST || request::may_be_of(payload, P::SCOPE);
    let is_by_user = P::USERS.is_empty() || is_of_kind && request::may_be_by(payload, P::USERS);
    let whole = request::shape(P::OBJECT, P::USER);
    let whole = request::payload(&whole);
    let rest = request::shape(Shape::Fields(&[]), P::USER);
    let rest = request::payload(&rest);
    let of_other_kind = request::payload(request::SCOPED);
    let parse = |shape| Document::parse(payload, Shape::Fields(shape), Origin::Payload);
    let mut parsed = parse(match (is_of_kind, is_by_user) {
        (true, true) => &whole,
        (true, false) => &rest,
        (false, _) => &of_other_kind,
    });
    // The text of the user may have escapes.
    if is_of_kind && !is_by_user && is_evaluated::<P>(&parsed) {
        parsed = parse(&whole);
    }
    let reviewed = match &parsed {
        Ok(document) => review::<P>(document, is_of_kind, cluster),
        Err(fault) => Err(fault.clone()),
    };
    let outcome = match reviewed {
        Ok(None) => Outcome::new(Decision::NotMatched, None),
        Ok(Some(Verdict { review, mut notes })) => {
            let decision = match review {
                Review::Admit => Decision::Admitted,
                Review::Deny(violations) => {
                    let names = names_of_rules(P::ID, violations.rules());
                    notes.get_or_insert_default().audit_annotations.push((RULES, names));
                    Decision::Denied(violations)
                }
                Review::Mutate(edits) if P::MUTATES => {
                    // The memory of an instance cannot hold a huge document together with its
                    // changed text.
                    drop(parsed);
                    match edits.apply(payload) {
                        Ok(Some(object)) => Decision::Mutated(object),
                        Ok(None) => Decision::Admitted,
                        Err(fault) => Decision::Fault(fault),
                    }
                }
                Review::Mutate(_) => {
                    let problem = "this policy is not declared to mutate objects";
                    Decision::Fault(Fault::in_payload(&["request", "object"], problem))
                }
            };
            Outcome::new(decision, notes)
        }
        Err(fault) => Outcome::new(Decision::Fault(fault), None),
    };
    receive(outcome)
}

/// Returns [`Policy::evaluates_user`] for the payload of a `validate` call. Its objects are not
/// read.
///
/// # Errors
/// Returns a fault if the request or the settings cannot be read.
pub fn evaluates_user<P: Policy>(payload: &[u8]) -> Result<Option<bool>, Fault> {
    let shape = request::shape(Shape::Fields(&[]), P::USER);
    let shape = request::payload(&shape);
    let document = Document::parse(payload, Shape::Fields(&shape), Origin::Payload)?;
    let request = Request::of(document.root())?;
    understand::<P>(document.root().at("settings"))?.evaluates_user(&request)
}

/// Returns whether the policy evaluates the user of a request that was parsed without its object. A
/// request that cannot be read has a fault already.
fn is_evaluated<P: Policy>(parsed: &Result<Document<'_>, Fault>) -> bool {
    let evaluates = |document: &Document<'_>| P::evaluates(&Request::of(document.root())?);
    parsed.as_ref().is_ok_and(|document| evaluates(document).is_ok_and(|evaluates| evaluates))
}

/// Returns the verdict on a parsed payload; `None` if the request does not match the policy. Unless
/// `is_kept`, the document has no part of the object because of its kind.
fn review<'d, P: Policy>(
    document: &'d Document<'d>,
    is_kept: bool,
    cluster: &dyn Cluster,
) -> Result<Option<Verdict<'d>>, Fault> {
    let request = Request::of(document.root())?;
    if !P::matches(&request) {
        return Ok(None);
    }
    if !is_kept {
        return Err(Fault::in_payload(&["request", "kind"], "expected one kind, found two"));
    }
    let policy = understand::<P>(document.root().at("settings"))?;
    policy.review(&request, cluster).map(Some)
}

/// Checks the payload of a `validate_settings` call: the settings alone.
///
/// # Errors
/// Returns the first setting that is not valid, with its path.
pub fn check_settings<P: Policy>(payload: &[u8]) -> Result<(), SettingsError> {
    configure::<P>(payload).map(|_| ())
}

/// Creates a policy from settings alone, as JSON.
///
/// # Errors
/// Returns the first setting that is not valid, with its path.
pub fn configure<P: Policy>(payload: &[u8]) -> Result<P, SettingsError> {
    let document = settings::parse(payload)?;
    understand(document.root())
}

fn understand<P: Policy>(settings: Node<'_>) -> Result<P, SettingsError> {
    settings::check(settings, P::SETTINGS)?;
    P::configure(settings)
}

#[cfg(test)]
mod tests;
