//! The hooks in `.pre-commit-hooks.yaml`, run by pre-commit.

use std::fs;
use std::path::PathBuf;

use crate::folder::{CASES, CLEAN, Done, EXPOSED, Folder, tool};

/// The pre-commit program; `None` if it is neither installed nor required.
fn program() -> Option<PathBuf> {
    let venv = tests::root().join("target/tools/pre-commit");
    if venv.join("installed").is_file() {
        return Some(venv.join("bin/pre-commit"));
    }
    let why = "pre-commit is not installed; run scripts/pre-commit";
    tests::not_run("PRE_COMMIT", "the test of the hooks for pre-commit", why).unwrap();
    None
}

/// A repository of a user, with our hooks in another one.
struct Repository {
    folder: Folder,
    program: PathBuf,
}

impl Repository {
    fn new(test: &str, program: PathBuf) -> Self {
        let folder = Folder::new(test);
        folder.link("portcullis", tool());
        let repository = Self { folder, program };
        let hooks = fs::read(tests::root().join(".pre-commit-hooks.yaml")).unwrap();
        repository.folder.file("hooks/.pre-commit-hooks.yaml", hooks);
        for (name, file) in [("hooks", ".pre-commit-hooks.yaml"), ("user", ".")] {
            fs::create_dir_all(repository.folder.0.join(name)).unwrap();
            repository.folder.git(name, &["init", "--quiet"]);
            repository.folder.git(name, &["add", file]);
            repository.folder.git(name, &["commit", "--quiet", "--allow-empty", "--message", "first"]);
        }
        repository
    }

    /// Writes the configuration with one of our hooks.
    fn configure(&self, hook: &str, arguments: &[&str]) {
        let revision = self.folder.git("hooks", &["rev-parse", "HEAD"]);
        let config = serde_json::json!({ "repos": [{
            "repo": self.folder.0.join("hooks"),
            "rev": revision,
            "hooks": [{ "id": hook, "args": arguments }],
        }] });
        self.folder.file("user/.pre-commit-config.yaml", config.to_string());
        self.folder.git("user", &["add", "."]);
    }

    /// Runs the hooks for what is staged.
    fn run(&self) -> Done {
        let mut program = self.folder.command(&self.program, &["run", "--color", "never"]);
        program.current_dir(self.folder.0.join("user"));
        Done::of(program.env("PATH", self.folder.path()).env("PRE_COMMIT_HOME", self.folder.0.join("cache")))
    }
}

#[test]
fn the_hook_scans_the_whole_directory_when_a_manifest_changes() {
    let Some(program) = program() else { return };
    let repository = Repository::new("pre-commit-scan", program);
    repository.folder.file("user/manifests/web.yaml", EXPOSED);
    repository.folder.file("user/manifests/api.yaml", CLEAN);
    repository.configure("portcullis-scan", &["manifests", "--policy", "external-ips"]);
    let denied = repository.run();
    assert_eq!(denied.status, 1, "{denied:?}");
    assert!(
        denied.stdout.contains("DENIED    external-ips/not-allowed, manifests/web.yaml:7:7\n"),
        "{denied:?}"
    );

    repository.folder.file("user/manifests/web.yaml", CLEAN);
    repository.folder.git("user", &["add", "."]);
    let clean = repository.run();
    assert_eq!(clean.status, 0, "{clean:?}");
    assert!(clean.stdout.contains("portcullis scan") && clean.stdout.contains("Passed"), "{clean:?}");

    // A change of a ConfigMap alone, at which no policy looks.
    repository.folder.git("user", &["commit", "--quiet", "--message", "second"]);
    repository
        .folder
        .file("user/manifests/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n");
    repository.folder.git("user", &["add", "."]);
    assert_eq!(repository.run().status, 0);

    repository.folder.git("user", &["commit", "--quiet", "--message", "third"]);
    repository.folder.file("user/README.md", "no manifest");
    repository.folder.git("user", &["add", "."]);
    let skipped = repository.run();
    assert!(skipped.status == 0 && skipped.stdout.contains("no files to check"), "{skipped:?}");
}

#[test]
fn a_scan_that_evaluates_nothing_fails_the_hook() {
    let Some(program) = program() else { return };
    let repository = Repository::new("pre-commit-nothing", program);
    repository.folder.file("user/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n");
    repository.configure("portcullis-scan", &[".", "--policy", "external-ips"]);
    let done = repository.run();
    assert!(done.status == 1 && done.stdout.contains("nothing was evaluated"), "{done:?}");
}

#[test]
fn the_hook_runs_the_cases_of_policies() {
    let Some(program) = program() else { return };
    let repository = Repository::new("pre-commit-test", program);
    repository.folder.file("user/cases/api.yaml", CASES.replace("WANT", "{denied: [spec]}"));
    repository.configure("portcullis-test", &["cases/api.yaml", "--policy", "external-ips"]);
    let failed = repository.run();
    assert!(failed.status == 1 && failed.stdout.contains("a Service without addresses"), "{failed:?}");
    repository.folder.file("user/cases/api.yaml", CASES.replace("WANT", "{admitted: true}"));
    repository.folder.git("user", &["add", "."]);
    assert_eq!(repository.run().status, 0);
}
