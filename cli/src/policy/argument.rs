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
/// The repositories of the policies that the tool carries; an id follows.
const OWN_REPOSITORIES: &str = "ghcr.io/portcullis/policies/";
/// The first bytes of every module.
const MAGIC: &[u8] = b"\0asm";

/// What an argument names.
#[derive(Debug)]
pub(crate) enum PolicyArgument<'a> {
    /// A policy that the tool carries.
    Own(&'static PolicyEntry),
    /// The file of a module.
    Module(PathBuf),
    /// The file of a manifest; `-` is the standard input.
    Manifest(&'a str),
    /// A module in a registry.
    Reference(&'a str),
}

impl<'a> PolicyArgument<'a> {
    /// Finds out what an argument names. A file comes before an id, and an id before a reference.
    ///
    /// # Errors
    /// A file that cannot be read, and a text that names nothing.
    pub(crate) fn of(text: &'a str, modules: &Path) -> Result<Self, Failure> {
        if text.starts_with(REGISTRY) {
            return Ok(Self::Reference(text));
        }
        if text.starts_with("https://") || text.starts_with("http://") {
            let problem = "cannot be read from a web server; download the module and pass the file";
            return Err(Failure::about(text, problem));
        }
        let path = Path::new(text.strip_prefix(FILE).unwrap_or(text));
        if text == "-" {
            return Ok(Self::Manifest(text));
        }
        if path.is_dir() {
            let problem = "is a directory; pass one module or manifest, or use portcullis scan";
            return Err(Failure::about(path.display(), problem));
        }
        if has_extension(path, &["wasm"]) {
            return Ok(Self::Module(path.to_path_buf()));
        }
        if path.exists() {
            return Ok(if is_module(path)? {
                Self::Module(path.to_path_buf())
            } else {
                Self::Manifest(text)
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
        if has_extension(path, &["yaml", "yml", "json"]) || text.starts_with(['.', '/', '~']) {
            return Ok(Self::Manifest(text));
        }
        if names_registry(text) {
            return Ok(Self::Reference(text));
        }
        Err(unknown(text, modules))
    }
}

/// Returns the policy that a reference names, if the tool carries it in this version.
pub(super) fn own(reference: &str) -> Option<&'static PolicyEntry> {
    let reference = reference.strip_prefix(REGISTRY).unwrap_or(reference);
    let (id, tag) = reference.strip_prefix(OWN_REPOSITORIES)?.split_once(':')?;
    let this_version = tag.strip_prefix('v') == Some(env!("CARGO_PKG_VERSION"));
    rules::find(id).filter(|_| this_version)
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

/// Returns the ids of all policies of the project and of all other built modules.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_version_of_an_own_policy_is_carried() {
        let version = env!("CARGO_PKG_VERSION");
        for (reference, id) in [
            (format!("registry://ghcr.io/portcullis/policies/selinux:v{version}"), Some("selinux")),
            (format!("ghcr.io/portcullis/policies/node-pods:v{version}"), Some("node-pods")),
            ("registry://ghcr.io/portcullis/policies/selinux:v0.0.1".to_owned(), None),
            (format!("registry://ghcr.io/portcullis/policies/selinux:{version}"), None),
            (format!("registry://ghcr.io/portcullis/policies/other:v{version}"), None),
            (format!("registry://ghcr.io/other/policies/selinux:v{version}"), None),
            ("ghcr.io/portcullis/policies/selinux".to_owned(), None),
        ] {
            assert_eq!(own(&reference).map(|entry| entry.id), id, "{reference}");
        }
    }
}
