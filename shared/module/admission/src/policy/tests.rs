use super::*;
use crate::{Choice, Edits, Get, Kind, List, Operation, Response, ScopeRule, Unreachable, choices, render};

choices! {
    /// The handling of open gates.
    pub(super) enum Gate {
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
    const SCOPE: Scope =
        Scope(&[ScopeRule::new("castle.example", "Gate", "gates", &[Operation::Create, Operation::Update])]);
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
        let payload =
            format!(r#"{{"request":{{"kind":{kind},"operation":"CREATE","object":7}},"settings":"bad"}}"#);
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
