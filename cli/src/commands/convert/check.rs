//! `portcullis convert … --check`: the manifests, compared with a model of their source.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use ::convert::{Conversion, Document};
use convert_check::{Comparer, Comparison, Difference, KyvernoModel, Model, Object, PsaModel, Verdict};
use scan::{Files, Input, Kind, Unreadable};
use serde_json::Value;

use crate::args::{CheckArgs, ConvertSource};
use crate::failure::Failure;
use crate::parse;
use crate::scan::Cluster;
use crate::source::InputReader;
use crate::terminal::one_line;

/// The result of a comparison.
pub(super) struct Checked {
    comparison: Comparison,
    /// The kinds whose objects are compared.
    kinds: Vec<convert_check::Kind>,
    policies: usize,
    /// The kinds whose objects could not be read, each with the reason.
    unread: BTreeMap<Kind, String>,
    /// The name of the running cluster whose objects were compared.
    cluster: Option<String>,
}

/// Returns the model of a source.
///
/// # Errors
/// A source without a model, and a configuration that the model does not evaluate.
pub(super) fn model(
    source: &ConvertSource,
    documents: &[Document],
    configuration: Option<&Document>,
) -> Result<Box<dyn Model>, Failure> {
    let values: Vec<Value> = documents.iter().map(|document| document.value.clone()).collect();
    let model = match source {
        ConvertSource::Kyverno { .. } => {
            let configuration = configuration.map(|document| &document.value);
            KyvernoModel::read(&values, configuration).map(|model| Box::new(model) as Box<dyn Model>)
        }
        ConvertSource::Psa(_) => {
            let document = values.first().unwrap_or(&Value::Null);
            PsaModel::read(document).map(|model| Box::new(model) as Box<dyn Model>)
        }
        _ => {
            Err("supports the sources kyverno and psa; use portcullis scan to judge objects by the manifests"
                .to_owned())
        }
    };
    model.map_err(|problem| Failure::about("--check", problem))
}

/// Compares manifests with the model of their source, on the objects in files and directories, or
/// on those of a running cluster.
///
/// # Errors
/// Objects that cannot be read, and no object that can be compared.
pub(super) fn check(
    conversions: &[Conversion],
    model: &dyn Model,
    paths: &[String],
    CheckArgs { live, context, kubeconfig, .. }: &CheckArgs,
    reader: &mut InputReader,
) -> Result<Checked, Failure> {
    match (paths, live) {
        ([], true) => {
            let cluster = Cluster::connect(kubeconfig.as_deref(), context.as_deref())?;
            compare(conversions, model, &mut cluster.look_ups(None), Some(cluster.name()))
        }
        ([], false) => {
            Err(Failure::about("--check", "expected a file or a directory, or --live for a running cluster"))
        }
        (_, true) => {
            let problem = "reads the objects of a running cluster; pass --check without a file or directory";
            Err(Failure::about("--live", problem))
        }
        (paths, false) => {
            for path in paths {
                reader.claim(path)?;
            }
            compare(conversions, model, &mut Files::of_arguments(paths), None)
        }
    }
}

/// Reads the Namespaces first, whose labels matter, and then the other objects one by one.
fn compare(
    conversions: &[Conversion],
    model: &dyn Model,
    input: &mut dyn Input,
    cluster: Option<&str>,
) -> Result<Checked, Failure> {
    const NAMESPACE: (&str, &str) = ("v1", "Namespace");
    let manifests: Vec<Value> = conversions
        .iter()
        .filter_map(|conversion| conversion.manifest.as_ref())
        .map(serde_json::to_value)
        .collect::<Result<_, _>>()
        .map_err(|error| Failure::about("--check", error))?;
    let mut namespaces = Vec::new();
    let mut unread = read(input, [NAMESPACE], cluster, &mut |object| {
        let text = |key| object.value.get(key).and_then(Value::as_str).unwrap_or_default();
        if (text("apiVersion"), text("kind")) == NAMESPACE {
            namespaces.push(object.value);
        }
    })?;
    let mut comparer =
        Comparer::new(&manifests, model, namespaces).map_err(|problem| Failure::about("--check", problem))?;
    unread.extend(read(input, model.kinds(), cluster, &mut |object| comparer.compare(&object))?);
    let checked = Checked {
        comparison: comparer.finish(),
        kinds: model.kinds(),
        policies: manifests.len(),
        unread,
        cluster: cluster.map(str::to_owned),
    };
    if checked.comparison.compared == 0 { Err(checked.nothing_compared()) } else { Ok(checked) }
}

/// Reads objects of some kinds, and perhaps others. Returns the kinds that could not be read.
fn read(
    input: &mut dyn Input,
    kinds: impl IntoIterator<Item = (&'static str, &'static str)>,
    cluster: Option<&str>,
    each: &mut dyn FnMut(Object),
) -> Result<BTreeMap<Kind, String>, Failure> {
    let kinds = kinds.into_iter().map(|(version, kind)| (version.to_owned(), kind.to_owned()));
    input.rewind();
    input.select(&kinds.collect::<BTreeSet<Kind>>());
    while let Some(piece) = input.next() {
        let place = |name: &str| cluster.unwrap_or(name).to_owned();
        let chunk =
            piece.map_err(|Unreadable { origin, problem }| Failure::about(place(&origin.name), problem))?;
        let place = place(&chunk.origin.name);
        let objects = parse::with_large_stack(|| scan::objects(&chunk))
            .map_err(|problem| Failure::about(&place, problem))?;
        for (at, value) in objects {
            let place = if cluster.is_some() { place.clone() } else { format!("{place}:{}", at.line) };
            each(Object { place, value });
        }
    }
    Ok(input.withheld())
}

impl Checked {
    /// Whether the manifests judge every object as the source does.
    pub(super) fn agrees(&self) -> bool {
        let Comparison { differences, unknown, .. } = &self.comparison;
        differences.is_empty() && unknown.is_empty() && self.unread.is_empty()
    }

    /// Writes a line for each object that is judged differently or not at all, and a summary.
    pub(super) fn write(&self, out: &mut dyn Write) {
        let Comparison { compared, differences, unknown } = &self.comparison;
        let mut lines = Vec::new();
        for Difference { place, title, source, manifests, .. } in differences {
            let [source, manifests] = [source, manifests].map(described);
            lines
                .push(format!("{place}: differs: {title}: the source: {source}; the manifests: {manifests}"));
        }
        lines.extend(unknown.iter().map(|difference| {
            format!("{}: unknown: {}: {}", difference.place, difference.title, self.reason(difference))
        }));
        let cluster = self.cluster.as_deref().unwrap_or_default();
        lines.extend(self.unread.values().map(|why| format!("{cluster}: unknown: {why}")));
        lines.push(format!(
            "compared {} with {}: {}, {} unknown",
            counted(*compared, "object", "objects"),
            counted(self.policies, "policy", "policies"),
            counted(differences.len(), "difference", "differences"),
            unknown.len()
        ));
        for line in lines {
            // If standard error is closed, the exit status still reports the differences.
            drop(writeln!(out, "{}", one_line(&line)));
        }
    }

    /// The reason why a verdict is unknown, and what to do.
    fn reason(&self, difference: &Difference) -> String {
        let Difference { source, manifests, lacks_namespace, .. } = difference;
        let reason = match (source, manifests) {
            // Both lack the same.
            (Verdict::Unknown(reason), Verdict::Unknown(_)) => reason.clone(),
            _ => format!("the source: {}; the manifests: {}", described(source), described(manifests)),
        };
        let advice = if *lacks_namespace && self.cluster.is_none() {
            "; add the output of `kubectl get namespaces -o yaml` to --check"
        } else {
            ""
        };
        reason + advice
    }

    /// The failure if no object has two verdicts.
    fn nothing_compared(&self) -> Failure {
        let unknown = &self.comparison.unknown;
        let problem = match (self.unread.values().next(), unknown.first()) {
            (Some(why), _) => format!("nothing could be compared: {why}"),
            (None, Some(first)) => format!(
                "nothing could be compared; the first of {} is {}: {}",
                counted(unknown.len(), "unknown verdict", "unknown verdicts"),
                first.title,
                self.reason(first)
            ),
            (None, None) => {
                let kinds: Vec<&str> = self.kinds.iter().map(|(_, kind)| *kind).collect();
                format!("nothing could be compared; the input has no object of kind {}", kinds.join(", "))
            }
        };
        Failure::about(self.cluster.as_deref().unwrap_or("--check"), problem)
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn described(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Passes => "passes".to_owned(),
        Verdict::Violates(reason) => format!("violates {reason}"),
        Verdict::Unknown(reason) => format!("unknown, {reason}"),
    }
}
