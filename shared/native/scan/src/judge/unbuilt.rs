//! Judges an object from its text, provided that there is nothing to report about it.
//!
//! Most objects of a dump are flawless, and building them takes most of the time of a scan. Native
//! policies therefore judge their text, as in a policy server. This path can only count an object
//! as skipped or admitted. Any other object is built and judged again, and that second judgement
//! alone makes findings and notices.

use matching::Decision;
use report::ObjectRef;
use serde_json::{Value, json};

use super::plain::is_plain;
use super::record::{Record, Subject};
use super::{Judge, Output};
use crate::ask::{Asked, answer};
use crate::entry::Spot;
use crate::exceptions::Exceptions;
use crate::input::Chunk;
use crate::locate::Locator;
use crate::options::Operation;
use crate::pods;
use crate::request::{Change, request};
use crate::verdict::Request;

/// The kind of an object, and what identifies it.
struct Header<'t> {
    api_version: &'t str,
    kind: &'t str,
    name: &'t str,
    namespace: &'t str,
}

impl Judge<'_> {
    /// Judges an item of a list from its text. Returns `None` if the item has to be built;
    /// otherwise, [`Self::judge_values`] would return the same output.
    pub(super) fn judge_text(&self, chunk: &Chunk) -> Option<Output> {
        if !self.may_judge_text(chunk) {
            return None;
        }
        let Header { api_version, kind, name, namespace } = self.plain_object(&chunk.text)?;
        let mut output = self.empty_output();
        output.bytes = u64::try_from(chunk.text.len()).unwrap_or(u64::MAX);
        if !self.options.judges(Some(namespace)) {
            return Some(output);
        }
        let metadata = json!({ "name": name, "namespace": namespace });
        let stub = json!({ "apiVersion": api_version, "kind": kind, "metadata": metadata });
        let request = request(Change::Create(stub), &self.options.user(), &self.cluster.resources);
        let request = with_text(request, &chunk.text)?;
        let reference = ObjectRef { namespace: Some(namespace.to_owned()), ..ObjectRef::default() };
        let (spot, locator) = (Spot::default(), Locator::new(chunk));
        let subject = Subject { spot: &spot, reference, has_places: true, exceptions: Exceptions::default() };
        let mut record = Record::new(self, subject, &locator, &mut output);
        let labels = self.cluster.namespace(namespace);
        for (index, policy) in self.policies.iter().enumerate() {
            let kinds = &self.cluster.resources;
            let decision = policy.webhook.decide_without_objects(kinds, request.value(), labels)?;
            if let Decision::Called(found) = &decision
                && (found.converted.is_some() || !policy.is_native())
            {
                return None;
            }
            let answer = answer(index, policy, decision, &request, self.cluster);
            record.add(&answer, Asked { request: request.value(), pod: None });
            if !record.is_flawless() {
                return None;
            }
        }
        record.finish();
        Some(output)
    }

    /// Returns whether the scan asks nothing about the piece that needs more than its text.
    fn may_judge_text(&self, chunk: &Chunk) -> bool {
        chunk.list.is_some()
            && !chunk.is_envelope
            && !chunk.origin.is_rendered
            && self.options.operation == Operation::Create
            && self.old.is_none()
            && !self.explains
            && self.cluster.session.is_none()
    }

    /// Returns the header of an object that is judged as it is written, and whose fields need no
    /// remark.
    fn plain_object<'t>(&self, text: &'t str) -> Option<Header<'t>> {
        let peek = |keys: &[&str], fields| {
            let [one, other] = document::peek(text.as_bytes(), keys, fields)?;
            Some((str::from_utf8(one).ok()?, str::from_utf8(other).ok()?))
        };
        let (api_version, kind) = peek(&[], ["apiVersion", "kind"])?;
        let (name, namespace) = peek(&["metadata"], ["name", "namespace"])?;
        let is_judged_as_written = ![api_version, kind, name, namespace].contains(&"")
            && self.cluster.resources.resource(api_version, kind).is_namespaced != Some(false)
            && may_be_judged_as_written(api_version, kind);
        (is_judged_as_written && is_plain(text, api_version, kind)).then_some(Header {
            api_version,
            kind,
            name,
            namespace,
        })
    }
}

/// Returns whether objects of a kind are judged as they are written. Lists and reviews contain the
/// objects, a Namespace gets a label, and a workload is judged by its pods as well. Only one
/// version of a Pod has containers that are known.
fn may_be_judged_as_written(api_version: &str, kind: &str) -> bool {
    !kind.ends_with("List")
        && !matches!(kind, "AdmissionReview" | "Namespace")
        && (kind != "Pod" || api_version == "v1")
        && !pods::is_workload(api_version, kind)
}

/// Returns a request whose JSON has `object` in the place of the stub. The value keeps the stub:
/// rules and selectors read only its kind, namespace and name.
fn with_text(mut request: Value, object: &str) -> Option<Request> {
    let stub = request.as_object_mut()?.remove("object")?;
    let rest = request.to_string();
    let json = format!(r#"{{"object":{object},{}"#, rest.strip_prefix('{')?);
    request.as_object_mut()?.insert("object".to_owned(), stub);
    Some(Request::with_json(request, json))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::cluster::Cluster;
    use crate::input::{List, Origin};
    use crate::options::{Options, Pods};
    use crate::policy::Policy;

    /// Every object of the cases of all policies has the same verdict when it is built.
    #[test]
    fn an_object_that_is_judged_from_its_text_has_the_verdict_of_the_one_that_is_built() {
        let policies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../policies");
        let (mut unbuilt, mut built) = (0, 0);
        for entry in rules::CATALOG {
            for case in harness::load_dir(&policies.join(entry.id).join("cases")).unwrap() {
                let Some(object) = case.object else { continue };
                let policies: Vec<Policy> = Policy::of_rules(entry.id, &case.settings).into_iter().collect();
                let cluster = Cluster::of_objects(case.cluster.objects)
                    .unwrap_or_else(|_| Cluster::unreachable("two states of an object"));
                let options = Options::default();
                let judge = Judge {
                    policies: &policies,
                    options: &options,
                    cluster: &cluster,
                    old: None,
                    explains: false,
                };
                let chunk = Chunk::live(Origin::file("f"), object.to_string(), List::of("v1", "Pod"));
                match judge.judge_text(&chunk) {
                    Some(output) => {
                        assert_eq!(
                            format!("{output:?}"),
                            format!("{:?}", judge.judge_values(&chunk)),
                            "{object}"
                        );
                        unbuilt += 1;
                    }
                    None => built += 1,
                }
            }
        }
        assert!(unbuilt > 100 && built > 100, "{unbuilt} from their texts, {built} built");
    }

    /// Objects about which the text alone says too little.
    #[test]
    fn an_object_that_is_not_judged_as_it_is_written_is_built() {
        let policies = [Policy::of_id("pod-security", &json!({ "level": "baseline" })).unwrap()];
        let cluster = Cluster::of_objects(Vec::new()).unwrap();
        let options = Options { pods: Pods::Off, ..Options::default() };
        let judge =
            Judge { policies: &policies, options: &options, cluster: &cluster, old: None, explains: false };
        let judged = |api_version: &str, kind: &str, rest: &str| {
            let metadata = r#""metadata":{"name":"a","namespace":"d"}"#;
            let text = format!(r#"{{"apiVersion":"{api_version}","kind":"{kind}",{metadata},{rest}}}"#);
            judge.judge_text(&Chunk::live(Origin::file("f"), text, List::of("v1", ""))).is_some()
        };
        let spec = |fields: &str| format!(r#""spec":{{"containers":[{{"name":"a"{fields}}}]}}"#);
        assert!(judged("v1", "Pod", &spec("")));
        assert!(judged("v1", "ConfigMap", r#""data":{}"#));
        for (api_version, kind) in
            [("", "Pod"), ("v1", ""), ("/v1", "Pod"), ("v2", "Pod"), ("", "ConfigMap"), ("v1", "Namespace")]
        {
            assert!(!judged(api_version, kind, &spec("")), "{api_version} {kind}");
        }
        assert!(!judged("apps/v1", "Deployment", r#""spec":{"template":{"spec":{}}}"#));
        assert!(!judged("v1", "Pod", &spec(r#","ports":[{"containerPort":1,"hostPort":-0}]"#)));
        assert!(!judged("v1", "Pod", &spec(r#","ports":[{"containerPort":1,"hostPort":80}]"#)));
    }
}
