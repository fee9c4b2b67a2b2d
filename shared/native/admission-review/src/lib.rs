//! Admission reviews, as the API server and Kubewarden exchange them.
//!
//! An [`AdmissionRequest`] is what an API server sends and a policy is asked; a [`Draft`] makes one of a manifest and a
//! user, without an API server. An [`Answer`] is what a policy says, an [`AdmissionResponse`] what the API server is told.
//!
//! # What this crate does not do
//! It runs nothing and knows no rule: `host` runs modules, `rules` judges.

mod answer;
mod draft;
mod error;
mod request;
mod response;

pub use answer::Answer;
pub use draft::Draft;
pub use error::RequestError;
pub use request::{AdmissionRequest, Form};
pub use response::{AdmissionResponse, Status, StatusCause, StatusDetails};
