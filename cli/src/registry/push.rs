//! `portcullis push`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;
use std::slice;
use std::time::Duration;

use oci_client::annotations::ORG_OPENCONTAINERS_IMAGE_SOURCE;
use oci_client::client::{Config, ImageLayer};
use oci_client::errors::OciDistributionError;
use oci_client::manifest::{
    OCI_IMAGE_MEDIA_TYPE, OciImageManifest, WASM_CONFIG_MEDIA_TYPE, WASM_LAYER_MEDIA_TYPE,
};
use oci_client::{Reference, RegistryOperation};
use packaging::Metadata;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::connection::{Connection, block_on, may_pass};
use super::reference;
use crate::args::{PushArgs, PushOutput};
use crate::failure::Failure;
use crate::policy::{self, Module};
use crate::report::to_stdout;
use crate::text::one_line;

/// Annotations of the metadata that say where a policy goes, and where it is from.
const TITLE: &str = "io.kubewarden.policy.title";
const VERSION: &str = "io.kubewarden.policy.version";
const SOURCE: &str = "io.kubewarden.policy.source";

/// What a policy has in the place of an image's configuration.
const CONFIG: &[u8] = b"{}";

/// How long to wait before what was cut off is sent again.
const PAUSES: [Duration; 3] = [Duration::from_millis(200), Duration::from_secs(1), Duration::from_secs(3)];

/// A policy as it will be in the registry.
struct Artifact {
    id: String,
    destination: Reference,
    layer: ImageLayer,
    config: Config,
    manifest: Vec<u8>,
    /// Of the manifest.
    digest: String,
}

/// What is told of a policy that is in the registry.
#[derive(Serialize)]
struct Pushed<'a> {
    policy: &'a str,
    reference: String,
    /// As kwctl calls it.
    immutable_ref: String,
}

/// Pushes policies and prints their digests.
///
/// # Errors
/// Policies that cannot be read, before anything is sent; a registry that does not take one of them, after those
/// before it.
pub(crate) fn push(args: &PushArgs) -> Result<ExitCode, Failure> {
    let artifacts = artifacts(args)?;
    let Some(first) = artifacts.first() else { return Ok(ExitCode::SUCCESS) };
    block_on(async {
        let connection =
            Connection::open(&first.destination, RegistryOperation::Push, &args.registry).await?;
        for artifact in &artifacts {
            let sent = artifact.send(&connection).await;
            sent.map_err(|error| connection.failure(&artifact.destination, &error))?;
            let pushed = Pushed {
                policy: &artifact.id,
                reference: artifact.destination.whole(),
                immutable_ref: reference::immutable(&artifact.destination, &artifact.digest),
            };
            to_stdout(|out| pushed.print(out, args.output))?;
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// All policies, ready to be sent.
fn artifacts(args: &PushArgs) -> Result<Vec<Artifact>, Failure> {
    let mut artifacts: Vec<Artifact> = Vec::new();
    for policy in &args.policies {
        let artifact = Artifact::new(policy::read(policy, &args.modules)?, args)?;
        let same = artifacts.iter().find(|other| other.destination == artifact.destination);
        if let Some(same) = same {
            let problem = format!("would be overwritten by {policy}; push them apart");
            return Err(Failure::about(&same.destination, problem));
        }
        artifacts.push(artifact);
    }
    Ok(artifacts)
}

impl Artifact {
    fn new(module: Module, args: &PushArgs) -> Result<Self, Failure> {
        let Module { path, wasm, metadata } = module;
        let title = metadata.annotations.get(TITLE).cloned();
        let id = title.or_else(|| Some(path.file_stem()?.to_string_lossy().into_owned())).unwrap_or_default();
        let version = metadata.annotations.get(VERSION).ok_or_else(|| {
            let problem = format!("its metadata has no {VERSION}; give the reference a tag");
            Failure::about(path.display(), problem)
        });
        let destination = destination(args, &id, version)?;
        let layer = ImageLayer::new(wasm, WASM_LAYER_MEDIA_TYPE.to_owned(), None);
        let config = Config::new(CONFIG, WASM_CONFIG_MEDIA_TYPE.to_owned(), None);
        let manifest =
            OciImageManifest::build(slice::from_ref(&layer), &config, Some(annotations(&metadata)));
        // By way of a value for its keys to be in order, whatever the order of the fields.
        let manifest = serde_json::to_value(manifest).and_then(|manifest| serde_json::to_vec(&manifest));
        let manifest = manifest.map_err(|error| Failure::about(path.display(), error))?;
        let digest = format!("sha256:{:x}", Sha256::digest(&manifest));
        Ok(Self { id, destination, layer, config, manifest, digest })
    }

    /// Sends what the registry does not have: the manifest last, so that whoever finds it finds all of it.
    async fn send(&self, connection: &Connection) -> Result<(), OciDistributionError> {
        let (client, to) = (&connection.client, &self.destination);
        let layer_digest = self.layer.sha256_digest();
        let config_digest = self.config.sha256_digest();
        for (blob, digest) in [(&self.layer.data, layer_digest), (&self.config.data, config_digest)] {
            let mut pauses = PAUSES.into_iter();
            // A registry that does not let anybody look may still take it, and else says why.
            while !client.blob_exists(to, &digest).await.unwrap_or(false) {
                let Err(error) = client.push_blob(to, blob.clone(), &digest).await else { break };
                match pauses.next() {
                    Some(pause) if may_pass(&error) => tokio::time::sleep(pause).await,
                    _ => return Err(error),
                }
            }
        }
        // A registry whose tags cannot change takes no tag twice, not even for the same bytes.
        let there = client.fetch_manifest_digest(to, &connection.auth).await;
        if there.is_ok_and(|there| there == self.digest) {
            return Ok(());
        }
        let media_type = OCI_IMAGE_MEDIA_TYPE
            .parse()
            .map_err(|_| OciDistributionError::UnsupportedMediaTypeError(OCI_IMAGE_MEDIA_TYPE.to_owned()))?;
        client.push_manifest_raw(to, self.manifest.clone(), media_type).await.map(drop)
    }
}

/// Where a policy goes. Several share a prefix, and go below it.
///
/// # Errors
/// What is no place for a policy, and a version that is missing where it has to be the tag.
fn destination(args: &PushArgs, id: &str, version: Result<&String, Failure>) -> Result<Reference, Failure> {
    let mut text = reference::without_scheme(&args.reference).to_owned();
    if args.policies.len() > 1 {
        text = format!("{}/{id}", text.trim_end_matches('/'));
    }
    if !reference::is_complete(&text) {
        text = format!("{text}:v{}", version?);
    }
    let destination = reference::parse(&text)?;
    if destination.digest().is_some() {
        let problem = "has a digest, which follows from what is pushed; give it a tag";
        return Err(Failure::about(&destination, problem));
    }
    Ok(destination)
}

/// What the manifest says of the policy. More than a line is for documentation, not for a registry.
fn annotations(metadata: &Metadata) -> BTreeMap<String, String> {
    let lines = metadata.annotations.iter().map(|(key, value)| (key.clone(), value.trim().to_owned()));
    let mut annotations: BTreeMap<String, String> =
        lines.filter(|(_, value)| value.lines().count() <= 1).collect();
    if let Some(source) = annotations.get(SOURCE).cloned() {
        annotations.entry(ORG_OPENCONTAINERS_IMAGE_SOURCE.to_owned()).or_insert(source);
    }
    annotations
}

impl Pushed<'_> {
    fn print(&self, out: &mut dyn Write, output: PushOutput) -> io::Result<()> {
        match output {
            PushOutput::Text => writeln!(out, "pushed {}: {}", one_line(self.policy), self.immutable_ref),
            PushOutput::Json => {
                serde_json::to_writer(&mut *out, self)?;
                writeln!(out)
            }
        }
    }
}
