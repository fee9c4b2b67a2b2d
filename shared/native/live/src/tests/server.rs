//! A small HTTP server on loopback that answers as a test wants, and notes what it was asked.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use tempfile::TempDir;

#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) line: String,
    pub(crate) headers: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn ok(body: impl Into<String>) -> Self {
        Self { status: 200, headers: Vec::new(), body: body.into() }
    }

    pub(crate) fn refusal(status: u16, reason: &str, message: &str) -> Self {
        let body = format!(
            r#"{{"kind":"Status","apiVersion":"v1","status":"Failure","message":"{message}","reason":"{reason}","code":{status}}}"#
        );
        Self { status, headers: Vec::new(), body }
    }
}

type Respond = dyn FnMut(&Asked) -> Answer + Send;

/// The server, which ends with the test, and a folder for a kubeconfig.
pub(crate) struct Server {
    pub(crate) address: String,
    pub(crate) folder: TempDir,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    pub(crate) fn start(respond: impl FnMut(&Asked) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let respond: Arc<Mutex<Box<Respond>>> = Arc::new(Mutex::new(Box::new(respond)));
        let noted = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (noted, respond) = (Arc::clone(&noted), Arc::clone(&respond));
                thread::spawn(move || serve(stream, &noted, &respond));
            }
        });
        Self { address, folder: TempDir::new().unwrap(), asked }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn kubeconfig(&self, user: &str) -> std::path::PathBuf {
        write_kubeconfig(&self.folder, &self.address, user)
    }
}

pub(crate) fn write_kubeconfig(folder: &TempDir, address: &str, user: &str) -> std::path::PathBuf {
    let file = folder.path().join("kubeconfig");
    let text = format!(
        "apiVersion: v1\nkind: Config\nclusters: [{{name: c, cluster: {{server: \"{address}\"}}}}]\n\
         users: [{{name: u, user: {{{user}}}}}]\ncontexts: [{{name: staging, context: {{cluster: c, user: u, \
         namespace: shop}}}}]\ncurrent-context: staging\n"
    );
    std::fs::write(&file, text).unwrap();
    file
}

fn serve(stream: TcpStream, noted: &Mutex<Vec<Asked>>, respond: &Mutex<Box<Respond>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut writer = stream;
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            match reader.read_line(&mut head) {
                Ok(length) if length > 0 => {}
                _ => return,
            }
        }
        let (line, headers) = head.split_once("\r\n").unwrap();
        let lower = headers.to_lowercase();
        let length = lower
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))
            .map_or(0, |length| length.trim().parse::<u64>().unwrap());
        std::io::copy(&mut reader.by_ref().take(length), &mut std::io::sink()).unwrap();
        let line = line.trim_end_matches(" HTTP/1.1").to_owned();
        let asked = Asked { line, headers: headers.to_owned() };
        noted.lock().unwrap().push(asked.clone());
        let Answer { status, headers, body } = respond.lock().unwrap()(&asked);
        let mut text = format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\n", body.len());
        for (name, value) in headers {
            write!(text, "{name}: {value}\r\n").unwrap();
        }
        text.push_str("\r\n");
        text.push_str(&body);
        if writer.write_all(text.as_bytes()).is_err() {
            return;
        }
    }
}
