//! The places where people work: kubectl, GitHub, GitLab, pre-commit and editors, and the release
//! that all of them download.

mod action;
mod docs;
mod documented_commands;
mod editors;
mod gitlab;
mod kubectl;
mod pre_commit;
mod release;
mod renderers;
