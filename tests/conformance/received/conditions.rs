//! Conditions and selectors over the fields of requests, as webhooks receive them and as here.

use kubernetes::kinds::Kinds;
use kubewarden::matching::{Decision, Webhook};
use serde_json::{Value, json};
use tests::random::Random;

use super::Received;

/// The conditions and selectors for each request.
const QUESTIONS: u64 = 40;

/// A question, and whether its answer depends on values that servers make up.
struct Question {
    webhook: Value,
    is_known: bool,
}

/// Returns how the answers to generated questions differ. An answer is unknown here only where it
/// depends on a value that servers make up.
pub(super) fn difference(
    random: &mut Random,
    theirs: (&Value, &Received),
    ours: (&Value, &Received),
    is_known: impl Fn(&String) -> bool,
) -> Option<String> {
    let pointers: Vec<&String> = theirs.1.keys().chain(ours.1.keys()).collect();
    let pointers: Vec<&String> =
        pointers.into_iter().filter(|pointer| pointer.starts_with("/object/")).collect();
    (0..QUESTIONS).find_map(|_| {
        let pointer = *random.pick(&pointers);
        let value = theirs.1.get(pointer).or_else(|| ours.1.get(pointer))?;
        let question = question(random, pointer, value, is_known(pointer))?;
        let webhook = Webhook::from_spec(&question.webhook).ok()?;
        let [their, our] =
            [webhook.decide(theirs.0, None), webhook.decide_unstored(&Kinds::default(), ours.0, None)];
        let is_same = match (&their, &our) {
            (_, Decision::Unknown(_)) => !question.is_known,
            (Decision::ConditionFailed(_), Decision::ConditionFailed(_)) => true,
            (their, our) => their == our,
        };
        (!is_same).then(|| format!("{}: {their:?}, here {our:?}", question.webhook))
    })
}

fn question(random: &mut Random, pointer: &str, value: &Value, is_known: bool) -> Option<Question> {
    let (parent, name) = pointer.rsplit_once('/')?;
    let name = name.replace("~1", "/").replace("~0", "~");
    let operators = ["Exists", "DoesNotExist", "In", "NotIn"];
    if parent.ends_with("/metadata/labels") && parent.matches('/').count() == 3 && random.below(2) == 0 {
        let operator = *random.pick(&operators);
        let compares = operator.ends_with("In");
        let values = if compares { json!([value]) } else { json!([]) };
        let selector =
            json!({ "matchExpressions": [{ "key": name, "operator": operator, "values": values }] });
        return Some(Question {
            webhook: webhook("objectSelector", &selector),
            is_known: is_known || !compares,
        });
    }
    let is_identifier = |name: &str| name.chars().all(|one| one.is_ascii_alphabetic());
    let path: String = pointer
        .split('/')
        .skip(1)
        .map(|step| {
            let step = step.replace("~1", "/").replace("~0", "~");
            match step.parse::<usize>() {
                Ok(at) => format!("[{at}]"),
                Err(_) if is_identifier(&step) => format!(".{step}"),
                Err(_) => format!("[{}]", json!(step)),
            }
        })
        .collect();
    let path = path.trim_start_matches('.');
    let (expression, compares) = match random.below(3) {
        0 if is_identifier(&name) => (format!("has({path})"), false),
        1 if is_identifier(&name) => (format!("!has({path})"), false),
        2 if value.as_str().is_some_and(|text| text.len() > 2) => {
            let text = value.as_str()?;
            let begin: String = text.chars().take(text.chars().count() / 2).collect();
            (format!("{path}.startsWith({})", json!(begin)), true)
        }
        _ if value.is_object() || value.is_array() => (format!("{path}.size() == 0"), true),
        _ => (format!("{path} == {value}"), true),
    };
    let conditions = json!([{ "name": "generated", "expression": expression }]);
    Some(Question { webhook: webhook("matchConditions", &conditions), is_known: is_known || !compares })
}

fn webhook(field: &str, value: &Value) -> Value {
    json!({
        "rules": [{ "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], "operations": ["*"] }],
        field: value,
    })
}
