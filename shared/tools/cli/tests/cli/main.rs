//! The tool as users start it: its commands, what they print, and how they fail.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod annotate;
mod arguments;
mod audit;
mod cases;
mod folder;
mod getting_started;
mod inputs;
#[cfg(target_os = "linux")]
mod interruption;
#[cfg(unix)]
mod page;
mod report;
mod run;
#[cfg(unix)]
mod scan;
mod test;
