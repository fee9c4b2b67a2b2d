//! Kubernetes' own code, asked by the program in `tests/conformance/kubernetes`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use kubernetes::review::AdmissionRequest;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::root;

/// Returns the path of the program, which `scripts/conformance` builds where Go is installed.
#[must_use]
pub fn program() -> PathBuf {
    root().join("target/conformance/kubernetes")
}

/// A process that answers questions about a subject, one line each.
#[derive(Debug)]
pub struct Kubernetes {
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Kubernetes {
    /// Starts the program for a subject.
    ///
    /// # Errors
    /// A program that is not built or does not start.
    pub fn start(subject: &str) -> Result<Self, String> {
        let program = program();
        let failed = |problem: &str| format!("{}: {problem}", program.display());
        let started =
            Command::new(&program).arg(subject).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut process = started.map_err(|error| failed(&error.to_string()))?;
        match (process.stdin.take(), process.stdout.take()) {
            (Some(questions), Some(answers)) => {
                Ok(Self { process, questions, answers: BufReader::new(answers) })
            }
            _ => Err(failed("no pipes")),
        }
    }

    /// Returns the answer to a question.
    ///
    /// # Errors
    /// A question that the program does not understand, which ends it, or another answer than
    /// expected.
    pub fn ask<Answer: DeserializeOwned>(&mut self, question: &Value) -> Result<Answer, String> {
        let failed = |problem: String| format!("{problem}, asked {question}");
        writeln!(self.questions, "{question}").map_err(|error| failed(error.to_string()))?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer).map_err(|error| failed(error.to_string()))?;
        serde_json::from_str(&answer).map_err(|error| failed(format!("{error} in {answer:?}")))
    }
}

/// Returns the question about a request to the API server.
#[must_use]
pub fn question(request: &AdmissionRequest) -> Value {
    const FIELDS: [&str; 8] =
        ["kind", "resource", "subResource", "name", "namespace", "operation", "object", "oldObject"];
    let request = request.as_value();
    let mut question: Map<String, Value> =
        FIELDS.iter().filter_map(|field| Some(((*field).to_owned(), request.get(*field)?.clone()))).collect();
    let user = &request["userInfo"];
    question.insert("userInfo".into(), json!({ "username": user["username"], "groups": user["groups"] }));
    question.into()
}

impl Drop for Kubernetes {
    fn drop(&mut self) {
        // It has ended already if a question was not understood.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
