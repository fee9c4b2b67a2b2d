//! Where the address and the credentials of a cluster come from, as for kubectl.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use kube::config::{Config, KubeConfigOptions, Kubeconfig, KubeconfigError};

use crate::error::{Error, chain};

/// The variable that lists kubeconfigs.
const VARIABLE: &str = "KUBECONFIG";

/// The cluster to connect to.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// The only kubeconfig that is read; without it, those that `KUBECONFIG` lists or
    /// `~/.kube/config`, and if there are none, the service account of the pod.
    pub kubeconfig: Option<PathBuf>,
    /// The context; without it, the current one.
    pub context: Option<String>,
}

/// The configuration of a connection, and how to speak of it.
pub(crate) struct Chosen {
    pub(crate) config: Config,
    /// The context or the service account, as messages name it.
    pub(crate) name: String,
}

impl Target {
    /// Finds the configuration.
    pub(crate) fn choose(&self) -> Result<Chosen, Error> {
        let files = self.files();
        let kubeconfig = merge(&files, self.kubeconfig.is_some())?;
        match kubeconfig {
            Some(kubeconfig) => self.of_kubeconfig(kubeconfig, &files),
            None if self.context.is_none() && env::var_os("KUBERNETES_SERVICE_HOST").is_some() => {
                in_cluster()
            }
            None => Err(Error::new(format!(
                "there is no kubeconfig: {} not found; pass --kubeconfig FILE, set {VARIABLE}, or run in a pod \
                 with a service account",
                names(&files),
            ))),
        }
    }

    /// Returns the kubeconfigs, in the order of precedence.
    fn files(&self) -> Vec<PathBuf> {
        if let Some(file) = &self.kubeconfig {
            return vec![file.clone()];
        }
        let listed: Vec<PathBuf> = env::var_os(VARIABLE)
            .map(|list| env::split_paths(&list).filter(|path| !path.as_os_str().is_empty()).collect())
            .unwrap_or_default();
        if listed.is_empty() {
            env::home_dir().map(|home| home.join(".kube").join("config")).into_iter().collect()
        } else {
            listed
        }
    }

    fn of_kubeconfig(&self, kubeconfig: Kubeconfig, files: &[PathBuf]) -> Result<Chosen, Error> {
        let place = names(files);
        let known: Vec<&str> = kubeconfig.contexts.iter().map(|context| context.name.as_str()).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        let current = kubeconfig.current_context.clone().filter(|name| !name.is_empty());
        let Some(context) = self.context.clone().or(current) else {
            let problem = format!("{place}: sets no current context; pass --context NAME; known: {known}");
            return Err(Error::new(problem));
        };
        if !kubeconfig.contexts.iter().any(|named| named.name == context) {
            let problem = format!("{place}: has no context {context}; known: {known}");
            return Err(Error::new(problem));
        }
        let options = KubeConfigOptions { context: Some(context.clone()), ..KubeConfigOptions::default() };
        let runtime = crate::connection::runtime()?;
        let config = runtime
            .block_on(Config::from_custom_kubeconfig(kubeconfig, &options))
            .map_err(|error| Error::new(format!("{place}: context {context}: {}", problem(&error))))?;
        Ok(Chosen { config, name: format!("context {context}") })
    }
}

/// Merges the files that exist; the first to name something wins. `None` if none exists.
fn merge(files: &[PathBuf], must_exist: bool) -> Result<Option<Kubeconfig>, Error> {
    let mut merged: Option<Kubeconfig> = None;
    for file in files {
        let read = match Kubeconfig::read_from(file) {
            // As kubectl, skip listed files that do not exist.
            Err(KubeconfigError::ReadConfig(error, _))
                if error.kind() == io::ErrorKind::NotFound && !must_exist =>
            {
                continue;
            }
            read => read,
        };
        let next = match merged.take() {
            Some(before) => read.and_then(|read| before.merge(read)),
            None => read,
        };
        merged = Some(next.map_err(|error| Error::new(format!("{}: {}", file.display(), problem(&error))))?);
    }
    Ok(merged)
}

fn in_cluster() -> Result<Chosen, Error> {
    let config = Config::incluster().map_err(|error| {
        let cause = chain(&error).last().map(ToString::to_string).unwrap_or_default();
        let problem = "the service account of the pod cannot be used";
        let advice = "set automountServiceAccountToken: true, or pass --kubeconfig FILE";
        Error::new(format!("{problem}: {cause}; {advice}"))
    })?;
    Ok(Chosen { config, name: "the service account of the pod".to_owned() })
}

/// Explains a problem without the text around it, which can be a secret.
fn problem(error: &KubeconfigError) -> String {
    match error {
        KubeconfigError::Parse(error) => {
            let place = error.location().map(|at| format!(" at line {}, column {}", at.line(), at.column()));
            format!("is not a kubeconfig: the YAML does not parse{}", place.unwrap_or_default())
        }
        KubeconfigError::ReadConfig(error, _) => format!("cannot be read: {error}"),
        // The address of a proxy can hold a password.
        KubeconfigError::ParseProxyUrl(_) => "proxy-url is not a URL".to_owned(),
        error => error.to_string(),
    }
}

fn names(files: &[PathBuf]) -> String {
    let names: Vec<String> = files.iter().map(|file| Path::display(file).to_string()).collect();
    if names.is_empty() { "the home directory".to_owned() } else { names.join(", ") }
}
