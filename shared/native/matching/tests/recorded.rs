//! Decisions equal the answers of real API servers, which `tests/cluster/matching` records.

use std::collections::BTreeMap;

use kinds::Kinds;
use matching::{Decision, Reason, Webhook};
use serde_json::Value;

/// The answers of a server, with the requests whose object it converts for a webhook.
struct Recorded {
    answers: &'static str,
    conversions: &'static [&'static str],
}

const RECORDED: [Recorded; 2] = [
    Recorded {
        answers: include_str!("recorded/1.20.json"),
        conversions: &[
            "create an older ingress: ingresses",
            "create a newer autoscaler: autoscalers",
            "create a newer autoscaler: scale-by-its-kind",
            "create a newer event: core-events",
            "create a newer event: core-group",
        ],
    },
    Recorded {
        answers: include_str!("recorded/1.36.json"),
        conversions: &[
            "create a current autoscaler: autoscalers",
            "create a current autoscaler: scale-by-its-kind",
            "create a newer event: core-events",
            "create a newer event: core-group",
        ],
    },
];

#[test]
fn decisions_equal_the_answers_of_api_servers() {
    for of in &RECORDED {
        let recorded: Value = serde_json::from_str(of.answers).unwrap();
        let server = recorded["server"].as_str().unwrap();
        let mut kinds = Kinds::default();
        for definition in recorded["definitions"].as_array().unwrap() {
            assert_eq!(kinds.add_definition(definition), Ok(true));
        }
        let webhooks: BTreeMap<&str, Webhook> = recorded["webhooks"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, spec)| (name.as_str(), Webhook::from_spec(spec).unwrap()))
            .collect();
        let mut seen: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
        let mut conversions = Vec::new();
        let requests = recorded["requests"].as_array().unwrap();
        for asked in requests {
            let called: Vec<&str> =
                asked["called"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let namespace = Some(&asked["namespace"]).filter(|namespace| namespace.is_object());
            for (name, webhook) in &webhooks {
                let decision = webhook.decide_with(&kinds, &asked["request"], namespace);
                let is_called = match &decision {
                    // The API server converts the object.
                    Decision::Unknown(Reason::Conversion { .. }) => {
                        conversions.push(format!("{}: {name}", asked["what"].as_str().unwrap()));
                        true
                    }
                    Decision::Unknown(reason) => panic!("{server}: {}: {name}: {reason}", asked["what"]),
                    decision => decision.is_called(),
                };
                assert_eq!(
                    is_called,
                    called.contains(name),
                    "{server}: {}: {name}: {decision:?}",
                    asked["what"]
                );
                seen.entry(name).or_default()[usize::from(is_called)] += 1;
            }
        }
        assert_eq!(conversions, of.conversions, "{server}");
        // Each webhook is called and left out, but for the one whose version is not served.
        for (name, [left_out, called]) in seen {
            assert!(left_out > 0, "{server}: {name}");
            assert_eq!(called > 0, name != "widgets-v0", "{server}: {name}");
        }
        assert!(requests.len() > 40, "{server}: {}", requests.len());
    }
}
