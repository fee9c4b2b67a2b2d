//! Exceptions: annotations with which the author of an object accepts findings about it.
//!
//! `portcullis.dev/except.POLICY: REASON` covers the findings of a policy,
//! `portcullis.dev/except.POLICY.RULE: REASON` those of one of its rules. The reason may end in
//! `until YYYY-MM-DD`. An annotation that cannot be understood never covers anything.

use std::cell::Cell;
use std::collections::BTreeSet;

use kubewarden::matching::Evaluator;
use report::{Level, Status};
use serde_json::{Map, Value};
use text::{Path, Step};

use crate::date::Date;
use crate::policy::Policy;

pub(crate) const KEY: &str = "portcullis.dev/except";

/// The length of the part of a key after its prefix that Kubernetes allows.
const LONGEST_NAME: usize = 63;

const UNTIL: &str = "until";

#[derive(Debug, Default)]
pub(crate) struct Exceptions {
    /// Those of single rules first: their reason is more specific.
    valid: Vec<Exception>,
    remarks: Vec<Remark>,
}

#[derive(Debug)]
pub(crate) struct Remark {
    pub(crate) level: Level,
    pub(crate) path: Vec<Step>,
    pub(crate) message: String,
}

#[derive(Debug)]
struct Exception {
    key: String,
    scope: Scope,
    /// The reason with its date.
    reason: String,
    covers_something: Cell<bool>,
}

#[derive(Debug, Eq, PartialEq)]
struct Scope {
    /// The indices of the policies: an `AdmissionPolicy` and a `ClusterAdmissionPolicy` can have
    /// the same name.
    policies: BTreeSet<usize>,
    rule: Option<&'static str>,
}

impl Exceptions {
    pub(crate) fn of(object: &Value, policies: &[Policy], today: Date) -> Self {
        let mut exceptions = Self::default();
        let annotations = object.pointer("/metadata/annotations").and_then(Value::as_object);
        for (key, value) in annotations.into_iter().flatten() {
            let Some(name) = scope_name(key) else { continue };
            let scope = valid_key(key).and_then(|()| scope(name, policies));
            match scope.and_then(|scope| Ok((scope, reason(value, today)?))) {
                Ok((scope, reason)) => {
                    let covers_something = Cell::new(false);
                    exceptions.valid.push(Exception { key: key.clone(), scope, reason, covers_something });
                }
                Err(problem) => exceptions.remarks.push(remark(Level::Warning, key, &problem)),
            }
        }
        exceptions.valid.sort_by_key(|exception| exception.scope.rule.is_none());
        exceptions
    }

    /// Counts the exceptions that an object has, whether they are valid or not.
    pub(crate) fn count(object: &Value) -> u64 {
        let annotations = object.pointer("/metadata/annotations").and_then(Value::as_object);
        let keys = annotations.into_iter().flat_map(Map::keys).filter(|key| scope_name(key).is_some());
        u64::try_from(keys.count()).unwrap_or(u64::MAX)
    }

    /// Returns the reason of the exception that covers a finding. A verdict that is unknown is
    /// never covered: its author cannot know what to accept.
    pub(crate) fn covering(&self, status: Status, policy: usize, rule: Option<&str>) -> Option<String> {
        if status == Status::Unknown {
            return None;
        }
        let covers =
            |scope: &Scope| scope.policies.contains(&policy) && (scope.rule.is_none() || scope.rule == rule);
        let covering: Vec<&Exception> =
            self.valid.iter().filter(|exception| covers(&exception.scope)).collect();
        for exception in &covering {
            exception.covers_something.set(true);
        }
        covering.first().map(|exception| exception.reason.clone())
    }

    /// Returns the remarks once the object is evaluated. `is_unknown` says whether a policy could
    /// not evaluate it, so that an exception may be needed.
    pub(crate) fn remarks(self, is_unknown: &dyn Fn(usize) -> bool) -> Vec<Remark> {
        let is_idle = |exception: &Exception| {
            !exception.covers_something.get()
                && !exception.scope.policies.iter().any(|policy| is_unknown(*policy))
        };
        let idle = self.valid.iter().filter(|exception| is_idle(exception)).map(|exception| {
            remark(Level::Note, &exception.key, "the exception covers no finding; remove it")
        });
        self.remarks.into_iter().chain(idle).collect()
    }
}

/// Returns whether an object looks like one of a cluster, by fields that only API servers set
/// (`ObjectMeta` in the reference of the Kubernetes API).
pub(crate) fn was_stored(object: &Value) -> bool {
    let is_set =
        |pointer| object.pointer(pointer).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    is_set("/metadata/uid") || is_set("/metadata/resourceVersion")
}

/// Returns the part of the key of an exception that names what it covers.
fn scope_name(key: &str) -> Option<&str> {
    let name = key.strip_prefix(KEY)?;
    if name.is_empty() { Some(name) } else { name.strip_prefix('.') }
}

fn remark(level: Level, key: &str, problem: &str) -> Remark {
    let path = ["metadata", "annotations", key].map(Step::Field);
    let message = format!("{}: {problem}", Path(&path));
    Remark { level, path: path.iter().map(Step::owned).collect(), message }
}

/// Checks what the API server requires of a key.
fn valid_key(key: &str) -> Result<(), String> {
    let name = key.split_once('/').map_or(key, |(_, name)| name);
    let is_valid = name.len() <= LONGEST_NAME
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
        && name.ends_with(|last: char| last.is_ascii_alphanumeric());
    let problem = format!(
        "Kubernetes does not allow this key: behind the slash, it has at most {LONGEST_NAME} letters, digits, \
         hyphens, underscores and dots, and ends with a letter or digit; correct it, or use a baseline"
    );
    if is_valid { Ok(()) } else { Err(problem) }
}

/// Finds the policies, and the rule. A name of a policy can contain dots, an id of a rule cannot.
fn scope(name: &str, policies: &[Policy]) -> Result<Scope, String> {
    let named = |name: &str| -> BTreeSet<usize> {
        let is_named = |(_, policy): &(usize, &Policy)| policy.reference.name == name;
        policies.iter().enumerate().filter(is_named).map(|(index, _)| index).collect()
    };
    if name.is_empty() {
        return Err(format!("an exception names a policy; write the key as {KEY}.POLICY"));
    }
    let whole = named(name);
    if !whole.is_empty() {
        return Ok(Scope { policies: whole, rule: None });
    }
    let (policy, rule) = name.rsplit_once('.').unwrap_or_default();
    let found = named(policy);
    if !found.is_empty() {
        return scope_of_rule(policy, rule, found, policies);
    }
    let known: BTreeSet<&str> = policies.iter().map(|policy| policy.reference.name.as_str()).collect();
    let known: Vec<&str> = known.into_iter().collect();
    // The name may be that of a policy and a rule, with a mistake in the first.
    let advice = match text::nearest(name, &known).or_else(|| text::nearest(policy, &known)) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("the policies are {}", known.join(", ")),
    };
    Err(format!("no policy of this scan has the name {name}; {advice}"))
}

fn scope_of_rule(
    name: &str,
    rule: &str,
    found: BTreeSet<usize>,
    policies: &[Policy],
) -> Result<Scope, String> {
    let unavailable =
        |index: &usize| policies.get(*index).is_some_and(|policy| policy.unavailable().is_some());
    if found.iter().all(unavailable) {
        // Its rules are not known, and the report says that it evaluates nothing.
        return Ok(Scope { policies: found, rule: None });
    }
    let ids: Vec<&'static str> =
        found.iter().filter_map(|index| policies.get(*index)).flat_map(rules_of).collect();
    if let Some(rule) = ids.iter().find(|id| **id == rule) {
        return Ok(Scope { policies: found, rule: Some(rule) });
    }
    let advice = match text::nearest(rule, &ids) {
        Some(near) => format!("did you mean {near}?"),
        None if ids.is_empty() => {
            format!("its findings name no rules; {KEY}.{name} covers all findings of the policy")
        }
        None => format!("the rules are {}", ids.join(", ")),
    };
    Err(format!("the policy {name} has no rule {rule}; {advice}"))
}

/// Returns the ids of the rules that findings of a policy name.
fn rules_of(policy: &Policy) -> impl Iterator<Item = &'static str> {
    let entry = match &policy.evaluator {
        Evaluator::Module(module) => module.engine.entry(),
        Evaluator::Group(_) => None,
    };
    entry.into_iter().flat_map(|entry| entry.rules).map(|(id, _)| *id)
}

/// Reads a reason, and whether it still counts.
fn reason(value: &Value, today: Date) -> Result<String, String> {
    let text = value.as_str().unwrap_or_default().trim();
    // A reason with this word and without a date would count permanently, which its author may not
    // mean.
    let bare = |text: &str| text.trim_matches(['(', ')', ':', ',', '.']).to_owned();
    let is_until = |(_, word): &(usize, &str)| bare(word).eq_ignore_ascii_case(UNTIL);
    let words: Vec<&str> = text.split_whitespace().collect();
    let until = (0..).zip(words.iter().copied()).filter(is_until).last();
    let before = until.map_or(words.len(), |(index, _)| index);
    if before == 0 {
        let example = "\"planned, see #12\" or \"planned until 2030-01-31\"";
        return Err(format!("an exception has a reason; write it as the value, such as {example}"));
    }
    let Some((index, word)) = until else { return Ok(text.to_owned()) };
    // Text may follow a date in parentheses.
    let length = if word.starts_with('(') { 1 } else { usize::MAX };
    let behind: Vec<&str> = words.into_iter().skip(index).skip(1).take(length).collect();
    match Date::parse(&bare(&behind.join(" "))) {
        None => Err(format!(
            "the text behind the word {UNTIL} is not a date; write it as YYYY-MM-DD, or avoid the word in the reason"
        )),
        Some(date) if date < today => Err(format!(
            "the exception ended on {date} and does not count; remove it, or give it a later date"
        )),
        Some(_) => Ok(text.to_owned()),
    }
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "values of tests are written in place")]
mod tests {
    use serde_json::json;

    use super::*;

    fn policies() -> Vec<Policy> {
        let of = |id: &str, name: &str| {
            let mut policy = Policy::of_id(id, &Value::Null).unwrap();
            policy.reference.name = name.to_owned();
            policy
        };
        let broken = Policy::of_id("selinux", &json!({ "mode": "Mutated" })).unwrap();
        vec![of("pod-security", "pods"), of("external-ips", "ips.v1"), broken]
    }

    fn read(key: &str, value: &Value) -> Exceptions {
        let object = json!({ "metadata": { "annotations": { key: value } } });
        Exceptions::of(&object, &policies(), Date::parse("2026-11-22").unwrap())
    }

    /// Returns what an annotation covers, or why it does not count.
    fn shown(key: &str, value: Value) -> String {
        let Exceptions { valid, remarks } = read(key, &value);
        match (&valid[..], &remarks[..]) {
            ([], []) => "nothing".to_owned(),
            ([Exception { scope: Scope { policies, rule }, reason, .. }], []) => {
                let policies: Vec<String> = policies.iter().map(usize::to_string).collect();
                format!("{}/{}: {reason}", policies.join(","), rule.unwrap_or("*"))
            }
            ([], [remark]) => {
                assert_eq!(remark.level, Level::Warning);
                remark.message.split_once("]: ").unwrap().1.to_owned()
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_key_names_a_policy_and_a_rule() {
        let long = format!("portcullis.dev/except.{}", "a".repeat(57));
        for (key, want) in [
            ("portcullis.dev/except.pods", "0/*: why"),
            ("portcullis.dev/except.pods.hostPorts", "0/hostPorts: why"),
            ("portcullis.dev/except.pods.procMount_restricted", "0/procMount_restricted: why"),
            ("portcullis.dev/except.ips.v1", "1/*: why"),
            // The rules of a policy that is not available are not known.
            ("portcullis.dev/except.selinux.x", "2/*: why"),
            ("portcullis.dev/exceptional", "nothing"),
            ("portcullis.dev/tenant", "nothing"),
            ("except.pods", "nothing"),
            (
                "portcullis.dev/except",
                "an exception names a policy; write the key as portcullis.dev/except.POLICY",
            ),
            ("portcullis.dev/except.pod", "no policy of this scan has the name pod; did you mean pods?"),
            (
                "portcullis.dev/except.pod.hostPorts",
                "no policy of this scan has the name pod.hostPorts; did you mean pods?",
            ),
            (
                "portcullis.dev/except.pods.hostPort",
                "the policy pods has no rule hostPort; did you mean hostPorts?",
            ),
            (
                "portcullis.dev/except.ips.v1.x",
                "the policy ips.v1 has no rule x; the rules are ambiguous-notation, assigned-address, not-allowed, \
                 not-an-address, port-conflict, rejected-range, requested-address",
            ),
        ] {
            assert_eq!(shown(key, json!("why")), want, "{key}");
        }
        for key in [&long, "portcullis.dev/except.", "portcullis.dev/except.pods.Host Ports"] {
            assert!(shown(key, json!("why")).starts_with("Kubernetes does not allow this key: "), "{key}");
        }
        let listed = shown("portcullis.dev/except.pods.other", json!("why"));
        assert!(listed.contains("; the rules are ") && listed.contains("hostNamespaces, "), "{listed}");
    }

    #[test]
    fn the_value_is_a_reason_with_an_optional_date() {
        let of = |value: Value| shown("portcullis.dev/except.pods", value);
        for value in [
            "planned",
            "planned (until 2026-11-22).",
            "planned (until 2026-11-22), see #4",
            "valid \"until\" it ships",
            "a until b until:  2027-01-01",
            "untilled 2020-01-01",
        ] {
            assert_eq!(of(json!(format!(" {value}\n"))), format!("0/*: {value}"));
        }
        for value in [json!(""), json!(" "), json!("until 2027-01-01"), json!(true), json!(["x"])] {
            assert!(of(value.clone()).starts_with("an exception has a reason; "), "{value}");
        }
        for value in [
            "planned until",
            "planned until tomorrow",
            "planned until 2027-1-1",
            "planned until 2027-02-29",
            "planned until 2027-01-01 or so",
            "not used Until the migration",
        ] {
            assert!(of(json!(value)).contains("is not a date; write it as YYYY-MM-DD"), "{value}");
        }
        for value in ["planned until 2026-11-21", "planned (until 2026-11-21)", "planned until: 2026-11-21"] {
            assert_eq!(
                of(json!(value)),
                "the exception ended on 2026-11-21 and does not count; remove it, or give it a later date"
            );
        }
    }

    #[test]
    fn the_reason_of_a_rule_precedes_that_of_the_policy() {
        let object = json!({ "metadata": { "annotations": {
            "portcullis.dev/except.pods": "all",
            "portcullis.dev/except.pods.hostPorts": "ports",
        } } });
        let exceptions = Exceptions::of(&object, &policies(), Date::parse("2026-11-22").unwrap());
        let covering = |status, policy, rule| exceptions.covering(status, policy, rule);
        assert_eq!(covering(Status::Denied, 0, Some("hostPorts")).as_deref(), Some("ports"));
        assert_eq!(covering(Status::Monitored, 0, Some("sysctls")).as_deref(), Some("all"));
        assert_eq!(covering(Status::Warned, 0, None).as_deref(), Some("all"));
        assert_eq!(covering(Status::Unknown, 0, None), None);
        assert_eq!(covering(Status::Denied, 1, None), None);
    }

    #[test]
    fn an_exception_that_covers_nothing_is_noted_unless_it_may_be_needed() {
        let notes = |is_unknown: bool, covers: bool| {
            let exceptions = read("portcullis.dev/except.pods.hostPorts", &json!("why"));
            let rule = if covers { "hostPorts" } else { "sysctls" };
            assert_eq!(exceptions.covering(Status::Denied, 0, Some(rule)).is_some(), covers);
            exceptions.remarks(&|_| is_unknown).len()
        };
        assert_eq!((notes(false, false), notes(false, true), notes(true, false)), (1, 0, 0));
    }
}
