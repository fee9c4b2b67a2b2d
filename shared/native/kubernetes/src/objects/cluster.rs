//! The set of objects as the cluster of a policy that runs natively.

use admission::{CanI, Cluster, Get, List, Unreachable};

use crate::objects::{Fetch, Listing, LookupFailure, Objects};

/// Look-ups use the field masks of the wanted shape, as in a module, and return the same bytes.
impl Cluster for Objects {
    fn get(&self, wanted: &Get<'_>) -> Result<Option<Vec<u8>>, Unreachable> {
        let Get { api_version, kind, namespace, name, shape } = *wanted;
        let field_masks = &shape.masks();
        let found = self.find(&Fetch { api_version, kind, namespace, name, field_masks })?;
        Ok(found.map(|object| object.to_string().into_bytes()))
    }

    fn list(&self, wanted: &List<'_>) -> Result<Vec<u8>, Unreachable> {
        let List { api_version, kind, namespace, shape } = *wanted;
        let field_masks = &shape.masks();
        let everything =
            Listing { api_version, kind, namespace, label_selector: None, field_selector: None, field_masks };
        Ok(Objects::list(self, &everything)?.to_string().into_bytes())
    }

    fn can_i(&self, wanted: &CanI<'_>) -> Result<Vec<u8>, Unreachable> {
        Ok(Objects::can_i(self, wanted)?.to_string().into_bytes())
    }
}

impl From<LookupFailure> for Unreachable {
    fn from(failure: LookupFailure) -> Self {
        Self(failure.to_string())
    }
}

#[cfg(test)]
mod tests {
    use admission::Shape;
    use serde_json::{Value, json};

    use super::*;

    const NAME: Shape<'static> = Shape::Fields(&[("spec", Shape::Fields(&[("clusterIP", Shape::ALL)]))]);

    fn cluster() -> Objects {
        let service = json!({
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": { "namespace": "d", "name": "s" },
            "spec": { "clusterIP": "192.0.2.1", "type": "ClusterIP" },
        });
        Objects::from_values(vec![service]).unwrap()
    }

    fn get<'a>(namespace: Option<&'a str>, name: &'a str) -> Get<'a> {
        Get { api_version: "v1", kind: "Service", namespace, name, shape: NAME }
    }

    #[test]
    fn an_absent_object_is_not_a_failure() {
        assert_eq!(cluster().get(&get(Some("d"), "nope")), Ok(None));
    }

    #[test]
    fn answers_are_reduced_to_the_shape() {
        let found = cluster().get(&get(Some("d"), "s")).unwrap().unwrap();
        let found: Value = serde_json::from_slice(&found).unwrap();
        assert_eq!(found["spec"], json!({ "clusterIP": "192.0.2.1" }));
        let all = List { api_version: "v1", kind: "Service", namespace: None, shape: NAME };
        let list: Value = serde_json::from_slice(&Cluster::list(&cluster(), &all).unwrap()).unwrap();
        assert_eq!(list["kind"], "ServiceList");
        assert_eq!(list["items"][0]["spec"], json!({ "clusterIP": "192.0.2.1" }));
    }

    #[test]
    fn failures_have_a_reason() {
        assert_eq!(
            Objects::unreachable("no route to host").get(&get(Some("d"), "s")),
            Err(Unreachable("Callback evaluation failure: no route to host".to_owned())),
        );
        assert_eq!(
            cluster().get(&get(None, "s")),
            Err(Unreachable(
                "Callback evaluation failure: Resource v1/Service is namespaced, but no namespace was provided"
                    .to_owned()
            )),
        );
    }
}
