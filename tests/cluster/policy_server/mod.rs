//! Policy servers on loopback: Kubewarden's where it is on PATH, and the embedded host elsewhere.

mod embedded;
mod program;

use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;
use tests::api_server::ApiServer;

use self::embedded::Embedded;
use self::program::Program;

/// The user of a policy server: the service account of `artifacthub/deploy/policy-server.yaml`.
pub(crate) const USER: &str = "system:serviceaccount:kubewarden:portcullis-policy-server";

/// A policy server. It ends with the value, even if the test fails.
pub(crate) trait PolicyServer {
    /// The port of the loopback address at which it answers webhooks.
    fn port(&self) -> u16;

    /// Starts the server again after its end, with the same policies and the same address.
    fn restart(&mut self);

    /// Ends the server at once, with all requests that it evaluates.
    fn kill(&mut self);

    /// The lines of the log about requests that policies in monitor mode would deny.
    fn findings(&self) -> Vec<String>;
}

/// Whether the policy server is Kubewarden's. Reports that it is not asked if it is not installed.
static IS_INSTALLED: LazyLock<bool> = LazyLock::new(|| {
    let is_installed = Command::new("policy-server").arg("--version").output().is_ok();
    if !is_installed {
        let why = "policy-server is not installed: the embedded host answers in its place";
        tests::not_run("POLICY_SERVER", "policy-server in the scenarios in a cluster", why).unwrap();
    }
    is_installed
});

/// Starts a policy server, and waits until it is ready.
pub(crate) fn start(api_server: &ApiServer, policies: &Value) -> Box<dyn PolicyServer> {
    if *IS_INSTALLED {
        Box::new(Program::start(api_server, policies))
    } else {
        Box::new(Embedded::start(api_server, policies).unwrap())
    }
}

/// Returns why a policy server does not start with settings that are not valid.
pub(crate) fn refuse(api_server: &ApiServer, policies: &Value) -> String {
    if *IS_INSTALLED {
        Program::refuse(api_server, policies)
    } else {
        Embedded::start(api_server, policies).err().expect("the host accepts the settings")
    }
}
