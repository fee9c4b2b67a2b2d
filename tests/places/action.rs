//! The action for GitHub: the steps of `.github/action/action.yml`, run as a runner runs them, with
//! an archive of the built tool instead of a release.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::files::{parse_one, read};
use crate::folder::{CASES, CLEAN, Done, EXPOSED, Folder, SUMS};

/// The result of a job and everything that it wrote.
struct Job {
    failed: bool,
    log: String,
    outputs: BTreeMap<String, String>,
    summary: String,
}

/// A runner with a release to download.
struct Runner {
    folder: Folder,
    action: Value,
}

impl Runner {
    fn new(test: &str) -> Self {
        let folder = Folder::new(test);
        let runner = Self { folder, action: parse_one(&tests::root().join(".github/action/action.yml")) };
        runner.folder.file("work/web.yaml", EXPOSED);
        runner.folder.file("work/api.yaml", CLEAN);
        runner.folder.git("work", &["init", "--quiet"]);
        runner.folder.release();
        runner.folder.program("bin/gh", "#!/bin/sh\necho \"$@\" >\"${0%/*}/gh.log\"\n");
        runner
    }

    /// Runs the steps in order until one fails.
    fn run(&self, inputs: &[(&str, &str)]) -> Job {
        let mut job =
            Job { failed: false, log: String::new(), outputs: BTreeMap::new(), summary: String::new() };
        for file in ["path", "summary"] {
            self.folder.file(file, "");
        }
        fs::create_dir_all(self.folder.0.join("temp")).unwrap();
        for step in self.action["runs"]["steps"].as_array().unwrap() {
            let Some(script) = step["run"].as_str() else { continue };
            let done = self.step(script, &step["env"], inputs, &job.outputs);
            job.log.push_str(&done.stdout);
            job.log.push_str(&done.stderr);
            if step["id"] == "run" {
                let lines = self.folder.read("output");
                let pairs = lines.lines().map(|line| line.split_once('=').unwrap());
                job.outputs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
                job.summary = self.folder.read("summary");
            }
            if done.status != 0 {
                job.failed = true;
                break;
            }
        }
        job
    }

    /// Runs a step with the variables of a runner.
    fn step(
        &self,
        script: &str,
        env: &Value,
        inputs: &[(&str, &str)],
        outputs: &BTreeMap<String, String>,
    ) -> Done {
        self.folder.file("output", "");
        let here = |name: &str| self.folder.0.join(name).into_os_string();
        // The last directory comes first.
        let mut path = self.folder.path();
        for directory in self.folder.read("path").lines() {
            let before = std::mem::replace(&mut path, OsString::from(directory));
            path.push(":");
            path.push(before);
        }
        let mut variables = vec![
            ("PATH", path),
            ("GITHUB_ACTION_PATH", tests::root().join(".github/action").into_os_string()),
            ("GITHUB_OUTPUT", here("output")),
            ("GITHUB_PATH", here("path")),
            ("GITHUB_STEP_SUMMARY", here("summary")),
            ("RUNNER_TEMP", here("temp")),
            ("RUNNER_OS", "Linux".into()),
            ("RUNNER_ARCH", "X64".into()),
        ];
        for (name, value) in env.as_object().unwrap() {
            variables.push((name, self.evaluate(value.as_str().unwrap(), inputs, outputs).into()));
        }
        // The options of `shell: bash`, by GitHub's workflow syntax.
        let script = format!("cd work && {script}");
        let arguments = ["--noprofile", "--norc", "-eo", "pipefail", "-c", &*script];
        Done::of(self.folder.command("bash", &arguments).envs(variables))
    }

    /// The value of an expression that names one input or output.
    fn evaluate(&self, value: &str, inputs: &[(&str, &str)], outputs: &BTreeMap<String, String>) -> String {
        let name = value.strip_prefix("${{ ").unwrap().strip_suffix(" }}").unwrap();
        if let Some(output) = name.strip_prefix("steps.run.outputs.") {
            return outputs.get(output).cloned().unwrap_or_default();
        }
        let name = name.strip_prefix("inputs.").unwrap();
        match (inputs.iter().find(|(input, _)| *input == name), name) {
            (Some((_, value)), _) => (*value).to_owned(),
            (None, "downloads") => format!("file://{}", self.folder.0.join("downloads").display()),
            (None, "token") => "token".to_owned(),
            (None, _) => {
                let default = &self.action["inputs"][name]["default"];
                default.as_str().unwrap_or_else(|| panic!("{name} has no default")).to_owned()
            }
        }
    }
}

#[test]
fn a_denied_manifest_fails_the_job_after_its_reports() {
    let runner = Runner::new("action-denied");
    let job = runner.run(&[
        ("policies", "external-ips\n"),
        ("outputs", "junit=scan.xml\njson=scan.json\n"),
        ("upload-sarif", "true"),
    ]);
    assert!(job.failed, "{}", job.log);
    assert_eq!(job.outputs["status"], "1", "{}", job.log);
    assert!(job.log.contains("::error file=web.yaml,line=7,"), "{}", job.log);
    assert!(job.log.contains("    DENIED    external-ips/not-allowed, web.yaml:7:7\n"), "{}", job.log);
    assert!(job.summary.contains("external-ips"), "{}", job.summary);
    assert!(runner.folder.read("work/scan.xml").contains("<testsuites"));
    assert!(runner.folder.read("work/scan.json").starts_with('{'));
    let sarif: Value = serde_json::from_str(&read(Path::new(&job.outputs["sarif"]))).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let asked = runner.folder.read("bin/gh.log");
    let reference = format!("--source-ref refs/tags/v{}", env!("CARGO_PKG_VERSION"));
    for part in
        ["attestation verify portcullis-linux-amd64.tar.gz ", "--repo portcullis/portcullis ", &reference]
    {
        assert!(asked.contains(part), "{asked}");
    }
    let workflow = asked.split("--signer-workflow portcullis/portcullis/").nth(1).unwrap();
    let workflow = workflow.split(' ').next().unwrap();
    assert!(tests::root().join(workflow).is_file(), "{workflow}");
}

#[test]
fn a_clean_directory_passes_without_a_file_for_code_scanning() {
    let runner = Runner::new("action-clean");
    let job = runner.run(&[("policies", "external-ips"), ("paths", "api.yaml"), ("annotations", "false")]);
    assert!(!job.failed && job.log.contains("CLEAN"), "{}", job.log);
    assert_eq!(job.outputs.into_iter().collect::<Vec<_>>(), [("status".to_owned(), "0".to_owned())]);
    // The log of a second step has nothing of the first one.
    let first = runner.run(&[("policies", "external-ips"), ("paths", "api.yaml")]);
    let second = runner.run(&[("policies", "external-ip"), ("paths", "api.yaml")]);
    assert!(first.log.contains("CLEAN") && !second.log.contains("CLEAN"), "{}", second.log);
}

#[test]
fn runs_the_cases_of_policies() {
    let runner = Runner::new("action-test");
    runner.folder.file("work/good.yaml", CASES.replace("WANT", "{admitted: true}"));
    runner.folder.file("work/bad.yaml", CASES.replace("WANT", "{denied: [spec]}"));
    for (path, status) in [("good.yaml", "0"), ("bad.yaml", "1")] {
        let inputs =
            [("command", "test"), ("paths", path), ("policies", "external-ips"), ("outputs", "junit=t.xml")];
        let job = runner.run(&inputs);
        assert_eq!((job.failed, job.outputs["status"].as_str()), (status == "1", status), "{}", job.log);
        assert!(runner.folder.read("work/t.xml").contains("a Service without addresses"));
        assert_eq!(job.log.contains("::error "), status == "1", "{}", job.log);
    }
}

#[test]
fn lines_are_arguments_and_never_commands() {
    let runner = Runner::new("action-lines");
    runner.folder.file("work/a b.yaml", EXPOSED);
    runner.folder.file("work/$(touch pwned).yaml", CLEAN);
    let job = runner.run(&[
        ("policies", "external-ips"),
        ("paths", "a b.yaml\n\n$(touch pwned).yaml\n"),
        ("args", "--namespace\nedge"),
    ]);
    assert!(job.log.contains("Service edge/web"), "{}", job.log);
    assert!(!job.log.contains("cannot be read") && job.outputs["status"] == "1", "{}", job.log);
    assert!(!runner.folder.0.join("work/pwned").exists());
}

#[test]
fn what_cannot_be_evaluated_fails_the_job() {
    let runner = Runner::new("action-unknown");
    for inputs in [
        &[("policies", "external-ips"), ("paths", "gone.yaml")][..],
        &[("policies", "external-ips"), ("args", "--nix")],
    ] {
        let job = runner.run(inputs);
        assert!(job.failed && job.outputs["status"] == "2", "{}", job.log);
    }
    for policies in ["", "\n", " \n"] {
        let job = runner.run(&[("policies", policies)]);
        assert!(job.failed && job.log.contains("policies: name at least one"), "{}", job.log);
    }
    for (input, value) in [("command", "push"), ("annotations", "yes"), ("upload-sarif", "")] {
        let job = runner.run(&[("policies", "external-ips"), (input, value)]);
        assert!(job.failed && job.outputs.is_empty(), "{}", job.log);
        assert!(
            job.log.contains(&format!("::error title=portcullis::{input}: '{value}' is neither ")),
            "{}",
            job.log
        );
    }
}

#[test]
fn refuses_an_archive_that_is_not_the_released_one() {
    let runner = Runner::new("action-refused");
    let refused = |inputs: &[(&str, &str)], message: &str| {
        let job = runner.run(&[inputs, &[("policies", "external-ips")]].concat());
        assert!(job.failed && job.outputs.is_empty(), "{}", job.log);
        assert!(job.log.contains(message), "{message}: {}", job.log);
        assert_eq!(runner.folder.read("path"), "", "the tool is not on PATH");
    };
    refused(&[("version", "latest")], "version: 'latest' is not a version");
    refused(&[("version", "0.1.0/../..")], "is not a version");
    refused(&[("version", "99.0.0")], "/v99.0.0/portcullis-linux-amd64.tar.gz cannot be downloaded");

    let right = runner.folder.read(SUMS);
    let wrong = format!("{}{}", "0".repeat(64), &right[64..]);
    runner.folder.file(SUMS, wrong);
    refused(&[], "has the checksum ");
    runner.folder.file(SUMS, "");
    refused(&[], "SHA256SUMS does not list portcullis-linux-amd64.tar.gz");
    runner.folder.file(SUMS, right);

    runner.folder.program("bin/gh", "#!/bin/sh\nexit 1\n");
    refused(&[], "has no attestation of our release workflow");
}

#[test]
fn every_input_is_passed_on_and_every_action_is_pinned() {
    let runner = Runner::new("action-inputs");
    let text = read(&tests::root().join(".github/action/action.yml"));
    for input in runner.action["inputs"].as_object().unwrap().keys() {
        assert_eq!(text.matches(&format!("${{{{ inputs.{input} }}}}")).count(), 1, "{input}");
    }
    for step in runner.action["runs"]["steps"].as_array().unwrap() {
        assert!(step["run"].is_string() != step["uses"].is_string(), "{step}");
        if let Some(uses) = step["uses"].as_str() {
            let commit = uses.split('@').nth(1).unwrap();
            assert!(commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()), "{uses}");
        }
    }
    let workflow = parse_one(&tests::root().join(".github/workflows/scan.yml"));
    let inputs = workflow["on"]["workflow_call"]["inputs"].as_object().unwrap();
    let steps = workflow["jobs"]["scan"]["steps"].as_array().unwrap();
    let call = steps.iter().find(|step| step["uses"] == "$/.github/action").unwrap();
    for name in call["with"].as_object().unwrap().keys() {
        assert!(runner.action["inputs"].get(name).is_some(), "{name}");
    }
    for input in inputs.keys() {
        assert!(call["with"][input].as_str().unwrap().contains(&format!("inputs.{input}")), "{input}");
    }
}
