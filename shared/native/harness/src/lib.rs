//! Behaviour as data.
//!
//! What a policy does is written as cases in `policies/<id>/cases/*.yaml`. Each is judged twice: by the rules
//! as they are ([`judge::natively`]) and by the module in the embedded host ([`judge::through`]), and whole
//! messages, patches and questions to the cluster are compared. `cases/readme.yaml` of this crate explains the
//! format and is itself a test.

pub mod bless;
pub mod judge;
pub mod laws;
mod load;

pub use case_format::{Case, CaseOutcome, Cluster};
pub use load::{load, load_dir};
