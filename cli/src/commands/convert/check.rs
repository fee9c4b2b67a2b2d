//! `portcullis convert … --check`: the manifests, compared with a model of their source.

use std::io::Write;

use ::convert::{Conversion, Document};
use convert_check::{Comparison, Difference, KyvernoModel, Model, Object, PsaModel, Verdict, compare};
use manifest::{Places, Step};
use scan::{Chunk, Files, Input as _, Unreadable};
use serde_json::Value;

use super::Input;
use crate::args::ConvertSource;
use crate::failure::Failure;
use crate::parse;
use crate::terminal::one_line;

/// The objects with the result of their comparison.
pub(super) struct Checked {
    objects: Vec<Object>,
    comparison: Comparison,
    policies: usize,
}

/// Compares manifests with the model of a source, on the objects in files and directories.
///
/// # Errors
/// A source without a model, objects that cannot be read, and no object that can be compared.
pub(super) fn check(
    conversions: &[Conversion],
    source: &ConvertSource,
    input: &Input,
    paths: &[String],
) -> Result<Checked, Failure> {
    let model = model(source, input).map_err(|problem| Failure::about("--check", problem))?;
    let objects = read(paths)?;
    let manifests: Vec<Value> = conversions
        .iter()
        .filter_map(|conversion| conversion.manifest.as_ref())
        .map(serde_json::to_value)
        .collect::<Result<_, _>>()
        .map_err(|error| Failure::about("--check", error))?;
    let comparison = compare(&manifests, model.as_ref(), &objects)
        .map_err(|problem| Failure::about("--check", problem))?;
    if comparison.compared == 0 {
        let reason = comparison.unknown.first().map(|first| {
            let reasons = [&first.source, &first.manifests].map(described);
            format!("; all verdicts are unknown, the first one because {}", reasons.join(", "))
        });
        let problem = format!("no pod or workload could be compared{}", reason.unwrap_or_default());
        return Err(Failure::about("--check", problem));
    }
    Ok(Checked { objects, comparison, policies: manifests.len() })
}

/// The model of a source.
fn model(source: &ConvertSource, input: &Input) -> Result<Box<dyn Model>, String> {
    let values = |documents: Vec<&Document>| -> Vec<Value> {
        documents.into_iter().map(|document| document.value.clone()).collect()
    };
    if let ConvertSource::Kyverno { files, kyverno_config, .. } = source {
        let configuration = kyverno_config.as_ref().map(|file| values(input.documents_of(file)));
        let configuration = configuration.as_ref().and_then(|documents| documents.first());
        let documents: Vec<Value> = files.iter().flat_map(|file| values(input.documents_of(file))).collect();
        return Ok(Box::new(KyvernoModel::read(&documents, configuration)?));
    }
    if let ConvertSource::Psa { files, .. } = source {
        let mut documents = files.iter().flat_map(|file| values(input.documents_of(file)));
        let document = documents.next().ok_or("there is no configuration")?;
        return Ok(Box::new(PsaModel::read(&document)?));
    }
    Err("there is no model of this source to compare with; compare with portcullis scan".to_owned())
}

/// Reads the objects in files and directories.
fn read(paths: &[String]) -> Result<Vec<Object>, Failure> {
    let mut files = Files::of_arguments(paths);
    let mut objects = Vec::new();
    while let Some(piece) = files.next() {
        match piece {
            Ok(chunk) if chunk.is_envelope => {}
            Ok(chunk) => add(&chunk, &mut objects)?,
            Err(Unreadable { origin, problem }) => return Err(Failure::about(&origin.name, problem)),
        }
    }
    Ok(objects)
}

fn add(chunk: &Chunk, objects: &mut Vec<Object>) -> Result<(), Failure> {
    let documents = parse::with_large_stack(|| manifest::documents(&chunk.text));
    let documents = documents.map_err(|problem| Failure::about(&chunk.origin.name, problem))?;
    let places = Places::of(&chunk.text);
    for (number, document) in documents.into_iter().enumerate() {
        let place = |steps: &[Step]| {
            let line = places.find(number, steps).map_or(1, |place| place.start.line);
            let line = line.saturating_add(chunk.at.line.saturating_sub(1));
            format!("{}:{line}", chunk.origin.name)
        };
        let items = document.get("items").and_then(Value::as_array);
        for (index, item) in (0..).zip(items.into_iter().flatten()) {
            let steps = [Step::Field("items".to_owned()), Step::Index(index)];
            objects.push(Object { place: place(&steps), value: item.clone() });
        }
        if items.is_none() {
            objects.push(Object { place: place(&[Step::Field("kind".to_owned())]), value: document });
        }
    }
    match objects.iter().find(|object| object.value.get("kind").is_none_or(|kind| !kind.is_string())) {
        Some(object) => {
            Err(Failure::about(&object.place, "has no kind; dump the objects with kubectl get -o yaml"))
        }
        None => Ok(()),
    }
}

impl Checked {
    /// Whether the manifests judge every object as the source does.
    pub(super) fn agrees(&self) -> bool {
        self.comparison.differences.is_empty() && self.comparison.unknown.is_empty()
    }

    /// Writes a line for each object that is judged differently or not at all, and a summary.
    pub(super) fn write(&self, out: &mut dyn Write) {
        let Comparison { compared, differences, unknown } = &self.comparison;
        for (word, all) in [("differs", differences), ("unknown", unknown)] {
            for Difference { object, source, manifests } in all {
                let Some(object) = self.objects.get(*object) else { continue };
                let line = format!(
                    "{}: {word}: {}: the source: {}; the manifests: {}",
                    object.place,
                    object.title(),
                    described(source),
                    described(manifests)
                );
                // If standard error is closed, the exit status still reports the differences.
                drop(writeln!(out, "{}", one_line(&line)));
            }
        }
        let summary = format!(
            "compared {} with {}: {}, {} unknown",
            counted(*compared, "object", "objects"),
            counted(self.policies, "policy", "policies"),
            counted(differences.len(), "difference", "differences"),
            unknown.len()
        );
        drop(writeln!(out, "{summary}"));
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
