//! Connections to a server of the tests, and scans of the objects that it has.

mod connection;
mod objects;
mod server;
