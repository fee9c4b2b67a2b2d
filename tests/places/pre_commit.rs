//! The hooks in `.pre-commit-hooks.yaml`, run by pre-commit.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use super::folder::{CASES, CLEAN, Done, EXPOSED, Folder, tool};

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
        fs::create_dir_all(folder.0.join("bin")).unwrap();
        symlink(tool(), folder.0.join("bin/portcullis")).unwrap();
        let repository = Self { folder, program };
        let hooks = fs::read(tests::root().join(".pre-commit-hooks.yaml")).unwrap();
        repository.folder.file("hooks/.pre-commit-hooks.yaml", hooks);
        for (name, file) in [("hooks", ".pre-commit-hooks.yaml"), ("user", ".")] {
            fs::create_dir_all(repository.folder.0.join(name)).unwrap();
            repository.git(name, &["init", "--quiet"]);
            repository.git(name, &["add", file]);
            repository.git(name, &["commit", "--quiet", "--allow-empty", "--message", "first"]);
        }
        repository
    }

    fn git(&self, repository: &str, arguments: &[&str]) -> String {
        let mut all = vec!["-C", repository, "-c", "user.name=Test", "-c", "user.email=test@example.com"];
        all.extend(arguments);
        let done = self.folder.run::<&str>("git", &all, &[]);
        assert_eq!(done.status, 0, "{done:?}");
        done.stdout.trim().to_owned()
    }

    /// Writes the configuration with one of our hooks.
    fn configure(&self, hook: &str, arguments: &[&str]) {
        let revision = self.git("hooks", &["rev-parse", "HEAD"]);
        let config = serde_json::json!({ "repos": [{
            "repo": self.folder.0.join("hooks"),
            "rev": revision,
            "hooks": [{ "id": hook, "args": arguments }],
        }] });
        self.folder.file("user/.pre-commit-config.yaml", config.to_string());
        self.git("user", &["add", "."]);
    }

    /// Runs the hooks for what is staged.
    fn run(&self) -> Done {
        let home = self.folder.0.join("cache").into_os_string();
        let program = self.program.to_str().unwrap();
        let script = format!("cd user && exec '{program}' run --color never");
        self.folder.run(
            "sh",
            &["-c", &script],
            &[("PATH", self.folder.path_with("bin")), ("PRE_COMMIT_HOME", home)],
        )
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
    assert!(denied.stdout.contains("DENIED    external-ips, manifests/web.yaml:7:7\n"), "{denied:?}");

    repository.folder.file("user/manifests/web.yaml", CLEAN);
    repository.git("user", &["add", "."]);
    let clean = repository.run();
    assert_eq!(clean.status, 0, "{clean:?}");
    assert!(clean.stdout.contains("portcullis scan") && clean.stdout.contains("Passed"), "{clean:?}");

    // A change of a ConfigMap alone, at which no policy looks.
    repository.git("user", &["commit", "--quiet", "--message", "second"]);
    repository
        .folder
        .file("user/manifests/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n");
    repository.git("user", &["add", "."]);
    assert_eq!(repository.run().status, 0);

    repository.git("user", &["commit", "--quiet", "--message", "third"]);
    repository.folder.file("user/README.md", "no manifest");
    repository.git("user", &["add", "."]);
    let skipped = repository.run();
    assert!(skipped.status == 0 && skipped.stdout.contains("no files to check"), "{skipped:?}");
}

#[test]
fn a_scan_that_judges_nothing_fails_the_hook() {
    let Some(program) = program() else { return };
    let repository = Repository::new("pre-commit-nothing", program);
    repository.folder.file("user/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n");
    repository.configure("portcullis-scan", &[".", "--policy", "external-ips"]);
    let done = repository.run();
    assert!(done.status == 1 && done.stdout.contains("nothing was judged"), "{done:?}");
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
    repository.git("user", &["add", "."]);
    assert_eq!(repository.run().status, 0);
}
