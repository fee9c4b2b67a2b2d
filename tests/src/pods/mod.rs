//! Pods and workloads for the tests of `pod-security`, and the verdicts of the policy on them.

pub mod generate;
pub mod policy;
mod standard;
pub mod tweaks;

pub use standard::{Level, NEWEST, Version};
