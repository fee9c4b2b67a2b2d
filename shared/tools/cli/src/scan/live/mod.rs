//! Scans of running clusters.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ::live::{Connection, Deployed, Discovery, LookUps, Objects, Target};
use kubewarden::matching::Installation;
use report::{Level, Notice};
use scan::{Operation, Policy};
use serde_json::Value;

use super::args::InstallationArgs;
use super::policies::PolicySet;
use crate::failure::Failure;
use crate::interruption;
use crate::policy::Engines;
use crate::source::SourceName;

pub(crate) struct Cluster {
    connection: Connection,
    discovery: Discovery,
    interrupted: Arc<AtomicBool>,
}

impl Cluster {
    /// Connects to a cluster and asks for its kinds. The first signal interrupts its requests.
    pub(crate) fn connect(kubeconfig: Option<&Path>, context: Option<&str>) -> Result<Self, Failure> {
        let target =
            Target { kubeconfig: kubeconfig.map(Path::to_owned), context: context.map(str::to_owned) };
        let mut connection = Connection::open(&target).map_err(failure)?;
        let interrupted = interruption::watch();
        connection.interrupt_by(Arc::clone(&interrupted));
        let discovery = Discovery::read(&connection).map_err(failure)?;
        Ok(Self { connection, discovery, interrupted })
    }

    /// Returns the flag that the first signal sets.
    pub(super) fn interrupted(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.interrupted)
    }

    /// Finds out how Kubewarden is installed, unless the arguments say it, and says what was found.
    pub(super) fn installation(&self, args: &InstallationArgs) -> (Installation, Option<Notice>) {
        let mut installation = args.installation();
        if args.kubewarden_namespace.is_some() {
            return (installation, None);
        }
        let message = match ::live::kubewarden_namespace(&self.connection) {
            Ok(Some(namespace)) if namespace == installation.namespace => return (installation, None),
            Ok(Some(namespace)) => {
                installation.namespace = namespace;
                format!(
                    "the namespace of Kubewarden is {}, by the webhook configurations of its policies",
                    installation.namespace
                )
            }
            Ok(None) => return (installation, None),
            Err(error) => {
                if let Some(own) = self.connection.own_namespace() {
                    own.clone_into(&mut installation.namespace);
                }
                format!(
                    "the namespace of Kubewarden is taken to be {}, because the webhook configurations cannot be \
                     listed ({error}); name it with --kubewarden-namespace",
                    installation.namespace
                )
            }
        };
        (installation, Some(Notice { level: Level::Note, place: None, message }))
    }

    /// Loads the policies that are deployed in the cluster. A policy that cannot be loaded becomes
    /// a notice; a cluster without policies is an error.
    pub(super) fn policies(
        &self,
        engines: &Engines<'_>,
        installation: &Installation,
        namespace: Option<&str>,
    ) -> Result<PolicySet, Failure> {
        let deployed = Deployed::read(&self.connection, &self.discovery, namespace).map_err(failure)?;
        let mut policies = PolicySet::default();
        for message in &deployed.problems {
            policies.notices.push(Notice { level: Level::Error, place: None, message: message.clone() });
        }
        for manifest in &deployed.manifests {
            let text = |pointer| manifest.pointer(pointer).and_then(Value::as_str);
            let name = format!(
                "{} {}",
                text("/kind").unwrap_or_default(),
                text("/metadata/name").unwrap_or_default()
            );
            // The webhook of a policy exists once the policy server runs it.
            if let Some(status) = text("/status/policyStatus").filter(|status| *status != "active") {
                let message = format!(
                    "{name}: is not active but {status}, so the API server does not ask it yet; it evaluates here"
                );
                policies.notices.push(Notice { level: Level::Warning, place: None, message });
            }
            policies.add_object(manifest, &SourceName::new(name), engines, installation);
        }
        policies.notices.extend(self.absent_namespaces(&deployed));
        if policies.policies.is_empty() && policies.notices.is_empty() {
            let problem = "no policy of Kubewarden is deployed; deploy one, or name policies with --policy";
            return Err(Failure::about(self.connection.name(), problem));
        }
        Ok(policies)
    }

    /// Lists the skipped namespaces that do not exist.
    fn absent_namespaces(&self, deployed: &Deployed) -> Option<Notice> {
        let message = match deployed.absent_namespaces(&self.connection, &self.discovery) {
            Ok(names) if names.is_empty() => return None,
            Ok(names) => format!(
                "policies skip namespaces that do not exist: {}; unless something else reserves the names, users who \
                 may create one may run anything in it: set reserveNames of the chart, or remove the names",
                Vec::from_iter(names).join(", ")
            ),
            Err(error) => format!("whether all skipped namespaces exist is not known: {error}"),
        };
        Some(Notice { level: Level::Note, place: None, message })
    }

    /// Returns the objects that the rules of policies fit.
    pub(super) fn objects(
        &self,
        policies: &[Policy],
        operation: Operation,
        namespace: Option<&str>,
    ) -> Objects<'_> {
        Objects::new(&self.connection, &self.discovery, policies, operation, namespace)
    }

    /// Returns the objects that policies look up.
    pub(crate) fn look_ups(&self, namespace: Option<&str>) -> LookUps<'_> {
        LookUps::new(&self.connection, &self.discovery, namespace)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the signature is that of map_err")]
fn failure(error: ::live::Error) -> Failure {
    Failure::new(error.to_string())
}
