//! A client of a policy server: one connection that is kept open.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::interrupt::check_interrupt;

/// The time that an answer may take. A policy server stops a policy after two seconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// A policy of a server and the review that it gets.
#[derive(Debug)]
pub struct Call {
    /// The name of the policy.
    pub policy: String,
    /// The `AdmissionReview`.
    pub review: String,
    /// Whether the review is one of Kubewarden's audit scanner.
    pub is_audit: bool,
}

/// A connection.
#[derive(Debug)]
pub struct Client(BufReader<TcpStream>);

impl Client {
    /// Connects to a port of this machine.
    ///
    /// # Errors
    /// Nothing listens there.
    pub fn new(port: u16) -> io::Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self(BufReader::new(stream)))
    }

    /// Sends a review to a policy and returns the time until the answer was read.
    ///
    /// # Errors
    /// An answer without a verdict.
    pub fn ask(&mut self, call: &Call) -> Result<Duration, String> {
        check_interrupt()?;
        let Call { policy, review, is_audit } = call;
        let endpoint = if *is_audit { "audit" } else { "validate" };
        let head = format!(
            "POST /{endpoint}/{policy} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n",
            review.len(),
        );
        let request = head + review;
        let start = Instant::now();
        let answer = self.exchange(&request).map_err(|error| format!("{policy}: {error}"))?;
        let time = start.elapsed();
        let review: Value = serde_json::from_slice(&answer).unwrap_or_default();
        let is_verdict = review.pointer("/response/allowed").is_some_and(Value::is_boolean);
        // The code of a policy that failed.
        let has_failed = review.pointer("/response/status/code").is_some_and(|code| *code == 500);
        if is_verdict && !has_failed {
            return Ok(time);
        }
        Err(format!("{policy} gave no verdict: {}", String::from_utf8_lossy(&answer)))
    }

    fn exchange(&mut self, request: &str) -> io::Result<Vec<u8>> {
        self.0.get_mut().write_all(request.as_bytes())?;
        let mut length = None;
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            match line.trim_end().split_once(':') {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = Some(value.trim().parse().map_err(io::Error::other)?);
                }
                None if line.trim_end().is_empty() => break,
                _ => {}
            }
        }
        let mut body = vec![0; length.ok_or_else(|| io::Error::other("an answer without Content-Length"))?];
        self.0.read_exact(&mut body)?;
        Ok(body)
    }
}
