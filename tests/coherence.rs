//! Everything that is registered exists, everything that exists is registered, and duplicated facts
//! agree.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use admission::{Operation, PolicyEntry, ScopeRule, by_path};
use kubewarden::packaging::Metadata;
use rules::view;
use serde_json::{Value, json};
use tests::root;

use crate::files::{compare_or_write_part, names, read};

fn folder(entry: &PolicyEntry) -> PathBuf {
    root().join("policies").join(entry.id)
}

fn metadata(entry: &PolicyEntry) -> Metadata {
    Metadata::from_yaml(&read(&folder(entry).join("metadata.yml")))
        .unwrap_or_else(|error| panic!("{}: {error}", entry.id))
}

#[test]
fn policies_and_folders_correspond() {
    let ids: BTreeSet<String> = rules::CATALOG.iter().map(|entry| entry.id.to_owned()).collect();
    assert_eq!(names(&root().join("policies")), ids);
    for entry in rules::CATALOG {
        for name in
            ["Cargo.toml", "src/lib.rs", "metadata.yml", "questions-ui.yml", "README.md", "cases", "samples"]
        {
            assert!(folder(entry).join(name).exists(), "{}: {name} is missing", entry.id);
        }
        let module = read(&folder(entry).join("src/lib.rs"));
        assert!(module.lines().count() < 10 && module.contains("guest::export!("), "{}: logic", entry.id);
    }
}

#[test]
fn every_source_file_of_the_rules_is_a_module() {
    fn check(dir: &Path, parent: &Path) {
        let text = read(parent);
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_str().unwrap();
            if path == parent {
                continue;
            }
            assert!(text.contains(&format!("mod {stem};")), "{} is not declared as a module", path.display());
            if path.is_dir() {
                check(&path, &path.join("mod.rs"));
            }
        }
    }
    let src = root().join("shared/module/rules/src");
    check(&src, &src.join("lib.rs"));
}

#[test]
fn every_policy_has_a_case_for_each_kind_of_outcome() {
    for entry in rules::CATALOG {
        let cases = suite::cases::load_dir(&folder(entry).join("cases")).unwrap();
        let any = |has: fn(&suite::cases::CaseOutcome) -> bool| cases.iter().any(|case| has(&case.want));
        assert!(any(|want| want.admitted.is_some()), "{}: admitted", entry.id);
        assert!(any(|want| want.denied.is_some()), "{}: denied", entry.id);
        assert!(any(|want| want.fault.is_some()), "{}: fault", entry.id);
        assert!(any(|want| want.settings_error.is_some()), "{}: settingsError", entry.id);
        assert_eq!(any(|want| want.mutated.is_some()), entry.mutates, "{}: mutated", entry.id);
        assert_eq!(any(|want| !want.asked.is_empty()), !entry.reads.0.is_empty(), "{}: asked", entry.id);
    }
}

#[test]
fn metadata_agrees_with_the_code() {
    let name = |operation: &Operation| {
        Operation::ALL.iter().find(|(_, known)| known == operation).map(|(name, _)| *name).unwrap()
    };
    for entry in rules::CATALOG {
        let metadata = metadata(entry);
        let id = entry.id;
        assert_eq!(metadata.annotations["io.kubewarden.policy.title"], id);
        assert_eq!(metadata.mutating, entry.mutates, "{id}");

        let rules: Vec<Value> = entry
            .scope
            .0
            .iter()
            .filter(|rule| rule.registered)
            .map(|rule| {
                // The kind of this subresource has another group than the resource.
                let group = if rule.resource == "pods/eviction" { "" } else { rule.group };
                json!({
                    "apiGroups": [group],
                    "apiVersions": [ScopeRule::VERSION],
                    "resources": [rule.resource],
                    "operations": rule.operations.iter().map(name).collect::<Vec<_>>(),
                })
            })
            .collect();
        assert_eq!(serde_json::to_value(&metadata.rules).unwrap(), json!(rules), "{id}");

        let objects = entry.reads.0.iter().filter(|read| read.how.reads_objects());
        let resources: BTreeSet<(String, String)> =
            objects.map(|read| (read.api_version.into(), read.kind.into())).collect();
        let declared: BTreeSet<(String, String)> = metadata
            .context_aware_resources
            .iter()
            .map(|resource| (resource.api_version.clone(), resource.kind.clone()))
            .collect();
        assert_eq!(declared, resources, "{id}");

        let capabilities: BTreeSet<&str> = entry.reads.0.iter().map(|read| read.how.capability()).collect();
        let declared: BTreeSet<&str> = metadata.host_capabilities.iter().map(String::as_str).collect();
        assert_eq!(declared, capabilities, "{id}");
    }
}

#[test]
fn the_readme_describes_every_setting() {
    for entry in rules::CATALOG {
        let known = by_path(entry.settings);
        let paths: Vec<&str> = known.iter().map(|(path, _)| path.as_str()).collect();
        let explained: Vec<&str> = entry.docs.iter().map(|(path, _)| *path).collect();
        assert_eq!(explained, paths, "{}: DOCS have to list each setting once, in order", entry.id);

        let mut table = String::from("| setting | takes | |\n|---|---|---|\n");
        for ((path, kind), (_, doc)) in known.iter().zip(entry.docs) {
            writeln!(table, "| `{path}` | {} | {doc} |", kind.to_string().replace('|', "\\|")).unwrap();
        }
        compare_or_write_part(&folder(entry).join("README.md"), "settings", &table);
    }
}

/// Returns whether the type of a kind has a field.
fn kind_has_field(kind: &str, path: &str) -> bool {
    let mut known = kubernetes::fields::kinds().filter(|(_, fields)| fields.name == kind).peekable();
    assert!(known.peek().is_some(), "add {kind} to the table of known fields");
    known.any(|(_, fields)| fields.has(path))
}

#[test]
fn every_field_exists_in_the_kubernetes_types() {
    // A shape applies to all kinds of a policy, so a field has to exist in at least one of them.
    let reviewed = rules::CATALOG.iter().map(|entry| {
        let kinds: BTreeSet<&str> = entry.scope.0.iter().map(|rule| rule.kind).collect();
        (kinds, entry.object)
    });
    let looked_up = [
        ("Namespace", view::Namespace::ANNOTATED),
        ("Namespace", view::Namespace::DESCRIBED),
        ("Namespace", view::Namespace::LABELLED),
        ("Namespace", view::Namespace::OTHERS),
        ("Node", view::ClusterNode::IDENTIFIED),
        ("Pod", view::Pod::BOUND),
        ("Pod", view::Pod::FIELDS_FOR_SHARED_VOLUMES),
        ("Service", view::Service::OTHERS),
    ];
    let looked_up = looked_up.map(|(kind, shape)| (BTreeSet::from([kind]), shape));
    for (kinds, shape) in reviewed.chain(looked_up) {
        for mask in shape.masks() {
            // Keys of annotations are data.
            let path = mask.find("metadata.annotations.").map_or(mask.as_str(), |_| "metadata.annotations");
            assert!(kinds.iter().any(|kind| kind_has_field(kind, path)), "{kinds:?} have no {mask}");
        }
    }
}

#[test]
fn every_kind_has_its_pod_at_the_place_of_the_view() {
    for (id, shape) in
        [("pod-security", view::Pod::FIELDS_FOR_POD_SECURITY), ("selinux", view::Pod::FIELDS_FOR_SELINUX)]
    {
        let entry = rules::find(id).unwrap();
        for rule in
            entry.scope.0.iter().filter(|rule| !["Namespace", "PersistentVolume"].contains(&rule.kind))
        {
            let place = view::Pod::template(rule.kind).join(".");
            for mask in shape.masks() {
                let path = if place.is_empty() { mask } else { format!("{place}.{mask}") };
                assert!(kind_has_field(rule.kind, &path), "{} has no {path}", rule.kind);
                assert!(entry.object.masks().contains(&path), "{path} is not kept");
            }
        }
    }
}

#[test]
fn the_readme_of_external_ips_lists_every_annotation() {
    let readme = include_str!("../policies/external-ips/README.md");
    for key in view::address_annotation::KEYS {
        assert!(readme.contains(&format!("`{key}`")), "{key}");
    }
}

#[test]
fn the_documents_mention_every_policy() {
    for entry in rules::CATALOG {
        for document in ["README.md", "ARCHITECTURE.md", "CHANGELOG.md"] {
            assert!(
                read(&root().join(document)).contains(entry.id),
                "{document} does not mention {}",
                entry.id
            );
        }
    }
}

#[test]
fn the_performance_page_has_only_measured_figures() {
    let figures = |text: &str| -> BTreeSet<String> {
        let words = text.split(|char: char| !char.is_ascii_digit() && char != ',');
        words.map(|word| word.replace(',', "")).filter(|word| word.len() > 3).collect()
    };
    let page = read(&root().join("docs/performance.md"));
    // The sections from there on are measured by other commands, on the machine that they describe.
    let (of_the_benchmark, _) = page.split_once("\n## In a policy server\n").unwrap();
    let (shown, measured) =
        (figures(of_the_benchmark), figures(&read(&root().join("tests/bench/FIGURES.md"))));
    let stale: Vec<&String> = shown.difference(&measured).collect();
    assert!(
        stale.is_empty(),
        "tests/bench/FIGURES.md does not have these figures of docs/performance.md: {stale:?}"
    );
}

/// The bindings of the playground are written by a program that is not in the workspace.
#[test]
fn the_bindings_have_the_version_of_the_crate() {
    let version = |lock: &str, name: &str| {
        let text = read(&root().join(lock));
        let (_, rest) = text.split_once(&format!("name = \"{name}\"\nversion = \"")).unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    assert_eq!(
        version("shared/tools/playground/bindgen/Cargo.lock", "wasm-bindgen-cli-support"),
        version("Cargo.lock", "wasm-bindgen"),
    );
}
