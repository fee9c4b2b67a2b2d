//! Decisions, refusals and values are those of API servers, whose answers are recorded.

mod recorded;
mod refused;
mod values;
