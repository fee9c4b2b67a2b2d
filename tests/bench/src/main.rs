//! Prints the cost of the built modules as the tables of `tests/bench/FIGURES.md`.

use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let measured = bench::Figures::measure();
    let (mut out, mut err) = (std::io::stdout().lock(), std::io::stderr().lock());
    // A failed write is ignored: the reader has closed the pipe.
    match measured {
        Ok(figures) => {
            let _ = write!(out, "{}", figures.table());
            let over = figures.over_budget();
            for line in &over {
                let _ = writeln!(err, "bench: {line}");
            }
            if over.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            let _ = writeln!(err, "bench: {error}");
            ExitCode::from(2)
        }
    }
}
