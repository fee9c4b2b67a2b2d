//! Admission reviews, as the API server and Kubewarden exchange them.
//!
//! An [`AdmissionRequest`] is the request that an API server sends and a policy evaluates. A
//! [`Draft`] makes one from a manifest and a user, without an API server. A [`ValidationResponse`]
//! is the answer of a policy, and an [`AdmissionResponse`] is the response that the API server
//! receives.
//!
//! # What this module does not do
//! It does not run modules (see `wapc-host`) and knows no rules (see `rules`).

mod draft;
mod error;
mod request;
mod response;
mod unknown_fields;
mod validation_response;

pub use draft::{Draft, UID};
pub use error::RequestError;
pub use request::{AdmissionRequest, Form};
pub use response::{AdmissionResponse, Status, StatusCause, StatusDetails};
pub use unknown_fields::{UnknownField, unknown_fields};
pub use validation_response::ValidationResponse;
