//! The published parts: modules, the tool with them, manifests, charts, packages and documents.

mod coherence;
#[cfg(feature = "modules")]
mod contract;
mod deploy;
mod files;
#[cfg(unix)]
mod folder;
#[cfg(feature = "modules")]
mod huge;
mod known_fields;
mod packages;
#[cfg(unix)]
mod places;
mod presets;
#[cfg(all(unix, feature = "modules"))]
mod registry;
#[cfg(feature = "modules")]
mod samples;
#[cfg(unix)]
mod tool;
