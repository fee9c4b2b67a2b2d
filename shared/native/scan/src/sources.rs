//! The input that the arguments of a scan name: files, folders, charts and kustomizations, in the
//! working directory and in a revision.

use std::collections::{BTreeSet, VecDeque};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use report::Level;

use crate::checkout::Checkout;
use crate::exclusions::{Exclusions, Patterns};
use crate::folder::{ChartFolder, Folder};
use crate::input::{Files, Origin, cannot_be_read, file_name, is_object_file};
use crate::kustomization::{self, file_of, real};
use crate::paths::{absolute, name_of_real};
use crate::rendered::{Chart, add_chart, build, sources, template};
use crate::state::State;

/// The input of a scan, as the user names it.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Files, folders, and `-` for the standard input.
    ///
    /// Of folders, these are all files `*.json`, `*.yaml` and `*.yml` that git does not ignore, by
    /// name: those that no rule matches, and in a repository those that git tracks, whatever the
    /// rules are. Charts and kustomizations in them are rendered by the programs of the user.
    pub paths: Vec<String>,
    /// Charts to render.
    pub charts: Vec<Chart>,
    /// Folders to render by Kustomize.
    pub kustomizations: Vec<String>,
    /// Files in folders to leave out, in addition to those that a file `.portcullisignore` names.
    pub exclude: Vec<Patterns>,
    /// Files that the scan reads or writes in another way, which are left out of folders.
    pub other: Vec<PathBuf>,
    /// The namespace of charts in folders.
    pub namespace: String,
    /// The level of templates, charts and kustomizations in folders that are not rendered; `None`
    /// if every text of folders has to be read.
    pub of_templates: Option<Level>,
}

impl Sources {
    /// Files, folders, and `-` for the standard input.
    #[must_use]
    pub fn of(paths: &[String]) -> Self {
        Self { paths: paths.to_vec(), namespace: "default".to_owned(), ..Self::default() }
    }

    /// Finds the files in the working directory, and renders charts and kustomizations. A file
    /// that cannot be read becomes a problem, and the others are read.
    #[must_use]
    pub fn find(&self) -> Files {
        let mut files = Files::default();
        let mut search = Search::new(self, State::of(None, &self.paths), &mut files);
        for path in &self.paths {
            search.argument(path);
        }
        for chart in &self.charts {
            search.chart(chart, chart);
        }
        for folder in &self.kustomizations {
            search.kustomization(Path::new(folder));
        }
        files
    }

    /// Adds the same files, charts and folders of a revision of the git repository of a folder, to
    /// which the names are relative.
    pub fn add_revision(&self, files: &mut Files, folder: &Path, revision: &str) {
        let name = format!("git:{revision}");
        // Git would find no file of this name, and every object would count as new.
        if self.paths.iter().any(|path| path == "-") {
            let problem = "the standard input has no revision; name files, or give the old state in a file";
            return files.add_problem(&name, Level::Error, problem);
        }
        let checkout = match Checkout::of(folder, revision, &self.paths) {
            Ok(checkout) => Arc::new(checkout),
            Err(problem) => return files.add_problem(&name, Level::Error, problem),
        };
        files.keep(Arc::clone(&checkout));
        let mut search = Search::new(self, State::of(Some(&checkout), &self.paths), files);
        let mut is_found = self.paths.is_empty();
        for path in &self.paths {
            match checkout.find(path) {
                Ok(found) => is_found |= found.is_some_and(|path| search.path(&path)),
                Err(problem) => {
                    is_found = true;
                    search.files.add_problem(&checkout.name(path), Level::Error, problem);
                }
            }
        }
        // Every object would count as new.
        if !is_found {
            let problem = format!(
                "the revision has no file *.yaml, *.yml or *.json below {}; correct the revision or the paths, or \
                 evaluate without --old if all objects are new",
                self.paths.join(", ")
            );
            search.files.add_problem(&name, Level::Error, problem);
        }
        for chart in &self.charts {
            match chart.of(&checkout) {
                Ok(Some(old)) => search.chart(&old, chart),
                Ok(None) => {
                    let problem =
                        "the revision does not have the chart and its values, so that its objects are new";
                    search.files.add_problem(&checkout.name(&chart.chart), Level::Note, problem);
                }
                Err(problem) => search.files.add_problem(&checkout.name(&chart.chart), Level::Error, problem),
            }
        }
        for folder in &self.kustomizations {
            match checkout.existing(folder) {
                Ok(found) => search.kustomization(&found),
                Err(problem) => search.files.add_problem(&checkout.name(folder), Level::Error, problem),
            }
        }
    }
}

/// The kustomizations of a folder.
#[derive(Default)]
struct Kustomized {
    /// The folders that are built.
    names: Vec<String>,
    /// The files that are not evaluated as they are.
    covered: BTreeSet<PathBuf>,
    /// The resources of folders that are not built.
    unbuilt: BTreeSet<PathBuf>,
}

/// A search for files in one state.
struct Search<'s> {
    sources: &'s Sources,
    state: State,
    files: &'s mut Files,
    /// The files, charts and kustomizations that were added, by their paths in the working tree.
    added: BTreeSet<PathBuf>,
}

impl<'s> Search<'s> {
    fn new(sources: &'s Sources, state: State, files: &'s mut Files) -> Self {
        Self { sources, state, files, added: BTreeSet::new() }
    }

    /// Returns whether a path is added for the first time: arguments can overlap.
    fn is_new(&mut self, path: &Path) -> bool {
        self.added.insert(absolute(&self.state.in_working_tree(path)))
    }

    /// Returns whether an argument names a file. Every text of it has to be read.
    fn is_argument(&self, path: &Path) -> bool {
        let path = absolute(&self.state.in_working_tree(path));
        self.sources.paths.iter().any(|argument| absolute(Path::new(argument)) == path)
    }

    /// Adds what an argument names in the working directory.
    fn argument(&mut self, argument: &str) {
        let path = Path::new(argument);
        if argument == "-" {
            self.files.add_stream("-", &mut io::stdin().lock());
        } else if path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
            // A pipe, such as that of `scan <(helm template …)`, can be read only once.
            match File::open(path) {
                Ok(mut pipe) => self.files.add_stream(&file_name(path), &mut pipe),
                Err(error) => self.problem(path, Level::Error, cannot_be_read(&error)),
            }
        } else {
            self.path(path);
        }
    }

    /// Adds a file or a folder. Returns whether it has files.
    fn path(&mut self, path: &Path) -> bool {
        if !path.is_dir() {
            if self.is_new(path) {
                self.files.add_file(self.state.origin(path), path.to_owned());
            }
            return true;
        }
        let below = self.state.in_working_tree(path);
        // The file does not apply if every text has to be read.
        let ignore_file_in = self.sources.of_templates.map(|_| below.as_path());
        match Exclusions::of(&self.sources.exclude, ignore_file_in, &self.sources.other) {
            Ok(exclusions) => self.folder(path, &exclusions),
            Err(problem) => {
                self.problem(path, Level::Error, problem);
                true
            }
        }
    }

    fn folder(&mut self, folder: &Path, exclusions: &Exclusions) -> bool {
        let found = Folder::of(folder, &self.state, exclusions);
        let is_empty =
            found.files.is_empty() && found.charts.is_empty() && found.kustomizations.roots.is_empty();
        for (path, problem) in &found.problems {
            let path = if path.as_os_str().is_empty() { folder } else { path };
            self.problem(path, Level::Error, problem.clone());
        }
        for path in &found.dangling {
            self.problem(path, self.level(), "a link to a file that does not exist".to_owned());
        }
        let charts = self.charts(&found);
        let built = self.kustomizations(&found);
        for path in found.files.iter().filter(|path| !built.covered.contains(&real(path))) {
            self.found(path, false);
        }
        let known: BTreeSet<PathBuf> =
            found.files.iter().chain(&found.excluded).map(|path| real(path)).collect();
        for path in built.unbuilt.difference(&known) {
            self.found(path, false);
        }
        if !self.state.is_revision() {
            if !found.has_git {
                self.files.add_remark(WITHOUT_GIT.to_owned());
            }
            let names = |paths: &[PathBuf]| named(paths.iter().map(|path| file_name(path)));
            let remarks = [
                (
                    "git ignores these paths, and untracked files there are not evaluated",
                    names(&found.ignored),
                ),
                ("files that are excluded", names(&found.excluded)),
                ("charts that are rendered, in the place of their templates", named(charts.into_iter())),
                (
                    "kustomizations that are built, in the place of the files that they name",
                    named(built.names.into_iter()),
                ),
            ];
            for (what, names) in remarks {
                if let Some(names) = names {
                    self.files.add_remark(format!("{what}: {names}"));
                }
            }
            if is_empty && found.problems.is_empty() {
                let problem = "has no file *.yaml, *.yml or *.json that git does not ignore and that is not \
                               excluded; name files";
                self.problem(folder, Level::Error, problem.to_owned());
            }
        }
        !is_empty
    }

    /// Adds a file of a folder.
    fn found(&mut self, path: &Path, is_of_chart: bool) {
        if self.is_argument(path) || !self.is_new(path) {
            return;
        }
        let of_templates = self.sources.of_templates;
        let origin = Origin { of_templates, is_of_chart, ..self.state.origin(path) };
        self.files.add_file(origin, path.to_owned());
    }

    /// Returns whether some paths in the working tree name a folder.
    fn is_among(&self, folder: &Path, mut paths: impl Iterator<Item = String>) -> bool {
        let folder = real(&self.state.in_working_tree(folder));
        paths.any(|path| real(Path::new(&path)) == folder)
    }

    /// Renders the charts of a folder, and returns the names of those that are rendered. Of others,
    /// objects that are not templates are evaluated as they are.
    fn charts(&mut self, found: &Folder) -> Vec<String> {
        let mut rendered = Vec::new();
        for ChartFolder { folder, files } in &found.charts {
            if self.is_among(folder, self.sources.charts.iter().map(|chart| chart.chart.clone()))
                || !self.is_new(&folder.join("Chart.yaml"))
            {
                continue;
            }
            let chart = Chart::of_folder(folder, &self.sources.namespace);
            match template(&chart, &self.state) {
                Ok(text) => {
                    // Helm leaves out files that .helmignore names, for example.
                    let sources: BTreeSet<&str> = sources(&text).collect();
                    let is_left_out = |path: &&PathBuf| {
                        path.strip_prefix(folder)
                            .is_ok_and(|inside| !sources.contains(&*inside.to_string_lossy()))
                    };
                    files.iter().filter(is_left_out).for_each(|path| self.of_chart(folder, path));
                    let origin = self.state.origin(folder);
                    add_chart(self.files, origin.name.clone(), &chart, origin, text);
                    rendered.push(file_name(folder));
                }
                Err(why) => {
                    let problem = format!(
                        "the chart is not rendered, and its templates are not evaluated: {why}; pass --helm with \
                         --values, or exclude it"
                    );
                    self.problem(&folder.join("Chart.yaml"), self.level(), problem);
                    for path in files {
                        self.of_chart(folder, path);
                    }
                }
            }
        }
        rendered
    }

    /// Adds a file of a chart that Helm does not render.
    fn of_chart(&mut self, chart: &Path, path: &Path) {
        if is_object_file(path) {
            let mut inside = path.strip_prefix(chart).into_iter().flat_map(Path::components);
            self.found(path, inside.any(|part| part.as_os_str() == "templates"));
        }
    }

    /// Builds the kustomizations of a folder, and those that one includes which cannot be built.
    fn kustomizations(&mut self, found: &Folder) -> Kustomized {
        let mut all = Kustomized::default();
        let mut next: VecDeque<&PathBuf> = found.kustomizations.roots.iter().collect();
        let mut tried = BTreeSet::new();
        while let Some(root) = next.pop_front() {
            if !tried.insert(root) {
                continue;
            }
            let reach = found.kustomizations.reach(root);
            if self.is_among(root, self.sources.kustomizations.iter().cloned()) || !self.is_new(root) {
                all.covered.extend(reach.resources.into_iter().chain(reach.parts));
                continue;
            }
            let obstacle = reach.obstacle.map(|obstacle| self.state.told(&obstacle));
            let file = file_of(root).unwrap_or_else(|| root.clone());
            match obstacle.map_or_else(|| build(root, &self.state), Err) {
                Ok(built) => {
                    all.covered.extend(reach.resources.into_iter().chain(reach.parts));
                    let mut origin =
                        Origin { path: self.state.origin(root).path, ..self.state.origin(&file) };
                    if !self.state.is_revision() {
                        origin.name = name_of_real(&file);
                    }
                    built.add(self.files, origin);
                    all.names.push(name_of_real(root));
                }
                Err(why) => {
                    let problem = format!(
                        "the kustomization is not built, and its resources and patches are evaluated as they are: {why}"
                    );
                    self.problem(&file, self.level(), problem);
                    let (resources, folders) = found.kustomizations.own(root);
                    all.unbuilt.extend(resources.iter().cloned());
                    all.covered.extend(reach.parts.into_iter().filter(|path| kustomization::is_file(path)));
                    next.extend(folders);
                }
            }
        }
        all.covered.retain(|path| !all.unbuilt.contains(path));
        all
    }

    /// Renders a chart that the user names as `named`.
    fn chart(&mut self, chart: &Chart, named: &Chart) {
        let mut origin = Origin { path: named.path(), ..self.state.origin(Path::new(&chart.chart)) };
        let mut templates = origin.name.clone();
        if !Path::new(&chart.chart).is_dir() {
            // An archive or a reference: the templates are in no folder.
            named.chart.clone_into(&mut origin.name);
            templates.clear();
        }
        match template(chart, &self.state) {
            Ok(text) => add_chart(self.files, templates, chart, origin, text),
            Err(why) => self.files.add_problem(&origin.name, Level::Error, why),
        }
    }

    /// Builds a kustomization that the user names.
    fn kustomization(&mut self, folder: &Path) {
        let file = file_of(folder).unwrap_or_else(|| folder.to_owned());
        let origin = Origin { path: self.state.origin(folder).path, ..self.state.origin(&file) };
        match build(folder, &self.state) {
            Ok(built) => built.add(self.files, origin),
            Err(why) => self.files.add_problem(&origin.name, Level::Error, why),
        }
    }

    fn problem(&mut self, path: &Path, level: Level, problem: String) {
        let origin = self.state.origin(path);
        self.files.add_problem(&origin.name, level, problem);
    }

    fn level(&self) -> Level {
        self.sources.of_templates.unwrap_or(Level::Error)
    }
}

const WITHOUT_GIT: &str = "git is not on PATH or does not know the repository, so that files are evaluated although \
                           .gitignore names them; install git, or name the files";

/// The most names in a sentence.
const NAMED: usize = 10;

/// Returns the first of some names, and how many more there are; `None` if there are none.
fn named(names: impl Iterator<Item = String>) -> Option<String> {
    let mut names: Vec<String> = names.collect();
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    names.extend((more > 0).then(|| format!("{more} more")));
    (!names.is_empty()).then(|| names.join(", "))
}
