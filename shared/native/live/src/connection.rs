//! Connections to an API server, blocking.

use std::fmt;
use std::future::pending;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::Uri;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, RETRY_AFTER, USER_AGENT};
use kube::client::{AuthError, Body, Client};
use kube::config::Config;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use crate::error::{Error, chain, unreachable};
use crate::kubeconfig::{Chosen, IN_CLUSTER, Target};

pub use http::Method;

/// The time that a server may take to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The time that a server may take to send an answer as a whole.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(2);

/// How often a request is sent again.
const RETRIES: u32 = 5;

/// The wait before the first repetition; each further one waits twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(250);

/// The longest wait, whatever the server asks for.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The time between two looks at whether the work is interrupted.
const TICK: Duration = Duration::from_millis(100);

/// The longest part of what a credential plugin wrote about its failure that is shown.
const LONGEST_REMARK: usize = 300;

const JSON: &str = "application/json";

/// A connection to an API server.
pub struct Connection {
    runtime: Runtime,
    client: Client,
    name: String,
    server: String,
    /// The server and the proxy, as messages about the network name them.
    route: String,
    namespace: String,
    /// Whether the server ever answered. A connection that breaks afterwards is worth another try.
    has_answered: AtomicBool,
    interrupted: Arc<AtomicBool>,
}

/// A request to an API server.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The method.
    pub method: Method,
    /// The path with its query, such as `/api/v1/pods?limit=500`.
    pub path: &'a str,
    /// The media types of the answer, by preference.
    pub accept: &'a str,
    /// The media type of the body.
    pub content_type: &'a str,
    /// The body; empty for none.
    pub body: Vec<u8>,
}

impl<'a> Request<'a> {
    /// Creates a request for JSON, with a body of JSON if it has one.
    #[must_use]
    pub fn new(method: Method, path: &'a str, body: Vec<u8>) -> Self {
        Self { method, path, accept: JSON, content_type: JSON, body }
    }
}

fn runtime() -> Result<Runtime, Error> {
    let runtime = Builder::new_current_thread().enable_io().enable_time().build();
    runtime.map_err(|error| Error::new(format!("the network cannot be used: {error}")))
}

impl Connection {
    /// Prepares a connection. The first request opens it.
    ///
    /// # Errors
    /// There is no kubeconfig and no service account, the kubeconfig has no such context, or its
    /// certificates and credentials cannot be used.
    pub fn open(target: &Target) -> Result<Self, Error> {
        // If a provider is installed already, it serves as well.
        drop(rustls::crypto::ring::default_provider().install_default());
        let runtime = runtime()?;
        let Chosen { mut config, name } = target.choose(&runtime)?;
        config.connect_timeout = Some(CONNECT_TIMEOUT);
        config.read_timeout = Some(ANSWER_TIMEOUT);
        // Requests are repeated below.
        config.default_retry = false;
        let plugin = config.auth_info.exec.as_ref().and_then(|plugin| plugin.command.clone());
        let server = address(&config);
        let route = match config.proxy_url.as_ref().and_then(Uri::authority) {
            // The part before the host can be a password.
            Some(proxy) => {
                let proxy = proxy.as_str().rsplit('@').next().unwrap_or_default();
                format!("{server} through the proxy {proxy}")
            }
            None => server.clone(),
        };
        let namespace = config.default_namespace.clone();
        let client = {
            let _guard = runtime.enter();
            Client::try_from(config).map_err(|error| {
                Error::new(format!("{name}: {}", credentials_problem(&error, plugin.as_deref())))
            })?
        };
        let has_answered = AtomicBool::new(false);
        let interrupted = Arc::default();
        Ok(Self { runtime, client, name, server, route, namespace, has_answered, interrupted })
    }

    /// Makes requests fail as soon as a flag is set.
    pub fn interrupt_by(&mut self, flag: Arc<AtomicBool>) {
        self.interrupted = flag;
    }

    /// Returns what the connection is known by: the context, or the service account.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the address of the server.
    #[must_use]
    pub fn server(&self) -> &str {
        &self.server
    }

    /// Returns the namespace of the pod that this program runs in; `None` outside of the cluster.
    #[must_use]
    pub fn own_namespace(&self) -> Option<&str> {
        (self.name == IN_CLUSTER).then_some(self.namespace.as_str())
    }

    /// Reads what is at a path.
    ///
    /// # Errors
    /// See [`Connection::send`].
    pub fn get(&self, path: &str) -> Result<String, Error> {
        self.send(&Request::new(Method::GET, path, Vec::new()))
    }

    /// Sends a request, again if the server is busy, and returns the body of the answer.
    ///
    /// # Errors
    /// The server cannot be reached, or its answer is not a success: see [`Error::status`].
    pub fn send(&self, request: &Request<'_>) -> Result<String, Error> {
        self.runtime.block_on(async {
            let mut wait = FIRST_WAIT;
            let mut retries = RETRIES;
            loop {
                let again = match self.unless_interrupted(ANSWER_TIMEOUT, self.attempt(request)).await? {
                    Some(Ok(body)) => return Ok(body),
                    Some(Err(failed)) => failed,
                    None => Failed {
                        error: Error::new(format!(
                            "{}: does not answer within {} seconds; check the address, the proxy and the network",
                            self.server,
                            ANSWER_TIMEOUT.as_secs(),
                        )),
                        can_repeat: request.method == Method::GET,
                        retry_after: None,
                    },
                };
                if !again.can_repeat || retries == 0 {
                    return Err(again.error);
                }
                retries = retries.saturating_sub(1);
                let pause = again.retry_after.unwrap_or(wait).min(LONGEST_WAIT);
                self.unless_interrupted(pause, pending::<()>()).await?;
                wait = wait.saturating_mul(2);
            }
        })
    }

    /// Waits for work for some time; `None` if that is not enough.
    async fn unless_interrupted<T>(
        &self,
        mut time: Duration,
        work: impl Future<Output = T>,
    ) -> Result<Option<T>, Error> {
        let mut work = pin!(work);
        loop {
            if self.interrupted.load(Ordering::SeqCst) {
                return Err(Error::new("interrupted"));
            }
            match timeout(TICK.min(time), work.as_mut()).await {
                Ok(done) => return Ok(Some(done)),
                Err(_) if time <= TICK => return Ok(None),
                Err(_) => time = time.saturating_sub(TICK),
            }
        }
    }

    async fn attempt(&self, request: &Request<'_>) -> Result<String, Failed> {
        let is_read = request.method == Method::GET;
        let mut http = http::Request::builder().method(request.method.clone()).uri(request.path);
        http = http.header(ACCEPT, request.accept);
        http = http.header(USER_AGENT, concat!("portcullis/", env!("CARGO_PKG_VERSION")));
        if !request.body.is_empty() {
            http = http.header(CONTENT_TYPE, request.content_type);
        }
        let http = http.body(Body::from(request.body.clone()));
        let http = http.map_err(|error| Failed::finally(Error::new(format!("{}: {error}", request.path))))?;
        let answer = self.client.send(http).await.map_err(|error| self.unsent(&error, is_read))?;
        self.has_answered.store(true, Ordering::Relaxed);
        let status = answer.status();
        let retry_after = retry_after(answer.headers());
        let broken = |error: &(dyn std::error::Error + 'static)| Failed {
            error: Error::new(unreachable(error, &self.route)),
            can_repeat: is_read,
            retry_after: None,
        };
        let bytes = answer.into_body().collect_bytes().await.map_err(|error| broken(&error))?;
        if status.is_success() {
            return String::from_utf8(bytes.into()).map_err(|_| {
                let problem = format!("{}: the answer to {} is not UTF-8", self.server, request.path);
                Failed::finally(Error::new(problem))
            });
        }
        let path = request.path.split('?').next().unwrap_or_default();
        let error = Error::of_answer(
            status.as_u16(),
            &String::from_utf8_lossy(&bytes),
            &format!("{}: {} {path}", self.server, request.method),
        );
        let error = if status.as_u16() == 401 {
            let message = format!(
                "{}: rejects the credentials of {}; they may have expired: log in again, or choose another \
                 context with --context",
                self.server, self.name
            );
            error.with_message(message)
        } else {
            error
        };
        // The server did nothing about a request that it was too busy for.
        let is_busy = matches!(status.as_u16(), 429 | 503);
        let can_repeat = is_busy || is_read && matches!(status.as_u16(), 500 | 502 | 504);
        Err(Failed { error, can_repeat, retry_after })
    }

    fn unsent(&self, error: &kube::Error, is_read: bool) -> Failed {
        if chain(error).any(<dyn std::error::Error>::is::<AuthError>) {
            let problem = credentials_problem(error, None);
            return Failed::finally(Error::new(format!("{}: {problem}", self.name)));
        }
        let can_repeat = is_read && self.has_answered.load(Ordering::Relaxed);
        Failed { can_repeat, ..Failed::finally(Error::new(unreachable(error, &self.route))) }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("name", &self.name)
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}

struct Failed {
    error: Error,
    can_repeat: bool,
    retry_after: Option<Duration>,
}

impl Failed {
    fn finally(error: Error) -> Self {
        Self { error, can_repeat: false, retry_after: None }
    }
}

/// Returns how long the server wants clients to wait. API servers name seconds, never dates.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok().map(Duration::from_secs)
}

/// Returns the address of a server without what may precede it in the URL, which can be a password.
fn address(config: &Config) -> String {
    let url = &config.cluster_url;
    let host = url.host().unwrap_or_default();
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let path = url.path().trim_end_matches('/');
    format!("{}://{host}{port}{path}", url.scheme_str().unwrap_or("https"))
}

/// Explains credentials that cannot be used, without what a plugin printed on standard output.
fn credentials_problem(error: &kube::Error, plugin: Option<&str>) -> String {
    let plugin = plugin.unwrap_or("of the kubeconfig");
    let found = chain(error).find_map(|error| error.downcast_ref::<AuthError>());
    match found {
        Some(AuthError::AuthExecStart(error)) => {
            format!("the credential plugin {plugin} cannot be started: {error}; install it")
        }
        Some(AuthError::AuthExecRun { out, .. }) => {
            let remark = String::from_utf8_lossy(&out.stderr);
            let remark = remark.trim().lines().last().unwrap_or_default();
            let remark: String = remark.chars().take(LONGEST_REMARK).collect();
            let remark = if remark.is_empty() { String::new() } else { format!(": {remark}") };
            format!("the credential plugin {plugin} failed with {}{remark}; log in again", out.status)
        }
        Some(AuthError::AuthExecParse(_) | AuthError::ExecPluginFailed) => {
            format!("the credential plugin {plugin} printed no ExecCredential; update it")
        }
        Some(AuthError::ReadTokenFile(error, file)) => {
            format!("the token {} cannot be read: {error}", file.display())
        }
        Some(AuthError::InvalidBearerToken(_) | AuthError::InvalidBasicAuth(_)) => {
            "the credentials have characters that no HTTP header can have; log in again".to_owned()
        }
        // The address of a proxy can hold a password.
        _ => match error {
            kube::Error::ProxyProtocolUnsupported { .. } | kube::Error::ProxyProtocolDisabled { .. } => {
                "the proxy of the cluster must be an http, https or socks5 URL".to_owned()
            }
            error => {
                let cause = chain(error).last().map(ToString::to_string).unwrap_or_default();
                format!("the certificates or credentials cannot be used: {cause}")
            }
        },
    }
}
