use std::net::TcpStream;
use std::{mem, thread};

use kubewarden::matching::PolicyManifest;

use crate::cluster::Cluster;
use crate::policy::Policy;
use crate::policy_server::{self, PolicyServer};
use crate::{policy_subreconciler_webhook as webhook, policyserver_controller_configmap as config_map};

/// Policies with their policy server and webhooks. All of them end with the value, even if the test
/// fails.
pub(crate) struct Kubewarden<'a> {
    cluster: &'a Cluster,
    policies: Vec<Policy>,
    pub(crate) server: Box<dyn PolicyServer>,
}

impl<'a> Kubewarden<'a> {
    /// Deploys policies: the policy server first, then their webhooks.
    pub(crate) fn deploy(cluster: &'a Cluster, policies: &[Policy]) -> Self {
        let server = policy_server::start(&cluster.server, &config_map::policies(policies));
        let new = Self { cluster, policies: policies.to_vec(), server };
        new.apply();
        new
    }

    /// Changes the policies. The new policy server answers before the old one ends.
    pub(crate) fn change(&mut self, policies: &[Policy]) {
        let server = policy_server::start(&self.cluster.server, &config_map::policies(policies));
        let old = mem::replace(&mut self.policies, policies.to_vec());
        let kept: Vec<String> = policies.iter().map(|policy| read(policy).configuration_name()).collect();
        for policy in old.iter().filter(|policy| !kept.contains(&read(policy).configuration_name())) {
            self.delete(policy).unwrap();
        }
        let old = mem::replace(&mut self.server, server);
        self.apply();
        drop(old);
    }

    /// Stores other policies of the same names, which the running policy server does not have.
    pub(crate) fn store(&mut self, policies: &[Policy]) {
        self.policies = policies.to_vec();
    }

    /// Writes the webhooks if the policy server is ready. Otherwise the controller waits.
    ///
    /// Source: `reconcilePolicy` in `internal/controller/policy_subreconciler.go` of
    /// kubewarden/kubewarden-controller at 3460bb71. Each change of a policy, a webhook or a pod of
    /// the policy server leads to a call, and further ones follow while it waits.
    pub(crate) fn reconcile(&self) {
        if TcpStream::connect(("127.0.0.1", self.server.port())).is_ok() {
            self.apply();
        }
    }

    /// Deletes the webhook of a policy whether the policy server is ready or not, as
    /// `reconcilePolicyDeletion` does for a policy that is being deleted.
    pub(crate) fn reconcile_deletion(&self, policy: &Policy) {
        self.delete(policy).unwrap();
    }

    /// Writes the webhooks, and waits until the API server calls them.
    fn apply(&self) {
        let authority = self.cluster.server.authority();
        for policy in &self.policies {
            let object = webhook::configuration(policy, self.server.port(), &authority);
            self.cluster.apply(&object);
        }
        self.cluster.wait_for_webhooks();
    }

    fn delete(&self, policy: &Policy) -> Result<String, String> {
        let manifest = read(policy);
        let arguments = ["delete", webhook::resource(&manifest), &manifest.configuration_name()];
        self.cluster.server.kubectl(&arguments)
    }
}

fn read(policy: &Policy) -> PolicyManifest {
    PolicyManifest::read(&policy.manifest).unwrap()
}

impl Drop for Kubewarden<'_> {
    fn drop(&mut self) {
        let deleted: Vec<_> = self.policies.iter().map(|policy| self.delete(policy)).collect();
        // A second panic would end the test with its processes left.
        if !thread::panicking() {
            assert!(deleted.iter().all(Result::is_ok), "{deleted:?}");
            self.cluster.wait_for_webhooks();
        }
    }
}
