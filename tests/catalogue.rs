//! The catalogue of rules: its examples are evaluated, and the pages in docs/rules made from it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use admission::{Decision, Findings, PolicyEntry};
use report::catalogue::{Rule, rules};
use serde_json::{Value, json};
use suite::cases::Case;
use tests::evaluate::settings;
use tests::root;

/// Evaluates an example; returns the findings of a denial.
fn evaluate(entry: &PolicyEntry, example: &str) -> Option<Findings> {
    let Value::Object(mut fields) = serde_saphyr::from_str(example).unwrap() else { panic!("{example}") };
    fields.insert("name".to_owned(), "an example".into());
    fields.insert("want".to_owned(), json!({}));
    let case: Case = serde_json::from_value(fields.into()).unwrap();
    let request = case.admission_request().unwrap();
    let outcome = (entry.evaluate)(&request.payload(&settings(&case)), &*case.objects().unwrap());
    match outcome.decision {
        Decision::Denied(findings) => Some(findings),
        Decision::Admitted | Decision::Mutated(_) => None,
        other => panic!("{other:?}: {example}"),
    }
}

#[test]
fn each_rule_refuses_its_example_and_admits_the_correction() {
    for entry in rules::CATALOG {
        let described = rules(entry.id);
        let ids: BTreeSet<&str> = described.keys().map(String::as_str).collect();
        assert_eq!(ids, entry.rules.iter().map(|(id, _)| *id).collect(), "{}", entry.id);
        let known: BTreeSet<&str> = entry.docs.iter().map(|(setting, _)| *setting).collect();
        for (id, rule) in described {
            let findings = evaluate(entry, &rule.example).unwrap_or_default();
            let found: BTreeSet<&str> = findings.listed.iter().map(|finding| finding.id).collect();
            assert_eq!(found, BTreeSet::from([id.as_str()]), "{}/{id}", entry.id);
            let corrected = evaluate(entry, &rule.corrected());
            assert_eq!(corrected.map(|findings| findings.lines()), None, "{}/{id}", entry.id);
            let unknown = rule.settings.iter().find(|setting| !known.contains(setting.as_str()));
            assert_eq!(unknown, None, "{}/{id}", entry.id);
        }
    }
}

#[test]
fn the_pages_are_those_of_the_catalogue() {
    for entry in rules::CATALOG {
        let path = root().join("docs/rules").join(format!("{}.md", entry.id));
        let text = page(entry);
        if tests::blesses() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
        } else {
            let is_current = fs::read_to_string(&path).is_ok_and(|page| page == text);
            assert!(is_current, "{} is out of date; run ./justw bless", path.display());
        }
    }
}

fn page(entry: &PolicyEntry) -> String {
    let id = entry.id;
    let mut page = format!(
        "# Rules of `{id}`\n\n\
         [`{id}`](../../policies/{id}/README.md) refuses requests by these rules.\n\
         `portcullis explain {id}` lists them, and `portcullis explain {id}/RULE` shows one.\n\n\
         <!-- rules: written by `./justw bless` from policies/{id}/rules.yaml -->\n"
    );
    for (rule_id, rule) in rules(id) {
        section(entry, rule_id, rule, &mut page);
    }
    page.push_str("\n<!-- end of rules -->\n");
    page
}

fn section(entry: &PolicyEntry, id: &str, rule: &Rule, page: &mut String) {
    let Rule { reason, remedy, settings, elsewhere, example, .. } = rule;
    let lines = evaluate(entry, example).unwrap_or_default().lines().join("\n");
    let change = rule.change().join("\n");
    let name = entry.name_of(id).unwrap();
    write!(
        page,
        "\n## {id}\n\n**{name}.** {reason}\n\n```yaml\n{example}```\n\n```text\n{lines}\n```\n\n\
         **Instead:** {remedy}\n\n```diff\n{change}\n```\n"
    )
    .unwrap();
    let mut facts = Vec::new();
    if !settings.is_empty() {
        let settings: Vec<String> = settings.iter().map(|setting| format!("`{setting}`")).collect();
        facts.push(format!("Settings: {}", settings.join(", ")));
    }
    facts.extend(elsewhere.iter().map(|(system, name)| format!("{system}: {name}")));
    if !facts.is_empty() {
        writeln!(page, "\n{}", facts.iter().map(|fact| format!("* {fact}")).collect::<Vec<_>>().join("\n"))
            .unwrap();
    }
}
