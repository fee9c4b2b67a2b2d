//! Scans of texts, of every case, and of input that looks harmless: from the input to the report.

mod law;
mod no_false_green;
mod scans;
mod texts;
mod unwritable;
