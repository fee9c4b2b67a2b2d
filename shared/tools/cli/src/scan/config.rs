//! The configuration file of a scan.

use std::path::{Path, PathBuf};

use manifest::{Cursor, Mistake};
use report::{FailOn, Format, Level, Notice, Output};
use scan::{Chart, NamedBy, Patterns};

use super::args::{BaselineArgs, ConfigArgs, ExceptionArgs, ScanArgs};
use super::input::DEFAULT_NAMESPACE;
use super::policies::PolicyChoice;
use crate::failure::Failure;
use crate::source::{Source, SourceName, regular_text};

pub(crate) const FILE: &str = "portcullis.yaml";

/// The values of the file, each of which an option replaces. Paths are relative to the working
/// directory; those in the file are relative to its folder.
#[derive(Debug, Default)]
struct Config {
    paths: Vec<String>,
    policies: Vec<PolicyChoice>,
    exclude: Vec<String>,
    charts: Vec<Chart>,
    cluster: Vec<String>,
    strict: bool,
    baseline: Option<String>,
    exceptions: Option<ExceptionArgs>,
    fail_on: Option<FailOn>,
    outputs: Vec<Output>,
}

/// Completes the arguments by the configuration file, and returns a note that names it.
pub(super) fn complete(args: &mut ScanArgs) -> Result<Option<Notice>, Failure> {
    let ConfigArgs { config, no_config } = &mut args.config;
    if config.is_none() && !*no_config && !args.live.live {
        *config = find()?;
    }
    let file = config.clone();
    if let Some(file) = &file {
        let name = file.display().to_string();
        let source = Source::file(file)?;
        let document = source.document()?;
        let folder = file.parent().unwrap_or(Path::new(""));
        // A folder that `..` leaves can be a link.
        let folder = if folder.as_os_str().is_empty() { folder.to_owned() } else { real(folder)? };
        let text = manifest::Source::new(name.clone(), source.text);
        let config = Reader { folder: &folder }
            .config(&Cursor::new(&text, &document))
            .map_err(|mistake| Failure::new(mistake.to_string()))?;
        // An earlier report is not an input. Another file that an output names is, and is refused.
        let written = config.outputs.iter().filter_map(earlier_report);
        args.input.other = [file.clone()].into_iter().chain(written).collect();
        let patterns = config.exclude.clone();
        args.input.excluded = Some(Patterns { source: name, folder, applies_outside: false, patterns });
        config.fill(args);
    }
    let BaselineArgs { baseline, write_baseline } = &mut args.output.baseline;
    if write_baseline.as_deref() == Some("") {
        write_baseline.clone_from(baseline);
        if baseline.is_none() {
            let problem = "name a file, as in --write-baseline=known.jsonl";
            return Err(Failure::about("--write-baseline", problem));
        }
    }
    let input = &args.input;
    if args.paths.is_empty() && input.helm.is_empty() && input.kustomize.is_empty() && !args.live.live {
        let problem = "name the files to evaluate, as in `portcullis scan .`, or write a configuration with \
                       `portcullis init`";
        return Err(Failure::new(problem));
    }
    if !args.compare.is_empty() && args.policy.is_empty() {
        return Err(Failure::about("--compare", "name the policies to compare with these, by --policy"));
    }
    let note = |file: PathBuf| Notice {
        level: Level::Note,
        place: None,
        message: format!("the configuration of the scan is {}", file.display()),
    };
    Ok(file.map(note))
}

/// Finds the file in the working directory, or in the nearest folder above it in its repository.
/// Outside of a repository, a folder above can belong to others.
pub(crate) fn find() -> Result<Option<PathBuf>, Failure> {
    let here = std::env::current_dir()
        .map_err(|error| Failure::new(format!("the working directory cannot be read: {error}")))?;
    let depth = here.ancestors().position(|above| above.join(".git").exists()).unwrap_or(0);
    for above in 0..=depth {
        let folder: PathBuf = std::iter::repeat_n("..", above).collect();
        let file = folder.join(FILE);
        if file.exists() {
            return Ok(Some(file));
        }
        let other = folder.join("portcullis.yml");
        if other.exists() {
            return Err(Failure::about(other.display(), format!("is not read; rename it to {FILE}")));
        }
    }
    Ok(None)
}

impl Config {
    /// Fills in the arguments that the user does not give.
    fn fill(self, args: &mut ScanArgs) {
        let is_comparison = !args.compare.is_empty();
        let input = &mut args.input;
        let are_named = !(args.paths.is_empty() && input.helm.is_empty() && input.kustomize.is_empty());
        input.charts = self.charts;
        if are_named {
            // Those in the directories that the user names.
            let paths = &args.paths;
            let is_within = |chart: &Chart| paths.iter().any(|path| contains(path, &chart.chart));
            let is_named = |chart: &Chart| input.helm.iter().any(|named| contains(named, &chart.chart));
            input.charts.retain(|chart| is_within(chart) && !is_named(chart));
        } else {
            args.paths = self.paths;
        }
        for chart in &mut input.charts {
            if chart.namespace.is_empty() {
                chart.namespace = args.request.namespace.clone().unwrap_or(DEFAULT_NAMESPACE.to_owned());
            }
        }
        fill(&mut args.policy, self.policies);
        fill(&mut input.cluster, self.cluster);
        input.strict |= self.strict;
        let output = &mut args.output;
        output.write.fail_on = output.write.fail_on.or(self.fail_on);
        if !is_comparison {
            fill(&mut output.write.output, self.outputs);
            let BaselineArgs { baseline, write_baseline } = &mut output.baseline;
            if baseline.is_none() {
                if write_baseline.as_deref() == Some("") {
                    write_baseline.clone_from(&self.baseline);
                }
                // One that is yet to be written has no findings.
                let is_absent = |file: &String| Path::new(file).try_exists().is_ok_and(|exists| !exists);
                *baseline = self.baseline.filter(|file| !is_absent(file));
            }
        }
        let given = &mut output.exceptions;
        if let (false, false, Some(configured)) = (given.no_exceptions, given.exceptions, self.exceptions) {
            *given = configured;
        }
    }
}

/// Returns the file of an output if it is a report of an earlier scan that folders could contain.
fn earlier_report(output: &Output) -> Option<PathBuf> {
    let file = output.file.as_ref().filter(|_| output.format == Format::Json)?;
    report::read(&regular_text(file)?).is_ok().then(|| file.into())
}

fn real(folder: &Path) -> Result<PathBuf, Failure> {
    folder
        .canonicalize()
        .map_err(|error| Failure::about(folder.display(), format!("cannot be read: {error}")))
}

fn fill<T>(given: &mut Vec<T>, configured: Vec<T>) {
    if given.is_empty() {
        *given = configured;
    }
}

/// Returns whether a path is the same as another or below it.
fn contains(folder: &str, path: &str) -> bool {
    match (Path::new(folder).canonicalize(), Path::new(path).canonicalize()) {
        (Ok(folder), Ok(path)) => path.starts_with(folder),
        _ => false,
    }
}

/// A reader of a file in a folder, to which its paths are relative.
struct Reader<'f> {
    folder: &'f Path,
}

impl Reader<'_> {
    /// The keys are those of `artifacthub/portcullis.schema.json`, which describes them.
    fn config(&self, root: &Cursor<'_>) -> Result<Config, Mistake> {
        root.check_keys(&[
            "paths",
            "policies",
            "exclude",
            "charts",
            "cluster",
            "strict",
            "baseline",
            "exceptions",
            "failOn",
            "outputs",
        ])?;
        let path = |at: &Cursor<'_>| self.path(at);
        Ok(Config {
            paths: if root.get("paths").is_some() {
                list(root, "paths", path)?
            } else {
                vec![self.join(".")]
            },
            policies: list(root, "policies", |at| self.policy(at))?,
            exclude: root.get("exclude").map(|at| at.texts()).transpose()?.unwrap_or_default(),
            charts: list(root, "charts", |at| self.chart(at))?,
            cluster: list(root, "cluster", path)?,
            strict: root.get("strict").map(|at| at.flag()).transpose()?.unwrap_or_default(),
            baseline: root.get("baseline").map(|at| self.path(&at)).transpose()?,
            exceptions: root.get("exceptions").map(|at| exceptions(&at)).transpose()?,
            fail_on: root.get("failOn").map(|at| parsed(&at)).transpose()?,
            outputs: list(root, "outputs", |at| self.output(at))?,
        })
    }

    fn policy(&self, at: &Cursor<'_>) -> Result<PolicyChoice, Mistake> {
        let line = at.position().map(|at| format!(":{}", at.line)).unwrap_or_default();
        let place = SourceName::new(format!("{}{line}", at.source.name));
        if at.value.is_string() {
            return Ok(PolicyChoice { argument: self.argument(text(at)?), configured: Some((None, place)) });
        }
        if !at.value.is_object() {
            let found = manifest::found(at.value);
            return Err(
                at.mistake(format!("expected the name of a policy, or an object with policy, found {found}"))
            );
        }
        at.check_keys(&["policy", "settings"])?;
        let policy = at.get("policy").ok_or_else(|| at.mistake("has no policy; name one"))?;
        let at_settings = at.get("settings");
        let settings = at_settings.as_ref().map(Cursor::object).transpose()?;
        // An error of the settings names its path in them alone.
        let place = at_settings.map_or(place, |at| SourceName::new(at.place()));
        let argument = self.argument(text(&policy)?);
        if argument.contains('=') {
            return Err(policy.mistake("has settings of its own; write them in settings"));
        }
        Ok(PolicyChoice { argument, configured: Some((settings, place)) })
    }

    /// Returns an argument of `--policy`: ids and references are the same in every folder.
    fn argument(&self, text: &str) -> String {
        let path = self.join(text);
        let id = text.split_once('=').map_or(text, |(id, _)| id);
        let is_reference = || {
            let host = text.split_once('/').map_or("", |(host, _)| host);
            text.contains("://") || host.contains([':', '.']) && !host.trim_matches('.').is_empty()
        };
        let is_path = Path::new(&path).exists() || !is_reference();
        if text != "-" && (Path::new(&path).is_file() || rules::find(id).is_none() && is_path) {
            path
        } else {
            text.to_owned()
        }
    }

    fn chart(&self, at: &Cursor<'_>) -> Result<Chart, Mistake> {
        at.check_keys(&["chart", "values", "release", "namespace"])?;
        let chart = at.get("chart").ok_or_else(|| at.mistake("has no chart; name its directory"))?;
        let path = self.path(&chart)?;
        if !Path::new(&path).join("Chart.yaml").is_file() {
            return Err(chart.mistake("is not the directory of a chart: it has no Chart.yaml"));
        }
        let or = |key: &str, default: &str| {
            let text = at.get(key).map(|at| text(&at).map(str::to_owned)).transpose()?;
            Ok::<String, Mistake>(text.unwrap_or_else(|| default.to_owned()))
        };
        Ok(Chart {
            chart: path,
            values: list(at, "values", |at| self.path(at))?,
            release: or("release", "release-name")?,
            namespace: or("namespace", "")?,
            named_by: NamedBy::Configuration,
        })
    }

    fn output(&self, at: &Cursor<'_>) -> Result<Output, Mistake> {
        let output = parsed::<Output>(at)?;
        Ok(Output { file: output.file.map(|file| self.join(&file)), ..output })
    }

    fn path(&self, at: &Cursor<'_>) -> Result<String, Mistake> {
        let path = text(at)?;
        if path == "-" {
            return Err(at.mistake("the standard input is not a file; pass - as an argument"));
        }
        Ok(self.join(path))
    }

    /// Returns a path relative to the working directory.
    fn join(&self, path: &str) -> String {
        if self.folder.as_os_str().is_empty() || Path::new(path).is_absolute() {
            return path.to_owned();
        }
        let here = std::env::current_dir().unwrap_or_default();
        ::scan::relative(&here, &self.folder.join(path)).to_string_lossy().into_owned()
    }
}

/// Reads the items of a list. An empty list would mean the default.
fn list<T>(
    at: &Cursor<'_>,
    key: &str,
    read: impl Fn(&Cursor<'_>) -> Result<T, Mistake>,
) -> Result<Vec<T>, Mistake> {
    let Some(list) = at.get(key) else { return Ok(Vec::new()) };
    let items = list.items()?;
    if items.is_empty() {
        return Err(list.mistake("is empty; remove the key, or add an entry"));
    }
    items.iter().map(read).collect()
}

fn text<'s>(at: &Cursor<'s>) -> Result<&'s str, Mistake> {
    let text = at.text()?;
    if text.is_empty() { Err(at.mistake("is empty")) } else { Ok(text) }
}

fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(at: &Cursor<'_>) -> Result<T, Mistake> {
    text(at)?.parse().map_err(|error| at.mistake(error))
}

fn exceptions(at: &Cursor<'_>) -> Result<ExceptionArgs, Mistake> {
    let (no_exceptions, exceptions) = match text(at)? {
        "none" => (true, false),
        "manifests" => (false, false),
        "all" => (false, true),
        _ => return Err(at.mistake("expected none, manifests or all")),
    };
    Ok(ExceptionArgs { no_exceptions, exceptions })
}

#[cfg(test)]
mod tests;
