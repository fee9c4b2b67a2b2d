//! Prints the functions of a module that take most of the instructions of a request.
//!
//! Arguments: a module with names of functions, a request of `tests/bench/requests`, and settings.

use std::error::Error;
use std::io::Write as _;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(module), Some(request)) = (arguments.next(), arguments.next()) else {
        return Err("usage: profile MODULE.wasm REQUEST [SETTINGS]".into());
    };
    let settings = arguments.next().unwrap_or_else(|| "{}".to_owned());
    let wasm = std::fs::read(&module).map_err(|error| format!("{module}: {error}"))?;
    let (payload, cluster) = bench::payload(&request, &serde_json::from_str(&settings)?)?;
    let lines = bench::profile(&wasm, payload, &cluster)?;
    let all: u64 = lines.iter().map(|line| line.instructions).sum();
    let mut out = std::io::stdout().lock();
    writeln!(out, "| instructions | calls | function |\n|---:|---:|---|")?;
    writeln!(out, "| {all} | | all |")?;
    for line in lines.iter().take(40) {
        writeln!(out, "| {} | {} | `{}` |", line.instructions, line.calls, line.function)?;
    }
    Ok(())
}
