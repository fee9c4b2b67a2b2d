//! The test harness: the behaviour of policies as data.
//!
//! `policies/<id>/cases/*.yaml` describe the behaviour of a policy as cases. Each case is judged
//! twice: natively ([`judge::natively`]) and by the module in the embedded host
//! ([`judge::through`]). Whole messages, patches and look-ups are compared. `cases/readme.yaml` of
//! this crate explains the format and is itself a test.

pub mod bless;
pub mod judge;
pub mod laws;
mod load;

pub use case_format::{Case, CaseOutcome, Cluster};
pub use load::{load, load_dir};
