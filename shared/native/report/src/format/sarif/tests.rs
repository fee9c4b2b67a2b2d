use super::*;
use crate::format::tests::written;
use crate::{Format, sample};

fn sarif(report: &Report) -> Value {
    serde_json::from_str(&written(report, Format::Sarif)).unwrap()
}

#[test]
fn results_are_there_even_if_empty() {
    let log = sarif(&sample::clean());
    assert_eq!(log["runs"][0]["results"], json!([]));
    assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn each_result_has_its_rule_a_location_and_a_unique_fingerprint() {
    let mut report = sample::report();
    let of_module = report.findings.iter().find(|finding| finding.rule == crate::DENIED).unwrap().clone();
    for reason in ["a", "z"] {
        report.findings.push(Finding { reason: reason.to_owned(), ..of_module.clone() });
    }
    let log = sarif(&report);
    let run = &log["runs"][0];
    let mut fingerprints = BTreeSet::new();
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
        let location = &result["locations"][0]["physicalLocation"];
        assert!(location["artifactLocation"]["uri"].as_str().is_some_and(|uri| !uri.is_empty()));
        assert!(fingerprints.insert(result["partialFingerprints"]["primaryLocationLineHash"].to_string()));
    }
    assert_eq!(fingerprints.len(), 11);
}

#[test]
fn the_region_of_an_object_is_its_first_character() {
    let region = |place| serde_json::to_value(region(&place)).unwrap();
    assert_eq!(
        region(sample::place("a", (3, 1), (30, 1), false)),
        json!({ "startLine": 3, "startColumn": 1, "endLine": 3, "endColumn": 2 })
    );
    assert_eq!(
        region(sample::place("a", (3, 1), (30, 4), true)),
        json!({ "startLine": 3, "startColumn": 1, "endLine": 30, "endColumn": 4 })
    );
}

#[test]
fn results_beyond_the_limit_are_counted_and_the_worst_stay() {
    let mut report = sample::clean();
    let warning = Finding { status: Status::Warned, ..sample::finding() };
    report.findings = vec![warning; RESULTS];
    report.findings.push(sample::finding());
    let log = sarif(&report);
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), RESULTS);
    assert_eq!(results[0]["level"], "error");
    assert_eq!(
        log["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"],
        "1 result is left out: a file has at most 25000, the worst first."
    );
}
