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
    why.as_bytes().windows(text.len()).any(|window| window == text.as_bytes())
}

fn call(operation: &str, request: &str) -> Result<Vec<u8>, Unreachable> {
    host_call("kubewarden", "kubernetes", operation, request.as_bytes()).map_err(|error| {
        let text = error.to_string();
        Unreachable(text.strip_prefix("Host error: ").unwrap_or(&text).to_owned())
    })
}
