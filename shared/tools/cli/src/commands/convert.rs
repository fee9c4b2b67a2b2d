//! `portcullis convert`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::process::ExitCode;

use convert::{
    Class, Conversion, Difference, Document, InputError, KyvernoConfiguration, ManifestOptions,
    PolicyManifest, PolicyMode, summary,
};
use report::one_line;
use scan::{Chunk, Content, Locator, Spot};
use serde::Serialize;

use crate::args::{ConversionArgs, ConvertSource, ManifestFormat, ModeArg, SourceArgs};
use crate::failure::Failure;
use crate::input::{self, Pieces};
use crate::print_problem;
use crate::source::{InputReader, shown};
use crate::stdout::{print, write_json};

const DIFFERS: u8 = 1;

const UNREADABLE: u8 = 2;

/// Converts files and prints the manifests, also if some of the documents cannot be read.
pub(crate) fn convert(source: &ConvertSource) -> Result<ExitCode, Failure> {
    let mut input = Input::default();
    let (kind, SourceArgs { files, conversion: args }) = source.parts();
    let configuration = match source {
        ConvertSource::Kyverno { kyverno_config: Some(file), .. } => Some(input.read_configuration(file)?),
        _ => None,
    };
    let (documents, unreadable) = input.read(files, kind.expected)?;
    let (documents, refused) = kind.accepted(documents);
    let is_incomplete = !unreadable.is_empty() || !refused.is_empty();
    let options = ManifestOptions { is_incomplete, ..manifest_options(args)? };
    let conversions = match &configuration {
        Some(configuration) => KyvernoConfiguration::read(configuration)
            .and_then(|configuration| ::convert::kyverno_with(&documents, &configuration)),
        None => kind.convert(&documents),
    };
    let places = input.places();
    let mut conversions = conversions.map_err(|error| places.failure(&error))?;
    options.apply(&mut conversions);
    if !documents.is_empty() {
        print(|out| match args.output {
            ManifestFormat::Yaml => write_yaml(out, &conversions),
            ManifestFormat::Json => write_json(out, &ManifestList::of(&conversions)),
        })?;
    }
    let differences = || conversions.iter().flat_map(|conversion| &conversion.differences);
    let mut stderr = anstream::stderr().lock();
    // If standard error is closed, the exit status still reports the differences.
    for difference in differences() {
        let place = places.find(&difference.document, &difference.path);
        drop(writeln!(stderr, "{}", one_line(&format!("{place}: {difference}"))));
    }
    if let Some(summary) = summary(differences()) {
        drop(writeln!(stderr, "{summary}"));
    }
    drop(stderr);
    for failure in unreadable.into_iter().chain(refused.iter().map(|error| places.failure(error))) {
        print_problem(failure);
    }
    let is_allowed = |class: Class| {
        class == Class::Text || args.allow.iter().any(|allowed| Class::from(*allowed) == class)
    };
    Ok(if is_incomplete {
        ExitCode::from(UNREADABLE)
    } else if differences().all(|difference| is_allowed(difference.class)) {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(DIFFERS)
    })
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
    Ok(ManifestOptions { mode, registry, name_prefix: name_prefix.clone(), is_incomplete: false })
}

/// The input, kept for the places of differences.
#[derive(Default)]
struct Input {
    reader: InputReader,
    pieces: Vec<Chunk>,
    /// The piece of each document, and where it is in it, by its name.
    spots: BTreeMap<String, (usize, Spot)>,
}

impl Input {
    /// Reads the objects of files as documents, which have their places as names, with the reasons
    /// why some of the files or documents cannot be read.
    fn read(
        &mut self,
        arguments: &[String],
        expected: &str,
    ) -> Result<(Vec<Document>, Vec<Failure>), Failure> {
        let expected = format!("expected {expected}");
        let mut files = input::files(arguments, &mut self.reader)?;
        let mut pieces = Pieces::of(&mut files);
        let (mut documents, mut unreadable) = (Vec::new(), Vec::new());
        loop {
            let (chunk, entries) = match pieces.next() {
                Ok(Some(piece)) => piece,
                Ok(None) => break,
                Err(problem) => {
                    unreadable.push(problem);
                    continue;
                }
            };
            let places = chunk.places(&entries);
            for (entry, place) in entries.into_iter().zip(&places) {
                let (content, spot) = entry.take(&chunk);
                let Content::Object(value) = content else {
                    unreadable.push(input::unexpected(place, &content, &expected));
                    continue;
                };
                let name = input::named(place);
                self.spots.insert(name.clone(), (self.pieces.len(), spot));
                documents.push(Document { name, value });
            }
            self.pieces.push(chunk);
        }
        if !unreadable.is_empty() {
            return Ok((documents, unreadable));
        }
        pieces.refuse_empty(&expected)?;
        if documents.is_empty() {
            let names: Vec<&str> = arguments.iter().map(|argument| shown(argument)).collect();
            return Err(Failure::about(names.join(", "), format!("contains no object; {expected}")));
        }
        Ok((documents, unreadable))
    }

    fn read_configuration(&mut self, file: &str) -> Result<Document, Failure> {
        let (documents, unreadable) = self.read(&[file.to_owned()], "the ConfigMap of Kyverno")?;
        if let Some(problem) = unreadable.into_iter().next() {
            return Err(problem);
        }
        let mut documents = documents.into_iter();
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

/// A list that kubectl can apply.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ManifestList<'c> {
    api_version: &'static str,
    kind: &'static str,
    items: Vec<&'c PolicyManifest>,
    differences: Vec<&'c Difference>,
    notes: BTreeSet<&'c str>,
}

impl<'c> ManifestList<'c> {
    fn of(conversions: &'c [Conversion]) -> Self {
        Self {
            api_version: "v1",
            kind: "List",
            items: conversions.iter().filter_map(|conversion| conversion.manifest.as_ref()).collect(),
            differences: conversions.iter().flat_map(|conversion| &conversion.differences).collect(),
            notes: conversions.iter().flat_map(|conversion| &conversion.notes).map(String::as_str).collect(),
        }
    }
}

/// Writes each manifest as a YAML document, below comments on its differences.
fn write_yaml(out: &mut dyn Write, conversions: &[Conversion]) -> io::Result<()> {
    let mut is_first = true;
    // Comments without a manifest go above the next one.
    let mut comments = Vec::new();
    for Conversion { differences, notes, manifest } in conversions {
        comments.extend(differences.iter().map(Difference::to_string));
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
