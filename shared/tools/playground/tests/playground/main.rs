//! The answers of the engine to a page: verdicts, manifests, imports, exports and fixes.

mod deployments;
mod exchange;
mod imports;
mod matrix;
mod workspaces;

use playground::{Playground, PolicyInput, Workspace};

/// Returns an enabled policy.
fn policy(id: &str, settings: &str) -> PolicyInput {
    PolicyInput { id: id.into(), enabled: true, settings: settings.into(), ..PolicyInput::default() }
}

/// Returns the manifest that deploys a policy.
fn deployment(id: &str, settings: &str) -> String {
    let policy = PolicyInput { id: id.into(), settings: settings.into(), ..PolicyInput::default() };
    let mut playground = Playground::new();
    playground.evaluate(Workspace { policies: vec![policy], ..Workspace::default() });
    playground.deployment(0)
}
