//! The files that Kustomize reads, by the files in which they are named.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::state::normalized;

/// The names of a file by which Kustomize knows a folder.
pub(crate) const FILES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Returns whether a path is that of such a file.
pub(crate) fn is_file(path: &Path) -> bool {
    FILES.iter().any(|name| path.ends_with(name))
}

/// Returns the file of a folder by which Kustomize knows it.
pub(crate) fn file_of(folder: &Path) -> Option<PathBuf> {
    FILES.iter().map(|name| folder.join(name)).find(|file| file.is_file())
}

/// Folders that Kustomize builds, and those that they include.
#[derive(Debug, Default)]
pub(crate) struct Kustomizations {
    known: BTreeMap<PathBuf, Kustomization>,
    /// The folders that no other includes.
    pub(crate) roots: Vec<PathBuf>,
}

/// A file for Kustomize.
#[derive(Debug)]
struct Kustomization {
    file: PathBuf,
    /// The files with objects.
    resources: Vec<PathBuf>,
    /// The folders that are included.
    folders: Vec<PathBuf>,
    /// The files that are not objects: those with patches, and the file itself.
    parts: Vec<PathBuf>,
    is_component: bool,
    /// Why Kustomize cannot build the folder without a network.
    obstacle: Option<String>,
}

/// The files that Kustomize reads for a folder.
#[derive(Debug, Default)]
pub(crate) struct Reach {
    /// The files with objects.
    pub(crate) resources: BTreeSet<PathBuf>,
    /// The files that are not objects.
    pub(crate) parts: BTreeSet<PathBuf>,
    /// Why the folder cannot be built without a network, or by itself.
    pub(crate) obstacle: Option<String>,
}

impl Kustomizations {
    /// Reads the files for Kustomize among some files.
    pub(crate) fn of(files: &[PathBuf]) -> Self {
        let mut all = Self::default();
        let named = files.iter().filter(|path| FILES.iter().any(|name| path.ends_with(name)));
        let found: Vec<PathBuf> = named
            .filter_map(|file| file.parent())
            .filter(|folder| all.load(folder))
            .map(normalized)
            .collect();
        let included: BTreeSet<&PathBuf> = all.known.values().flat_map(|known| &known.folders).collect();
        let mut roots: Vec<PathBuf> =
            found.iter().filter(|folder| !included.contains(folder)).cloned().collect();
        // Folders that include each other, which Kustomize refuses.
        let mut seen: BTreeSet<PathBuf> = roots.iter().flat_map(|root| all.below(root)).collect();
        for folder in found {
            if !seen.contains(&folder) {
                seen.extend(all.below(&folder));
                roots.push(folder);
            }
        }
        all.roots = roots;
        all
    }

    /// Returns the files that Kustomize reads for a folder.
    pub(crate) fn reach(&self, root: &Path) -> Reach {
        let mut reach = Reach::default();
        for folder in self.below(root) {
            let Some(known) = self.known.get(&folder) else { continue };
            reach.resources.extend(known.resources.iter().cloned());
            reach.parts.extend(known.parts.iter().cloned());
            if let Some(obstacle) = &known.obstacle {
                reach.obstacle = Some(format!("{} {obstacle}", known.file.display()));
            }
        }
        if self.known.get(root).is_some_and(|known| known.is_component) {
            reach.obstacle = Some("it is a Component, which nothing here includes".to_owned());
        }
        reach
    }

    /// Returns a folder and those that it includes.
    fn below(&self, root: &Path) -> BTreeSet<PathBuf> {
        let mut seen = BTreeSet::new();
        let mut next = vec![root.to_owned()];
        while let Some(folder) = next.pop() {
            if let Some(known) = self.known.get(&folder).filter(|_| !seen.contains(&folder)) {
                next.extend(known.folders.iter().cloned());
                seen.insert(folder);
            }
        }
        seen
    }

    /// Reads the file of a folder, and those of the folders that it includes. Returns whether the
    /// folder has one that can be read.
    fn load(&mut self, folder: &Path) -> bool {
        let mut next = vec![normalized(folder)];
        while let Some(folder) = next.pop() {
            if !self.known.contains_key(&folder)
                && let Some(known) = file_of(&folder).and_then(|file| Kustomization::read(&folder, &file))
            {
                next.extend(known.folders.iter().cloned());
                self.known.insert(folder, known);
            }
        }
        self.known.contains_key(&normalized(folder))
    }
}

impl Kustomization {
    /// Reads a file; `None` if it is an object of another API, such as Flux's.
    fn read(folder: &Path, file: &Path) -> Option<Self> {
        let mut read = Self {
            file: normalized(file),
            resources: Vec::new(),
            folders: Vec::new(),
            parts: Vec::new(),
            is_component: false,
            obstacle: None,
        };
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let documents =
            manifest::documents_with_duplicates(&text).map_or_else(|_| Vec::new(), |(all, _)| all);
        let Some(value @ Value::Object(_)) = documents.first() else {
            read.obstacle = Some("cannot be read".to_owned());
            return Some(read);
        };
        let api_version = field(value, "apiVersion").and_then(Value::as_str).unwrap_or_default();
        if !api_version.is_empty() && !api_version.starts_with("kustomize.config.k8s.io/") {
            return None;
        }
        read.is_component = field(value, "kind").is_some_and(|kind| kind == "Component");
        // Kustomize ignores other documents, which can be objects.
        if documents.len() == 1 {
            read.parts.push(read.file.clone());
        }
        let path = |name: &str| normalized(&folder.join(name));
        for name in RESOURCES.into_iter().flat_map(|field| texts(value, field)) {
            match path(name) {
                path if path.is_dir() => read.folders.push(path),
                path if path.is_file() => read.resources.push(path),
                _ => read.remote(name),
            }
        }
        for name in PATCHES.into_iter().flat_map(|field| texts(value, field)) {
            if path(name).is_file() { read.parts.push(path(name)) } else { read.remote(name) }
        }
        for name in OTHERS.into_iter().flat_map(|field| texts(value, field)) {
            let name = name.split_once('=').map_or(name, |(_, name)| name);
            if !path(name).exists() {
                read.remote(name);
            }
        }
        Some(read)
    }

    /// Notes a name that Kustomize may look up in a network.
    fn remote(&mut self, name: &str) {
        self.obstacle.get_or_insert_with(|| format!("names `{name}`, which is not a file here"));
    }
}

/// The fields with files and folders of objects.
const RESOURCES: [&str; 3] = ["bases", "components", "resources"];

/// The fields with files that change objects.
const PATCHES: [&str; 3] = ["patches", "patchesJson6902", "patchesStrategicMerge"];

/// The fields with other files.
const OTHERS: [&str; 10] = [
    "configMapGenerator",
    "configurations",
    "crds",
    "generators",
    "helmCharts",
    "openapi",
    "replacements",
    "secretGenerator",
    "transformers",
    "validators",
];

/// Returns a field, whose name Kustomize reads in any case of its letters.
fn field<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    value.as_object()?.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// Returns the texts in a field that can be names of files, in whatever form the field has them:
/// `a.yaml`, `path: a.yaml`, `files: [key=a.yaml]`.
fn texts<'v>(value: &'v Value, name: &str) -> Vec<&'v str> {
    let mut found: Vec<&str> = Vec::new();
    let mut next: Vec<&Value> = field(value, name).into_iter().collect();
    while let Some(value) = next.pop() {
        match value {
            Value::Array(items) => next.extend(items.iter().rev()),
            Value::Object(_) => {
                let names = ["additionalValuesFiles", "env", "envs", "files", "path", "valuesFile"];
                next.extend(names.iter().filter_map(|name| field(value, name)));
            }
            // An inline patch has lines.
            Value::String(text) if !text.contains('\n') => found.push(text),
            _ => {}
        }
    }
    found
}
