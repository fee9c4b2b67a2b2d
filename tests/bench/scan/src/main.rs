//! Prints how fast a dump is read and evaluated, and the memory that it takes.
//!
//! Arguments: the number of objects, and the folder of the modules, which are measured in the
//! embedded host and in Kubewarden's tools.

mod dump;
mod peers;

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use scan::{Engine, Evaluator, Files, Input, Options, Policy, Scan, Sources};
use serde_json::{Value, json};
use wapc_host::{Deployment, Host, Resource};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let objects: u64 = arguments.next().map_or(Ok(100_000), |text| text.parse())?;
    let modules = arguments.next();
    let path = std::env::temp_dir().join(format!("portcullis-bench-{objects}.json"));
    let mut file = BufWriter::new(File::create(&path)?);
    dump::write(objects, &mut file)?;
    file.flush()?;
    let result = measure(&path, objects, modules.as_deref());
    fs::remove_file(&path)?;
    result
}

fn measure(path: &Path, objects: u64, modules: Option<&str>) -> Result<(), Box<dyn Error>> {
    let name = path.to_string_lossy().into_owned();
    let files = || Sources::of(std::slice::from_ref(&name)).find();
    let mut out = std::io::stdout().lock();
    let bytes = fs::metadata(path)?.len();
    writeln!(out, "{objects} objects, {} MiB, {} threads\n", bytes >> 20, Options::default().workers)?;
    writeln!(out, "| what | seconds | objects/s | evaluations/s | peak MiB |\n|---|---:|---:|---:|---:|")?;
    let mut row = |what: &str, evaluations: u64, time: Duration| {
        let seconds = time.as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "a figure of a few digits")]
        let rate = |count: u64| count as f64 / seconds;
        let peak = peak().unwrap_or_default();
        writeln!(out, "| {what} | {seconds:.2} | {:.0} | {:.0} | {peak} |", rate(objects), rate(evaluations))
    };
    let start = Instant::now();
    count_lines(path)?;
    row("read the file and find its lines, 1 thread", 0, start.elapsed())?;
    reset_peak();
    let start = Instant::now();
    let mut input = files();
    while let Some(piece) = input.next() {
        drop(piece);
    }
    row("find the items, 1 thread", 0, start.elapsed())?;
    let start = Instant::now();
    let mut input = files();
    while let Some(Ok(chunk)) = input.next() {
        drop(serde_json::from_str::<Value>(&chunk.text)?);
    }
    row("read the JSON once, 1 thread", 0, start.elapsed())?;
    for ids in [&[][..], &["external-ips"], &["node-labels"], &["node-pods"], &["pod-security"], &["selinux"]]
    {
        let what = if ids.is_empty() { "no policy".to_owned() } else { ids.join(", ") };
        run(&what, ids.iter().filter_map(|id| native(id)).collect(), &files, &mut row)?;
    }
    let all = || rules::CATALOG.iter().filter_map(|entry| native(entry.id));
    run("all, natively", all().collect(), &files, &mut row)?;
    if let Some(folder) = modules {
        let modules = in_host(Path::new(folder), all().collect())?;
        run("all, as modules", modules, &files, &mut row)?;
        compare(Path::new(folder), &mut out)?;
    }
    Ok(())
}

/// Reads a file as fast as lines can be found: the least that a scan has to do.
fn count_lines(path: &Path) -> std::io::Result<usize> {
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 64 * 1024];
    let mut lines = 0_usize;
    loop {
        let length = file.read(&mut buffer)?;
        if length == 0 {
            return Ok(lines);
        }
        let text = buffer.get(..length).unwrap_or_default();
        lines += memchr::memchr_iter(b'\n', text).count();
    }
}

fn run(
    what: &str,
    policies: Vec<Policy>,
    files: &dyn Fn() -> Files,
    row: &mut dyn FnMut(&str, u64, Duration) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let scan = Scan::new(policies, Options::default());
    reset_peak();
    let start = Instant::now();
    let report = scan.run(&mut files(), None, None, &mut ());
    row(what, report.totals.evaluations, start.elapsed())
}

fn native(id: &str) -> Option<Policy> {
    Policy::of_id(id, &settings(id))
}

fn settings(id: &str) -> Value {
    match id {
        "pod-security" => json!({ "level": "baseline" }),
        "selinux" => json!({ "mode": "Validate", "levels": { "missing": "Allow" } }),
        _ => json!({}),
    }
}

/// Compares a module here with Kubewarden's tools.
fn compare(folder: &Path, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    // A server is stopped before this process ends.
    ctrlc::set_handler(bench_scan::interrupt)?;
    let policy = in_host(folder, native(peers::ID).into_iter().collect())?.pop().ok_or("no policy")?;
    peers::compare(policy, &settings(peers::ID), folder, out)
}

fn in_host(folder: &Path, mut policies: Vec<Policy>) -> Result<Vec<Policy>, Box<dyn Error>> {
    let host = Host::new()?;
    for policy in &mut policies {
        let Evaluator::Module(module) = &mut policy.evaluator else { continue };
        let Engine::Native(entry) = module.engine else { continue };
        let loaded = host.load(&fs::read(folder.join(format!("{}.wasm", entry.id)))?)?;
        let deployed = loaded.deploy(Deployment {
            settings: settings(entry.id),
            allowed_to_mutate: entry.mutates,
            host_capabilities: vec!["kubernetes/*".to_owned()],
            context_aware_resources: module
                .look_ups
                .iter()
                .map(|(api_version, kind)| Resource { api_version: api_version.clone(), kind: kind.clone() })
                .collect(),
            ..Deployment::new(entry.id)
        })?;
        module.engine = Engine::Deployed { policy: Box::new(deployed), twin: Some(entry) };
    }
    Ok(policies)
}

/// Returns the highest resident size since [`reset_peak`], in MiB; `None` outside of Linux.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kilobytes| kilobytes >> 10)
}

fn reset_peak() {
    // Without the right, the peak is that of the whole run.
    let _ = fs::write("/proc/self/clear_refs", "5");
}
