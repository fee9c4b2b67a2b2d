//! The directory in which a test runs the tool.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The directory of a test, removed at its end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    /// Creates an empty directory.
    pub(crate) fn new(test: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Writes a file.
    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.0.join(name), text).unwrap();
    }

    /// Runs the tool with `input`; returns its status, standard output and standard error.
    pub(crate) fn run(&self, arguments: &[&str], input: &str) -> (i32, String, String) {
        let mut tool = Command::new(env!("CARGO_BIN_EXE_portcullis"));
        tool.args(arguments).current_dir(&self.0);
        tool.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = tool.spawn().unwrap();
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

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}
