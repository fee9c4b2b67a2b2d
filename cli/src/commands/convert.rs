//! `portcullis convert`.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::process::ExitCode;

use convert::{Conversion, Document, InputError, NotConverted, PolicyManifest};
use serde::Serialize;

use crate::args::{ConvertSource, ManifestFormat};
use crate::failure::Failure;
use crate::parse;
use crate::source::InputReader;
use crate::stdout::{print, write_json};
use crate::terminal::one_line;

/// The exit status if something is not converted.
const NOT_CONVERTED: u8 = 1;

/// Converts files and prints the manifests.
///
/// # Errors
/// Input that cannot be read. Nothing is printed then.
pub(crate) fn convert(source: &ConvertSource) -> Result<ExitCode, Failure> {
    let (conversions, format) = match source {
        ConvertSource::Kyverno { files, output } => (::convert::kyverno(&read_all(files)?), *output),
        ConvertSource::Psa { file, output } => {
            let conversion = ::convert::pod_security_admission(&read_one(file)?);
            (conversion.map(|conversion| vec![conversion]), *output)
        }
    };
    let conversions = conversions.map_err(|error: InputError| Failure::new(error.to_string()))?;
    print(|out| match format {
        ManifestFormat::Yaml => write_yaml(out, &conversions),
        ManifestFormat::Json => write_json(out, &ManifestList::of(&conversions)),
    })?;
    let is_complete = conversions.iter().all(|conversion| conversion.not_converted.is_empty());
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::from(NOT_CONVERTED) })
}

/// Reads all documents from files, in order.
fn read_all(files: &[String]) -> Result<Vec<Document>, Failure> {
    let mut reader = InputReader::default();
    let mut all = Vec::new();
    for file in files {
        let source = reader.text(file)?;
        let documents = parse::documents(&source)?;
        if documents.is_empty() {
            return Err(Failure::about(source.name, "is empty; expected Kyverno policies"));
        }
        let count = documents.len();
        let named = |(index, value)| Document { name: source.name.document(index, count).to_string(), value };
        all.extend(documents.into_iter().enumerate().map(named));
    }
    Ok(all)
}

/// Reads the only document from a file.
fn read_one(file: &str) -> Result<Document, Failure> {
    const EMPTY: &str = "is empty; expected a PodSecurityConfiguration or an AdmissionConfiguration";
    let source = InputReader::default().text(file)?;
    let value = parse::document(&source)?.ok_or_else(|| Failure::about(&source.name, EMPTY))?;
    Ok(Document { name: source.name.to_string(), value })
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
        for NotConverted { policy, rule, path, problem } in not_converted {
            let rule = rule.as_ref().map(|rule| format!(", rule {rule}")).unwrap_or_default();
            comments.push(format!("not converted: {policy}{rule}: {path}: {problem}"));
        }
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
