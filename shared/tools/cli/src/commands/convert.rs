//! `portcullis convert`.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::process::ExitCode;

use convert::{
    Conversion, Document, InputError, KyvernoConfiguration, ManifestOptions, NotConverted, PolicyManifest,
    PolicyMode,
};
use manifest::Places;
use serde::Serialize;

use crate::args::{ConversionArgs, ConvertSource, ManifestFormat, ModeArg, SourceArgs};
use crate::failure::Failure;
use crate::parse;
use crate::source::{InputReader, Source, SourceName};
use crate::stdout::{print, write_json};
use crate::terminal::one_line;

const NOT_CONVERTED: u8 = 1;

/// Converts files and prints the manifests; prints nothing if an input cannot be read.
pub(crate) fn convert(source: &ConvertSource) -> Result<ExitCode, Failure> {
    let mut input = Input::default();
    let (kind, SourceArgs { files, conversion: args }) = source.parts();
    let documents = input.read_all(files, kind.expected)?;
    let options = manifest_options(args)?;
    let conversions = match source {
        ConvertSource::Kyverno { kyverno_config: Some(file), .. } => {
            let configuration = input.read_one(file, "the ConfigMap of Kyverno")?;
            KyvernoConfiguration::read(&configuration)
                .and_then(|configuration| ::convert::kyverno_with(&documents, &configuration))
        }
        _ => kind.convert(&documents),
    };
    let mut conversions = conversions.map_err(|error| input.failure(&error))?;
    options.apply(&mut conversions);
    print(|out| match args.output {
        ManifestFormat::Yaml => write_yaml(out, &conversions),
        ManifestFormat::Json => write_json(out, &ManifestList::of(&conversions)),
    })?;
    let not_converted: Vec<&NotConverted> =
        conversions.iter().flat_map(|conversion| &conversion.not_converted).collect();
    let mut stderr = anstream::stderr().lock();
    for part in &not_converted {
        let place = input.place(&part.document, &part.path);
        // If standard error is closed, the exit status still reports what is not converted.
        drop(writeln!(stderr, "{}", one_line(&format!("{place}: {}", described(part)))));
    }
    Ok(if not_converted.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(NOT_CONVERTED) })
}

fn manifest_options(args: &ConversionArgs) -> Result<ManifestOptions, Failure> {
    const MAX_PREFIX: usize = 12;
    let ConversionArgs { mode, registry, name_prefix, .. } = args;
    let is_part_of_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name_prefix.len() > MAX_PREFIX
        || !name_prefix.chars().all(is_part_of_name)
        || name_prefix.starts_with('-')
    {
        let problem = format!(
            "expected at most {MAX_PREFIX} lower-case letters, digits and hyphens that start with a letter or digit"
        );
        return Err(Failure::about("--name-prefix", problem));
    }
    let registry = registry.as_deref().map(|registry| {
        registry.strip_prefix("registry://").unwrap_or(registry).trim_end_matches('/').to_owned()
    });
    if registry.as_ref().is_some_and(|registry| registry.is_empty() || registry.contains(char::is_whitespace))
    {
        return Err(Failure::about("--registry", "expected a registry and a path"));
    }
    let mode = mode.map(|mode| match mode {
        ModeArg::Protect => PolicyMode::Protect,
        ModeArg::Monitor => PolicyMode::Monitor,
    });
    Ok(ManifestOptions { mode, registry, name_prefix: name_prefix.clone() })
}

#[derive(Default)]
struct Input {
    reader: InputReader,
    sources: Vec<(Source, OnceCell<Places>)>,
    /// The source and the index of each document, by its name.
    documents: BTreeMap<String, (usize, usize)>,
}

impl Input {
    fn read_all(&mut self, files: &[String], expected: &str) -> Result<Vec<Document>, Failure> {
        let mut all = Vec::new();
        for file in files {
            let documents = self.read(file)?;
            if documents.is_empty() {
                return Err(Failure::about(
                    SourceName::of_argument(file),
                    format!("is empty; expected {expected}"),
                ));
            }
            all.extend(documents);
        }
        Ok(all)
    }

    fn read_one(&mut self, file: &str, expected: &str) -> Result<Document, Failure> {
        let mut documents = self.read(file)?;
        if documents.len() > 1 {
            let problem = format!("expected one document, found {}", documents.len());
            return Err(Failure::about(SourceName::of_argument(file), problem));
        }
        documents.pop().ok_or_else(|| {
            Failure::about(SourceName::of_argument(file), format!("is empty; expected {expected}"))
        })
    }

    fn read(&mut self, file: &str) -> Result<Vec<Document>, Failure> {
        let source = self.reader.text(file)?;
        let values = parse::documents(&source)?;
        let count = values.len();
        let mut documents = Vec::new();
        for (index, value) in values.into_iter().enumerate() {
            let name = source.name.document(index, count).to_string();
            kubernetes::objects::check_items(&value).map_err(|problem| Failure::about(&name, problem))?;
            self.documents.insert(name.clone(), (self.sources.len(), index));
            documents.push(Document { name, value });
        }
        self.sources.push((source, OnceCell::new()));
        Ok(documents)
    }

    /// The place of a path in a document, `file:line:column`, or the name of the document if the
    /// place is unknown.
    fn place(&self, document: &str, path: &str) -> String {
        let place = || {
            let (source, index) = self.documents.get(document)?;
            let (source, places) = self.sources.get(*source)?;
            let places = places.get_or_init(|| Places::of(&source.text));
            let steps = ::convert::steps(path);
            let kind = [manifest::Step::Field("kind".to_owned())];
            let found = places.find(*index, &steps).or_else(|| places.find(*index, &kind));
            let start = found.or_else(|| places.document(*index))?.start;
            Some(format!("{}:{}:{}", source.name, start.line, start.column))
        };
        place().unwrap_or_else(|| document.to_owned())
    }

    fn failure(&self, error: &InputError) -> Failure {
        let place = self.place(&error.document, &error.path);
        if error.path.is_empty() {
            Failure::about(place, &error.problem)
        } else {
            Failure::about(place, format!("{}: {}", error.path, error.problem))
        }
    }
}

/// A part that is not converted, and the reason.
fn described(NotConverted { policy, rule, path, problem, .. }: &NotConverted) -> String {
    let rule = rule.as_ref().map(|rule| format!(", rule {rule}")).unwrap_or_default();
    format!("not converted: {policy}{rule}: {path}: {problem}")
}

/// A list that kubectl can apply.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ManifestList<'c> {
    api_version: &'static str,
    kind: &'static str,
    items: Vec<&'c PolicyManifest>,
    not_converted: Vec<&'c NotConverted>,
    notes: BTreeSet<&'c str>,
}

impl<'c> ManifestList<'c> {
    fn of(conversions: &'c [Conversion]) -> Self {
        Self {
            api_version: "v1",
            kind: "List",
            items: conversions.iter().filter_map(|conversion| conversion.manifest.as_ref()).collect(),
            not_converted: conversions.iter().flat_map(|conversion| &conversion.not_converted).collect(),
            notes: conversions.iter().flat_map(|conversion| &conversion.notes).map(String::as_str).collect(),
        }
    }
}

/// Writes each manifest as a YAML document, below comments on what was not converted.
fn write_yaml(out: &mut dyn Write, conversions: &[Conversion]) -> io::Result<()> {
    let mut is_first = true;
    // Comments without a manifest go above the next one.
    let mut comments = Vec::new();
    for Conversion { not_converted, notes, manifest } in conversions {
        comments.extend(not_converted.iter().map(described));
        comments.extend(notes.iter().cloned());
        let Some(manifest) = manifest else { continue };
        if !std::mem::take(&mut is_first) {
            writeln!(out, "---")?;
        }
        write_comments(out, &mut comments)?;
        let text = serde_saphyr::to_string(manifest).map_err(io::Error::other)?;
        out.write_all(text.as_bytes())?;
    }
    write_comments(out, &mut comments)
}

fn write_comments(out: &mut dyn Write, comments: &mut Vec<String>) -> io::Result<()> {
    for comment in comments.drain(..) {
        writeln!(out, "# {}", one_line(&comment))?;
    }
    Ok(())
}
