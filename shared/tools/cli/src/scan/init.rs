//! `portcullis init`: a first configuration file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use kubewarden::matching::{Installation, PolicyKind};
use report::{FailOn, Level, Report, Status};
use scan::{Content, Input as _, Options, Patterns, Scan, Sources};
use serde_json::{Value, json};

use super::config::{self, FILE};
use super::input::DEFAULT_NAMESPACE;
use super::kyverno;
use super::policies::{self, DEPLOYED, PolicyChoice};
use crate::args::{EngineArgs, SettingsArgs};
use crate::failure::Failure;
use crate::policy::Engines;
use crate::replace_file::replace_file;
use crate::source::InputReader;
use crate::stdout::print;

/// Write a configuration of `portcullis scan` for the repository in the working directory.
///
/// The file is portcullis.yaml. Its policies are the manifests of policies in the directory, or the
/// five policies of Portcullis. It leaves out files that cannot be read, which would keep every
/// scan from being complete, and names the file of a baseline.
#[derive(Args, Debug)]
pub(crate) struct InitArgs {}

/// The file of the baseline in a new configuration.
const BASELINE: &str = "portcullis-baseline.jsonl";

/// Writes the file and prints what a scan would find.
pub(crate) fn init(_: &InitArgs) -> Result<ExitCode, Failure> {
    if let Some(found) = config::find()? {
        return Err(Failure::about(found.display(), "exists already; change it, or remove it"));
    }
    let mut sources = Sources {
        namespace: DEFAULT_NAMESPACE.to_owned(),
        of_templates: Some(Level::Warning),
        ..Sources::of(&[".".to_owned()])
    };
    let found = Found::of(&sources);
    let places = found.places();
    let mut report = scan(&sources, &places)?;
    let unreadable = unreadable(&report);
    if !unreadable.is_empty() {
        let patterns = unreadable.keys().map(|file| pattern(file)).collect();
        sources.exclude =
            vec![Patterns { source: FILE.to_owned(), folder: ".".into(), applies_outside: false, patterns }];
        report = scan(&sources, &places)?;
    }
    replace_file(Path::new(FILE), text(&places, &unreadable)?.as_bytes())?;
    print(|out| summary(out, &report, &unreadable, &found.unused))?;
    Ok(ExitCode::SUCCESS)
}

/// The policies of a repository.
#[derive(Default)]
struct Found {
    /// The files with manifests, by folder.
    folders: BTreeMap<String, BTreeSet<String>>,
    /// The folders with files that cannot be read.
    unreadable: BTreeSet<String>,
    /// The files with policies of Kyverno, and the charts with policies, which are not used.
    unused: BTreeSet<String>,
}

impl Found {
    fn of(sources: &Sources) -> Self {
        let mut files = sources.find();
        files.rewind();
        let mut found = Self::default();
        while let Some(piece) = files.next() {
            // The scan reports texts that cannot be read.
            let read = piece.map_err(|unreadable| unreadable.notice());
            let read = read.and_then(|chunk| chunk.entries().map(|read| (chunk, read)));
            let (chunk, read) = match read {
                Ok(read) => read,
                Err(notice) => {
                    found.unreadable.extend(notice.place.map(|place| folder_of(&place.file)));
                    continue;
                }
            };
            for entry in read.entries {
                let (content, spot) = entry.take(&chunk);
                let Content::Object(object) = content else { continue };
                let is_policy = PolicyKind::of(&object).is_some();
                if is_policy || kyverno::is_kyverno(&object) {
                    let is_usable = is_policy && chunk.origin.chart.is_none();
                    found.add(&::scan::source(&chunk, &spot), is_usable);
                }
            }
        }
        found
    }

    fn add(&mut self, file: &str, is_usable: bool) {
        if !is_usable || !Path::new(file).is_file() {
            self.unused.insert(file.to_owned());
            return;
        }
        self.folders.entry(folder_of(file)).or_default().insert(file.to_owned());
    }

    /// Returns the folders with manifests, or the files if the folder has others that cannot be
    /// read.
    fn places(&self) -> BTreeSet<String> {
        let mut places = BTreeSet::new();
        for (folder, files) in &self.folders {
            if self.unreadable.contains(folder) {
                places.extend(files.iter().cloned());
            } else {
                places.insert(folder.clone());
            }
        }
        places
    }
}

fn folder_of(file: &str) -> String {
    let folder = Path::new(file).parent().unwrap_or(Path::new("")).to_string_lossy().into_owned();
    match folder.as_str() {
        "" => ".".to_owned(),
        // The id of a policy would come before the folder.
        id if rules::find(id).is_some() => format!("./{id}"),
        _ => folder,
    }
}

/// Scans the directory by the policies of the new configuration.
fn scan(sources: &Sources, folders: &BTreeSet<String>) -> Result<Report, Failure> {
    let mut reader = InputReader::default();
    let engine = EngineArgs::default();
    let engines = Engines::new(&engine);
    let choices: Vec<PolicyChoice> = folders.iter().cloned().map(PolicyChoice::from).collect();
    let settings = SettingsArgs { settings: None, settings_json: None };
    let policies = policies::load(&choices, &settings, &engines, &Installation::default(), &mut reader)?;
    let scan = Scan::new(policies.policies, Options::default());
    let mut report = scan.run(&mut sources.find(), None, None, &mut ());
    report.notices.extend(policies.notices);
    Ok(report)
}

/// Returns the files that keep a scan from being complete and have nothing that it can read, with
/// the first reason of each.
fn unreadable(report: &Report) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for notice in report.notices.iter().filter(|notice| notice.level == Level::Error) {
        let file = notice.place.as_ref().map(|place| &place.file);
        let has_nothing = |file: &&String| Path::new(file).is_file() && !report.files.contains(*file);
        if let Some(file) = file.filter(has_nothing) {
            files.entry(file.clone()).or_insert_with(|| report::one_line(&notice.message));
        }
    }
    files
}

/// Returns the pattern of a file, in the syntax of `.gitignore`.
fn pattern(file: &str) -> String {
    let mut pattern = String::from("/");
    for character in file.chars() {
        if "*?[]{}\\ ".contains(character) {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}

/// Returns the text of a configuration.
fn text(folders: &BTreeSet<String>, unreadable: &BTreeMap<String, String>) -> Result<String, Failure> {
    let mut text = format!(
        "# yaml-language-server: \
         $schema=https://raw.githubusercontent.com/portcullis/portcullis/v{}/artifacthub/portcullis.schema.json\n\
         # The configuration of `portcullis scan`.\n\n",
        env!("CARGO_PKG_VERSION")
    );
    if folders.is_empty() {
        text.push_str("# Ids of policies, or files and directories with the manifests of policies.\n");
        let policies = DEPLOYED.iter().map(|(id, manifest)| {
            let (settings, _) = policies::deployed_settings(id, manifest)?;
            Ok(match settings {
                Some(Value::Object(settings)) if !settings.is_empty() => {
                    json!({"policy": id, "settings": settings})
                }
                _ => json!(id),
            })
        });
        let policies: Vec<Value> = policies.collect::<Result<_, Failure>>()?;
        text.push_str(&yaml(&json!({ "policies": policies }))?);
    } else {
        text.push_str("# Files and directories with the manifests of policies, or ids of policies.\n");
        text.push_str(&yaml(&json!({ "policies": folders }))?);
    }
    text.push_str("\n# Files that are not evaluated, in the syntax of .gitignore.\n");
    if unreadable.is_empty() {
        text.push_str("exclude: []\n");
    } else {
        text.push_str("exclude:\n");
    }
    for (file, why) in unreadable {
        // Writing to a string does not fail.
        let _ = writeln!(text, "  # {why}\n  - {}", Value::from(pattern(file)));
    }
    let _ = write!(
        text,
        "\n# Known findings, which do not fail a scan: `portcullis scan --write-baseline` writes the file.\n\
         baseline: {BASELINE}\n"
    );
    Ok(text)
}

fn yaml(value: &Value) -> Result<String, Failure> {
    manifest::write(value).ok_or_else(|| Failure::about(FILE, "YAML cannot express the configuration"))
}

/// Writes what a scan would find, and how to go on.
fn summary(
    out: &mut dyn Write,
    report: &Report,
    unreadable: &BTreeMap<String, String>,
    unused: &BTreeSet<String>,
) -> std::io::Result<()> {
    let objects = report.totals.objects;
    let failing = report.findings.iter().filter(|finding| FailOn::Deny.fails(finding)).count();
    let policies: Vec<&str> = report.policies.iter().map(|policy| policy.name.as_str()).collect();
    writeln!(out, "{FILE} is written.")?;
    writeln!(out, "  policies: {}", policies.join(", "))?;
    writeln!(out, "  objects: {objects}")?;
    writeln!(out, "  findings that fail a scan: {failing}")?;
    for file in unreadable.keys() {
        writeln!(out, "  excluded, because it cannot be read: {file}")?;
    }
    for notice in report.notices.iter().filter(|notice| notice.level == Level::Error) {
        let place = notice.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
        writeln!(out, "  keeps a scan from being complete: {place}{}", report::one_line(&notice.message))?;
    }
    // A baseline has no unknown verdicts.
    let mut unknown: BTreeMap<&str, u64> = BTreeMap::new();
    for finding in report.findings.iter().filter(|finding| finding.status == Status::Unknown) {
        *unknown.entry(&finding.message).or_default() += 1;
    }
    for (why, count) in unknown {
        writeln!(out, "  unknown verdicts, {count}: {}", report::one_line(why))?;
    }
    for file in unused {
        writeln!(out, "  policies that are not used: {file}")?;
    }
    writeln!(out, "\nNext:")?;
    writeln!(out, "  portcullis scan                   shows the findings")?;
    writeln!(out, "  portcullis scan --write-baseline  accepts them as known: from then on, new ones fail")
}
