//! Talking to a registry, and what it means when it does not work.

use std::error::Error;
use std::io;
use std::time::Duration;

use oci_client::client::{Client, ClientConfig, ClientProtocol};
use oci_client::errors::{OciDistributionError, OciEnvelope, OciErrorCode};
use oci_client::secrets::RegistryAuth;
use oci_client::{Reference, RegistryOperation};

use super::credentials;
use crate::args::RegistryArgs;
use crate::failure::Failure;

/// How long a registry may take to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a registry may be silent.
const READ_TIMEOUT: Duration = Duration::from_mins(1);

/// A client with the credentials for one registry.
pub(crate) struct Connection {
    pub(crate) client: Client,
    pub(crate) auth: RegistryAuth,
}

impl Connection {
    /// Logs in where a registry wants that.
    ///
    /// # Errors
    /// Credentials that cannot be read, a registry that cannot be reached, and one that refuses them.
    pub(crate) async fn open(
        reference: &Reference,
        operation: RegistryOperation,
        args: &RegistryArgs,
    ) -> Result<Self, Failure> {
        let auth = credentials::find(reference.registry(), args.docker_config.as_deref())?;
        // A provider that is there already does as well.
        drop(rustls::crypto::ring::default_provider().install_default());
        let config = ClientConfig {
            protocol: if args.plain_http { ClientProtocol::Http } else { ClientProtocol::Https },
            // A policy is for every platform.
            platform_resolver: None,
            connect_timeout: Some(CONNECT_TIMEOUT),
            read_timeout: Some(READ_TIMEOUT),
            user_agent: concat!("portcullis/", env!("CARGO_PKG_VERSION")),
            ..ClientConfig::default()
        };
        // That is the certificates of this machine; a plain connection does not start without them, either.
        let client = Client::try_from(config).map_err(|error| {
            let problem = format!("cannot be set up: {}; ca-certificates must be installed", cause(&error));
            Failure::about("TLS", problem)
        })?;
        let connection = Self { client, auth };
        let login = connection.client.auth(reference, &connection.auth, operation).await;
        login.map_err(|error| connection.failure(reference, &error))?;
        Ok(connection)
    }

    /// What a person can do about an error.
    pub(crate) fn failure(&self, reference: &Reference, error: &OciDistributionError) -> Failure {
        let registry = reference.registry();
        let repository = reference.repository();
        let said = message(error).map(|said| format!(": {said}")).unwrap_or_default();
        match status(error) {
            Some(401 | 403) if self.auth == RegistryAuth::Anonymous => Failure::about(
                registry,
                format!(
                    "wants credentials for {repository}; log in with docker login {registry}, or name the folder of a \
                     config.json with --docker-config"
                ),
            ),
            Some(401 | 403) => Failure::about(
                registry,
                format!(
                    "refuses the credentials for {repository}{said}; renew them with docker login {registry}"
                ),
            ),
            Some(404) => Failure::about(reference, format!("is not in the registry{said}")),
            Some(code) => Failure::about(reference, format!("the registry answers with status {code}{said}")),
            None => match error {
                OciDistributionError::RequestError(error) if speaks_plain_http(error) => {
                    Failure::about(registry, "does not speak TLS; if it may be plain HTTP, add --plain-http")
                }
                OciDistributionError::RequestError(error) => {
                    let what = if error.is_connect() { "cannot be reached" } else { "the connection failed" };
                    Failure::about(registry, format!("{what}: {}", cause(error)))
                }
                OciDistributionError::RegistryError { .. } => {
                    Failure::about(reference, format!("is refused by the registry{said}"))
                }
                error => Failure::about(reference, format!("the registry cannot be understood: {error}")),
            },
        }
    }
}

/// Runs what talks to a registry.
///
/// # Errors
/// Its own, and a machine that has no means for it.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build();
    let runtime = runtime.map_err(|error| Failure::about("network", format!("cannot be used: {error}")))?;
    runtime.block_on(work)
}

/// Whether the same request may go well a moment later.
pub(crate) fn may_pass(error: &OciDistributionError) -> bool {
    match status(error) {
        Some(code) => code == 429 || code >= 500,
        None => matches!(error, OciDistributionError::RequestError(_)),
    }
}

/// The status with which a registry answered, or would have if it had kept to the letter.
fn status(error: &OciDistributionError) -> Option<u16> {
    match error {
        OciDistributionError::RequestError(error) => error.status().map(|status| status.as_u16()),
        OciDistributionError::ServerError { code, .. } => Some(*code),
        OciDistributionError::UnauthorizedError { .. } | OciDistributionError::AuthenticationFailure(_) => {
            Some(401)
        }
        OciDistributionError::ImageManifestNotFoundError(_) => Some(404),
        OciDistributionError::RegistryError { envelope, .. } => match envelope.errors.first()?.code {
            OciErrorCode::Unauthorized | OciErrorCode::Denied => Some(401),
            OciErrorCode::ManifestUnknown
            | OciErrorCode::NameUnknown
            | OciErrorCode::NotFound
            | OciErrorCode::BlobUnknown => Some(404),
            OciErrorCode::Toomanyrequests => Some(429),
            _ => None,
        },
        _ => None,
    }
}

/// What the registry itself says.
fn message(error: &OciDistributionError) -> Option<String> {
    let first = |envelope: &OciEnvelope| envelope.errors.first().map(|error| error.message.clone());
    let said = match error {
        OciDistributionError::RegistryError { envelope, .. } => first(envelope),
        OciDistributionError::ServerError { message, .. } => {
            serde_json::from_str(message).ok().as_ref().and_then(first)
        }
        _ => None,
    };
    said.filter(|said| !said.is_empty())
}

/// The innermost error: the outer ones only repeat what was asked for.
fn cause<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    chain(error).last().unwrap_or(error)
}

/// An error and what is behind it. What an I/O error carries is not its source.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| match error.downcast_ref().and_then(io::Error::get_ref) {
        Some(carried) => Some(carried),
        None => error.source(),
    })
}

/// Whether the answer to a TLS greeting was something else.
fn speaks_plain_http(error: &(dyn Error + 'static)) -> bool {
    chain(error).any(|error| matches!(error.downcast_ref(), Some(rustls::Error::InvalidMessage(_))))
}
