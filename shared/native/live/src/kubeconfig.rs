//! Where the address and the credentials of a cluster come from, as for kubectl.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kube::config::{AuthInfo, Cluster, Config, KubeConfigOptions, Kubeconfig, KubeconfigError};
use secrecy::{ExposeSecret, SecretString};
use tokio::runtime::Runtime;

use crate::error::{Error, chain};
use crate::proxy;

pub(crate) const IN_CLUSTER: &str = "the service account of the pod";

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
    /// Chooses the cluster. The function of the library for that is asynchronous.
    pub(crate) fn choose(&self, runtime: &Runtime) -> Result<Chosen, Error> {
        let files = self.files();
        let kubeconfig = merge(&files, self.kubeconfig.is_some())?;
        match kubeconfig {
            Some(kubeconfig) => self.of_kubeconfig(kubeconfig, &files, runtime),
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

    fn of_kubeconfig(
        &self,
        kubeconfig: Kubeconfig,
        files: &[PathBuf],
        runtime: &Runtime,
    ) -> Result<Chosen, Error> {
        let place = names(files);
        let known: Vec<&str> = kubeconfig.contexts.iter().map(|context| context.name.as_str()).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        let chosen = self.context.clone().filter(|name| !name.is_empty());
        let Some(context) = chosen.or_else(|| kubeconfig.current_context.clone()) else {
            let problem = format!("{place}: sets no current context; pass --context NAME; known: {known}");
            return Err(Error::new(problem));
        };
        if !kubeconfig.contexts.iter().any(|named| named.name == context) {
            let problem = format!("{place}: has no context {context}; known: {known}");
            return Err(Error::new(problem));
        }
        let options = KubeConfigOptions { context: Some(context.clone()), ..KubeConfigOptions::default() };
        let refused = |problem: String| Error::new(format!("{place}: context {context}: {problem}"));
        let kubeconfig = with_schemes(without_empty(kubeconfig), &context);
        let cluster = cluster_of(&kubeconfig, &context);
        check_port(cluster.and_then(|cluster| cluster.server.as_deref())).map_err(refused)?;
        let own_proxy = cluster.and_then(|cluster| cluster.proxy_url.clone());
        let mut config = runtime
            .block_on(Config::from_custom_kubeconfig(kubeconfig, &options))
            .map_err(|error| refused(problem(&error)))?;
        config.proxy_url =
            proxy::of(own_proxy.as_deref(), &config.cluster_url, &variable).map_err(refused)?;
        read_token(&mut config.auth_info).map_err(refused)?;
        Ok(Chosen { config, name: format!("context {context}") })
    }
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok()
}

fn cluster_of<'k>(kubeconfig: &'k Kubeconfig, context: &str) -> Option<&'k Cluster> {
    let context = kubeconfig.contexts.iter().find(|named| named.name == context)?.context.as_ref()?;
    kubeconfig.clusters.iter().find(|named| named.name == context.cluster)?.cluster.as_ref()
}

/// Removes empty texts, which client-go takes for absent ones.
fn without_empty(mut kubeconfig: Kubeconfig) -> Kubeconfig {
    let drop_empty = |field: &mut Option<String>| drop(field.take_if(|text| text.is_empty()));
    // The library puts the folder of the kubeconfig before paths.
    let drop_path =
        |field: &mut Option<String>| drop(field.take_if(|path| path.is_empty() || path.ends_with('/')));
    let drop_secret =
        |field: &mut Option<SecretString>| drop(field.take_if(|text| text.expose_secret().is_empty()));
    for cluster in kubeconfig.clusters.iter_mut().filter_map(|named| named.cluster.as_mut()) {
        drop_path(&mut cluster.certificate_authority);
        let texts =
            [&mut cluster.certificate_authority_data, &mut cluster.proxy_url, &mut cluster.tls_server_name];
        texts.into_iter().for_each(drop_empty);
    }
    for user in kubeconfig.auth_infos.iter_mut().filter_map(|named| named.auth_info.as_mut()) {
        [&mut user.token_file, &mut user.client_certificate, &mut user.client_key]
            .into_iter()
            .for_each(drop_path);
        [&mut user.username, &mut user.client_certificate_data].into_iter().for_each(drop_empty);
        [&mut user.password, &mut user.token, &mut user.client_key_data].into_iter().for_each(drop_secret);
    }
    kubeconfig
}

/// Checks the port of a server, which the library would drop.
fn check_port(server: Option<&str>) -> Result<(), String> {
    let authority = server.and_then(|server| server.split_once("://")).map_or("", |(_, rest)| rest);
    let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let port = host.rsplit_once(':').map(|(_, port)| port);
    let port = port.filter(|port| !port.is_empty() && !port.ends_with(']'));
    match port {
        Some(port) if port.parse::<u16>().is_err() => {
            Err(format!("the port {port} of the server is not a number from 0 to 65535; correct the address"))
        }
        _ => Ok(()),
    }
}

/// Adds the scheme to the addresses of servers that have none, as `DefaultServerURL` of client-go:
/// the library has no default.
fn with_schemes(mut kubeconfig: Kubeconfig, context: &str) -> Kubeconfig {
    let context = kubeconfig.contexts.iter().find(|named| named.name == context);
    let user = context.and_then(|named| named.context.as_ref()?.user.as_ref());
    let user = kubeconfig.auth_infos.iter().find(|named| Some(&named.name) == user);
    let user = user.and_then(|named| named.auth_info.as_ref());
    let has_certificate =
        user.is_some_and(|user| user.client_certificate.is_some() || user.client_certificate_data.is_some());
    for named in &mut kubeconfig.clusters {
        let Some(cluster) = &mut named.cluster else { continue };
        let has_tls = has_certificate
            || cluster.certificate_authority.is_some()
            || cluster.certificate_authority_data.is_some()
            || cluster.insecure_skip_tls_verify == Some(true);
        if let Some(server) = cluster.server.as_mut().filter(|server| !server.contains("://")) {
            *server = format!("{}://{server}", if has_tls { "https" } else { "http" });
        }
    }
    kubeconfig
}

/// Reads the file of a token, without the white space around it. As in client-go, a token counts if
/// its file cannot be read or is empty.
fn read_token(user: &mut AuthInfo) -> Result<(), String> {
    if let Some(file) = user.token_file.take() {
        match fs::read_to_string(&file) {
            Ok(token) if token.trim().is_empty() && user.token.is_some() => {}
            Ok(token) => user.token = Some(token.trim().to_owned().into()),
            Err(error) if user.token.is_none() => {
                return Err(format!("the token {file} cannot be read: {error}"));
            }
            Err(_) => {}
        }
    }
    let token = user.token.as_ref().map(ExposeSecret::expose_secret);
    if token.is_some_and(|token| !token.bytes().all(|byte| byte.is_ascii_graphic())) {
        return Err("the token has characters that no HTTP header can have; log in again".to_owned());
    }
    Ok(())
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
            read => read.map(|mut read| {
                // `kubectl config` writes an empty one.
                read.current_context.take_if(|name| name.is_empty());
                read
            }),
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
    let mut config = Config::incluster().map_err(|error| {
        let cause = chain(&error).last().map(ToString::to_string).unwrap_or_default();
        let problem = "the service account of the pod cannot be used";
        let advice = "set automountServiceAccountToken: true, or pass --kubeconfig FILE";
        Error::new(format!("{problem}: {cause}; {advice}"))
    })?;
    config.proxy_url = proxy::of(None, &config.cluster_url, &variable).map_err(Error::new)?;
    Ok(Chosen { config, name: IN_CLUSTER.to_owned() })
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
        KubeconfigError::ParseProxyUrl(_) => "proxy-url or HTTPS_PROXY is not a URL".to_owned(),
        KubeconfigError::ParseNoProxy(_) => {
            "NO_PROXY has an entry that is neither a name nor an address, such as an empty one; remove it"
                .to_owned()
        }
        error => error.to_string(),
    }
}

fn names(files: &[PathBuf]) -> String {
    let names: Vec<String> = files.iter().map(|file| Path::display(file).to_string()).collect();
    if names.is_empty() { "the home directory".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(cluster: &str, user: &str) -> Result<Chosen, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config");
        fs::write(folder.path().join("token"), "  secret\n\n").unwrap();
        let text = format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: c\n\
             contexts: [{{ name: c, context: {{ cluster: c, user: u }} }}]\n\
             clusters: [{{ name: c, cluster: {{ {cluster} }} }}]\nusers: [{{ name: u, user: {{ {user} }} }}]\n"
        );
        fs::write(&file, text.replace("FOLDER", &folder.path().display().to_string())).unwrap();
        let target = Target { kubeconfig: Some(file), context: None };
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build().unwrap();
        target.choose(&runtime).map_err(|error| error.to_string())
    }

    #[test]
    fn an_address_without_a_scheme_has_that_of_kubectl() {
        for (cluster, address) in [
            ("server: '127.0.0.1:6443'", "http://127.0.0.1:6443/"),
            ("server: '127.0.0.1:6443', insecure-skip-tls-verify: true", "https://127.0.0.1:6443/"),
            ("server: 'https://127.0.0.1:6443'", "https://127.0.0.1:6443/"),
        ] {
            let chosen = chosen(cluster, "token: a").unwrap();
            assert_eq!(chosen.config.cluster_url.to_string(), address);
        }
        let certificate = "client-certificate-data: YQ==, client-key-data: YQ==";
        let chosen = chosen("server: '127.0.0.1:6443'", certificate).unwrap();
        assert_eq!(chosen.config.cluster_url.to_string(), "https://127.0.0.1:6443/");
    }

    #[test]
    fn empty_texts_and_impossible_ports_are_as_for_kubectl() {
        let server =
            "server: 'https://127.0.0.1:1', certificate-authority: '', tls-server-name: '', proxy-url: ''";
        let plugin = "token: '', username: '', tokenFile: '', client-certificate: '', exec: {apiVersion: \
                      client.authentication.k8s.io/v1, command: plugin, interactiveMode: Never}";
        let user = chosen(server, plugin).unwrap().config.auth_info;
        assert!(user.token.is_none() && user.username.is_none() && user.exec.is_some());
        let static_token = chosen(server, "token: a, tokenFile: FOLDER/none").unwrap().config.auth_info.token;
        assert_eq!(static_token.unwrap().expose_secret(), "a");
        for address in ["https://127.0.0.1:99999", "https://[::1]:x", "127.0.0.1:-1"] {
            let error = chosen(&format!("server: '{address}'"), "token: a").err().unwrap();
            assert!(error.contains(" of the server is not a number from 0 to 65535"), "{error}");
        }
        for address in ["https://[::1]", "https://127.0.0.1:", "https://user:pw@127.0.0.1"] {
            assert!(chosen(&format!("server: '{address}'"), "token: a").is_ok(), "{address}");
        }
    }

    #[test]
    fn a_token_of_a_file_has_no_white_space_around_it() {
        let server = "server: 'http://127.0.0.1:1'";
        let read = chosen(server, "tokenFile: FOLDER/token").unwrap();
        let token = read.config.auth_info.token.unwrap();
        assert_eq!(token.expose_secret(), "secret");
        let error = chosen(server, "token: \"secret\\n\"").err().unwrap();
        assert!(
            error.ends_with("the token has characters that no HTTP header can have; log in again"),
            "{error}"
        );
        let error = chosen(server, "tokenFile: FOLDER/none").err().unwrap();
        assert!(error.contains("cannot be read"), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
}
