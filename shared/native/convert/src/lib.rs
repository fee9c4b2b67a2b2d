//! Conversion of existing restrictions on pods and Services into manifests for Kubewarden.
//!
//! Each source has a function:
//!
//! * [`kyverno_with`]: Kyverno's policies and `PolicyException`s, with the configuration of Kyverno
//!   itself; [`kyverno`](kyverno()) takes the defaults of its chart;
//! * [`pod_security_admission`]: the configuration of the in-tree admission plugin `PodSecurity`;
//! * [`gatekeeper`](gatekeeper()): constraints of Gatekeeper's library;
//! * [`kubewarden`](kubewarden()): policies with Kubewarden's official modules for single controls;
//!
//! All return manifests, and list what they could not convert; [`steps`] helps to find its place.
//! [`Source::of`] recognises documents. [`ManifestOptions`] change all manifests.
//!
//! # Example
//! ```
//! use convert::{Document, pod_security_admission};
//! use serde_json::json;
//!
//! let configuration = Document {
//!     name: "configuration.yaml".to_owned(),
//!     value: json!({
//!         "apiVersion": "pod-security.admission.config.k8s.io/v1",
//!         "kind": "PodSecurityConfiguration",
//!         "defaults": { "enforce": "baseline" },
//!     }),
//! };
//! let conversions = pod_security_admission(&[configuration])?;
//! let manifest = conversions[0].manifest.as_ref().unwrap();
//! assert_eq!(manifest.spec.settings["level"], "baseline");
//! # Ok::<(), convert::InputError>(())
//! ```
//!
//! # What this crate does not do
//! It reads no files, asks no cluster and prints nothing. Its types serialise as the manifests.

mod cel;
mod controls;
mod conversion;
mod document;
mod external_ips;
mod fields;
mod gatekeeper;
mod kubewarden;
mod kubewarden_policies;
mod kyverno;
mod manifest_names;
mod objects;
mod options;
mod psa;
mod settings;
mod source;
mod target;

pub use ::kubewarden::deployment::MatchCondition;
pub use ::kubewarden::{ContextAwareResource, Operation};
pub use conversion::{Class, Conversion, Difference, summary};
pub use document::{Document, InputError, steps};
pub use gatekeeper::convert as gatekeeper;
pub use kubewarden::{
    LabelSelector, LabelSelectorRequirement, ModuleReference, PolicyManifest, PolicyMetadata, PolicyMode,
    PolicySpec, TargetRule,
};
pub use kubewarden_policies::convert as kubewarden;
pub use kyverno::{KyvernoConfiguration, convert as kyverno, convert_with as kyverno_with};
pub use options::ManifestOptions;
pub use psa::convert as pod_security_admission;
pub use source::{SOURCES, Source};
