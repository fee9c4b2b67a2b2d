//! The directory in which a test runs programs.

use std::ffi::OsStr;
use std::fs;
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

/// The built tool.
pub(crate) fn tool() -> PathBuf {
    let tool = tests::root().join("target/debug/portcullis");
    assert!(tool.is_file(), "the tool is built with cargo build --package portcullis");
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

impl Folder {
    /// Creates an empty directory.
    pub(crate) fn new(test: &str) -> Self {
        let path =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("places-{test}-{}", std::process::id()));
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
    pub(crate) fn program(&self, name: &str, script: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.file(name, script);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// PATH with a directory of this folder in front.
    pub(crate) fn path_with(&self, directory: &str) -> std::ffi::OsString {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let first = self.0.join(directory);
        std::env::join_paths([first].into_iter().chain(std::env::split_paths(&path))).unwrap()
    }

    /// Runs a program in this directory.
    pub(crate) fn run<V: AsRef<OsStr>>(
        &self,
        program: impl AsRef<OsStr>,
        arguments: &[&str],
        variables: &[(&str, V)],
    ) -> Done {
        let output = Command::new(&program)
            .args(arguments)
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .current_dir(&self.0)
            .stdin(Stdio::null())
            .output()
            .unwrap_or_else(|error| panic!("{}: {error}", Path::new(&program).display()));
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Done {
            status: output.status.code().unwrap(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}
