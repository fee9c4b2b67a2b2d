//! The samples of every policy get the verdicts in their README.

use std::collections::BTreeSet;

use admission::Decision;
use kubernetes::objects::Objects;
use serde_json::json;
use wapc_host::AdmissionRequest;

use crate::files::{names, parse_one, read};

/// `README.md` lists every sample with its verdict.
#[test]
fn every_sample_gets_the_verdict_in_the_readme() {
    for entry in rules::CATALOG {
        let dir = tests::root().join("policies").join(entry.id).join("samples");
        let readme = read(&dir.join("README.md"));
        let files = names(&dir);
        let mut listed = BTreeSet::new();
        for row in readme.lines().filter(|line| line.starts_with("| `")) {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let name = cells[1].trim_matches('`');
            let file = |suffix: &str| {
                let name = format!("{name}.{suffix}");
                files.contains(&name).then(|| parse_one(&dir.join(name)))
            };
            let review = file("request.json").unwrap_or_else(|| panic!("{name} does not exist"));
            let settings = file("settings.yaml").unwrap_or_else(|| json!({}));
            let cluster = Objects::from_values(file("cluster.yaml").into_iter().collect()).unwrap();
            (entry.check_settings)(settings.to_string().as_bytes()).unwrap();
            let payload = AdmissionRequest::from_value(review).unwrap().payload(&settings);
            let outcome = (entry.evaluate)(&payload, &cluster);
            let verdict = match outcome.decision {
                Decision::Mutated(_) => "admitted, mutated",
                Decision::NotMatched | Decision::Admitted => "admitted",
                Decision::Denied(_) => "denied",
                Decision::Fault(_) => "a fault",
            };
            assert!(cells[3].starts_with(verdict), "{}, {name}: {outcome:?}", entry.id);
            listed.insert(name.to_owned());
        }
        let samples = files.iter().filter_map(|name| Some(name.strip_suffix(".request.json")?.to_owned()));
        assert_eq!(samples.collect::<BTreeSet<_>>(), listed, "{}", entry.id);
    }
}
