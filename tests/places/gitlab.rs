//! The job for GitLab: the script of `artifacthub/gitlab/portcullis.yml`, run with inputs as GitLab
//! fills them in, and an archive of the built tool instead of a release.

use std::fs;

use serde_json::Value;

use crate::files::read;
use crate::folder::{CASES, CLEAN, Done, EXPOSED, Folder, SUMS};

/// The header and the job, with inputs.
struct Template {
    header: Value,
    text: String,
}

impl Template {
    fn read() -> Self {
        let text = read(&tests::root().join("artifacthub/gitlab/portcullis.yml"));
        let (header, text) = text.split_once("\n---\n").unwrap();
        Self { header: serde_saphyr::from_str(header).unwrap(), text: text.to_owned() }
    }

    fn inputs(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.header["spec"]["inputs"].as_object().unwrap().iter()
    }

    /// The name of the job and the job. GitLab fills inputs in before it parses the YAML (its merge
    /// request 142009).
    fn job(&self, given: &[(&str, &str)]) -> (String, Value) {
        let mut text = self.text.clone();
        for (name, input) in self.inputs() {
            let given = given.iter().find(|(other, _)| other == name).map(|(_, value)| *value);
            let input = given.unwrap_or_else(|| input["default"].as_str().unwrap());
            text = text.replace(&format!("$[[ inputs.{name} ]]"), input);
        }
        assert!(!text.contains("$[["), "{text}");
        let mut file: Value = serde_saphyr::from_str(&text).unwrap();
        let (name, job) = file.as_object_mut().unwrap().iter_mut().next().unwrap();
        (name.clone(), job.take())
    }
}

/// A project with a release to download.
fn project(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("manifests/web.yaml", EXPOSED);
    folder.file("clean/api.yaml", CLEAN);
    folder.git(".", &["init", "--quiet"]);
    folder.release();
    folder
}

/// Runs the job as a runner does: all commands in one shell, which ends at the first error.
fn run(folder: &Folder, given: &[(&str, &str)]) -> Done {
    let downloads = format!("file://{}", folder.0.join("downloads").display());
    let mut inputs = vec![("downloads", downloads.as_str())];
    inputs.extend(given);
    let (_, job) = Template::read().job(&inputs);
    let variables = job["variables"].as_object().unwrap();
    let variables = variables.iter().map(|(name, value)| (name, value.as_str().unwrap()));
    let commands = ["before_script", "script"].iter().flat_map(|key| job[key].as_array().unwrap());
    let script: Vec<&str> = commands.map(|command| command.as_str().unwrap()).collect();
    Done::of(folder.command("sh", &["-ec", &script.join("\n")]).envs(variables))
}

#[test]
fn scans_and_leaves_the_reports_of_the_artifacts() {
    let folder = project("gitlab-scan");
    let done = run(&folder, &[("paths", "manifests"), ("policies", "external-ips")]);
    assert_eq!(done.status, 1, "{done:?}");
    assert!(done.stdout.contains("DENIED    external-ips/not-allowed, manifests/web.yaml:7:7\n"), "{done:?}");
    let (_, job) = Template::read().job(&[]);
    let reports = job["artifacts"]["reports"].as_object().unwrap();
    let quality: Value =
        serde_json::from_str(&folder.read(reports["codequality"].as_str().unwrap())).unwrap();
    assert_eq!(quality[0]["location"]["path"], "manifests/web.yaml");
    assert_eq!(quality[0]["location"]["lines"]["begin"], 7);
    assert!(folder.read(reports["junit"].as_str().unwrap()).contains("<testsuites"));
    let listed = job["artifacts"]["paths"].as_array().unwrap();
    assert!(reports.values().all(|report| listed.contains(report)), "to browse them");
}

#[test]
fn runs_the_cases_of_policies() {
    let folder = project("gitlab-test");
    folder.file("cases/good.yaml", CASES.replace("WANT", "{admitted: true}"));
    folder.file("cases/bad.yaml", CASES.replace("WANT", "{denied: [spec]}"));
    for (path, status) in [("cases/good.yaml", 0), ("cases/bad.yaml", 1)] {
        let given = [("command", "test"), ("paths", path), ("policies", "external-ips")];
        let done = run(&folder, &given);
        assert_eq!(done.status, status, "{done:?}");
        let junit = folder.read("portcullis-junit.xml");
        assert!(junit.contains("a Service without addresses"), "{junit}");
    }
}

#[test]
fn words_are_arguments_and_never_commands_or_patterns() {
    let folder = project("gitlab-words");
    folder.file("[a]/$(touch pwned).yaml", CLEAN);
    folder.file("a/gone.yaml", EXPOSED);
    let given = [("paths", "[a] clean"), ("policies", "external-ips selinux"), ("args", "--namespace edge")];
    let done = run(&folder, &given);
    assert_eq!((done.status, done.stderr.as_str()), (0, ""), "{done:?}");
    assert!(!folder.0.join("pwned").exists());
    for policies in ["", " "] {
        let none = run(&folder, &[("paths", "clean"), ("policies", policies), ("old", "git:")]);
        assert!(none.status == 2 && none.stderr.contains("policies: name at least one"), "{none:?}");
    }
    // The variable of `old` is empty outside of merge requests.
    let done = run(&folder, &[("policies", "external-ips"), ("paths", "clean"), ("old", "git:")]);
    assert_eq!(done.status, 0, "{done:?}");
}

#[test]
fn refuses_an_archive_with_another_checksum() {
    let folder = project("gitlab-checksum");
    let given = [("paths", "clean"), ("policies", "external-ips")];
    let pinned = |sum: &str| run(&folder, &[&given[..], &[("sha256", sum)]].concat());
    let refused = pinned(&"0".repeat(64));
    assert!(refused.status != 0 && refused.stdout.contains("FAILED"), "{refused:?}");
    let sums = folder.read(SUMS);
    let arch = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };
    let line = sums.lines().find(|line| line.ends_with(&format!("-linux-{arch}.tar.gz"))).unwrap();
    fs::remove_file(folder.0.join(SUMS)).unwrap();
    assert_eq!(pinned(&line[..64]).status, 0);
    assert_ne!(run(&folder, &given).status, 0, "neither a checksum nor SHA256SUMS");
    folder.file(SUMS, "");
    assert_ne!(run(&folder, &given).status, 0, "SHA256SUMS does not list the archive");
}

/// The keys by GitLab's schema: `app/assets/javascripts/editor/schema/ci.json`.
#[test]
fn the_template_has_only_keys_that_gitlab_knows() {
    let template = Template::read();
    assert!(template.header["spec"].as_object().unwrap().keys().eq(["inputs"]));
    for (name, input) in template.inputs() {
        for key in input.as_object().unwrap().keys() {
            assert!(["default", "description", "options"].contains(&key.as_str()), "{name}: {key}");
        }
        let text = &template.text;
        let uses = text.matches(&format!("'$[[ inputs.{name} ]]'")).count();
        assert_eq!(uses, 1, "{name} is used once, in quotes");
    }
    let (name, job) = template.job(&[("job", "manifests")]);
    assert_eq!(name, "manifests");
    let keys = ["stage", "image", "variables", "before_script", "script", "artifacts"];
    assert!(job.as_object().unwrap().keys().all(|key| keys.contains(&key.as_str())), "{job}");
    let artifacts = job["artifacts"].as_object().unwrap();
    let keys = ["when", "expire_in", "paths", "reports"];
    assert!(artifacts.keys().all(|key| keys.contains(&key.as_str())), "{job}");
    assert!(["on_success", "on_failure", "always"].map(Value::from).contains(&artifacts["when"]));
    let reports = artifacts["reports"].as_object().unwrap();
    assert!(reports.keys().all(|key| ["codequality", "junit"].contains(&key.as_str())), "{job}");
    let version = &template.header["spec"]["inputs"]["version"]["default"];
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
}
