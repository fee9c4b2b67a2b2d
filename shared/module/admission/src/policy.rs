//! The centre: settings become a policy, a policy and a request become a verdict.

use document::{Document, Origin};

use crate::request::{self, Request};
use crate::verdict::Decision;
use crate::{Cluster, Fault, Node, Reads, Response, Scope, Setting, SettingsError, Shape, Verdict, settings};

/// A restriction: its settings, understood.
///
/// There is nothing to check left when it reviews a request.
pub trait Policy: Sized {
    /// The name of the module: kebab-case, a noun for what is restricted.
    const ID: &'static str;
    /// The requests that it judges.
    const SCOPE: Scope;
    /// What it may ask the cluster.
    const READS: Reads = Reads::NONE;
    /// Whether it may change the object: what `mutating` in the metadata says. Where it may not, no code for
    /// it is in the module.
    const MUTATES: bool = false;
    /// Whether it may warn and annotate. Where not, no code for it is in the module.
    const EMITS_WARNINGS: bool = false;
    /// Whether the kind is looked at before anything of the object is kept. It costs requests of its scope a
    /// little and saves all others much where a policy reads many fields.
    const CHECK_KIND_FIRST: bool = false;
    /// What it reads of the object and of the old object.
    const OBJECT: Shape<'static>;
    /// Its settings.
    const SETTINGS: &'static [Setting];
    /// What the settings mean, one sentence or two for the path of each: `allow.cidrs`.
    const DOCS: &'static [(&'static str, &'static str)];

    /// Understands the settings, which have the declared keys and types already.
    ///
    /// # Errors
    /// The first setting that means nothing, with its path.
    fn configure(settings: Node<'_>) -> Result<Self, SettingsError>;

    /// Whether a request is its business: one of its scope, if the policy has no wider notion.
    #[must_use]
    fn matches(request: &Request<'_>) -> bool {
        Self::SCOPE.covers(request)
    }

    /// Judges a request that concerns it.
    ///
    /// # Errors
    /// When something cannot be read or looked up that the verdict depends on.
    fn review<'d>(&self, request: &Request<'d>, cluster: &dyn Cluster) -> Result<Verdict<'d>, Fault>;
}

/// Judges the payload of a `validate` call: `{"request": …, "settings": …}`.
///
/// The same payload and the same answers of the cluster give the same response, on every target. A fault
/// becomes a denial here and nowhere else.
#[must_use]
pub fn evaluate<P: Policy>(payload: &[u8], cluster: &dyn Cluster) -> Response {
    judge::<P>(payload, cluster).unwrap_or_else(|fault| Response::fault(P::ID, &fault))
}

fn judge<P: Policy>(payload: &[u8], cluster: &dyn Cluster) -> Result<Response, Fault> {
    let checks_kind_first = P::CHECK_KIND_FIRST && !request::may_be_of(payload, P::SCOPE);
    let shape = request::shape(if checks_kind_first { Shape::Fields(&[]) } else { P::OBJECT });
    let shape = request::payload(&shape);
    let document = Document::parse(payload, Shape::Fields(&shape), Origin::Payload)?;
    let request = Request::of(document.root())?;
    if !P::matches(&request) {
        return Ok(Response::admit());
    }
    if checks_kind_first {
        return Err(Fault::new("request.kind", "expected one kind, found two"));
    }
    let policy = understand::<P>(document.root().at("settings"))?;
    let Verdict { decision, notes } = policy.review(&request, cluster)?;
    let response = match decision {
        Decision::Admit => Response::admit(),
        Decision::Deny(violations) => Response::deny(&violations),
        Decision::Mutate(edits) if P::MUTATES => {
            // A huge document and its change together would be more than an instance has room for.
            drop(document);
            Response::mutate(edits.apply(payload)?)
        }
        Decision::Mutate(_) => return Err(Fault::new("object", "this policy is declared to change nothing")),
    };
    debug_assert!(P::EMITS_WARNINGS || notes.is_none(), "{} is declared to say nothing besides", P::ID);
    Ok(match notes {
        Some(notes) if P::EMITS_WARNINGS => response.with(&notes.warnings, &notes.audit_annotations),
        _ => response,
    })
}

/// Whether the request in the payload of a `validate` call concerns a policy; so does one that cannot be read.
///
/// A request that does not is admitted by [`evaluate`], and nothing else is said about it.
#[must_use]
pub fn matches<P: Policy>(payload: &[u8]) -> bool {
    let shape = request::shape(Shape::Fields(&[]));
    let shape = request::payload(&shape);
    let document = Document::parse(payload, Shape::Fields(&shape), Origin::Payload);
    document
        .map_or(true, |document| Request::of(document.root()).map_or(true, |request| P::matches(&request)))
}

/// Judges the payload of a `validate_settings` call: the settings alone.
///
/// # Errors
/// The first setting that is not understood, with its path.
pub fn check_settings<P: Policy>(payload: &[u8]) -> Result<(), SettingsError> {
    configure::<P>(payload).map(|_| ())
}

/// The policy of settings that come alone, as JSON.
///
/// # Errors
/// The first setting that is not understood, with its path.
pub fn configure<P: Policy>(payload: &[u8]) -> Result<P, SettingsError> {
    let document = settings::parse(payload)?;
    understand(document.root())
}

fn understand<P: Policy>(settings: Node<'_>) -> Result<P, SettingsError> {
    settings::check(settings, P::SETTINGS)?;
    P::configure(settings)
}

/// A policy as a value, for lists of them.
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
    /// [`Policy::EMITS_WARNINGS`].
    pub notes: bool,
    /// [`Policy::OBJECT`].
    pub object: Shape<'static>,
    /// [`Policy::SETTINGS`].
    pub settings: &'static [Setting],
    /// [`Policy::DOCS`].
    pub docs: &'static [(&'static str, &'static str)],
    /// [`matches`].
    pub matches: fn(&[u8]) -> bool,
    /// [`evaluate`].
    pub evaluate: fn(&[u8], &dyn Cluster) -> Response,
    /// [`check_settings`].
    pub check_settings: fn(&[u8]) -> Result<(), SettingsError>,
}

impl PolicyEntry {
    /// The entry of a policy.
    #[must_use]
    pub const fn of<P: Policy>() -> Self {
        Self {
            id: P::ID,
            scope: P::SCOPE,
            reads: P::READS,
            mutates: P::MUTATES,
            notes: P::EMITS_WARNINGS,
            object: P::OBJECT,
            settings: P::SETTINGS,
            docs: P::DOCS,
            matches: matches::<P>,
            evaluate: evaluate::<P>,
            check_settings: check_settings::<P>,
        }
    }
}

#[cfg(test)]
#[expect(unreachable_pub, reason = "the macro declares settings of policies, which are public")]
mod tests {
    use super::*;
    use crate::{Choice, Edits, Get, Kind, List, Operation, ScopeRule, Unreachable, Violations, choices};

    choices! {
        /// What becomes of an open gate.
        pub enum Gate {
            /// It is denied.
            Deny,
            /// It is closed.
            Close,
            /// What is forbidden and what is missing is named.
            Name,
            /// The cluster is asked.
            Ask,
        }
    }

    /// Gates have to be closed: a policy to test the kernel with.
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
        const SETTINGS: &'static [Setting] = &[
            Setting::new("gate", Kind::Choice(Gate::NAMES)),
            Setting::new("guards", Kind::List(&Kind::Object(&[Setting::new("name", Kind::Text)]))),
            Setting::new("labels", Kind::Texts),
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
                        violations.refuse(open, "gates are closed", "close it");
                    }
                }
                Gate::Close => {
                    let mut edits = Edits::default();
                    edits.set(&spec.at("open"), false)?;
                    return Ok(edits.into());
                }
                Gate::Name => {
                    violations.require(spec.at("lock"), "gates have locks", "add one");
                    violations.forbid(spec.at("key"), "keys are secret", "remove it");
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

    struct Nobody;

    impl Cluster for Nobody {
        fn get(&self, _: &Get<'_>) -> Result<Option<Vec<u8>>, Unreachable> {
            Err(Unreachable("first line\nsecond line".into()))
        }

        fn list(&self, _: &List<'_>) -> Result<Vec<u8>, Unreachable> {
            Err(Unreachable(String::new()))
        }
    }

    fn judged<P: Policy>(object: &str, gate: &str) -> String {
        let request = format!(
            r#"{{"kind":{{"group":"castle.example","kind":"Gate"}},"operation":"CREATE","object":{object}}}"#
        );
        let payload = format!(r#"{{"request":{request},"settings":{{"gate":"{gate}"}}}}"#);
        String::from_utf8(evaluate::<P>(payload.as_bytes(), &Nobody).to_json()).unwrap()
    }

    #[test]
    fn a_violation_is_written_in_the_grammar_of_the_api_server() {
        assert_eq!(
            judged::<Gates<false>>(r#"{"spec":{"open":["n\u0022",1,true,{},1.5]}}"#, "Deny"),
            concat!(
                r#"{"accepted":false,"message":"spec.open[0]: Invalid value: \"n\\\"\": gates are closed; close it\n"#,
                r"spec.open[1]: Invalid value: 1: gates are closed; close it\n",
                r"spec.open[2]: Invalid value: true: gates are closed; close it\n",
                r"spec.open[3]: Invalid value: an object: gates are closed; close it\n",
                r#"spec.open[4]: Invalid value: a number: gates are closed; close it","code":403}"#,
            ),
        );
        assert_eq!(
            judged::<Gates<false>>(r#"{"spec":{"key":"hunter2"}}"#, "Name"),
            concat!(
                r#"{"accepted":false,"message":"spec.lock: Required value: gates have locks; add one\n"#,
                r#"spec.key: Forbidden: keys are secret; remove it","code":403}"#,
            ),
        );
    }

    #[test]
    fn beyond_a_thousand_violations_the_rest_is_counted() {
        let object = format!(r#"{{"spec":{{"open":[{}0]}}}}"#, "1,".repeat(1_002));
        let message = judged::<Gates<false>>(&object, "Deny");
        assert!(message.contains("spec.open[999]: ") && !message.contains("spec.open[1000]: "));
        assert!(message.contains(r"\n… and 3 more violations"), "{message}");
    }

    #[test]
    fn an_edit_comes_back_as_the_whole_object_once() {
        let open = r#"{"spec":{"open":true,"n":1.0}}"#;
        assert_eq!(
            judged::<Gates<true>>(open, "Close"),
            r#"{"accepted":true,"mutated_object":{"spec":{"open":false,"n":1.0}}}"#,
        );
        assert_eq!(
            judged::<Gates<true>>(r#"{"spec":{"open":false,"n":1.0}}"#, "Close"),
            r#"{"accepted":true}"#
        );
    }

    #[test]
    fn a_policy_that_is_declared_to_change_nothing_cannot() {
        assert_eq!(
            judged::<Gates<false>>(r#"{"spec":{"open":true}}"#, "Close"),
            concat!(
                r#"{"accepted":false,"message":"gates: cannot judge this request: "#,
                r#"object: this policy is declared to change nothing","code":500}"#,
            ),
        );
    }

    #[test]
    fn a_failed_look_up_is_a_fault_on_one_line() {
        assert_eq!(
            judged::<Gates<false>>("{}", "Ask"),
            concat!(
                r#"{"accepted":false,"message":"gates: cannot judge this request: "#,
                r#"Gate \"a\\nb\": look-up failed: first line second line","code":500}"#,
            ),
        );
    }

    #[test]
    fn what_is_out_of_scope_is_admitted_whatever_it_is() {
        for kind in [r#"{"group":"","kind":"Gate"}"#, r#"{"group":"castle.example","kind":"Moat"}"#] {
            let payload = format!(
                r#"{{"request":{{"kind":{kind},"operation":"CREATE","object":7}},"settings":"bad"}}"#
            );
            assert!(evaluate::<Gates<false>>(payload.as_bytes(), &Nobody).accepted);
        }
        for (operation, subresource) in [("DELETE", ""), ("CREATE", "status")] {
            let kind = r#"{"group":"castle.example","kind":"Gate"}"#;
            let payload = format!(
                r#"{{"request":{{"kind":{kind},"operation":"{operation}","subResource":"{subresource}"}}}}"#
            );
            assert!(evaluate::<Gates<false>>(payload.as_bytes(), &Nobody).accepted);
        }
    }

    #[test]
    fn settings_are_held_against_their_declaration() {
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
            (r#"{"moat":1}"#, "moat: unknown key; known are gate, guards, labels"),
            (r#"{"gate":"deny"}"#, r#"gate: "deny" is no value of this setting; did you mean Deny?"#),
            (r#"{"gate":""}"#, r#"gate: "" is no value of this setting; known are Deny, Close, Name, Ask"#),
            (r#"{"gate":true}"#, "gate: expected a string, found a boolean"),
            (r#"{"guards":{}}"#, "guards: expected an array, found an object"),
            (r#"{"guards":[{},null]}"#, "guards[1]: null is no element of a list; remove it"),
            (r#"{"guards":[{"name":7}]}"#, "guards[0].name: expected a string, found a number"),
            (r#"{"guards":[{"nam":"x"}]}"#, "guards[0].nam: unknown key; did you mean name?"),
            (r#"{"labels":{"a/b":null}}"#, "labels[a/b]: expected a string, found null"),
            (r#"{"gate":"Deny","gate":"Close"}"#, r#"settings: the key "gate" is there twice"#),
        ] {
            assert_eq!(check(bad), Err(message.to_owned()), "{bad}");
        }
    }
}
