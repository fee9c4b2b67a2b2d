//! The files that Kustomize reads, by the files in which they are named.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::paths::{absolute, name_of_real};

/// The names of a file by which Kustomize knows a folder.
pub(crate) const FILES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Returns whether a path is that of such a file.
pub(crate) fn is_file(path: &Path) -> bool {
    FILES.iter().any(|name| path.ends_with(name))
}

/// Returns the file of a folder by which Kustomize knows it.
#[must_use]
pub fn file_of(folder: &Path) -> Option<PathBuf> {
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
        let named = files.iter().filter(|path| is_file(path)).filter_map(|file| file.parent());
        let found: BTreeSet<PathBuf> = named.map(real).filter(|folder| all.load(folder)).collect();
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
                reach.obstacle = Some(format!("{} {obstacle}", name_of_real(&known.file)));
            }
        }
        if self.known.get(root).is_some_and(|known| known.is_component) {
            reach.obstacle = Some("it is a Component, which is built only with what includes it".to_owned());
        }
        reach
    }

    /// Returns the resources of a folder alone, and the folders that it includes.
    pub(crate) fn own(&self, folder: &Path) -> (&[PathBuf], &[PathBuf]) {
        self.known.get(folder).map_or((&[], &[]), |known| (&known.resources, &known.folders))
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
        let mut next = vec![folder.to_owned()];
        while let Some(folder) = next.pop() {
            if !self.known.contains_key(&folder)
                && let Some(known) = file_of(&folder).and_then(|file| Kustomization::read(&folder, &file))
            {
                next.extend(known.folders.iter().cloned());
                self.known.insert(folder, known);
            }
        }
        self.known.contains_key(folder)
    }
}

/// Returns a path without links, as far as it exists: Kustomize follows them.
pub(crate) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| absolute(path))
}

impl Kustomization {
    /// Reads a file; `None` if it is an object of another API, such as Flux's.
    fn read(folder: &Path, file: &Path) -> Option<Self> {
        let mut read = Self {
            file: real(file),
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
        let api_version = fields(value, "apiVersion").find_map(Value::as_str).unwrap_or_default();
        if !api_version.is_empty() && !api_version.starts_with("kustomize.config.k8s.io/") {
            return None;
        }
        read.is_component = fields(value, "kind").any(|kind| kind == "Component");
        // Kustomize ignores other documents, which can be objects.
        if documents.len() == 1 {
            read.parts.push(read.file.clone());
        }
        for name in RESOURCES.into_iter().flat_map(|field| texts(value, field)) {
            match real(&folder.join(name)) {
                _ if is_remote(name) => read.remote(name),
                path if path.is_dir() => read.folders.push(path),
                path if path.is_file() => read.resources.push(path),
                _ => read.remote(name),
            }
        }
        for name in PATCHES.into_iter().flat_map(|field| texts(value, field)) {
            let path = real(&folder.join(name));
            if !is_remote(name) && path.is_file() { read.parts.push(path) } else { read.remote(name) }
        }
        for name in OTHERS.into_iter().flat_map(|field| texts(value, field)) {
            let name = name.split_once('=').map_or(name, |(_, name)| name);
            if is_remote(name) || !folder.join(name).exists() {
                read.remote(name);
            }
        }
        for name in PLUGINS.into_iter().flat_map(|field| fields(value, field)).flat_map(all_texts) {
            let path = real(&folder.join(name));
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            // A URL can be written with escapes.
            let may_be_remote = [name, &text].iter().any(|text| text.contains("://") || text.contains('\\'));
            if is_remote(name) || may_be_remote || path.is_dir() {
                read.remote(name.lines().next().unwrap_or_default());
            }
        }
        let mut known = BTreeSet::new();
        if let Some(twice) = value.as_object()?.keys().find(|name| !known.insert(folded(name))) {
            read.obstacle = Some(format!("has fields whose names differ only in case, such as `{twice}`"));
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
const OTHERS: [&str; 7] = [
    "configMapGenerator",
    "configurations",
    "crds",
    "helmCharts",
    "openapi",
    "replacements",
    "secretGenerator",
];

/// The fields with files, folders and texts that configure what Kustomize does.
const PLUGINS: [&str; 3] = ["generators", "transformers", "validators"];

/// Returns whether Kustomize takes a name for that of a file or repository in a network
/// (`NewRepoSpecFromURL` in `api/internal/git/repospec.go` of sigs.k8s.io/kustomize).
fn is_remote(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let begins = ["git@", "git::", "gh:", "github.com"].iter().any(|host| name.starts_with(host));
    begins || name.contains("://") || name.contains('@') && name.contains(':')
}

/// Returns the values of a field, whose name Kustomize reads in any case of its letters.
fn fields<'v>(value: &'v Value, name: &'v str) -> impl Iterator<Item = &'v Value> {
    let fields = value.as_object().into_iter().flatten();
    fields.filter(move |(known, _)| folded(known) == folded(name)).map(|(_, value)| value)
}

/// Returns a name in small letters, as `encoding/json` of Go compares the names of fields.
fn folded(name: &str) -> String {
    let small = |c: char| match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        c => c.to_ascii_lowercase(),
    };
    name.chars().map(small).collect()
}

/// Returns all texts in a value.
fn all_texts(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(items) => items.iter().flat_map(all_texts).collect(),
        Value::Object(fields) => fields.values().flat_map(all_texts).collect(),
        Value::String(text) => vec![text],
        _ => Vec::new(),
    }
}

/// Returns the texts in a field that can be names of files, in whatever form the field has them:
/// `a.yaml`, `path: a.yaml`, `files: [key=a.yaml]`.
fn texts<'v>(value: &'v Value, name: &'v str) -> Vec<&'v str> {
    let mut found: Vec<&str> = Vec::new();
    let mut next: Vec<&Value> = fields(value, name).collect();
    while let Some(value) = next.pop() {
        match value {
            Value::Array(items) => next.extend(items.iter().rev()),
            Value::Object(_) => {
                let names = ["additionalValuesFiles", "env", "envs", "files", "path", "valuesFile"];
                next.extend(names.iter().flat_map(|name| fields(value, name)));
            }
            // An inline patch has lines.
            Value::String(text) if !text.contains('\n') => found.push(text),
            _ => {}
        }
    }
    found
}
