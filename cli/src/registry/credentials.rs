//! Who the user is to a registry, as docker knows it.

use std::env;
use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};

use docker_credential::{CredentialRetrievalError, DockerCredential, get_credential_from_reader};
use oci_client::secrets::RegistryAuth;

use crate::failure::Failure;

/// What Docker Hub is called in docker's configuration.
const DOCKER_HUB: &str = "https://index.docker.io/v1/";

/// What a credential helper says if it has nothing for a registry.
const NOTHING_STORED: &str = "credentials not found";

/// The credentials that docker has for a registry, from `config.json` in a folder or from the credential helper that
/// it names; none if docker has none.
///
/// # Errors
/// A folder that is asked for and has no configuration, and a configuration or a helper that does not work.
pub(crate) fn find(registry: &str, folder: Option<&Path>) -> Result<RegistryAuth, Failure> {
    let Some(path) = folder.map(Path::to_path_buf).or_else(usual).map(|folder| folder.join("config.json"))
    else {
        return Ok(RegistryAuth::Anonymous);
    };
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound && folder.is_none() => {
            return Ok(RegistryAuth::Anonymous);
        }
        Err(error) => return Err(Failure::about(path.display(), format!("cannot be read: {error}"))),
    };
    let server = if registry == "docker.io" { DOCKER_HUB } else { registry };
    match get_credential_from_reader(BufReader::new(file), server) {
        Ok(DockerCredential::UsernamePassword(user, password)) => Ok(RegistryAuth::Basic(user, password)),
        Ok(DockerCredential::IdentityToken(_)) => {
            let problem = format!(
                "has an identity token for {registry}, which cannot be used here; log in with a password or an \
                 access token"
            );
            Err(Failure::about(path.display(), problem))
        }
        Err(error) => match problem(registry, error) {
            None => Ok(RegistryAuth::Anonymous),
            Some(problem) => Err(Failure::about(path.display(), problem)),
        },
    }
}

/// Where docker has its configuration.
fn usual() -> Option<PathBuf> {
    let named = env::var_os("DOCKER_CONFIG").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    named.or_else(|| env::home_dir().map(|home| home.join(".docker")))
}

/// Why there are no credentials; `None` if that is because docker has none.
fn problem(registry: &str, error: CredentialRetrievalError) -> Option<String> {
    match error {
        CredentialRetrievalError::NoCredentialConfigured => None,
        CredentialRetrievalError::HelperFailure { stdout, .. } if stdout.contains(NOTHING_STORED) => None,
        CredentialRetrievalError::HelperFailure { helper, stdout, stderr } => {
            let said =
                [&stdout, &stderr].into_iter().find_map(|text| text.lines().next()).unwrap_or("nothing");
            Some(format!("{helper} gives no credentials for {registry} and says {said}"))
        }
        CredentialRetrievalError::HelperCommunicationError => Some(format!(
            "the credential helper that it names for {registry} cannot be run; install it or log in without it"
        )),
        CredentialRetrievalError::MalformedHelperResponse => Some(format!(
            "the credential helper that it names for {registry} does not answer with a user name and a secret"
        )),
        CredentialRetrievalError::CredentialDecodingError
        | CredentialRetrievalError::CredentialMismatchError => Some(format!(
            "what it has for {registry} is no user name and password; renew it with docker login {registry}"
        )),
        CredentialRetrievalError::ConfigNotFound | CredentialRetrievalError::ConfigReadError => Some(
            "is no configuration of docker; expected JSON with auths, credHelpers or credsStore".to_owned(),
        ),
    }
}
