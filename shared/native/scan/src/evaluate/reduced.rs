//! Evaluates an object by what policies read of it, provided that there is nothing to report.
//!
//! Most objects of a dump are flawless, and building them would take most of the time of a scan.
//! The policies of this program read a small part of an object, so that its text is reduced to that
//! part and evaluated like a whole object. This path can only count an object as skipped or
//! admitted. Any other object is built as a whole and evaluated again, and that second evaluation
//! alone makes findings and notices.

use kubernetes::completion::has_own_uid;

use super::record::Subject;
use super::reduce::reduce;
use super::{Output, Walk, has_template};
use crate::exceptions::Exceptions;
use crate::guards;
use crate::input::Chunk;
use crate::locate::Locator;
use crate::options::Operation;
use crate::request::{Change, complete};
use crate::spot::Spot;
use crate::subject::object_ref;
use crate::verdict::Request;

impl Walk<'_> {
    /// Evaluates the object that is the whole text of a piece. Returns `None` if it has to be
    /// evaluated as a whole, or if it is collected on the way; otherwise, [`Self::evaluate_whole`]
    /// would return the same output.
    pub(super) fn evaluate_reduced(&self, chunk: &Chunk) -> Option<Output> {
        if !self.may_evaluate_reduced(chunk) {
            return None;
        }
        let mut output = self.empty_output();
        output.bytes = u64::try_from(chunk.text.len()).unwrap_or(u64::MAX);
        let [api_version, kind] = document::peek(chunk.text.as_bytes(), &[], ["apiVersion", "kind"])?;
        let (api_version, kind) = (str::from_utf8(api_version).ok()?, str::from_utf8(kind).ok()?);
        let is_gathered = || self.gathering.is_some_and(|gathering| gathering.has_kind(kind));
        if api_version.is_empty() || kind.is_empty() || contains_objects(kind) || is_gathered() {
            return None;
        }
        // The first keys decide only once it is known that no later one repeats them.
        let reduced = reduce(&chunk.text, api_version, kind, self.kept)?;
        if self.lacks_definition(api_version, kind, &mut output) {
            return Some(output);
        }
        let mut object = serde_json::from_str(&reduced).ok()?;
        let is_unknown = kubernetes::kinds::misspelt(api_version, kind).is_some()
            || kubernetes::kinds::not_served(api_version, kind).is_some();
        // The values that completion adds to an object of a file may depend on any field.
        if is_unknown || !has_own_uid(&object) || guards::mistyped_metadata(&object).next().is_some() {
            return None;
        }
        complete(&mut object, self.options, &self.cluster.resources);
        let reference = object_ref(&object);
        output.files.insert(chunk.origin.name.clone());
        output.own(&reference);
        let (spot, locator) = (Spot::default(), Locator::nowhere(chunk));
        let (has_template, exceptions) = (has_template(&object), Exceptions::default());
        let subject = Subject { spot: &spot, reference, has_places: true, has_template, exceptions };
        let asked = if self.is_live { Request::reduced } else { Request::reduced_of_files };
        self.evaluate_change(Change::Create(object), asked, subject, &locator, &mut output);
        // A piece that is evaluated again later needs no evaluation as a whole now.
        (!output.lacking.is_empty() || output.is_flawless()).then_some(output)
    }

    /// Returns whether the scan asks nothing about the piece that needs whole objects.
    fn may_evaluate_reduced(&self, chunk: &Chunk) -> bool {
        // Another object may be a list by its fields.
        chunk.list.is_some()
            && !chunk.is_envelope
            && self.options.operation == Operation::Create
            && self.old.is_none()
            && !self.explains
            && self.cluster.session.is_none()
    }
}

fn contains_objects(kind: &str) -> bool {
    kind.ends_with("List") || kind == "AdmissionReview"
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;
    use std::sync::LazyLock;

    use serde_json::{Value, json};

    use super::*;
    use crate::cluster::Cluster;
    use crate::evaluate::Kept;
    use crate::input::{List, Origin};
    use crate::options::Options;
    use crate::policy::Policy;

    /// Every object of the cases of all policies has the same verdict when it is built as a whole.
    #[test]
    fn a_reduced_object_has_the_verdict_of_the_whole_one() {
        let policies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../policies");
        let (mut reduced, mut whole) = (0, 0);
        for entry in rules::CATALOG {
            // Many cases have the same settings, and conditions take long to compile.
            let mut compiled = BTreeMap::new();
            for case in suite::cases::load_dir(&policies.join(entry.id).join("cases")).unwrap() {
                let Some(mut object) = case.object else { continue };
                if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
                    metadata.insert("uid".to_owned(), "u".into());
                    metadata.insert("resourceVersion".to_owned(), "1".into());
                }
                let cluster = Cluster::of_objects(case.cluster.objects)
                    .unwrap_or_else(|_| Cluster::unreachable("two states of an object"));
                let chunk = Chunk::live(Origin::file("f"), object.to_string(), List::of("v1", "Pod"));
                let policies = compiled.entry(case.settings.to_string()).or_insert_with(|| {
                    let of = [Policy::of_rules, Policy::of_id].map(|of| of(entry.id, &case.settings));
                    of.map(Vec::from_iter)
                });
                for policies in policies {
                    let kept = Kept::by(policies);
                    let walk = evaluate(policies, &cluster, &kept);
                    match walk.evaluate_reduced(&chunk) {
                        Some(output) => {
                            let expected = walk.evaluate_whole(&chunk);
                            assert_eq!(format!("{output:?}"), format!("{expected:?}"), "{object}");
                            reduced += 1;
                        }
                        None => whole += 1,
                    }
                }
            }
        }
        assert!(reduced > 100 && whole > 100, "{reduced} reduced, {whole} whole");
    }

    /// Objects about which there may be something to report, and kinds that contain objects.
    #[test]
    fn only_flawless_objects_are_evaluated_by_what_policies_read() {
        let policies = [Policy::of_id("pod-security", &json!({ "level": "baseline" })).unwrap()];
        let (cluster, kept) = (Cluster::of_objects(Vec::new()).unwrap(), Kept::by(&policies));
        let evaluated = |api_version: &str, kind: &str, rest: &str| {
            let metadata = r#""metadata":{"name":"a","uid":"u","resourceVersion":"1"}"#;
            let text = format!(r#"{{"apiVersion":"{api_version}","kind":"{kind}",{metadata},{rest}}}"#);
            let chunk = Chunk::live(Origin::file("f"), text, List::of("v1", ""));
            evaluate(&policies, &cluster, &kept)
                .evaluate_reduced(&chunk)
                .map(|output| output.totals.evaluations)
        };
        let spec = |fields: &str| format!(r#""spec":{{"containers":[{{"name":"a"{fields}}}]}}"#);
        let template = |fields: &str| format!(r#""spec":{{"template":{{{}}}}}"#, spec(fields));
        assert_eq!(evaluated("v1", "Pod", &spec("")), Some(1));
        assert_eq!(evaluated("v1", "ConfigMap", r#""data":{}"#), Some(0));
        assert_eq!(evaluated("v1", "Namespace", r#""spec":{}"#), Some(0));
        assert_eq!(evaluated("apps/v1", "Deployment", &template("")), Some(1));
        for (api_version, kind) in [
            ("", "Pod"),
            ("v1", ""),
            ("", "ConfigMap"),
            ("v1", "PodList"),
            ("admission.k8s.io/v1", "AdmissionReview"),
        ] {
            assert_eq!(evaluated(api_version, kind, &spec("")), None, "{api_version} {kind}");
        }
        assert_eq!(evaluated("apps/v1", "Deployment", r#""spec":{"template":{"spec":{}}}"#), None);
        let in_use = r#","ports":[{"containerPort":1,"hostPort":80}]"#;
        assert_eq!(evaluated("v1", "Pod", &spec(in_use)), None);
        assert_eq!(evaluated("apps/v1", "Deployment", &template(in_use)), None);
        let in_host =
            r#""spec":{"hostNetwork":true,"containers":[{"name":"a","ports":[{"containerPort":1}]}]}"#;
        assert_eq!(evaluated("v1", "Pod", in_host), None);
    }

    /// A condition and a selector may read any field.
    #[test]
    fn an_object_that_a_webhook_reads_is_evaluated_as_a_whole() {
        let policy = |spec: Value| {
            let mut policy = Policy::of_rules("node-labels", &json!({})).unwrap();
            let rules = json!([{ "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], "operations": ["*"] }]);
            let mut fields = json!({ "rules": rules });
            fields.as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
            policy.webhook = kubewarden::matching::Webhook::from_spec(&fields).unwrap();
            policy
        };
        let cluster = Cluster::of_objects(Vec::new()).unwrap();
        let text = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","uid":"u","resourceVersion":"1"},"data":{}}"#;
        let chunk = Chunk::live(Origin::file("f"), text.to_owned(), List::of("v1", ""));
        let condition =
            |expression: &str| json!({ "matchConditions": [{ "name": "c", "expression": expression }] });
        for (spec, is_reduced) in [
            (condition("request.operation == 'UPDATE'"), true),
            (condition("request.name == 'a'"), true),
            (condition("request.operation == 'UPDATE' || has(object.data)"), false),
            (condition("!has(object.data)"), false),
            (json!({ "objectSelector": { "matchLabels": { "a": "b" } } }), false),
        ] {
            let policies = [policy(spec.clone())];
            let kept = Kept::by(&policies);
            let output = evaluate(&policies, &cluster, &kept).evaluate_reduced(&chunk);
            assert_eq!(output.is_some(), is_reduced, "{spec}");
        }
    }

    fn evaluate<'j>(policies: &'j [Policy], cluster: &'j Cluster, kept: &'j Kept) -> Walk<'j> {
        static OPTIONS: LazyLock<Options> = LazyLock::new(Options::default);
        Walk {
            policies,
            options: &OPTIONS,
            cluster,
            old: None,
            explains: false,
            kept,
            is_live: false,
            gathering: None,
        }
    }
}
