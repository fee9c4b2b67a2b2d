//! The credentials for a registry, from the configuration of Docker.

use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use docker_credential::{CredentialRetrievalError, DockerCredential, get_credential_from_reader};
use oci_client::secrets::RegistryAuth;
use serde_json::Value;

use crate::failure::Failure;

const DOCKER_HUB: &str = "https://index.docker.io/v1/";

/// The output of a credential helper that has no credentials for a registry.
const NOTHING_STORED: &str = "credentials not found";

/// Returns the credentials for a registry from `config.json` in a directory, or from the credential
/// helper that it configures; otherwise anonymous access.
///
/// Without `directory`, the directory is `$DOCKER_CONFIG` or `~/.docker`. A `directory` without a
/// configuration is an error.
pub(crate) fn find(registry: &str, directory: Option<&Path>) -> Result<RegistryAuth, Failure> {
    let directory_or_default = directory.map(Path::to_path_buf).or_else(default_directory);
    let Some(path) = directory_or_default.map(|directory| directory.join("config.json")) else {
        return Ok(RegistryAuth::Anonymous);
    };
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound && directory.is_none() => {
            return Ok(RegistryAuth::Anonymous);
        }
        Err(error) => return Err(Failure::about(path.display(), format!("cannot be read: {error}"))),
    };
    let server = if registry == "docker.io" { DOCKER_HUB } else { registry };
    let text = without_empty(&text).unwrap_or(text);
    match get_credential_from_reader(text.as_bytes(), server) {
        Ok(DockerCredential::UsernamePassword(user, password)) => Ok(RegistryAuth::Basic(user, password)),
        Ok(DockerCredential::IdentityToken(_)) => {
            let problem = format!(
                "contains an identity token for {registry}, which is not supported; log in with a password or an \
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

/// Removes null and empty values, which Docker takes for absent ones; `None` if the text is not
/// JSON.
fn without_empty(text: &str) -> Option<String> {
    let mut config: Value = serde_json::from_str(text).ok()?;
    remove_empty(&mut config);
    Some(config.to_string())
}

fn remove_empty(value: &mut Value) {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    };
    if let Value::Object(fields) = value {
        fields.values_mut().for_each(remove_empty);
        fields.retain(|_, value| !is_empty(value));
    }
}

/// Returns the directory in which Docker looks for its configuration.
fn default_directory() -> Option<PathBuf> {
    let named = env::var_os("DOCKER_CONFIG").filter(|directory| !directory.is_empty()).map(PathBuf::from);
    named.or_else(|| env::home_dir().map(|home| home.join(".docker")))
}

/// Explains why credentials cannot be read; `None` if the registry has no credentials.
fn problem(registry: &str, error: CredentialRetrievalError) -> Option<String> {
    match error {
        CredentialRetrievalError::NoCredentialConfigured => None,
        CredentialRetrievalError::HelperFailure { stdout, .. } if stdout.contains(NOTHING_STORED) => None,
        CredentialRetrievalError::HelperFailure { helper, stdout, stderr } => {
            let output =
                [&stdout, &stderr].into_iter().find_map(|text| text.lines().next()).unwrap_or("no output");
            Some(format!("{helper} returned no credentials for {registry}: {output}"))
        }
        CredentialRetrievalError::HelperCommunicationError => Some(format!(
            "the credential helper for {registry} cannot be run; install it, or log in without a helper"
        )),
        CredentialRetrievalError::MalformedHelperResponse => {
            Some(format!("the credential helper for {registry} did not return a user name and a secret"))
        }
        CredentialRetrievalError::CredentialDecodingError
        | CredentialRetrievalError::CredentialMismatchError => Some(format!(
            "the entry for {registry} is not a user name and password; renew it with docker login {registry}"
        )),
        CredentialRetrievalError::ConfigNotFound | CredentialRetrievalError::ConfigReadError => Some(
            "is not a Docker configuration; expected JSON with auths, credHelpers or credsStore".to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_values_are_absent() {
        for (auths, found) in [
            (r#"{"auths":{},"credsStore":""}"#, RegistryAuth::Anonymous),
            (
                r#"{"auths":{"r:1":{"auth":"dTpw","identitytoken":""}}}"#,
                RegistryAuth::Basic("u".into(), "p".into()),
            ),
            (r#"{"auths":{"r:1":{"auth":""}}}"#, RegistryAuth::Anonymous),
            (r#"{"auths":{"r:1":null}}"#, RegistryAuth::Anonymous),
            ("{}", RegistryAuth::Anonymous),
        ] {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("config.json"), auths).unwrap();
            assert_eq!(find("r:1", Some(folder.path())).unwrap(), found, "{auths}");
        }
    }
}
