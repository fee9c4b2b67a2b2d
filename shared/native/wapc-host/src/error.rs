//! Errors of hosts, modules and deployments.

use std::fmt;

/// The reason why a host, a module or a deployment cannot be used.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum HostError {
    /// The WebAssembly engine does not start.
    Engine(String),
    /// The module cannot be compiled, or imports a function that the host does not have.
    Module(String),
    /// A pattern in the deployment's host capabilities that grants nothing.
    Capability(String),
    /// The settings of a deployment are neither an object nor null.
    SettingsType,
    /// The module does not accept its settings, with the module's message.
    Settings(String),
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HostError::Engine(problem) => write!(f, "cannot start the WebAssembly engine: {problem}"),
            HostError::Module(problem) => write!(f, "cannot load the module: {problem}"),
            HostError::Capability(pattern) => write!(
                f,
                "hostCapabilities: \"{pattern}\" grants nothing; write *, a prefix such as kubernetes/* or a name \
                 such as kubernetes/get_resource",
            ),
            HostError::SettingsType => f.write_str("Invalid settings in CRD, not an object"),
            HostError::Settings(message) => write!(f, "Policy settings are invalid: {message}"),
        }
    }
}

impl std::error::Error for HostError {}
