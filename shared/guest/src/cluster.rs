//! The cluster behind the host.

use admission::{Cluster, Get, ListAll, Unreachable};
use lean::ObjectWriter;
use wapc_guest::host_call;

/// Asks the host, which asks the API server or a cache of it.
#[derive(Debug)]
pub(crate) struct HostCluster;

impl Cluster for HostCluster {
    fn get(&self, wanted: &Get<'_>) -> Result<Option<Vec<u8>>, Unreachable> {
        match call("get_resource", &get(wanted)) {
            Err(Unreachable(why)) if says_not_found(&why, wanted) => Ok(None),
            answer => answer.map(Some),
        }
    }

    fn list_all(&self, wanted: &ListAll<'_>) -> Result<Vec<u8>, Unreachable> {
        call("list_resources_all", &list_all(wanted))
    }
}

/// `GetResourceRequest` of kubewarden-policy-sdk.
fn get(Get { api_version, kind, namespace, name, shape }: &Get<'_>) -> String {
    let json = ObjectWriter::new().text("api_version", api_version).text("kind", kind).text("name", name);
    let json = match namespace {
        Some(namespace) => json.text("namespace", namespace),
        None => json,
    };
    json.raw("disable_cache", "false").texts("field_masks", &shape.masks()).finish()
}

/// `ListAllResourcesRequest` of kubewarden-policy-sdk.
fn list_all(ListAll { api_version, kind, shape }: &ListAll<'_>) -> String {
    let json = ObjectWriter::new().text("api_version", api_version).text("kind", kind);
    json.texts("field_masks", &shape.masks()).finish()
}

/// The host tells "there is none" from other failures by its text only. Should the text change, an absent
/// object is a failed look-up, which never admits more.
fn says_not_found(why: &str, Get { api_version, kind, name, .. }: &Get<'_>) -> bool {
    let text = format!("Cannot find {api_version}/{kind} named '{name}'");
    // Not `contains`: the search for text in text would be 9 KB of a module.
    let mut rest = why.as_bytes();
    while !rest.starts_with(text.as_bytes()) {
        match rest.split_first() {
            Some((_, behind)) => rest = behind,
            None => return false,
        }
    }
    true
}

fn call(operation: &str, request: &str) -> Result<Vec<u8>, Unreachable> {
    host_call("kubewarden", "kubernetes", operation, request.as_bytes()).map_err(|error| {
        let text = error.to_string();
        Unreachable(text.strip_prefix("Host error: ").unwrap_or(&text).to_owned())
    })
}

#[cfg(test)]
mod tests {
    use admission::Shape;
    use kubewarden_policy_sdk::host_capabilities::kubernetes::{GetResourceRequest, ListAllResourcesRequest};

    use super::*;

    const SHAPE: Shape<'static> =
        Shape::Fields(&[("spec", Shape::Fields(&[("ports", Shape::ALL), ("type", Shape::ALL)]))]);

    #[test]
    fn an_object_is_asked_for_as_the_sdk_does() {
        for namespace in [None, Some("shop")] {
            let wanted = Get { api_version: "v1", kind: "Service", namespace, name: "web\"", shape: SHAPE };
            let read: GetResourceRequest = serde_json::from_str(&get(&wanted)).unwrap();
            assert_eq!((read.api_version.as_str(), read.kind.as_str()), ("v1", "Service"));
            assert_eq!((read.name.as_str(), read.namespace.as_deref()), ("web\"", namespace));
            assert!(!read.disable_cache);
            assert_eq!(Vec::from_iter(read.field_masks.unwrap()), ["spec.ports", "spec.type"]);
        }
    }

    #[test]
    fn all_objects_are_asked_for_as_the_sdk_does() {
        let wanted = ListAll { api_version: "apps/v1", kind: "Deployment", shape: SHAPE };
        let read: ListAllResourcesRequest = serde_json::from_str(&list_all(&wanted)).unwrap();
        assert_eq!((read.api_version.as_str(), read.kind.as_str()), ("apps/v1", "Deployment"));
        assert_eq!(read.label_selector, None);
        assert_eq!(Vec::from_iter(read.field_masks.unwrap()), ["spec.ports", "spec.type"]);
    }

    #[test]
    fn only_the_hosts_words_for_this_object_mean_that_it_is_not_there() {
        let wanted =
            Get { api_version: "v1", kind: "Namespace", namespace: None, name: "shop", shape: SHAPE };
        let failure = "Callback evaluation failure: ";
        let said = |text: &str| says_not_found(&format!("{failure}{text}"), &wanted);
        assert!(said("Cannot find v1/Namespace named 'shop' inside of namespace 'None'"));
        assert!(!said("Cannot find v1/Namespace named 'shop2' inside of namespace 'None'"));
        assert!(!said("Cannot find resource v1/Namespace"));
        assert!(!said(""));
    }
}
