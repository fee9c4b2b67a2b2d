//! The policies that are deployed in a cluster.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::connection::Connection;
use crate::discovery::Discovery;
use crate::error::Error;
use crate::objects::refusal;
use crate::pages::{Listing, Pages};

const GROUP: &str = "policies.kubewarden.io";

/// The kinds of policies. Each has the same fields in all versions that are served.
const KINDS: [&str; 4] =
    ["ClusterAdmissionPolicy", "AdmissionPolicy", "ClusterAdmissionPolicyGroup", "AdmissionPolicyGroup"];

/// The reservations of the chart and of `artifacthub/deploy`, each with a list of names in quotes.
const RESERVATIONS: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies?labelSelector=\
     app.kubernetes.io%2Fname%3Dskipped-namespaces";

/// The policies of a cluster, as manifests.
#[derive(Clone, Debug, Default)]
pub struct Deployed {
    /// The manifests.
    pub manifests: Vec<Value>,
    /// Why some policies could not be read, in sentences.
    pub problems: Vec<String>,
}

impl Deployed {
    /// Reads the policies. With a namespace, those of others are of no interest.
    ///
    /// # Errors
    /// The server does not know policies of Kubewarden, or cannot be reached.
    pub fn read(
        connection: &Connection,
        discovery: &Discovery,
        namespace: Option<&str>,
    ) -> Result<Self, Error> {
        let mut deployed = Self::default();
        let find = |kind: &str| {
            discovery
                .resources()
                .iter()
                .find(|one| one.has("list") && one.resource.group == GROUP && one.resource.kind == kind)
        };
        let problem = discovery.problem(GROUP);
        if KINDS.iter().all(|kind| find(kind).is_none()) {
            if let Some(why) = problem {
                let problem = "the policies of Kubewarden cannot be read";
                return Err(Error::new(format!("{}: {problem}: {why}", connection.server())));
            }
            return Err(Error::new(format!(
                "{}: serves no policies of Kubewarden; install Kubewarden, or name policies with --policy",
                connection.server()
            )));
        }
        // A version that cannot be read may be the only one of a kind.
        if let Some(why) = problem {
            deployed
                .problems
                .push(format!("not all kinds of {GROUP} are known, so policies may be missing: {why}"));
        }
        for resource in KINDS.iter().filter_map(|kind| find(kind)).map(|one| &one.resource) {
            let only = namespace.filter(|_| resource.is_namespaced == Some(true)).map(str::to_owned);
            let listing = Listing { resource: resource.clone(), namespace: only, name: None };
            let mut pages = Pages::of(&listing);
            while let Some(page) = pages.next(connection) {
                match page {
                    Ok(page) => {
                        for item in &page.items {
                            match serde_json::from_str::<Value>(item) {
                                Ok(manifest) => deployed.manifests.push(manifest),
                                Err(error) => {
                                    let name = &resource.plural;
                                    let problem = format!("one of the {name} cannot be read: {error}");
                                    deployed.problems.push(problem);
                                }
                            }
                        }
                    }
                    Err(error) if error.status().is_none_or(|status| status == 401) => return Err(error),
                    Err(error) => {
                        deployed.problems.push(refusal(&listing, &error));
                        break;
                    }
                }
            }
        }
        Ok(deployed)
    }

    /// Returns the names of namespaces that policies skip and that do not exist, without those that
    /// are known to be reserved.
    ///
    /// # Errors
    /// The Namespaces cannot be listed.
    pub fn absent_namespaces(
        &self,
        connection: &Connection,
        discovery: &Discovery,
    ) -> Result<BTreeSet<String>, Error> {
        let mut skipped: BTreeSet<String> = self.manifests.iter().flat_map(skipped).collect();
        if skipped.is_empty() {
            return Ok(skipped);
        }
        let Some(resource) = discovery.find("v1", "Namespace") else { return Ok(BTreeSet::new()) };
        let mut pages = Pages::of(&Listing { resource: resource.clone(), namespace: None, name: None });
        while let Some(page) = pages.next(connection) {
            for item in page?.items {
                let object: Value = serde_json::from_str(&item).unwrap_or_default();
                skipped.remove(object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default());
            }
        }
        // Without the right to list them, all names count as not reserved.
        let reservations = connection.get(RESERVATIONS).unwrap_or_default();
        skipped.retain(|name| !reservations.contains(&format!("'{name}'")));
        Ok(skipped)
    }
}

/// Returns the names of the namespaces that the selector of a policy leaves out.
fn skipped(manifest: &Value) -> impl Iterator<Item = String> {
    let requirements = manifest.pointer("/spec/namespaceSelector/matchExpressions").and_then(Value::as_array);
    let is_skip = |one: &&Value| one["key"] == "kubernetes.io/metadata.name" && one["operator"] == "NotIn";
    let values =
        requirements.into_iter().flatten().filter(is_skip).filter_map(|one| one["values"].as_array());
    values.flatten().filter_map(Value::as_str).map(str::to_owned)
}
