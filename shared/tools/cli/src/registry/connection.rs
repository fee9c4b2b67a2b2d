//! Connections to a registry.

use std::error::Error;
use std::io;
use std::time::Duration;

use oci_client::client::{Client, ClientConfig, ClientProtocol};
use oci_client::errors::{OciDistributionError, OciEnvelope, OciErrorCode};
use oci_client::secrets::RegistryAuth;
use oci_client::{Reference, RegistryOperation};

use super::args::RegistryArgs;
use super::credentials;
use crate::failure::Failure;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The time that a registry may take between two reads.
const READ_TIMEOUT: Duration = Duration::from_mins(1);

pub(crate) struct Connection {
    pub(crate) client: Client,
    pub(crate) auth: RegistryAuth,
}

impl Connection {
    /// Connects to a registry, and logs in if the registry requires it.
    pub(crate) async fn open(
        reference: &Reference,
        operation: RegistryOperation,
        args: &RegistryArgs,
    ) -> Result<Self, Failure> {
        let auth = credentials::find(reference.registry(), args.docker_config.as_deref())?;
        // If a provider is installed already, it serves as well.
        drop(rustls::crypto::ring::default_provider().install_default());
        let config = ClientConfig {
            protocol: if args.plain_http { ClientProtocol::Http } else { ClientProtocol::Https },
            // A policy does not depend on the platform.
            platform_resolver: None,
            connect_timeout: Some(CONNECT_TIMEOUT),
            read_timeout: Some(READ_TIMEOUT),
            user_agent: concat!("portcullis/", env!("CARGO_PKG_VERSION")),
            ..ClientConfig::default()
        };
        // This fails if the machine has no certificates, even for connections without TLS.
        let client = Client::try_from(config).map_err(|error| {
            let problem = format!("cannot be initialized: {}; install ca-certificates", cause(&error));
            Failure::about("TLS", problem)
        })?;
        let connection = Self { client, auth };
        let login = connection.client.auth(reference, &connection.auth, operation).await;
        login.map_err(|error| connection.failure(reference, &error))?;
        Ok(connection)
    }

    /// Explains an error and what the user can do about it.
    pub(crate) fn failure(&self, reference: &Reference, error: &OciDistributionError) -> Failure {
        let registry = reference.registry();
        let repository = reference.repository();
        let detail = message(error).map(|message| format!(": {message}")).unwrap_or_default();
        match status(error) {
            Some(401 | 403) if self.auth == RegistryAuth::Anonymous => Failure::about(
                registry,
                format!(
                    "requires credentials for {repository}; log in with docker login {registry}, or pass the directory of a \
                     config.json with --docker-config"
                ),
            ),
            Some(401 | 403) => Failure::about(
                registry,
                format!(
                    "rejects the credentials for {repository}{detail}; renew them with docker login {registry}"
                ),
            ),
            Some(404) => Failure::about(reference, format!("is not in the registry{detail}")),
            Some(code) => {
                Failure::about(reference, format!("the registry responded with status {code}{detail}"))
            }
            None => match error {
                OciDistributionError::RequestError(error) if is_plain_http(error) => {
                    Failure::about(registry, "does not use TLS; to use plain HTTP, add --plain-http")
                }
                OciDistributionError::RequestError(error) => {
                    let problem =
                        if error.is_connect() { "cannot be reached" } else { "the connection failed" };
                    Failure::about(registry, format!("{problem}: {}", cause(error)))
                }
                OciDistributionError::RegistryError { .. } => {
                    Failure::about(reference, format!("is rejected by the registry{detail}"))
                }
                error => {
                    Failure::about(reference, format!("the registry sent an unexpected response: {error}"))
                }
            },
        }
    }
}

pub(crate) fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build();
    let runtime = runtime.map_err(|error| Failure::about("network", format!("cannot be used: {error}")))?;
    runtime.block_on(work)
}

/// Whether the same request can succeed a moment later.
pub(crate) fn is_transient(error: &OciDistributionError) -> bool {
    match status(error) {
        Some(code) => code == 429 || code >= 500,
        None => matches!(error, OciDistributionError::RequestError(_)),
    }
}

/// Returns the HTTP status of an error, or the status that the specification defines for it.
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

fn message(error: &OciDistributionError) -> Option<String> {
    let first = |envelope: &OciEnvelope| envelope.errors.first().map(|error| error.message.clone());
    let message = match error {
        OciDistributionError::RegistryError { envelope, .. } => first(envelope),
        OciDistributionError::ServerError { message, .. } => {
            serde_json::from_str(message).ok().as_ref().and_then(first)
        }
        _ => None,
    };
    message.filter(|message| !message.is_empty())
}

/// Returns the innermost error. The outer ones only repeat the request.
fn cause<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    chain(error).last().unwrap_or(error)
}

/// Returns an error and its causes. The inner error of an I/O error is not its source.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| match error.downcast_ref().and_then(io::Error::get_ref) {
        Some(carried) => Some(carried),
        None => error.source(),
    })
}

/// Whether the server responded to a TLS handshake with something other than TLS.
fn is_plain_http(error: &(dyn Error + 'static)) -> bool {
    chain(error).any(|error| matches!(error.downcast_ref(), Some(rustls::Error::InvalidMessage(_))))
}
