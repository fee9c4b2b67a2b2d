//! The directory in which a test runs programs.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A Service that `external-ips` denies, in line 7.
pub(crate) const EXPOSED: &str = "\
apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  externalIPs:
    - 192.0.2.1
";

/// A Service that `external-ips` admits.
pub(crate) const CLEAN: &str = "apiVersion: v1\nkind: Service\nmetadata: {name: api}\n";

/// A list of cases for `external-ips`, of which none fails if `admitted` is true.
pub(crate) const CASES: &str = "\
- name: a Service without addresses
  object: {apiVersion: v1, kind: Service, metadata: {name: api, namespace: shop}}
  want: WANT
";

/// The checksums of the [packed release](Folder::release).
pub(crate) const SUMS: &str = concat!("downloads/v", env!("CARGO_PKG_VERSION"), "/SHA256SUMS");

/// The built tool.
pub(crate) fn tool() -> PathBuf {
    let tool = tests::root().join("target/debug/portcullis");
    assert!(tool.is_file(), "there is no tool; build it with cargo build -p portcullis");
    tool
}

/// The directory of a test, removed at its end.
pub(crate) struct Folder(pub(crate) PathBuf);

/// The status, the standard output and the standard error of a program.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Done {
    /// Runs a program.
    pub(crate) fn of(program: &mut Command) -> Self {
        let output = program.output().unwrap_or_else(|error| panic!("{program:?}: {error}"));
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self {
            status: output.status.code().unwrap(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

impl Folder {
    /// Creates an empty directory.
    pub(crate) fn new(test: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Writes a file, in directories as needed.
    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Writes a program.
    pub(crate) fn program(&self, name: &str, script: &str) {
        let path = self.file(name, script);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Gives a program a name in `bin`.
    pub(crate) fn link(&self, name: &str, program: impl AsRef<Path>) {
        fs::create_dir_all(self.0.join("bin")).unwrap();
        symlink(program, self.0.join("bin").join(name)).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// PATH with `bin` in front.
    pub(crate) fn path(&self) -> OsString {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let first = self.0.join("bin");
        std::env::join_paths([first].into_iter().chain(std::env::split_paths(&path))).unwrap()
    }

    /// A program that runs in this directory, and has nothing to read.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.0).stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, program: impl AsRef<OsStr>, arguments: &[&str]) -> Done {
        Done::of(&mut self.command(program, arguments))
    }

    /// Runs commands of the shell successfully; returns their output.
    pub(crate) fn sh(&self, script: &str) -> String {
        let done = self.run("sh", &["-euc", script]);
        assert_eq!(done.status, 0, "{script}: {done:?}");
        done.stdout
    }

    /// Runs git successfully in a repository; returns its output.
    pub(crate) fn git(&self, repository: &str, arguments: &[&str]) -> String {
        let start = ["-C", repository, "-c", "user.name=Test", "-c", "user.email=test@example.com"];
        let done = self.run("git", &[&start, arguments].concat());
        assert_eq!(done.status, 0, "{done:?}");
        done.stdout.trim().to_owned()
    }

    /// Packs a release of this version in `downloads`. The program in it is a script that runs the
    /// tool, which is large without optimization.
    pub(crate) fn release(&self) {
        self.program("release/portcullis", &format!("#!/bin/sh\nexec '{}' \"$@\"\n", tool().display()));
        let folder = Path::new(SUMS).parent().unwrap().display();
        self.sh(&format!(
            "mkdir -p {folder}
             for arch in amd64 arm64; do
                 tar -C release -czf {folder}/portcullis-linux-$arch.tar.gz portcullis
             done
             cd {folder} && sha256sum *.tar.gz >SHA256SUMS"
        ));
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}
