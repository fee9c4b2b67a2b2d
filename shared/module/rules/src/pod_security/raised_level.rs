//! Warnings about the pods of a Namespace whose enforced level is raised.
//!
//! Source: `ValidateNamespace` and `EvaluatePodsInNamespace` in `admission/admission.go` of
//! k8s.io/pod-security-admission. As in-tree, existing pods never deny the update.

use admission::{Cluster, Fault, List, Operation, Request, Verdict};

use super::evaluation::Evaluation;
use super::report::Report;
use super::verdict::ERROR;
use super::{Level, LevelVersion, Modes, NamespaceLabels, PodSecurity, namespace_labels};
use crate::namespace_lookup::NamespaceLookup;
use crate::summary::summary;
use crate::view::{Namespace, Pod};

/// The most pods that are evaluated, as in-tree.
const MOST_PODS: usize = 3000;

/// The most names of pods that are kept for a warning.
const MOST_NAMES: usize = 16;

struct Violators {
    control: &'static str,
    /// The first names, sorted.
    names: Vec<String>,
    /// The number of further pods.
    more: usize,
}

#[derive(Default)]
struct DryRun {
    controls: Vec<Violators>,
    pods: usize,
}

impl PodSecurity {
    /// Returns the verdict on an update of a Namespace: it is admitted, with warnings about the
    /// pods that its labels would refuse.
    pub(super) fn review_namespace<'d>(
        &self,
        request: &Request<'d>,
        cluster: &dyn Cluster,
    ) -> Result<Verdict<'d>, Fault> {
        let is_update = request.operation == Operation::Update;
        if !is_update || self.namespace_labels == NamespaceLabels::Ignore {
            return Ok(Verdict::admit());
        }
        let (old, new) = (Namespace::of(request.stored_object()?), Namespace::of(request.object()?));
        let before = namespace_labels::enforced(old.metadata().labels(), &self.standards)?;
        let after = namespace_labels::enforced(new.metadata().labels(), &self.standards)?;
        let name = new.metadata().name().text()?.unwrap_or_default();
        if after.level == Level::Privileged
            || after.version == before.version && after.level <= before.level
            || self.exemptions.has_namespace(name)
        {
            return Ok(Verdict::admit());
        }
        let mut found = DryRun::default();
        let mut verdict = Verdict::admit();
        let shape = Pod::FIELDS_FOR_POD_SECURITY;
        let pods = List { api_version: "v1", kind: "Pod", namespace: Some(name), shape };
        let listed = pods.each(cluster, &mut |item| {
            found.pods = found.pods.saturating_add(1);
            if found.pods > MOST_PODS {
                return Ok(());
            }
            let lookup = NamespaceLookup::new(Some(name), cluster, Namespace::LABELLED).with(new);
            self.evaluate_stored(Pod::of(item), lookup, &after, &mut found)
        });
        if let Err(fault) = listed {
            let warning = "existing pods are not checked against the new level, as a look-up failed";
            return Ok(verdict
                .warn(summary(warning, &[&fault.place().to_string()], 0))
                .annotate(ERROR, fault.to_string()));
        }
        if found.pods > MOST_PODS {
            let pods = found.pods.to_string();
            let parts = ["the new level is checked against the first 3000 of ", &pods, " existing pods"];
            verdict = verdict.warn(parts.concat());
        }
        let mut start = "existing pods would violate PodSecurity \"".to_owned();
        start.push_str(&after.to_string());
        start.push_str("\": ");
        for Violators { control, names, more } in &found.controls {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            verdict = verdict.warn(summary(&[&start, *control].concat(), &names, *more));
        }
        Ok(verdict)
    }

    fn evaluate_stored(
        &self,
        pod: Pod<'_>,
        lookup: NamespaceLookup<'_>,
        standard: &LevelVersion,
        found: &mut DryRun,
    ) -> Result<(), Fault> {
        if self.exemptions.of_pod(pod)?.is_some() {
            return Ok(());
        }
        let mut report = Report::new(standard.clone(), Modes::WARN);
        Evaluation::of_stored(self, pod, lookup)?.run(&mut report)?;
        let name = pod.metadata().name().text()?.unwrap_or_default();
        for control in report.violated_controls() {
            found.add(control, name);
        }
        Ok(())
    }
}

impl DryRun {
    fn add(&mut self, control: &'static str, name: &str) {
        // The cluster lists its objects in no particular order.
        let at = self.controls.partition_point(|known| known.control < control);
        if self.controls.get(at).is_none_or(|known| known.control != control) {
            self.controls.insert(at, Violators { control, names: Vec::new(), more: 0 });
        }
        let Some(Violators { names, more, .. }) = self.controls.get_mut(at) else { return };
        names.insert(names.partition_point(|known| known.as_str() < name), name.to_owned());
        if names.len() > MOST_NAMES {
            names.truncate(MOST_NAMES);
            *more = more.saturating_add(1);
        }
    }
}
