//! The cluster, through calls to the host.

use std::marker::PhantomData;

use admission::{CanI, Cluster, Get, How, List, Policy, Shape, Unreachable};
use text::{ObjectWriter, contains};

/// The words with which wapc-guest begins an error of the host.
const BY_HOST: &str = "Host error: ";

/// A cluster that asks the host, which asks the API server or its own cache. A module has code only
/// for the look-ups that its policy declares.
#[derive(Debug)]
pub(crate) struct HostCluster<P>(pub(crate) PhantomData<P>);

impl<P: Policy> Cluster for HostCluster<P> {
    fn get(&self, wanted: &Get<'_>) -> Result<Option<Vec<u8>>, Unreachable> {
        if !const { P::READS.ask(How::Get) } {
            return Err(undeclared());
        }
        match call("get_resource", &get(wanted)) {
            Err(Unreachable(why)) if says_not_found(&why, wanted) => Ok(None),
            answer => answer.map(Some),
        }
    }

    fn list(&self, wanted: &List<'_>) -> Result<Vec<u8>, Unreachable> {
        match wanted.namespace {
            None if const { P::READS.ask(How::ListAll) } => call("list_resources_all", &list(wanted)),
            Some(_) if const { P::READS.ask(How::ListIn) } => {
                call("list_resources_by_namespace", &list(wanted))
            }
            _ => Err(undeclared()),
        }
    }

    fn can_i(&self, wanted: &CanI<'_>) -> Result<Vec<u8>, Unreachable> {
        if const { P::READS.ask(How::CanI) } { call("can_i", &can_i(wanted)) } else { Err(undeclared()) }
    }
}

fn undeclared() -> Unreachable {
    Unreachable("undeclared".to_owned())
}

/// Returns a `GetResourceRequest` of kubewarden-policy-sdk as JSON.
fn get(Get { api_version, kind, namespace, name, shape }: &Get<'_>) -> String {
    let json = question(api_version, kind, *namespace, shape);
    json.text("name", name).raw("disable_cache", "false").finish()
}

/// Returns a `ListAllResourcesRequest` or a `ListResourcesByNamespaceRequest` of
/// kubewarden-policy-sdk as JSON.
fn list(List { api_version, kind, namespace, shape }: &List<'_>) -> String {
    question(api_version, kind, *namespace, shape).finish()
}

/// Returns a `CanIRequest` of kubewarden-policy-sdk as JSON.
fn can_i(wanted: &CanI<'_>) -> String {
    let CanI { user, groups, verb, group, resource, subresource, name, namespace } = wanted;
    let mut attributes = ObjectWriter::new();
    for (key, value) in [
        ("group", group),
        ("name", name),
        ("namespace", namespace),
        ("resource", resource),
        ("subresource", subresource),
        ("verb", verb),
    ] {
        attributes = attributes.text(key, value);
    }
    let groups: Vec<String> = groups.iter().map(|group| (*group).to_owned()).collect();
    let review = ObjectWriter::new().texts("groups", &groups).text("user", user);
    let review = review.raw("resource_attributes", &attributes.finish()).finish();
    ObjectWriter::new().raw("subject_access_review", &review).raw("disable_cache", "false").finish()
}

/// Starts a request with the fields that all look-ups have.
fn question(api_version: &str, kind: &str, namespace: Option<&str>, shape: &Shape<'_>) -> ObjectWriter {
    let json = ObjectWriter::new().text("api_version", api_version).text("kind", kind);
    let json = json.texts("field_masks", &shape.masks());
    match namespace {
        Some(namespace) => json.text("namespace", namespace),
        None => json,
    }
}

/// Returns whether the host reports that the object does not exist. Only the text of the message
/// distinguishes this from other failures. If the text changes, an absent object is a failed
/// look-up, which never admits more.
fn says_not_found(why: &str, Get { api_version, kind, name, .. }: &Get<'_>) -> bool {
    contains(why, &["Cannot find ", api_version, "/", kind, " named '", name, "'"].concat())
}

fn call(operation: &str, request: &str) -> Result<Vec<u8>, Unreachable> {
    wapc_guest::host_call("kubewarden", "kubernetes", operation, request.as_bytes()).map_err(|error| {
        let mut why = error.to_string();
        if why.starts_with(BY_HOST) {
            why.drain(..BY_HOST.len());
        }
        Unreachable(why)
    })
}

#[cfg(test)]
mod tests {
    use kubewarden_policy_sdk::host_capabilities::kubernetes::{
        CanIRequest, GetResourceRequest, ListAllResourcesRequest, ListResourcesByNamespaceRequest,
    };

    use super::*;

    const SHAPE: Shape<'static> =
        Shape::Fields(&[("spec", Shape::Fields(&[("ports", Shape::ALL), ("type", Shape::ALL)]))]);

    #[test]
    fn gets_an_object_like_the_sdk() {
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
    fn lists_all_objects_like_the_sdk() {
        let wanted = List { api_version: "apps/v1", kind: "Deployment", namespace: None, shape: SHAPE };
        let read: ListAllResourcesRequest = serde_json::from_str(&list(&wanted)).unwrap();
        assert_eq!((read.api_version.as_str(), read.kind.as_str()), ("apps/v1", "Deployment"));
        assert_eq!(read.label_selector, None);
        assert_eq!(Vec::from_iter(read.field_masks.unwrap()), ["spec.ports", "spec.type"]);
    }

    #[test]
    fn lists_the_objects_of_a_namespace_like_the_sdk() {
        let wanted = List { api_version: "v1", kind: "Pod", namespace: Some("shop"), shape: SHAPE };
        let read: ListResourcesByNamespaceRequest = serde_json::from_str(&list(&wanted)).unwrap();
        assert_eq!((read.api_version.as_str(), read.kind.as_str()), ("v1", "Pod"));
        assert_eq!((read.namespace.as_str(), read.label_selector), ("shop", None));
        assert_eq!(Vec::from_iter(read.field_masks.unwrap()), ["spec.ports", "spec.type"]);
    }

    #[test]
    fn asks_for_permissions_like_the_sdk() {
        let wanted = CanI {
            user: "al\"ice",
            groups: &["developers", "system:authenticated"],
            verb: "create",
            group: "network.example",
            resource: "services",
            subresource: "addresses",
            name: "web",
            namespace: "shop",
        };
        let CanIRequest { subject_access_review: review, disable_cache } =
            serde_json::from_str(&can_i(&wanted)).unwrap();
        assert_eq!((review.user.as_str(), disable_cache), ("al\"ice", false));
        assert_eq!(review.groups.unwrap(), wanted.groups);
        let asked = review.resource_attributes;
        assert_eq!((asked.verb.as_str(), asked.resource.as_str()), ("create", "services"));
        assert_eq!((asked.group.as_deref(), asked.version), (Some("network.example"), None));
        assert_eq!((asked.subresource.as_deref(), asked.name.as_deref()), (Some("addresses"), Some("web")));
        assert_eq!(asked.namespace.as_deref(), Some("shop"));
    }

    #[test]
    fn only_the_hosts_message_about_this_object_means_that_it_is_absent() {
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
