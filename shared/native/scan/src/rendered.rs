//! Manifests that Helm and Kustomize render, by the user's own programs.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use manifest::Places;
use report::{Place, Position, Span};
use serde_json::{Value, json};
use tempfile::TempDir;
use text::Step;

use crate::checkout::Checkout;
use crate::input::{Chunk, Files, Origin};
use crate::paths::{name_of_real, normalized, relative};
use crate::spot::{Rendered, Spot, position};
use crate::state::State;

/// A chart with the arguments of `helm template`.
#[derive(Clone, Debug)]
pub struct Chart {
    /// A folder, an archive or a reference.
    pub chart: String,
    /// The files with its values.
    pub values: Vec<String>,
    /// The name of the release.
    pub release: String,
    /// The namespace of the release.
    pub namespace: String,
    /// The reason why it is rendered.
    pub named_by: NamedBy,
}

/// The reason why a chart is rendered.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum NamedBy {
    /// An argument names it. A revision has to have it, or every object would count as new.
    Argument,
    /// A configuration names it. It can be newer than a revision.
    Configuration,
    /// It was found in a folder. Its tests are rendered, too.
    Folder,
}

/// Returns the manifests that `helm template` renders of a chart.
pub(crate) fn template(chart: &Chart, state: &State) -> Result<String, String> {
    run(&[chart.command()], state)
}

/// A text that Kustomize built.
#[derive(Debug)]
pub(crate) struct Built {
    text: String,
    notes: Option<Arc<Notes>>,
}

impl Built {
    /// Adds the text. Findings have the place in the file that Kustomize notes, or of its own file.
    pub(crate) fn add(self, files: &mut Files, origin: Origin) {
        let Self { text, notes } = self;
        files.add_text(Arc::new(Origin { notes, is_rendered: true, ..origin }), text);
    }
}

/// Returns the manifests that `kustomize build` or `kubectl kustomize` builds of a folder.
///
/// In the working directory, a temporary kustomization includes the folder and asks for a note of
/// the origin of each object.
pub(crate) fn build(folder: &Path, state: &State) -> Result<Built, String> {
    if !state.is_revision()
        && let Some(overlay) = overlay(folder)
        && let Ok(text) = run(&kustomize(overlay.path()), state)
    {
        let folder = overlay.path().canonicalize().ok();
        return Ok(Built { text, notes: folder.map(Notes::below).map(Arc::new) });
    }
    run(&kustomize(folder), state).map(|text| Built { text, notes: None })
}

fn kustomize(folder: &Path) -> [Run; 2] {
    // A name that begins with a hyphen is not an option.
    let folder = Path::new(".").join(folder);
    [
        ("kustomize", vec!["build".into(), folder.clone().into()]),
        ("kubectl", vec!["kustomize".into(), folder.into()]),
    ]
}

/// Writes a kustomization that includes a folder and asks for notes.
fn overlay(folder: &Path) -> Option<TempDir> {
    let overlay = TempDir::new().ok()?;
    // Kustomize takes no absolute path.
    let path = relative(&overlay.path().canonicalize().ok()?, &folder.canonicalize().ok()?);
    let kustomization = json!({ "resources": [path.to_str()?], "buildMetadata": ["originAnnotations"] });
    std::fs::write(overlay.path().join("kustomization.yaml"), kustomization.to_string()).ok()?;
    Some(overlay)
}

/// Removes the note of origin from an object.
pub(crate) fn remove_note(object: &mut Value) {
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) else { return };
    if annotations.remove(NOTE).is_some() && annotations.is_empty() {
        metadata.remove("annotations");
    }
}

/// Sets the namespace of an object that names none. It is removed again from an object of a kind
/// without namespaces.
pub(crate) fn set_namespace(object: &mut Value, namespace: &str) {
    let Some(fields) = object.as_object_mut() else { return };
    let metadata = fields.entry("metadata").or_insert_with(|| json!({}));
    let Some(metadata) = metadata.as_object_mut() else { return };
    let set = metadata.entry("namespace").or_insert(Value::Null);
    if set.as_str().is_some_and(str::is_empty) || set.is_null() {
        *set = namespace.into();
    }
}

/// The annotation in which Kustomize notes the origin of an object.
const NOTE: &str = "config.kubernetes.io/origin";

/// Adds the text of a chart, whose templates are in a folder.
///
/// Helm notes the template of each document in a comment. Findings have the place of the template's
/// `kind`, because Helm does not note which of its lines renders a value.
pub(crate) fn add_chart(files: &mut Files, folder: String, chart: &Chart, origin: Origin, text: String) {
    let namespace = Some(chart.namespace.clone());
    files.add_text(Arc::new(Origin { chart: Some(folder), namespace, is_rendered: true, ..origin }), text);
}

type Run = (&'static str, Vec<OsString>);

impl Chart {
    /// A chart in a folder, with its own values.
    pub(crate) fn of_folder(folder: &Path, namespace: &str) -> Self {
        Self {
            // A name that begins with a hyphen is not an option.
            chart: Path::new(".").join(folder).to_string_lossy().into_owned(),
            values: Vec::new(),
            release: "release-name".to_owned(),
            namespace: namespace.to_owned(),
            named_by: NamedBy::Folder,
        }
    }

    fn command(&self) -> Run {
        let mut arguments: Vec<OsString> = [
            "template",
            &self.release,
            &self.chart,
            "--include-crds",
            // A schema that refers to a URL is read from the network.
            if self.named_by == NamedBy::Folder { "--skip-schema-validation" } else { "--skip-tests" },
            "--namespace",
            &self.namespace,
        ]
        .map(OsString::from)
        .into();
        for file in &self.values {
            arguments.extend([OsString::from("--values"), file.into()]);
        }
        ("helm", arguments)
    }

    /// Returns the path by which its objects are known in another state. A chart that is rendered
    /// in several ways has as many.
    pub(crate) fn path(&self) -> String {
        match self.named_by {
            NamedBy::Configuration => {
                let Self { chart, values, release, namespace, .. } = self;
                format!("{chart} {release} {namespace} {}", values.join(","))
            }
            NamedBy::Argument | NamedBy::Folder => self.chart.clone(),
        }
    }

    /// Returns the chart with its values in a revision; `None` if a configuration names it and the
    /// revision does not have all of it.
    pub(crate) fn of(&self, checkout: &Checkout) -> Result<Option<Self>, String> {
        if !Path::new(".").join(&self.chart).is_dir() {
            return Err(
                "only a folder has a revision; give the chart before the change, rendered, with --old"
                    .to_owned(),
            );
        }
        if self.named_by == NamedBy::Configuration {
            for path in [&self.chart].into_iter().chain(&self.values) {
                if checkout.find(path)?.is_none() {
                    return Ok(None);
                }
            }
        }
        let text = |path: &String| checkout.existing(path).map(|found| found.to_string_lossy().into_owned());
        let values: Result<_, String> = self.values.iter().map(text).collect();
        Ok(Some(Self { chart: text(&self.chart)?, values: values?, ..self.clone() }))
    }
}

/// Returns the output of the first of some programs that exists.
fn run(commands: &[Run], state: &State) -> Result<String, String> {
    for (program, arguments) in commands {
        let output = match Command::new(program).args(arguments).output() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(format!("{program} cannot be run: {error}")),
            Ok(output) => output,
        };
        if !output.status.success() {
            let words = String::from_utf8_lossy(&output.stderr);
            // Helm writes what it notes before its error.
            let problem = words.split_once("Error: ").map_or(&*words, |(_, problem)| problem);
            return Err(format!("{program} failed: {}", state.told(problem.trim())));
        }
        return String::from_utf8(output.stdout)
            .map_err(|_| format!("{program} wrote text that is not UTF-8"));
    }
    let names: Vec<&str> = commands.iter().map(|(program, _)| *program).collect();
    Err(format!("cannot be rendered: install {}", names.join(" or ")))
}

/// Returns the place of a value in the file that it was rendered from, as far as the renderer notes
/// it. It is never exact.
pub(crate) fn template_place(chunk: &Chunk, spot: &Spot, place: Place) -> Place {
    if !chunk.origin.is_rendered {
        return place;
    }
    let file = source(chunk, spot);
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let at = kind_line(&text, &spot.rendered.kind).map(|line| Position { line, column: 1 });
    Place { file, span: at.map(|at| Span { start: at, end: at }), is_exact: false }
}

/// Returns the file that a value was rendered from, as far as the renderer notes it; the file of
/// the text if nothing rendered it.
#[must_use]
pub fn source(chunk: &Chunk, spot: &Spot) -> String {
    let source = match &chunk.origin.chart {
        Some(chart) => helm_source(chart, &chunk.text),
        None if chunk.origin.is_rendered => kustomize_source(&chunk.origin, &spot.rendered),
        None => None,
    };
    source.unwrap_or_else(|| chunk.origin.name.clone())
}

/// Returns the files of templates from Helm's comments, such as `# Source: chart/templates/a.yaml`,
/// relative to the chart.
pub(crate) fn sources(text: &str) -> impl Iterator<Item = &str> {
    let mut before = "";
    let lines = text.lines().filter_map(move |line| {
        // Other comments are those of templates.
        let is_first = std::mem::replace(&mut before, line) == "---";
        line.strip_prefix("# Source: ").filter(|_| is_first)
    });
    lines.filter_map(|source| Some(source.trim().split_once('/')?.1))
}

fn helm_source(chart: &str, text: &str) -> Option<String> {
    let source = text.lines().find_map(|line| line.strip_prefix("# Source: "))?.trim();
    let (_, inside) = source.split_once('/')?;
    Some(match chart {
        "" => source.to_owned(),
        "." => inside.to_owned(),
        folder => format!("{folder}/{inside}"),
    })
}

/// Returns the file from Kustomize's annotation, which the user can also ask for by `buildMetadata:
/// [originAnnotations]`.
fn kustomize_source(origin: &Origin, rendered: &Rendered) -> Option<String> {
    let note = rendered.origin.as_deref()?;
    let path = note.lines().find_map(|line| line.strip_prefix("path: "))?.trim();
    let folder = origin.notes.as_ref().map(|notes| notes.folder.as_path());
    let folder = folder.or_else(|| Path::new(&origin.name).parent())?;
    let file = normalized(&folder.join(path));
    file.is_file().then(|| name_of_real(&file))
}

/// The notes of origin in a text that Kustomize built, and the files that they name. Each is read
/// once: a file can have any number of the objects.
#[derive(Debug)]
pub struct Notes {
    /// The folder to which the notes are relative.
    folder: PathBuf,
    files: Mutex<BTreeMap<String, Option<Arc<Source>>>>,
}

/// A file that Kustomize read.
#[derive(Debug)]
struct Source {
    documents: Vec<Value>,
    /// The numbers of the documents, by kind and name.
    numbers: BTreeMap<(String, String), usize>,
    places: Places,
}

impl Notes {
    fn below(folder: PathBuf) -> Self {
        Self { folder, files: Mutex::default() }
    }

    fn source(&self, file: &str) -> Option<Arc<Source>> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.entry(file.to_owned()).or_insert_with(|| Source::read(file).map(Arc::new)).clone()
    }
}

impl PartialEq for Notes {
    fn eq(&self, other: &Self) -> bool {
        self.folder == other.folder
    }
}

impl Eq for Notes {}

impl Source {
    fn read(file: &str) -> Option<Self> {
        let text = std::fs::read_to_string(file).ok()?;
        let (documents, _) = manifest::documents_with_duplicates(&text).ok()?;
        let numbers = documents.iter().enumerate().filter_map(|(number, document)| {
            let text = |pointer| document.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
            Some(((text("/kind")?, text("/metadata/name")?), number))
        });
        Some(Self { numbers: numbers.collect(), places: Places::of(&text), documents })
    }

    /// Returns the number of the document of an object: Kustomize can add to the name.
    fn number(&self, Rendered { kind, name, .. }: &Rendered) -> Option<usize> {
        let exact = self.numbers.get(&(kind.clone(), name.clone())).copied();
        exact.or_else(|| {
            let of_kind = self.numbers.iter().filter(|((of, part), _)| of == kind && name.contains(part));
            of_kind.max_by_key(|((_, part), _)| part.len()).map(|(_, number)| *number)
        })
    }
}

/// An object that Kustomize built, in the file that it was read from.
#[derive(Debug)]
pub(crate) struct Noted {
    file: String,
    source: Arc<Source>,
    number: usize,
    built: Value,
}

impl Noted {
    /// Returns the source of an object that Kustomize built, or `None` if Kustomize did not record
    /// one.
    pub(crate) fn find(chunk: &Chunk, spot: &Spot) -> Option<Self> {
        let notes = chunk.origin.notes.as_ref()?;
        let file = kustomize_source(&chunk.origin, &spot.rendered)?;
        let source = notes.source(&file)?;
        let number = source.number(&spot.rendered)?;
        let (documents, _) = manifest::documents_with_duplicates(&chunk.text).ok()?;
        let built = follow(documents.get(spot.document)?, &spot.steps).1?.clone();
        Some(Self { file, source, number, built })
    }

    /// Returns the place of a path if the file has the same value there, or else the place of the
    /// object.
    pub(crate) fn place(&self, path: Option<&[Step]>) -> Option<Place> {
        let Self { file, source, number, built } = self;
        let read = source.documents.get(*number)?;
        let path = path.filter(|path| !path.is_empty() && follow(built, path) == follow(read, path));
        let exact = path.and_then(|path| {
            source.places.find_exactly(*number, path.get(..1)?)?;
            source.places.find(*number, path)
        });
        let kind = || source.places.find(*number, &[Step::Field("kind".to_owned())]);
        let place = exact.or_else(kind)?;
        let span = Span { start: position(place.start), end: position(place.end) };
        Some(Place { file: file.clone(), span: Some(span), is_exact: exact.is_some() })
    }
}

/// Follows a path. Returns the number of steps that exist, and the value at the end if all do.
fn follow<'v>(value: &'v Value, path: &[Step]) -> (usize, Option<&'v Value>) {
    let mut value = value;
    for (number, step) in path.iter().enumerate() {
        match manifest::child(value, step) {
            Some(next) => value = next,
            None => return (number, None),
        }
    }
    (path.len(), Some(value))
}

fn kind_line(text: &str, kind: &str) -> Option<u64> {
    let is_kind = |line: &str| {
        let value = line.trim_end().strip_prefix("kind:").map(str::trim);
        value.is_some_and(|value| value.trim_matches(['"', '\'']) == kind)
    };
    (1..).zip(text.lines()).find(|(_, line)| is_kind(line)).map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_template_is_its_kind() {
        assert_eq!(
            kind_line("{{ if x }}\napiVersion: v1\nkind: Pod\n---\nkind: \"Service\"\n", "Service"),
            Some(5)
        );
        assert_eq!(kind_line("kind: {{ .Values.kind }}\n", "Service"), None);
        let text = "---\n# Source: shop/charts/db/templates/a.yaml\napiVersion: v1\n";
        assert_eq!(
            helm_source("deploy/shop", text).as_deref(),
            Some("deploy/shop/charts/db/templates/a.yaml")
        );
        assert_eq!(helm_source("", text).as_deref(), Some("shop/charts/db/templates/a.yaml"));
    }
}
