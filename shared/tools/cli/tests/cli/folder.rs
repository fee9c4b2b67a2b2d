//! The directory in which a test runs the tool.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;

pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::Builder::new().prefix("cli-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file and the directories above it.
    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut tool = Command::new(env!("CARGO_BIN_EXE_portcullis"));
        tool.args(arguments).current_dir(&self.0);
        tool.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        tool
    }

    /// Runs the tool with `input`; returns its status, standard output and standard error.
    pub(crate) fn run(&self, arguments: &[&str], input: &str) -> (i32, String, String) {
        let mut child = self.command(arguments).spawn().unwrap();
        // A tool that does not read its input closes the pipe.
        drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    /// Runs a command that fails without output; returns its message.
    pub(crate) fn refused(&self, arguments: &[&str], input: &str) -> String {
        let (status, stdout, stderr) = self.run(arguments, input);
        assert_eq!((status, stdout.as_str()), (2, ""), "{arguments:?} {stderr}");
        let message = stderr.strip_prefix("portcullis: ").unwrap().strip_suffix('\n').unwrap();
        assert!(!message.contains('\n'), "{message}");
        message.to_owned()
    }
}
