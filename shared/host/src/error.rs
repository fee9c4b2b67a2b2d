//! Why something cannot be run.

use std::fmt;

/// What keeps a host, a module or a deployment from being used.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Error {
    /// The WebAssembly engine does not start.
    Engine(String),
    /// The module cannot be compiled, or wants what the host does not have.
    Module(String),
    /// A pattern among the capabilities of a deployment that grants nothing.
    Capability(String),
    /// The settings of a deployment are neither an object nor null.
    SettingsType,
    /// The module does not accept its settings; the module's own words.
    Settings(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Engine(problem) => write!(f, "cannot start the WebAssembly engine: {problem}"),
            Error::Module(problem) => write!(f, "cannot load the module: {problem}"),
            Error::Capability(pattern) => write!(
                f,
                "hostCapabilities: \"{pattern}\" grants nothing; write *, a prefix such as kubernetes/* or a name \
                 such as kubernetes/get_resource",
            ),
            Error::SettingsType => f.write_str("Invalid settings in CRD, not an object"),
            Error::Settings(message) => write!(f, "Policy settings are invalid: {message}"),
        }
    }
}

impl std::error::Error for Error {}
