//! An HTTPS server for the webhooks of an API server.

use std::net;
use std::sync::Arc;

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::task::spawn_blocking;
use tokio_rustls::TlsAcceptor;

use crate::PATIENCE;
use crate::api_server::ApiServer;
use crate::process::free_ports;

/// Answers the `AdmissionRequest` that is sent to a path with an `AdmissionResponse`.
pub type Answer = dyn Fn(&str, &Value) -> Value + Send + Sync;

/// A server on loopback. It ends with the value, even if the test fails.
pub struct WebhookServer {
    port: u16,
    shared: Arc<Shared>,
    runtime: Option<Runtime>,
}

struct Shared {
    tls: TlsAcceptor,
    answer: Box<Answer>,
}

impl WebhookServer {
    /// Starts a server with the certificate of an API server, which is valid for the loopback
    /// address. An answer that panics is reported by the API server as a webhook that fails.
    ///
    /// # Panics
    /// The certificate cannot be read, or no port is free.
    #[must_use]
    pub fn start(api_server: &ApiServer, answer: Box<Answer>) -> Self {
        let [certificates, key] = api_server.certificate();
        let certificates = CertificateDer::pem_file_iter(certificates).unwrap().map(Result::unwrap).collect();
        let key = PrivateKeyDer::from_pem_file(key).unwrap();
        let config =
            ServerConfig::builder().with_no_client_auth().with_single_cert(certificates, key).unwrap();
        let shared = Arc::new(Shared { tls: TlsAcceptor::from(Arc::new(config)), answer });
        let [port] = free_ports();
        let mut server = Self { port, shared, runtime: None };
        server.restart();
        server
    }

    /// The port of the loopback address.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Starts the server again after its end, at the same address.
    ///
    /// # Panics
    /// The server runs, or its port is taken.
    pub fn restart(&mut self) {
        assert!(self.runtime.is_none(), "the server runs");
        let runtime = Runtime::new().unwrap();
        let listener = net::TcpListener::bind(("127.0.0.1", self.port)).unwrap();
        listener.set_nonblocking(true).unwrap();
        runtime.spawn(serve(listener, Arc::clone(&self.shared)));
        self.runtime = Some(runtime);
    }

    /// Ends the server at once, with all requests that it evaluates.
    ///
    /// # Panics
    /// The server does not run.
    pub fn kill(&mut self) {
        // The port has to be free afterwards.
        self.runtime.take().expect("the server runs").shutdown_timeout(PATIENCE);
    }
}

impl Drop for WebhookServer {
    fn drop(&mut self) {
        if self.runtime.is_some() {
            self.kill();
        }
    }
}

async fn serve(listener: net::TcpListener, shared: Arc<Shared>) {
    let listener = TcpListener::from_std(listener).unwrap();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            let stream = shared.tls.accept(stream).await?;
            let service = service_fn(|request| respond(Arc::clone(&shared), request));
            let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            // The API server reports a connection that breaks.
            connection.await.map_err(std::io::Error::other)
        });
    }
}

async fn respond(
    shared: Arc<Shared>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, hyper::Error> {
    let (head, body) = request.into_parts();
    let review = body.collect().await?.to_bytes();
    let answer = spawn_blocking(move || {
        let review: Value = serde_json::from_slice(&review).unwrap();
        let response = (shared.answer)(head.uri.path(), &review["request"]);
        json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response })
    });
    Ok(Response::new(Full::from(answer.await.unwrap().to_string())))
}
