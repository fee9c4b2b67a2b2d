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
#[expect(unreachable_pub, reason = "the macro declares settings of policies, which are public")]
mod tests {
    use super::*;
    use crate::{
        Choice, Edits, Get, Kind, List, Operation, Response, ScopeRule, Unreachable, choices, render,
    };

    choices! {
        /// The handling of open gates.
        pub enum Gate {
            /// They are denied.
            Deny,
            /// They are closed.
            Close,
            /// Forbidden and missing values are reported.
            Name,
            /// They are looked up in the cluster.
            Ask,
        }
    }

    /// Requires closed gates: a policy to test the kernel with.
    #[derive(Debug)]
    struct Gates<const MUTATES: bool>(Gate);

    impl<const MUTATES: bool> Policy for Gates<MUTATES> {
        const ID: &'static str = "gates";
        const SCOPE: Scope = Scope(&[ScopeRule {
            group: "castle.example",
            versions: &["v1"],
            kind: "Gate",
            resource: "gates",
            operations: &[Operation::Create, Operation::Update],
            registered: true,
        }]);
        const MUTATES: bool = MUTATES;
        const OBJECT: Shape<'static> = Shape::Fields(&[("spec", Shape::ALL)]);
        const RULES: &'static [(&'static str, &'static str)] =
            &[("key", "Key of a gate"), ("lock", "Gate without a lock"), ("open", "Open gate")];
        const SETTINGS: &'static [Setting] = &[
            Setting::new("gate", Kind::Choice(Gate::NAMES)),
            Setting::new("guards", Kind::List(&Kind::Object(&[Setting::new("name", Kind::Text)]))),
            Setting::new("labels", Kind::Texts),
            Setting::new("door", Kind::Former("is now gate; write gate: Open")),
        ];
        const DOCS: &'static [(&'static str, &'static str)] = &[];

        fn configure(settings: Node<'_>) -> Result<Self, SettingsError> {
            Choice::read(settings.at("gate")).map(Self)
        }

        fn review<'d>(&self, request: &Request<'d>, cluster: &dyn Cluster) -> Result<Verdict<'d>, Fault> {
            let spec = request.object()?.at("spec");
            let mut violations = Violations::default();
            match self.0 {
                Gate::Deny => {
                    for open in spec.at("open").items()? {
                        violations.refuse("open", open, "gates are closed", "close it");
                    }
                }
                Gate::Close => {
                    let mut edits = Edits::default();
                    edits.set(&spec.at("open"), false)?;
                    return Ok(edits.into());
                }
                Gate::Name => {
                    violations.require("lock", spec.at("lock"), "gates have locks", "add one");
                    violations.forbid("key", spec.at("key"), "keys are secret", "remove it");
                }
                Gate::Ask => {
                    let shape = Self::OBJECT;
                    let get = Get { api_version: "v1", kind: "Gate", namespace: None, name: "a\nb", shape };
                    get.ask(cluster)?;
                }
            }
            Ok(violations.into())
        }
    }

    fn respond<P: Policy>(payload: &[u8], cluster: &dyn Cluster) -> Response {
        evaluate::<P, _>(payload, cluster, |outcome| render::<P, _>(outcome))
    }

    struct Nobody;

    impl Cluster for Nobody {
        fn get(&self, _: &Get<'_>) -> Result<Option<Vec<u8>>, Unreachable> {
            Err(Unreachable("first line\nsecond line".into()))
        }

        fn list(&self, _: &List<'_>) -> Result<Vec<u8>, Unreachable> {
            Err(Unreachable(String::new()))
        }
    }

    fn evaluated<P: Policy>(object: &str, gate: &str) -> String {
        let request = format!(
            r#"{{"kind":{{"group":"castle.example","kind":"Gate"}},"operation":"CREATE","object":{object}}}"#
        );
        let payload = format!(r#"{{"request":{request},"settings":{{"gate":"{gate}"}}}}"#);
        String::from_utf8(respond::<P>(payload.as_bytes(), &Nobody).to_json()).unwrap()
    }

    #[test]
    fn writes_violations_like_the_api_server() {
        assert_eq!(
            evaluated::<Gates<false>>(r#"{"spec":{"open":["n\u0022",1,true,{},1.5]}}"#, "Deny"),
            concat!(
                r#"{"accepted":false,"message":"spec.open[0]: Invalid value: \"n\\\"\": gates are closed; close it\n"#,
                r"spec.open[1]: Invalid value: 1: gates are closed; close it\n",
                r"spec.open[2]: Invalid value: true: gates are closed; close it\n",
                r"spec.open[3]: Invalid value: an object: gates are closed; close it\n",
                r#"spec.open[4]: Invalid value: a number: gates are closed; close it","code":403,"audit_annotations":{"rules":"gates/open"}}"#,
            ),
        );
        assert_eq!(
            evaluated::<Gates<false>>(r#"{"spec":{"key":"hunter2"}}"#, "Name"),
            concat!(
                r#"{"accepted":false,"message":"spec.lock: Required value: gates have locks; add one\n"#,
                r#"spec.key: Forbidden: keys are secret; remove it","code":403,"audit_annotations":{"rules":"gates/lock,gates/key"}}"#,
            ),
        );
    }

    #[test]
    fn counts_violations_that_do_not_fit_into_a_message() {
        let object = format!(r#"{{"spec":{{"open":[{}0]}}}}"#, "1,".repeat(1_002));
        let message = evaluated::<Gates<false>>(&object, "Deny");
        // Each has some 60 bytes.
        assert!(message.contains("spec.open[500]: ") && !message.contains("spec.open[600]: "), "{message}");
        let listed = message.matches("spec.open[").count();
        assert!(message.contains(&format!(r"\n… and {} more violations", 1_003 - listed)), "{message}");
        assert!(message.len() <= crate::bounds::MESSAGE + 2_000);
    }

    #[test]
    fn returns_the_whole_object_only_if_edits_change_it() {
        let open = r#"{"spec":{"open":true,"n":1.0}}"#;
        assert_eq!(
            evaluated::<Gates<true>>(open, "Close"),
            r#"{"accepted":true,"mutated_object":{"spec":{"open":false,"n":1.0}}}"#,
        );
        assert_eq!(
            evaluated::<Gates<true>>(r#"{"spec":{"open":false,"n":1.0}}"#, "Close"),
            r#"{"accepted":true}"#
        );
    }

    #[test]
    fn a_mutation_by_a_policy_that_is_not_mutating_is_a_fault() {
        assert_eq!(
            evaluated::<Gates<false>>(r#"{"spec":{"open":true}}"#, "Close"),
            concat!(
                r#"{"accepted":false,"message":"gates: cannot evaluate this request: "#,
                r#"request.object: this policy is not declared to mutate objects","code":500}"#,
            ),
        );
    }

    #[test]
    fn a_cluster_answers_no_questions_about_permissions_by_default() {
        let question = crate::CanI {
            user: "alice",
            groups: &[],
            verb: "create",
            group: "",
            resource: "services",
            subresource: "externalips",
            namespace: "shop",
            name: "",
        };
        assert!(Nobody.can_i(&question).is_err());
    }

    #[test]
    fn a_failed_look_up_is_a_fault_on_one_line() {
        assert_eq!(
            evaluated::<Gates<false>>("{}", "Ask"),
            concat!(
                r#"{"accepted":false,"message":"gates: cannot evaluate this request: "#,
                r#"Gate \"a\\nb\": look-up failed: first line second line","code":500}"#,
            ),
        );
    }

    #[test]
    fn admits_requests_that_are_out_of_scope() {
        for kind in [r#"{"group":"","kind":"Gate"}"#, r#"{"group":"castle.example","kind":"Moat"}"#] {
            let payload = format!(
                r#"{{"request":{{"kind":{kind},"operation":"CREATE","object":7}},"settings":"bad"}}"#
            );
            assert!(respond::<Gates<false>>(payload.as_bytes(), &Nobody).accepted);
        }
        for (operation, subresource) in [("DELETE", ""), ("CREATE", "status")] {
            let kind = r#"{"group":"castle.example","kind":"Gate"}"#;
            let payload = format!(
                r#"{{"request":{{"kind":{kind},"operation":"{operation}","subResource":"{subresource}"}}}}"#
            );
            assert!(respond::<Gates<false>>(payload.as_bytes(), &Nobody).accepted);
        }
    }

    #[test]
    fn checks_settings_against_their_declaration() {
        let check = |settings: &str| {
            check_settings::<Gates<false>>(settings.as_bytes()).map_err(|error| error.to_string())
        };
        for good in
            ["{}", "null", r#"{"gate":null,"guards":[],"labels":{"a":"b"}}"#, r#"{"guards":[{"name":null}]}"#]
        {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for (bad, message) in [
            (r#"{"gates":"Deny"}"#, "gates: unknown key; did you mean gate?"),
            (r#"{"moat":1}"#, "moat: unknown key; expected one of gate, guards, labels"),
            (r#"{"door":{"x":1}}"#, "door: is now gate; write gate: Open"),
            (r#"{"gate":"deny"}"#, r#"gate: "deny" is not a valid value; did you mean Deny?"#),
            (r#"{"gate":""}"#, r#"gate: "" is not a valid value; expected one of Deny, Close, Name, Ask"#),
            (r#"{"gate":true}"#, "gate: expected a string, found a boolean"),
            (r#"{"guards":{}}"#, "guards: expected an array, found an object"),
            (r#"{"guards":[{},null]}"#, "guards[1]: null is not a valid list element; remove it"),
            (r#"{"guards":[{"name":7}]}"#, "guards[0].name: expected a string, found a number"),
            (r#"{"guards":[{"nam":"x"}]}"#, "guards[0].nam: unknown key; did you mean name?"),
            (r#"{"labels":{"a/b":null}}"#, "labels[a/b]: expected a string, found null"),
            (r#"{"gate":"Deny","gate":"Close"}"#, r#"settings: duplicate key "gate""#),
        ] {
            assert_eq!(check(bad), Err(message.to_owned()), "{bad}");
        }
    }
}
