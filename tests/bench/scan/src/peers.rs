//! The same module on the same pods, here and in Kubewarden's own tools.

use std::error::Error;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use bench_scan::{Call, Module, Server, check_interrupt};
use kubernetes::review::Draft;
use scan::{Options, Policy, Scan, Sources};
use serde_json::{Value, json};

use crate::dump;

pub(crate) const ID: &str = "pod-security";

/// The pods for each tool. kwctl compiles the module for each.
const PODS: u64 = 5_000;
const PODS_OF_KWCTL: u64 = 20;

/// Prints the table. A tool that fails is an error; one that is not on PATH has a row that says so.
pub(crate) fn compare(
    policy: Policy,
    settings: &Value,
    folder: &Path,
    out: &mut dyn Write,
) -> Result<(), Box<dyn Error>> {
    let pods: Vec<Value> =
        (0_u64..).map(dump::object).filter(is_pod).zip(0..PODS).map(|(pod, _)| pod).collect();
    let file = folder.join(format!("{ID}.wasm")).canonicalize()?;
    let files = tempfile::TempDir::new()?;
    writeln!(out, "\n| `{ID}` on pods | pods | seconds | evaluations/s |\n|---|---:|---:|---:|")?;
    let mut row = |tool: &str, time: Option<Duration>, pods: u64| {
        let Some(time) = time else { return writeln!(out, "| {tool} | | not on PATH | |") };
        #[expect(clippy::cast_precision_loss, reason = "a figure of a few digits")]
        let rate = pods as f64 / time.as_secs_f64();
        writeln!(out, "| {tool} | {pods} | {:.2} | {rate:.0} |", time.as_secs_f64())
    };
    row("`portcullis scan`, as a module", Some(scan(policy, &pods, files.path())?), PODS)?;
    row("`policy-server`, `/audit`", server(&file, settings, &pods)?, PODS)?;
    let few = pods.iter().zip(0..PODS_OF_KWCTL).map(|(pod, _)| pod);
    row("`kwctl run` for each pod", kwctl(&file, settings, few, files.path())?, PODS_OF_KWCTL)?;
    Ok(())
}

fn is_pod(object: &Value) -> bool {
    object.get("kind").is_some_and(|kind| kind == "Pod")
}

fn scan(policy: Policy, pods: &[Value], folder: &Path) -> Result<Duration, Box<dyn Error>> {
    let list = folder.join("pods.json");
    fs::write(&list, json!({ "apiVersion": "v1", "kind": "List", "items": pods }).to_string())?;
    let scan = Scan::new(vec![policy], Options::default());
    let start = Instant::now();
    let report =
        scan.run(&mut Sources::of(&[list.to_string_lossy().into_owned()]).find(), None, None, &mut ());
    let time = start.elapsed();
    if report.totals.evaluations != PODS {
        return Err(format!("{} evaluations of {PODS} pods", report.totals.evaluations).into());
    }
    Ok(time)
}

/// Sends the reviews as Kubewarden's audit scanner does, on a connection for each CPU.
fn server(file: &Path, settings: &Value, pods: &[Value]) -> Result<Option<Duration>, Box<dyn Error>> {
    if !is_on_path("policy-server")? {
        return Ok(None);
    }
    let server =
        Server::start(&[Module { name: ID.to_owned(), file: file.to_owned(), settings: settings.clone() }])?;
    let review = |pod: &Value| {
        let request = request(pod);
        json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request })
            .to_string()
    };
    let call = |pod| Call { policy: ID.to_owned(), review: review(pod), is_audit: true };
    let calls: Vec<Call> = pods.iter().map(call).collect();
    let connections = available_parallelism().map_or(1, NonZeroUsize::get);
    let mut clients = (0..connections).map(|_| server.client()).collect::<Result<Vec<_>, _>>()?;
    let start = Instant::now();
    std::thread::scope(|scope| {
        let share = calls.len().div_ceil(connections);
        let threads = clients.iter_mut().zip(calls.chunks(share)).map(|(client, calls)| {
            scope.spawn(|| calls.iter().try_for_each(|call| client.ask(call).map(drop)))
        });
        // All are started before the first is waited for.
        let threads: Vec<_> = threads.collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a client panicked")?)
    })?;
    Ok(Some(start.elapsed()))
}

fn kwctl<'p>(
    file: &Path,
    settings: &Value,
    pods: impl Iterator<Item = &'p Value>,
    folder: &Path,
) -> Result<Option<Duration>, Box<dyn Error>> {
    if !is_on_path("kwctl")? {
        return Ok(None);
    }
    let mut requests: Vec<PathBuf> = Vec::new();
    for (number, pod) in pods.enumerate() {
        let path = folder.join(format!("{number}.json"));
        fs::write(&path, request(pod).to_string())?;
        requests.push(path);
    }
    let start = Instant::now();
    for path in requests {
        check_interrupt()?;
        let mut command = Command::new("kwctl");
        command.arg("run").arg("--request-path").arg(&path);
        let output = command.args(["--settings-json", &settings.to_string()]).arg(file).output()?;
        let response: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        if response.get("allowed").is_none() {
            return Err(format!("kwctl: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
    }
    Ok(Some(start.elapsed()))
}

fn request(pod: &Value) -> Value {
    Draft { object: Some(pod.clone()), ..Draft::default() }.request()
}

fn is_on_path(program: &str) -> io::Result<bool> {
    let mut command = Command::new(program);
    match command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
