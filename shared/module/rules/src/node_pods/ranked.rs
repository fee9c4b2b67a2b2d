//! Violations in the order in which messages and audit annotations show them.

use admission::Violations;
use admission::bounds::ANNOTATION;

/// The violations of a request, by importance. The number of violations of each field, except the
/// first, is up to the node: it must not hide the other fields from a bounded text.
#[derive(Debug, Default)]
pub(super) struct Ranked<'d> {
    /// Violations whose number the settings or the rules limit.
    pub(super) limited: Violations<'d>,
    pub(super) references: Violations<'d>,
    /// Labels of denied domains.
    pub(super) denied: Violations<'d>,
    /// Other labels.
    pub(super) labels: Violations<'d>,
    pub(super) annotations: Violations<'d>,
}

impl<'d> Ranked<'d> {
    pub(super) fn into_violations(self) -> Violations<'d> {
        let mut all = self.limited;
        for rank in [self.references, self.denied, self.labels, self.annotations] {
            all.append(rank);
        }
        all
    }

    /// Returns the text of all violations for an audit annotation. Each rank gets an equal share of
    /// the room that the ranks before it leave.
    pub(super) fn annotation(&self) -> String {
        let ranks = [&self.limited, &self.references, &self.denied, &self.labels, &self.annotations];
        let mut left = ranks.iter().filter(|rank| !rank.is_empty()).count();
        let mut text = String::new();
        for rank in ranks {
            if rank.is_empty() {
                continue;
            }
            if !text.is_empty() {
                text.push('\n');
            }
            let share = ANNOTATION.saturating_sub(text.len()).checked_div(left).unwrap_or_default();
            // One byte is for the line break before the next rank.
            text.push_str(&rank.within(share.saturating_sub(1)));
            left = left.saturating_sub(1);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use admission::{Cluster, Get, List, Unreachable, bounds};

    struct Empty;

    impl Cluster for Empty {
        fn get(&self, _: &Get<'_>) -> Result<Option<Vec<u8>>, Unreachable> {
            Ok(None)
        }

        fn list(&self, _: &List<'_>) -> Result<Vec<u8>, Unreachable> {
            Err(Unreachable(String::new()))
        }
    }

    const SETTINGS: &str = r#"{"mode":"Warn","restrictAnnotations":true,"deniedLabelKeys":["k8s-app"],"deniedLabelPrefixes":["denied.io"]}"#;

    fn notes(request: &str) -> (String, String) {
        let payload = [r#"{"request":{"userInfo":{"username":"system:node:a","groups":["system:nodes"]},"kind":{"group":"","kind":"Pod"},"namespace":"x","#, request, r#"},"settings":"#, SETTINGS, "}"].concat();
        let outcome = (crate::find("node-pods").unwrap().evaluate)(payload.as_bytes(), &Empty);
        let (_, annotation) = outcome.audit_annotations().first().expect("an annotation").clone();
        assert!(outcome.is_admitted() && annotation.len() <= bounds::ANNOTATION, "{}", annotation.len());
        (outcome.warnings().concat(), annotation)
    }

    /// Returns the entries of an object with long keys.
    fn decoys(domain: &str) -> String {
        let name = "x".repeat(60);
        let mut entries = String::new();
        for number in 0..2000 {
            write!(entries, r#""{domain}/{name}{number:03}":"","#).unwrap();
        }
        entries
    }

    /// N1: a node cannot hide what it takes behind long decoys.
    #[test]
    fn shows_every_rank_of_a_mirror_pod() {
        let labels = [decoys("denied.io"), decoys("a.example"), r#""k8s-app":"dns""#.to_owned()].concat();
        let annotations = [decoys("b.example"), r#""kubernetes.io/config.mirror":"""#.to_owned()].concat();
        let volumes = r#"{"name":"v","secret":{}},"#.repeat(2000);
        let (warning, annotation) = notes(&format!(
            r#""operation":"CREATE","object":{{"metadata":{{"annotations":{{{annotations}}},"labels":{{{labels}}},"ownerReferences":[{{"kind":"Node"}},{{}}]}},"spec":{{"nodeName":"a","volumes":[{volumes}{{"emptyDir":{{}}}}]}}}}"#
        ));
        assert!(warning.starts_with("node-pods would deny this pod: metadata.labels.k8s-app, "), "{warning}");
        for shown in [
            "metadata.labels.k8s-app: ",
            "\nmetadata.ownerReferences: ",
            "\nspec.volumes[0].secret: ",
            "\nmetadata.labels[denied.io/",
            "\nmetadata.labels[a.example/",
            "\nmetadata.annotations[b.example/",
        ] {
            assert!(annotation.contains(shown), "{shown}: {annotation}");
        }
        assert_eq!(annotation.matches("\n… and ").count(), 4, "{annotation}");
        let more = annotation.lines().filter_map(|line| line.strip_prefix("… and ")?.split(' ').next());
        let hidden: usize = more.map(|count| count.parse::<usize>().unwrap()).sum();
        let listed = annotation.lines().filter(|line| !line.starts_with('…')).count();
        assert_eq!(hidden + listed, 8002, "{annotation}");
    }

    /// N1: the same for a status.
    #[test]
    fn shows_every_rank_of_a_status() {
        let labels = [decoys("a.example"), r#""k8s-app":"dns""#.to_owned()].concat();
        let annotations = [decoys("b.example"), r#""x":"""#.to_owned()].concat();
        let (warning, annotation) = notes(&format!(
            r#""operation":"UPDATE","subResource":"status","oldObject":{{"spec":{{"nodeName":"a"}}}},"object":{{"metadata":{{"annotations":{{{annotations}}},"labels":{{{labels}}},"ownerReferences":[{{}}]}},"status":{{"resourceClaimStatuses":[{{}}]}}}}"#
        ));
        assert!(warning.starts_with("node-pods would deny this pod: metadata.labels.k8s-app, "), "{warning}");
        for shown in [
            "metadata.labels.k8s-app: ",
            "\nmetadata.ownerReferences: ",
            "\nstatus.resourceClaimStatuses: ",
            "\nmetadata.labels[a.example/",
            "\nmetadata.annotations[b.example/",
        ] {
            assert!(annotation.contains(shown), "{shown}: {annotation}");
        }
    }
}
