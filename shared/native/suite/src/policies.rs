//! The policies of a test file, with the settings of a case.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use kubewarden::matching::{Installation, PolicyKind, PolicyManifest};
use scan::{Engine, Policy};
use serde_json::Value;
use text::nearest;

use crate::files::Files;

/// Finds what runs policies.
pub trait Modules {
    /// Returns what runs the module of a manifest. A module that cannot be loaded is
    /// [`Engine::Unavailable`], and one that rejects its settings [`Engine::Refused`].
    fn engine(&self, wanted: &Wanted<'_>) -> Engine;

    /// Returns a policy without a manifest: an id, the file of a module or a reference to a
    /// registry.
    ///
    /// # Errors
    /// An argument that names no policy, and a module that cannot be loaded. A policy that rejects
    /// its settings has [`Engine::Refused`].
    fn bare(&self, argument: &str, settings: &Value) -> Result<Policy, String>;

    /// Returns how Kubewarden is installed.
    fn installation(&self) -> Installation {
        Installation::default()
    }
}

/// A module that a manifest deploys.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The name of the policy.
    pub policy: &'a str,
    /// The module with its settings.
    pub module: &'a kubewarden::matching::Module,
    /// Whether the policy may change objects.
    pub is_mutating: bool,
    /// The file that takes the place of the module (`modules` of a test file).
    pub file: Option<&'a Path>,
}

/// The policies that the tool carries, natively.
#[derive(Clone, Copy, Debug, Default)]
pub struct Native;

impl Modules for Native {
    fn engine(&self, wanted: &Wanted<'_>) -> Engine {
        match Engine::carried(&wanted.module.module).filter(|_| wanted.file.is_none()) {
            Some(entry) => Engine::Native(entry),
            None => Engine::Unavailable(format!("{} is not carried", wanted.module.module)),
        }
    }

    fn bare(&self, argument: &str, settings: &Value) -> Result<Policy, String> {
        Policy::of_id(argument, settings).ok_or_else(|| format!("no policy has the id {argument}"))
    }
}

/// Returns the last part of the name of a module, without its tag or digest.
fn id(module: &str) -> &str {
    let last = module.rsplit('/').next().unwrap_or(module);
    last.split([':', '@']).next().unwrap_or(last).trim_end_matches(".wasm")
}

#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) name: String,
    /// The file of the manifest, or the id or module.
    pub(crate) origin: String,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Manifest(Box<Value>),
    Bare(String),
}

pub(crate) type Problem = String;

/// Reads the policies that an argument names: a manifest, a directory of manifests, an id, a module
/// or a reference. Policies that cannot be used are among the results.
pub(crate) fn read(
    argument: &str,
    dir: &Path,
    modules: &dyn Modules,
    files: &Files,
) -> Result<Vec<Result<Listed, Problem>>, String> {
    let path = dir.join(argument.strip_prefix("file://").unwrap_or(argument));
    let is_module = path.extension().is_some_and(|extension| extension == "wasm");
    let is_id = rules::find(argument).is_some() && !path.is_file();
    if is_id || is_module || !path.exists() {
        let is_path = crate::files::is_manifest(&path) || argument.starts_with(['.', '/']);
        if is_path && !path.exists() {
            return Err(format!("{} does not exist; paths are relative to the test file", path.display()));
        }
        let argument = if is_module { path.display().to_string() } else { argument.to_owned() };
        if is_module {
            files.note(&path);
        }
        let name = modules.bare(&argument, &Value::Object(serde_json::Map::new()))?.reference.name;
        let origin = argument.clone();
        return Ok(vec![Ok(Listed { name, origin, source: Source::Bare(argument) })]);
    }
    let mut found = Vec::new();
    for file in files.manifests(&path)? {
        for object in of_file(&file, files)? {
            let about = |problem: String| format!("{}: {problem}", file.display());
            if PolicyKind::of(&object).is_some() {
                found.push(match PolicyManifest::read(&object) {
                    Ok(manifest) => Ok(Listed {
                        name: manifest.name,
                        origin: absolute(&file),
                        source: Source::Manifest(Box::new(object)),
                    }),
                    Err(error) => Err(about(error.to_string())),
                });
            } else if let Some(problem) = PolicyKind::misspelt(&object) {
                found.push(Err(about(problem)));
            }
        }
    }
    if found.is_empty() {
        return Err(format!("{} has no policy; name a manifest of one", path.display()));
    }
    Ok(found)
}

/// Returns a path that is the same wherever a test file is.
fn absolute(file: &Path) -> String {
    let path = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
    path.display().to_string()
}

/// Returns the objects of a file of manifests, in which other objects than policies may be.
fn of_file(file: &Path, files: &Files) -> Result<Vec<Value>, String> {
    let text = files.text(file)?;
    let documents = manifest::documents(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    for document in &documents {
        kubernetes::objects::check_items(document).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    let items = |document| kubernetes::objects::items(document).unwrap_or_else(|object| vec![object]);
    Ok(documents.into_iter().flat_map(items).collect())
}

pub(crate) struct Policies<'m> {
    listed: Vec<Listed>,
    modules: &'m dyn Modules,
    /// Files in the place of modules, by the name of a policy or the id of a module.
    files: BTreeMap<String, PathBuf>,
    /// The policies by settings, as loading a module takes long.
    loaded: BTreeMap<String, Rc<Policy>>,
}

pub(crate) type Settings = BTreeMap<String, Value>;

impl<'m> Policies<'m> {
    pub(crate) fn new(
        listed: Vec<Listed>,
        modules: &'m dyn Modules,
        files: BTreeMap<String, PathBuf>,
    ) -> Self {
        Self { listed, modules, files, loaded: BTreeMap::new() }
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        self.listed.iter().map(|policy| policy.name.as_str()).collect()
    }

    pub(crate) fn origin(&self, name: &str) -> String {
        let found = self.listed.iter().find(|policy| policy.name == name);
        found.map(|policy| policy.origin.clone()).unwrap_or_default()
    }

    /// Returns the advice for a name that no policy has.
    pub(crate) fn unknown(&self, name: &str) -> String {
        match nearest(name, &self.names()) {
            Some(near) => format!("no policy has the name {name}; did you mean {near}?"),
            None => format!("no policy has the name {name}; the policies are {}", self.names().join(", ")),
        }
    }

    /// Returns whether a name of `modules` stands for a policy or a module.
    pub(crate) fn has_module(&self, name: &str) -> bool {
        self.listed
            .iter()
            .any(|policy| policy.name == name || policy.module_ids().iter().any(|id| id == name))
    }

    /// Returns the policies with the settings of a case, in the order of the API server.
    pub(crate) fn with(&mut self, settings: &Settings) -> Result<Vec<Rc<Policy>>, String> {
        let mut policies = Vec::new();
        for policy in &self.listed {
            let own = settings.get(&policy.name);
            let key = format!("{} {}", policy.name, own.unwrap_or(&Value::Null));
            let loaded = match self.loaded.get(&key) {
                Some(loaded) => Rc::clone(loaded),
                None => Rc::new(self.load(policy, own)?),
            };
            self.loaded.insert(key, Rc::clone(&loaded));
            policies.push(loaded);
        }
        policies.sort_by_key(|policy| policy.order());
        Ok(policies)
    }

    fn load(&self, policy: &Listed, settings: Option<&Value>) -> Result<Policy, String> {
        let none = Value::Object(serde_json::Map::new());
        let manifest = match &policy.source {
            Source::Bare(argument) => {
                let file = self.files.get(argument).or_else(|| self.files.get(&policy.name));
                let file = file.map(|file| file.display().to_string());
                let argument = file.as_deref().unwrap_or(argument);
                return self.modules.bare(argument, settings.unwrap_or(&none));
            }
            Source::Manifest(manifest) => manifest,
        };
        let manifest = with_settings(manifest, settings)?;
        let manifest = PolicyManifest::read_for(&manifest, &self.modules.installation())
            .map_err(|error| error.to_string())?;
        let name = manifest.name.clone();
        Ok(Policy::of_manifest(manifest, &mut |module, is_mutating| {
            let file = self.files.get(&name).or_else(|| self.files.get(id(&module.module)));
            self.modules.engine(&Wanted {
                policy: &name,
                module,
                is_mutating,
                file: file.map(PathBuf::as_path),
            })
        }))
    }
}

impl Listed {
    fn module_ids(&self) -> Vec<String> {
        let Source::Manifest(manifest) = &self.source else { return Vec::new() };
        let manifest = PolicyManifest::read(manifest).ok();
        let modules = manifest.iter().flat_map(PolicyManifest::modules);
        modules.map(|(_, module)| id(&module.module).to_owned()).collect()
    }
}

/// Returns a manifest with other settings, which are by member for a group.
fn with_settings(manifest: &Value, settings: Option<&Value>) -> Result<Value, String> {
    let mut manifest = manifest.clone();
    let Some(settings) = settings else { return Ok(manifest) };
    let is_group = PolicyKind::of(&manifest).is_some_and(|kind| kind.name().ends_with("Group"));
    let pointer = if is_group { "/spec/policies" } else { "/spec" };
    let Some(owner) = manifest.pointer_mut(pointer).and_then(Value::as_object_mut) else {
        return Ok(manifest);
    };
    if !is_group {
        owner.insert("settings".to_owned(), settings.clone());
        return Ok(manifest);
    }
    for (name, settings) in settings.as_object().into_iter().flatten() {
        let Some(member) = owner.get_mut(name).and_then(Value::as_object_mut) else {
            let members: Vec<&str> = owner.keys().map(String::as_str).collect();
            return Err(format!(
                "settings: the group has no member {name}; the settings of a group are by member: {}",
                members.join(", ")
            ));
        };
        member.insert("settings".to_owned(), settings.clone());
    }
    Ok(manifest)
}
