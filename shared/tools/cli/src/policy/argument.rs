//! The meaning of an argument that names a policy.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use admission::PolicyEntry;
use text::nearest;

use crate::failure::Failure;

/// The scheme of references to a registry in Kubewarden's resources.
const REGISTRY: &str = "registry://";
/// The scheme of module files in Kubewarden's tools.
const FILE: &str = "file://";
/// The first bytes of every module.
const MAGIC: &[u8] = b"\0asm";

#[derive(Debug)]
pub(crate) enum PolicyArgument<'a> {
    /// A policy that the tool carries.
    Own(&'static PolicyEntry),
    Module(PathBuf),
    /// The file of a manifest; `-` is the standard input.
    Manifest(&'a str),
    Reference(&'a str),
}

/// Returns the path in an argument, which can be a URL.
pub(crate) fn path_of(text: &str) -> &str {
    text.strip_prefix(FILE).unwrap_or(text)
}

impl<'a> PolicyArgument<'a> {
    /// Finds out what an argument names. A file comes before an id, and an id before a
    /// directory and a reference.
    pub(crate) fn of(text: &'a str, modules: &Path) -> Result<Self, Failure> {
        if text.starts_with(REGISTRY) {
            return Ok(Self::Reference(text));
        }
        if text.starts_with("https://") || text.starts_with("http://") {
            let problem = "cannot be read from a web server; download the module and pass the file";
            return Err(Failure::about(text, problem));
        }
        let file = path_of(text);
        let path = Path::new(file);
        if text == "-" {
            return Ok(Self::Manifest(text));
        }
        if path.is_dir() && rules::find(text).is_none() {
            let problem = "is a directory; pass one module or manifest, or use portcullis scan";
            return Err(Failure::about(path.display(), problem));
        }
        if has_extension(path, &["wasm"]) {
            return Ok(Self::Module(path.to_path_buf()));
        }
        if path.exists() && !path.is_dir() {
            return Ok(if is_module(path)? {
                Self::Module(path.to_path_buf())
            } else {
                Self::Manifest(file)
            });
        }
        if let Some(entry) = rules::find(text) {
            return Ok(Self::Own(entry));
        }
        let built = modules.join(format!("{text}.wasm"));
        if built.is_file() {
            return Ok(Self::Module(built));
        }
        // A path that does not exist fails with the reason of the system.
        if has_extension(path, &["yaml", "yml", "json"]) || file.starts_with(['.', '/', '~']) {
            return Ok(Self::Manifest(file));
        }
        if names_registry(text) {
            return Ok(Self::Reference(text));
        }
        Err(unknown(text, modules))
    }
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| extensions.iter().any(|known| extension.eq_ignore_ascii_case(known)))
}

/// Whether a file begins as a module does.
fn is_module(path: &Path) -> Result<bool, Failure> {
    let mut start = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut start))
        .map_err(|error| Failure::about(path.display(), format!("cannot be read: {error}")))?;
    Ok(start == MAGIC)
}

/// Whether a text begins with the host of a registry, as in `ghcr.io/example/policy`.
fn names_registry(text: &str) -> bool {
    text.split_once('/').is_some_and(|(host, _)| host.contains(['.', ':']) || host == "localhost")
}

fn unknown(text: &str, modules: &Path) -> Failure {
    let ids = ids(modules);
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let advice = match nearest(text, &ids) {
        Some(near) => format!("did you mean {near}?"),
        None => format!(
            "known policies are {}; pass one of them, the file of a module or a manifest, or a reference such as \
             ghcr.io/example/policy:v1.0.0",
            ids.join(", ")
        ),
    };
    Failure::about(format!("policy {text}"), format!("does not exist; {advice}"))
}

fn ids(modules: &Path) -> Vec<String> {
    let mut ids: Vec<String> = rules::CATALOG.iter().map(|entry| entry.id.to_owned()).collect();
    // A directory that does not exist contains no modules.
    for entry in std::fs::read_dir(modules).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "wasm") {
            ids.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    ids.sort();
    ids.dedup();
    ids
}
