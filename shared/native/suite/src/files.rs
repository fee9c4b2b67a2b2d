//! The files that tests name.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

pub(crate) use scan::is_object_file as is_manifest;
use serde_json::Value;

/// The state of a file or directory, which a change shows in.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum FileState {
    /// The path does not exist, or cannot be read.
    Absent,
    /// The time of the last change of a file, and its length.
    File(SystemTime, u64),
    /// The names of the manifests in a directory, and of its directories. Other files do not
    /// matter, such as the results that a run writes.
    Directory(BTreeSet<OsString>),
}

/// Returns the state of a file or directory.
#[must_use]
pub fn file_state(path: &Path) -> FileState {
    // The empty path is the working directory.
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    state(path).unwrap_or(FileState::Absent)
}

fn state(path: &Path) -> std::io::Result<FileState> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_dir() {
        return Ok(FileState::File(metadata.modified()?, metadata.len()));
    }
    let entries = std::fs::read_dir(path)?.filter_map(Result::ok).map(|entry| entry.path());
    let shown = entries.filter(|entry| is_manifest(entry) || entry.is_dir());
    Ok(FileState::Directory(shown.filter_map(|entry| entry.file_name().map(OsString::from)).collect()))
}

/// Reads files and notes their state before that, so that a later change is visible.
#[derive(Debug, Default)]
pub(crate) struct Files {
    read: RefCell<BTreeMap<PathBuf, FileState>>,
}

impl Files {
    pub(crate) fn into_read(self) -> BTreeMap<PathBuf, FileState> {
        self.read.into_inner()
    }

    /// Notes a file that is read elsewhere.
    pub(crate) fn note(&self, path: &Path) {
        self.read.borrow_mut().entry(path.to_path_buf()).or_insert_with(|| file_state(path));
    }

    pub(crate) fn text(&self, path: &Path) -> Result<String, String> {
        self.note(path);
        let text = std::fs::read_to_string(path).map_err(|error| problem(path, &error))?;
        // Some editors write a byte order mark.
        Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
    }

    /// Reads the objects of a file, or of the files of a directory. Lists become their items.
    pub(crate) fn objects(&self, path: &Path) -> Result<Vec<Value>, String> {
        let mut objects = Vec::new();
        for file in self.manifests(path)? {
            let text = self.text(&file)?;
            objects.extend(of_text(&text).map_err(|error| format!("{}: {error}", file.display()))?);
        }
        if objects.is_empty() {
            return Err(format!("{}: has no objects; write at least one", path.display()));
        }
        Ok(objects)
    }

    /// Returns a file itself, or the files of manifests in a directory, by name.
    pub(crate) fn manifests(&self, path: &Path) -> Result<Vec<PathBuf>, String> {
        if !path.is_dir() {
            return Ok(vec![path.to_path_buf()]);
        }
        self.note(path);
        let entries = std::fs::read_dir(path).map_err(|error| problem(path, &error))?;
        let mut files = Vec::new();
        for entry in entries {
            let file = entry.map_err(|error| problem(path, &error))?.path();
            if is_manifest(&file) && !file.is_dir() {
                files.push(file);
            }
        }
        files.sort();
        Ok(files)
    }
}

pub(crate) fn printed(command: &[String], dir: &Path) -> Result<Vec<Value>, String> {
    let Some((program, arguments)) = command.split_first() else {
        return Err("the command is empty; write a program and its arguments".to_owned());
    };
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    let output = Command::new(program).args(arguments).current_dir(dir).output();
    let output = output.map_err(|error| format!("{program} does not start: {error}"))?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        let told = told.trim().lines().last().unwrap_or("it says nothing").to_owned();
        return Err(format!("{program} fails with {}: {told}", output.status));
    }
    let text = String::from_utf8(output.stdout).map_err(|_| format!("{program} prints no UTF-8"))?;
    let objects = of_text(&text).map_err(|error| format!("the output of {program}: {error}"))?;
    if objects.is_empty() { Err(format!("{program} prints no objects")) } else { Ok(objects) }
}

fn of_text(text: &str) -> Result<Vec<Value>, String> {
    let documents = manifest::documents(text).map_err(|problem| problem.to_string())?;
    let mut objects = Vec::new();
    for document in documents {
        kubernetes::objects::check_items(&document).map_err(|error| error.to_string())?;
        let items = match document {
            Value::Array(items) => items,
            document => kubernetes::objects::items(document).unwrap_or_else(|object| vec![object]),
        };
        for object in items {
            if !is_object(&object) {
                return Err("something has no apiVersion and kind; write Kubernetes objects".to_owned());
            }
            objects.push(object);
        }
    }
    Ok(objects)
}

pub(crate) fn is_object(value: &Value) -> bool {
    ["apiVersion", "kind"].iter().all(|key| value.get(key).is_some_and(Value::is_string))
}

/// Returns the kinds and names of objects, for a message.
pub(crate) fn listed(objects: &[&Value]) -> String {
    /// The number of objects that a message names.
    const SHOWN: usize = 8;
    let text = |object: &Value, pointer: &str| {
        object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let shown = objects.iter().take(SHOWN).map(|object| {
        let namespace = text(object, "/metadata/namespace");
        let slash = if namespace.is_empty() { "" } else { "/" };
        format!("{} {namespace}{slash}{}", text(object, "/kind"), text(object, "/metadata/name"))
    });
    let more = objects.len().saturating_sub(SHOWN);
    let more = (more > 0).then(|| format!("{more} more"));
    shown.chain(more).collect::<Vec<_>>().join(", ")
}

pub(crate) fn problem(path: &Path, error: &std::io::Error) -> String {
    format!("{}: cannot be read: {error}", path.display())
}
