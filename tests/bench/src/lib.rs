//! The cost of modules: bytes, and instructions and memory per request, compared with the floor, a
//! module that only skips over the payload.
//!
//! Instructions are counted as Wasmtime's fuel, which is the same for the same module and payload
//! on every machine. The requests are files in `tests/bench/requests`, passed as the host passes
//! them: with sorted keys and without nulls.

mod conflicts;
mod figures;
mod growth;
mod meter;
mod profile;
mod table;

pub use conflicts::{Check, Conflicts};
pub use figures::{Budget, Cost, Figures, SizeOf, payload, root};
pub use growth::{CONTAINERS, Containers, Growth};
pub use meter::{Meter, Usage};
pub use profile::{Line, profile};
