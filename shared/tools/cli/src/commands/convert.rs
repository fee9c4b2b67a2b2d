//! `portcullis convert`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::process::ExitCode;

use convert::{
    Conversion, Document, InputError, KyvernoConfiguration, ManifestOptions, NotConverted, PolicyManifest,
    PolicyMode,
};
use scan::{Chunk, Content, Locator, Spot};
use serde::Serialize;

use crate::args::{ConversionArgs, ConvertSource, ManifestFormat, ModeArg, SourceArgs};
use crate::failure::Failure;
use crate::input::{self, Pieces};
use crate::source::{InputReader, shown};
use crate::stdout::{print, write_json};
use crate::terminal::one_line;

const NOT_CONVERTED: u8 = 1;

/// Converts files and prints the manifests; prints nothing if an input cannot be read.
pub(crate) fn convert(source: &ConvertSource) -> Result<ExitCode, Failure> {
    let mut input = Input::default();
    let (kind, SourceArgs { files, conversion: args }) = source.parts();
    let documents = input.read(files, kind.expected)?;
    let options = manifest_options(args)?;
    let configuration = match source {
        ConvertSource::Kyverno { kyverno_config: Some(file), .. } => Some(input.read_configuration(file)?),
        _ => None,
    };
    let conversions = match &configuration {
        Some(configuration) => KyvernoConfiguration::read(configuration)
            .and_then(|configuration| ::convert::kyverno_with(&documents, &configuration)),
        None => kind.convert(&documents),
    };
    let places = input.places();
    let mut conversions = conversions.map_err(|error| places.failure(&error))?;
    options.apply(&mut conversions);
    print(|out| match args.output {
        ManifestFormat::Yaml => write_yaml(out, &conversions),
        ManifestFormat::Json => write_json(out, &ManifestList::of(&conversions)),
    })?;
    let not_converted: Vec<&NotConverted> =
        conversions.iter().flat_map(|conversion| &conversion.not_converted).collect();
    let mut stderr = anstream::stderr().lock();
    for part in &not_converted {
        let place = places.find(&part.document, &part.path);
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

/// The input, kept for the places of what is not converted.
#[derive(Default)]
struct Input {
    reader: InputReader,
    pieces: Vec<Chunk>,
    /// The piece of each document, and where it is in it, by its name.
    spots: BTreeMap<String, (usize, Spot)>,
}

impl Input {
    /// Reads the objects of files as documents, which have their places as names.
    fn read(&mut self, arguments: &[String], expected: &str) -> Result<Vec<Document>, Failure> {
        let expected = format!("expected {expected}");
        let mut files = input::files(arguments, &mut self.reader)?;
        let mut pieces = Pieces::of(&mut files);
        let mut documents = Vec::new();
        while let Some((chunk, entries)) = pieces.next()? {
            let places = chunk.places(&entries);
            for (entry, place) in entries.into_iter().zip(&places) {
                let (content, spot) = entry.take(&chunk);
                let Content::Object(value) = content else {
                    return Err(input::unexpected(place, &content, &expected));
                };
                let name = input::named(place);
                self.spots.insert(name.clone(), (self.pieces.len(), spot));
                documents.push(Document { name, value });
            }
            self.pieces.push(chunk);
        }
        pieces.refuse_empty(&expected)?;
        if documents.is_empty() {
            let names: Vec<&str> = arguments.iter().map(|argument| shown(argument)).collect();
            return Err(Failure::about(names.join(", "), format!("contains no object; {expected}")));
        }
        Ok(documents)
    }

    fn read_configuration(&mut self, file: &str) -> Result<Document, Failure> {
        let mut documents = self.read(&[file.to_owned()], "the ConfigMap of Kyverno")?.into_iter();
        match (documents.next(), documents.next()) {
            (Some(one), None) => Ok(one),
            (_, second) => {
                let at = second.map_or_else(|| file.to_owned(), |second| second.name);
                Err(Failure::about(at, "a second object; expected the ConfigMap of Kyverno alone"))
            }
        }
    }

    fn places(&self) -> Places<'_> {
        Places { spots: &self.spots, locators: self.pieces.iter().map(Locator::new).collect() }
    }
}

/// The places of paths in the documents.
struct Places<'i> {
    spots: &'i BTreeMap<String, (usize, Spot)>,
    locators: Vec<Locator<'i>>,
}

impl Places<'_> {
    /// Returns the place of a path in a document, or of its nearest field.
    fn find(&self, document: &str, path: &str) -> String {
        match self.spots.get(document) {
            Some((piece, spot)) => {
                input::named(&self.locators[*piece].place(spot, Some(&::convert::steps(path))))
            }
            None => document.to_owned(),
        }
    }

    fn failure(&self, InputError { document, path, problem }: &InputError) -> Failure {
        let place = self.find(document, path);
        if path.is_empty() {
            Failure::about(place, problem)
        } else {
            Failure::about(place, format!("{path}: {problem}"))
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
