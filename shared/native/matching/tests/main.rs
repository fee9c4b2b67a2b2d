//! Decisions are those of API servers, whose answers are recorded.

mod recorded;
