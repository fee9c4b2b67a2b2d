//! Modules with their metadata.

use std::path::{Path, PathBuf};

use kubewarden::packaging::Metadata;

#[cfg(feature = "registry")]
use super::argument::PolicyArgument;
use crate::failure::Failure;
use crate::source::read_file;

#[derive(Debug)]
pub(crate) struct AnnotatedModule {
    /// The file, or the reference.
    pub(crate) path: PathBuf,
    pub(crate) wasm: Vec<u8>,
    pub(crate) metadata: Metadata,
}

impl AnnotatedModule {
    /// The name of the policy, as far as the file or the reference tells it.
    pub(super) fn name(&self) -> String {
        self.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// How to build the modules.
const BUILD: &str = "build the modules with ./justw modules";

/// Reads the module that an argument names: a file, or the id of a built policy.
#[cfg(feature = "registry")]
pub(crate) fn read(policy: &str, modules: &Path) -> Result<AnnotatedModule, Failure> {
    match PolicyArgument::of(policy, modules)? {
        PolicyArgument::Own(entry) => built(entry.id, modules),
        PolicyArgument::Module(path) => read_file_of(path),
        PolicyArgument::Manifest(_) | PolicyArgument::Reference(_) => {
            Err(Failure::about(policy, "expected the file of a module, or the id of a built policy"))
        }
    }
}

/// Reads a built module of the project.
pub(super) fn built(id: &str, modules: &Path) -> Result<AnnotatedModule, Failure> {
    let path = modules.join(format!("{id}.wasm"));
    if !path.is_file() {
        let problem = format!("is not built: {} does not exist; {BUILD}", path.display());
        return Err(Failure::about(format!("policy {id}"), problem));
    }
    read_file_of(path)
}

/// Reads the file of a module.
pub(super) fn read_file_of(path: PathBuf) -> Result<AnnotatedModule, Failure> {
    let wasm = read_file(&path)?;
    of_bytes(path, wasm)
}

pub(super) fn of_bytes(path: PathBuf, wasm: Vec<u8>) -> Result<AnnotatedModule, Failure> {
    let metadata = Metadata::read(&wasm).map_err(|error| Failure::about(path.display(), error))?;
    let Some(metadata) = metadata else {
        let problem = "has no metadata, which every host requires; add it with portcullis annotate";
        return Err(Failure::about(path.display(), problem));
    };
    Ok(AnnotatedModule { path, wasm, metadata })
}
