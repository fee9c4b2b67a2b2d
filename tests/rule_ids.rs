//! Rule ids, which identify findings in reports.

use std::collections::BTreeSet;

use admission::{Decision, PolicyEntry, RULES};
use suite::cases::Case;
use tests::evaluate::settings;
use tests::root;

/// A finding without a rule of its policy could not have an exception of its own, and a rule
/// without a case would have no example. The audit log names the rules of every denial.
#[test]
fn every_violation_of_a_case_has_a_rule_and_every_rule_a_case() {
    for entry in rules::CATALOG {
        let known: BTreeSet<&str> = entry.rules.iter().map(|(id, _)| *id).collect();
        let mut found = BTreeSet::new();
        for case in suite::cases::load_dir(&root().join("policies").join(entry.id).join("cases")).unwrap() {
            let (Ok(request), Ok(objects)) = (case.admission_request(), case.objects()) else { continue };
            let outcome = (entry.evaluate)(&request.payload(&settings(&case)), &*objects);
            let annotation = outcome.audit_annotations().iter().find(|(key, _)| *key == RULES);
            let annotated = annotation.map(|(_, names)| names.as_str());
            let Decision::Denied(findings) = &outcome.decision else {
                assert_eq!(annotated.map(sorted), would_deny(entry, &case), "{}", case.place());
                continue;
            };
            let mut names: Vec<String> = Vec::new();
            for finding in &findings.listed {
                let name = format!("{}/{}", entry.id, finding.id);
                if !names.contains(&name) {
                    names.push(name);
                }
                found.insert(finding.id);
            }
            assert_eq!(annotated, Some(names.join(",").as_str()), "{}", case.place());
        }
        assert_eq!(found, known, "{}", entry.id);
    }
}

/// Returns the names of the rules for which a policy in `mode: Warn` would deny what it admits.
fn would_deny(entry: &PolicyEntry, case: &Case) -> Option<Vec<String>> {
    let mut enforced = settings(case);
    let mode = enforced.as_object_mut()?.remove("mode")?;
    if mode != "Warn" {
        return None;
    }
    let payload = case.admission_request().unwrap().payload(&enforced);
    let outcome = (entry.evaluate)(&payload, &*case.objects().unwrap());
    let (_, names) = outcome.audit_annotations().iter().find(|(key, _)| *key == RULES)?;
    Some(sorted(names))
}

fn sorted(names: &str) -> Vec<String> {
    let mut names: Vec<String> = names.split(',').map(str::to_owned).collect();
    names.sort();
    names
}
