//! Rule ids, which identify findings in reports.

use std::collections::BTreeSet;

use admission::{Decision, RULES};
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
                // A policy in `mode: Warn` admits what it would deny.
                assert!(annotated.is_none() || !outcome.warnings().is_empty(), "{}", case.place());
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
