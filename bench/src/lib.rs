//! What modules cost: bytes, and instructions and memory per request, beside the floor, a module that only
//! skips over the payload.
//!
//! Instructions are Wasmtime's fuel: the same for the same module and payload, on every machine. The requests
//! are files in `bench/requests`, handed over as the host does: keys sorted, nulls left out.

mod figures;
mod growth;
mod meter;

pub use figures::{Budget, Cost, Figures, SizeOf, root};
pub use growth::{CONTAINERS, Containers, Growth};
pub use meter::{Meter, Usage};
