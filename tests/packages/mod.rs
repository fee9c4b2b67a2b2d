//! The forms in Rancher, the packages in `artifacthub` and the charts in
//! `artifacthub/charts/policies` follow from the policies.

use std::collections::BTreeSet;
use std::path::PathBuf;

use kubewarden::packaging::artifact_hub_package;
use serde_json::json;
use tests::root;

use crate::deploy::metadata;
use crate::files::{compare_or_write, names, parse_one, read};
use forms::FORMS;

mod charts;
mod forms;

fn policy(id: &str, file: &str) -> (PathBuf, String) {
    let path = root().join("policies").join(id).join(file);
    let text = read(&path);
    (path, text)
}

/// Returns the releases in the changelog, newest first: the version, and the date if it is
/// released.
fn releases() -> Vec<(String, Option<String>)> {
    let changelog = read(&root().join("CHANGELOG.md"));
    let headings = changelog.lines().filter_map(|line| line.strip_prefix("## ["));
    headings
        .map(|heading| {
            let (version, day) = heading.split_once("] - ").unwrap();
            (version.to_owned(), (day != "Unreleased").then(|| day.to_owned()))
        })
        .collect()
}

/// Returns the time of a release, to the day. An unreleased version has the first second of Unix
/// time, which cannot be mistaken for a release date. Its packages can be tested, and are rewritten
/// once the changelog has the date.
fn created_at(day: Option<&str>) -> String {
    format!("{}T00:00:00Z", day.unwrap_or("1970-01-01"))
}

#[test]
fn the_newest_release_is_the_version_of_everything() {
    let (version, _) = &releases()[0];
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    for entry in rules::CATALOG {
        let metadata = metadata(entry.id);
        assert_eq!(&metadata.annotations["io.kubewarden.policy.version"], version, "{}", entry.id);
        let tag = format!("{}/v{version}", entry.id);
        assert_eq!(metadata.annotations["com.github.release.tag"], tag, "{}", entry.id);
    }
}

#[test]
fn the_packages_match_the_policies() {
    let releases = releases();
    let (newest, day) = &releases[0];
    let packages = root().join("artifacthub/policies");
    let repository = parse_one(&root().join("artifacthub/artifacthub-repo.yml"));
    for entry in rules::CATALOG {
        let metadata = metadata(entry.id);
        let questions = FORMS[entry.id].to_yaml().unwrap();
        let package = artifact_hub_package(&metadata, &questions, &created_at(day.as_deref())).unwrap();
        let folder = packages.join(entry.id);
        compare_or_write(&folder.join(newest).join("artifacthub-pkg.yml"), &package);
        // A catalogue shows only the README, so links to other files lead to the repository at the
        // release.
        let (source, tag) = (
            &metadata.annotations["io.kubewarden.policy.source"],
            &metadata.annotations["com.github.release.tag"],
        );
        let readme = policy(entry.id, "README.md").1.replace("](../../", &format!("]({source}/blob/{tag}/"));
        assert!(!readme.contains("](../"), "{}: a relative link in the README would be broken", entry.id);
        compare_or_write(&folder.join(newest).join("README.md"), &readme);

        // Older packages stay unchanged.
        for version in names(&folder) {
            let release = releases.iter().find(|(known, _)| *known == version);
            let (_, day) = release.unwrap_or_else(|| panic!("{}: there is no release {version}", entry.id));
            let package = parse_one(&folder.join(&version).join("artifacthub-pkg.yml"));
            assert_eq!(package["maintainers"], repository["owners"], "{}", entry.id);
            assert_eq!(package["version"], json!(version), "{}", entry.id);
            assert_eq!(package["createdAt"], json!(created_at(day.as_deref())), "{} {version}", entry.id);
            assert!(folder.join(&version).join("README.md").exists(), "{} {version}", entry.id);
            assert!(day.is_some() || &version == newest, "{} {version} was never released", entry.id);
        }
    }
    let ids: BTreeSet<String> = rules::CATALOG.iter().map(|entry| entry.id.to_owned()).collect();
    assert_eq!(names(&packages), ids);
}
