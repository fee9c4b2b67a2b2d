//! Metadata of policies and of modules, and what catalogues get of it.

mod artifact_hub;
mod metadata;
mod rancher;
mod section;

const GOOD: &str = include_str!("../../../../../../policies/external-ips/metadata.yml");
