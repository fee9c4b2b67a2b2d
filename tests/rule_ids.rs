//! Rule ids, which identify findings in reports.

use std::collections::BTreeSet;

use admission::Decision;
use tests::evaluate::settings;
use tests::root;

/// A finding without a rule of its policy could not have an exception of its own, and a rule
/// without a case would have no example.
#[test]
fn every_violation_of_a_case_has_a_rule_and_every_rule_a_case() {
    for entry in rules::CATALOG {
        let known: BTreeSet<&str> = entry.rules.iter().map(|(id, _)| *id).collect();
        let mut found = BTreeSet::new();
        for case in suite::cases::load_dir(&root().join("policies").join(entry.id).join("cases")).unwrap() {
            let (Ok(request), Ok(objects)) = (case.admission_request(), case.objects()) else { continue };
            let outcome = (entry.evaluate)(&request.payload(&settings(&case)), &*objects);
            if let Decision::Denied(findings) = outcome.decision {
                found.extend(findings.listed.iter().map(|finding| finding.id));
            }
        }
        assert_eq!(found, known, "{}", entry.id);
    }
}
