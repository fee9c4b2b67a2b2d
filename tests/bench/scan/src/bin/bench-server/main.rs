//! Prints what modules cost in Kubewarden's policy-server, each with the floor: a server with the
//! floor runs at the same time, and gets the same requests in turn.
//!
//! Arguments: files of further modules to measure, which must accept empty settings.
//!
//! Times depend on the machine and on what else runs there. Only the two figures of a cell are
//! comparable.

mod measure;
mod subject;

use std::error::Error;
use std::io::Write as _;

use bench_scan::Server;
use measure::{Figures, measure};
use subject::{floor, subjects};

fn main() -> Result<(), Box<dyn Error>> {
    // The servers are stopped before this process ends.
    ctrlc::set_handler(bench_scan::interrupt)?;
    let subjects = subjects(std::env::args().skip(1))?;
    let floor = [floor()?];
    let before = load();
    let mut out = std::io::stdout().lock();
    writeln!(out, "| module | request | ready, ms | memory, MiB | p50, µs | p99, µs | requests/s |")?;
    writeln!(out, "|---|---|---:|---:|---:|---:|---:|")?;
    for subject in &subjects {
        let servers = [Server::start(&subject.modules)?, Server::start(&floor)?];
        for row in &subject.rows {
            let calls = [row.calls(None)?, row.calls(Some("floor"))?];
            let figures = measure(&servers, &calls)?;
            let pair = |figure: fn(&Figures) -> u128| figures.each_ref().map(figure);
            let pairs = [
                servers.each_ref().map(|server| server.ready.as_millis()),
                servers.each_ref().map(|server| u128::from(server.memory().unwrap_or_default())),
                pair(|figures| figures.median.as_micros()),
                pair(|figures| figures.slow.as_micros()),
                pair(|figures| figures.rate),
            ];
            let columns = pairs.map(|[ours, theirs]| format!("{ours} / {theirs}")).join(" | ");
            writeln!(out, "| {} | {} | {columns} |", subject.name, row.name)?;
        }
    }
    writeln!(out, "\nEach cell: the module / the floor, in two servers at the same time.")?;
    let cpus = std::thread::available_parallelism()?;
    writeln!(out, "Load of the machine: {before} at the beginning, {} at the end, on {cpus} CPUs.", load())?;
    Ok(())
}

/// Returns the average number of processes that want a CPU, over the last minute; `?` outside of
/// Linux.
fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").ok();
    load.and_then(|load| load.split_whitespace().next().map(str::to_owned)).unwrap_or_else(|| "?".to_owned())
}
