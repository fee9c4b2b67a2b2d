//! The tool as users start it: its commands, what they print, and how they fail.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod annotate;
mod arguments;
mod audit;
mod compare;
mod folder;
#[cfg(feature = "live")]
mod live;
mod refusals;
mod report;
mod run;
mod scan;
mod selinux;
mod test;
