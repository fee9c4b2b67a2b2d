//! The files of a folder: which are read as they are, and which a program renders.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use crate::exclusions::Exclusions;
use crate::input::is_object_file;
use crate::kustomization::{self, Kustomizations};
use crate::paths::{CHART, is_chart};
use crate::state::State;
use crate::tracked;

/// The files of a folder.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    /// The files that can contain objects, in the order of their paths.
    pub(crate) files: Vec<PathBuf>,
    /// The charts that are not part of another one.
    pub(crate) charts: Vec<ChartFolder>,
    /// The folders that Kustomize builds.
    pub(crate) kustomizations: Kustomizations,
    /// The files and folders that git ignores.
    pub(crate) ignored: Vec<PathBuf>,
    /// The files that the user excludes.
    pub(crate) excluded: Vec<PathBuf>,
    /// Links to files that do not exist.
    pub(crate) dangling: Vec<PathBuf>,
    /// Whether git could say which files it tracks.
    pub(crate) has_git: bool,
    pub(crate) problems: Vec<(PathBuf, String)>,
}

/// The folder of a chart.
#[derive(Debug)]
pub(crate) struct ChartFolder {
    pub(crate) folder: PathBuf,
    /// The files that Helm reads as templates or objects.
    pub(crate) files: Vec<PathBuf>,
}

impl Folder {
    pub(crate) fn of(folder: &Path, state: &State, exclusions: &Exclusions) -> Self {
        let mut found = Self { has_git: true, ..Self::default() };
        let paths = if state.is_revision() {
            // A revision has the files that git tracks.
            found.walk(WalkBuilder::new(folder).standard_filters(false))
        } else {
            found.of_working_tree(folder)
        };
        let is_read = |path: &PathBuf| is_read(path) && !exclusions.is_other(&state.in_working_tree(path));
        let mut paths: Vec<PathBuf> = paths.into_iter().filter(is_read).collect();
        // Paths are compared by their components: this is the order of a walk by name.
        paths.sort();
        paths.dedup();
        let is_excluded =
            |path: &PathBuf| exclusions.exclude(&state.in_working_tree(path), &state.in_working_tree(folder));
        (found.excluded, paths) = paths.into_iter().partition(is_excluded);
        let paths = found.existing(paths);
        let described: BTreeMap<PathBuf, bool> =
            paths.iter().filter_map(|path| Some((parent(path), is_library(path)?))).collect();
        // A library has no objects of its own.
        let charts: BTreeSet<PathBuf> = described
            .iter()
            .filter(|(_, is_library)| !**is_library)
            .map(|(folder, _)| folder.clone())
            .collect();
        let mut of_charts: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
        let mut plain = Vec::new();
        for path in paths {
            match topmost(&path, &charts) {
                // Helm reads no other objects than those in the folders of the chart.
                Some((chart, true)) => of_charts.entry(chart).or_default().push(path),
                Some((chart, false)) if path == chart.join(CHART) => {
                    of_charts.entry(chart).or_default();
                }
                _ if is_chart(&path) && described.contains_key(&parent(&path)) => {}
                _ => plain.push(path),
            }
        }
        found.charts = of_charts.into_iter().map(|(folder, files)| ChartFolder { folder, files }).collect();
        found.kustomizations = Kustomizations::of(&plain);
        found.files = plain.into_iter().filter(|path| is_object_file(path)).collect();
        found
    }

    /// Returns the paths that git does not ignore: those that no rule matches, and those that it
    /// tracks, whatever the rules are.
    fn of_working_tree(&mut self, folder: &Path) -> Vec<PathBuf> {
        let tracked = tracked::files(folder).unwrap_or_else(|problem| {
            self.problems.push((folder.to_owned(), problem));
            Some(Vec::new())
        });
        // Only git knows what it tracks.
        self.has_git = tracked.is_some();
        // Git's rules hold without a repository as well, so that an unpacked archive gives the same
        // result. Links are not followed: they could lead to a cycle, or to the same file twice.
        let mut walk = WalkBuilder::new(folder);
        walk.require_git(false)
            .git_global(false)
            .git_ignore(self.has_git)
            .git_exclude(self.has_git)
            // Rules of other programs, and names with a leading dot, which git does not ignore.
            .ignore(false)
            .hidden(false);
        let mut paths = self.walk(&mut walk);
        if let Some(tracked) = tracked {
            let tracked: BTreeSet<PathBuf> = tracked.iter().map(|path| folder.join(path)).collect();
            self.ignored = ignored(&paths, &tracked);
            // Git does not ignore files that it tracks, whose changes would not be evaluated.
            paths.extend(tracked);
        }
        paths
    }

    fn walk(&mut self, walk: &mut WalkBuilder) -> Vec<PathBuf> {
        let mut paths = Vec::new();
        for entry in walk.filter_entry(|entry| entry.file_name() != ".git").build() {
            match entry {
                Ok(entry) => paths.push(entry.into_path()),
                Err(error) => {
                    self.problems.push((PathBuf::new(), format!("cannot be read: {error}")));
                }
            }
        }
        paths
    }

    /// Returns the paths that are files.
    fn existing(&mut self, paths: Vec<PathBuf>) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for path in paths {
            match path.metadata() {
                Ok(metadata) if metadata.is_file() => files.push(path),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    // Git tracks a file until its deletion is committed.
                    if path.symlink_metadata().is_ok() {
                        self.dangling.push(path);
                    }
                }
                Err(error) => self.problems.push((path, format!("cannot be read: {error}"))),
            }
        }
        files
    }
}

fn is_read(path: &Path) -> bool {
    is_object_file(path) || kustomization::is_file(path)
}

fn parent(path: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).to_owned()
}

/// Returns whether a file describes a library; `None` if it does not describe a chart alone.
fn is_library(path: &Path) -> Option<bool> {
    let text = is_chart(path).then(|| std::fs::read_to_string(path).ok())??;
    let (documents, _) = manifest::documents_with_duplicates(&text).ok()?;
    match documents.as_slice() {
        [chart] if chart.get("kind").is_none() => {
            Some(chart.get("type").is_some_and(|kind| kind == "library"))
        }
        _ => None,
    }
}

/// Returns the topmost chart that a file is part of, and whether Helm reads the file for it.
fn topmost(path: &Path, charts: &BTreeSet<PathBuf>) -> Option<(PathBuf, bool)> {
    let chart = path.ancestors().skip(1).find(|above| charts.contains(*above))?;
    let mut inside = path.strip_prefix(chart).ok()?.components();
    let first = inside.next()?;
    let is_read =
        inside.next().is_some() && ["crds", "templates"].iter().any(|name| first.as_os_str() == *name);
    // A chart in the folder `charts` of another is part of it, unless Helm ignores its name.
    let is_ignored = chart.file_name().is_none_or(|name| name.to_string_lossy().starts_with(['.', '_']));
    let outer = chart.parent().filter(|above| above.ends_with("charts") && !is_ignored);
    let outer = outer.and_then(Path::parent).filter(|outer| charts.contains(*outer));
    match outer.and_then(|outer| topmost(&outer.join(CHART), charts)) {
        Some((top, _)) => Some((top, is_read)),
        None => Some((chart.to_owned(), is_read)),
    }
}

/// Returns the files and folders in those of a walk that it left out, unless git tracks them.
fn ignored(walked: &[PathBuf], tracked: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let known: BTreeSet<&PathBuf> = walked.iter().collect();
    // The walk follows a link only at its beginning, and has reported what cannot be read.
    let folders = walked.iter().enumerate().filter(|(at, path)| *at == 0 || !path.is_symlink());
    let inside = folders.filter_map(|(_, path)| path.read_dir().ok()).flatten().filter_map(Result::ok);
    let left_out = inside.map(|entry| entry.path()).filter(|path| {
        !known.contains(path)
            && !tracked.contains(path)
            && path.file_name().is_some_and(|name| name != ".git")
            && (path.is_dir() || is_object_file(path))
    });
    let mut left_out: Vec<PathBuf> = left_out.collect();
    left_out.sort();
    left_out
}
