//! Errors of connections, as sentences.

use std::fmt;
use std::io;

use serde_json::Value;

/// An error in one sentence, with the place and the remedy.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Error {
    status: Option<u16>,
    message: String,
    /// The token by which an expired list continues.
    offered: Option<String>,
}

impl Error {
    /// Creates an error without an answer of a server.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { status: None, message: message.into(), offered: None }
    }

    pub(crate) fn of_answer(status: u16, body: &str, about: &str) -> Self {
        let answer: Value = serde_json::from_str(body).unwrap_or_default();
        let detail = match answer.get("message").and_then(Value::as_str).unwrap_or_default() {
            "" => String::new(),
            detail => format!(": {detail}"),
        };
        let message = format!("{about} responded with status {status}{detail}");
        let offered = answer.pointer("/metadata/continue").and_then(Value::as_str).map(str::to_owned);
        Self { status: Some(status), message, offered }
    }

    pub(crate) fn with_message(self, message: String) -> Self {
        Self { message, ..self }
    }

    /// Returns the token by which a list continues in the present state, if the error is that its
    /// own state has expired.
    pub(crate) fn offered(&self) -> Option<&str> {
        self.offered.as_deref().filter(|token| !token.is_empty())
    }

    /// Returns the HTTP status of the answer; `None` if there was no answer.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.status
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Returns why a server was not reached, and what to do about it.
pub(crate) fn unreachable(error: &(dyn std::error::Error + 'static), server: &str) -> String {
    let certificate = chain(error).find_map(|error| match error.downcast_ref() {
        Some(rustls::Error::InvalidCertificate(problem)) => Some(problem.clone()),
        _ => None,
    });
    if let Some(problem) = certificate {
        return format!(
            "{server}: the certificate of the server is not accepted: {problem}; the kubeconfig must name \
             the authority that signed it in certificate-authority, or the system must trust it"
        );
    }
    if chain(error).any(|error| matches!(error.downcast_ref(), Some(rustls::Error::InvalidMessage(_)))) {
        return format!("{server}: does not use TLS; correct the address of the cluster in the kubeconfig");
    }
    let kind = chain(error).find_map(|error| error.downcast_ref::<io::Error>().map(io::Error::kind));
    let cause = chain(error).last().map(ToString::to_string).unwrap_or_default();
    if kind == Some(io::ErrorKind::ConnectionRefused) {
        return format!(
            "{server}: refuses the connection; check that the cluster runs and that the context is the right one"
        );
    }
    format!("{server}: cannot be reached: {cause}; check the address, the proxy and the network")
}

/// Returns an error and its causes. The inner error of an I/O error is not its source.
pub(crate) fn chain<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'a (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |&error| match error.downcast_ref().and_then(io::Error::get_ref) {
        Some(carried) => Some(carried),
        None => error.source(),
    })
}
