//! The judgement of an object from its text, as long as there is nothing to say about it.
//!
//! Most objects of a dump are flawless: no policy objects, and no field is suspicious. Building
//! them takes most of the time of a scan, so the policies of this program judge their text, as they
//! do in a policy server. Whatever is not ordinary is judged again with everything that a report
//! needs, so that this judgement never decides what a report says.

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
use crate::options::{Operation, Pods};
use crate::pods;
use crate::request::{Change, request};
use crate::verdict::Request;

impl Judge<'_> {
    /// Judges an item of a list from its text; `None` if it has to be built.
    ///
    /// The result is the one of judging the object that is built: policies get the same request,
    /// the object of which needs no completion, and none of them denies, changes or warns.
    pub(super) fn quick(&self, chunk: &Chunk) -> Option<Output> {
        let is_ordinary = chunk.list.is_some()
            && !chunk.is_envelope
            && !chunk.origin.is_rendered
            && self.options.operation == Operation::Create
            && self.old.is_none()
            && !self.explains
            && self.cluster.session.is_none();
        if !is_ordinary {
            return None;
        }
        let text = chunk.text.as_bytes();
        let peek = |keys: &[&str], fields| {
            let [one, other] = document::peek(text, keys, fields)?;
            Some((str::from_utf8(one).ok()?, str::from_utf8(other).ok()?))
        };
        let (api_version, kind) = peek(&[], ["apiVersion", "kind"])?;
        let (name, namespace) = peek(&["metadata"], ["name", "namespace"])?;
        let resource = self.cluster.resources.resource(api_version, kind);
        let is_complete = !name.is_empty() && !namespace.is_empty() && resource.is_namespaced != Some(false);
        // A workload is judged by its pods as well.
        let has_pods = self.options.pods != Pods::Off && pods::is_workload(api_version, kind);
        if !is_complete || has_pods || !is_object(kind) || !is_plain(&chunk.text, api_version, kind) {
            return None;
        }
        let mut output = self.output();
        output.bytes = u64::try_from(text.len()).unwrap_or(u64::MAX);
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
}

/// Returns whether a kind is that of an object, and not of a list of them or a review. Namespaces
/// are completed.
fn is_object(kind: &str) -> bool {
    !kind.ends_with("List") && !matches!(kind, "AdmissionReview" | "Namespace")
}

/// Returns a request whose JSON has a text as the object.
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
    use crate::options::Options;
    use crate::policy::Policy;

    /// Every object of the cases of all policies has the same verdict when it is built.
    #[test]
    fn an_object_that_is_judged_from_its_text_has_the_verdict_of_the_one_that_is_built() {
        let policies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../policies");
        let (mut quick, mut built) = (0, 0);
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
                match judge.quick(&chunk) {
                    Some(output) => {
                        assert_eq!(format!("{output:?}"), format!("{:?}", judge.whole(&chunk)), "{object}");
                        quick += 1;
                    }
                    None => built += 1,
                }
            }
        }
        assert!(quick > 100 && built > 100, "{quick} from their texts, {built} built");
    }
}
