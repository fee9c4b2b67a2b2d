//! `portcullis push`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;
use std::slice;
use std::time::Duration;

use kubewarden::packaging::Metadata;
use oci_client::annotations::ORG_OPENCONTAINERS_IMAGE_SOURCE;
use oci_client::client::{Config, ImageLayer};
use oci_client::errors::OciDistributionError;
use oci_client::manifest::{
    OCI_IMAGE_MEDIA_TYPE, OciImageManifest, WASM_CONFIG_MEDIA_TYPE, WASM_LAYER_MEDIA_TYPE,
};
use oci_client::{Reference, RegistryOperation};
use report::one_line;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::args::PushArgs;
use super::connection::{Connection, block_on, is_transient};
use super::reference;
use crate::args::TextOrData;
use crate::failure::Failure;
use crate::policy::{self, AnnotatedModule};
use crate::stdout::{print, write_one};

/// The annotation with the id of a policy.
const TITLE: &str = "io.kubewarden.policy.title";
/// The annotation with the version of a policy, the default tag.
const VERSION: &str = "io.kubewarden.policy.version";
/// The annotation with the repository of the source code.
const SOURCE: &str = "io.kubewarden.policy.source";

/// The configuration blob, which OCI requires and a policy does not need.
const CONFIG: &[u8] = b"{}";

/// The pauses before an interrupted upload is retried.
const PAUSES: [Duration; 3] = [Duration::from_millis(200), Duration::from_secs(1), Duration::from_secs(3)];

struct Artifact {
    id: String,
    destination: Reference,
    layer: ImageLayer,
    config: Config,
    manifest: Vec<u8>,
    digest: String,
}

#[derive(Serialize)]
struct PushedPolicy<'a> {
    policy: &'a str,
    reference: String,
    /// The reference by digest, with the key that kwctl uses.
    immutable_ref: String,
}

/// Pushes policies and prints their digests. If a policy cannot be read, nothing is sent; if the
/// registry does not accept a policy, those before it are pushed.
pub(crate) fn push(args: &PushArgs) -> Result<ExitCode, Failure> {
    let artifacts = artifacts(args)?;
    let Some(first) = artifacts.first() else { return Ok(ExitCode::SUCCESS) };
    block_on(async {
        let connection =
            Connection::open(&first.destination, RegistryOperation::Push, &args.registry).await?;
        for artifact in &artifacts {
            let sent = artifact.send(&connection).await;
            sent.map_err(|error| connection.failure(&artifact.destination, &error))?;
            let pushed = PushedPolicy {
                policy: &artifact.id,
                reference: artifact.destination.whole(),
                immutable_ref: reference::immutable(&artifact.destination, &artifact.digest),
            };
            print(|out| pushed.write(out, args.output))?;
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// Reads all policies and builds their artifacts. Two policies with one destination are an error.
fn artifacts(args: &PushArgs) -> Result<Vec<Artifact>, Failure> {
    let mut artifacts: Vec<Artifact> = Vec::new();
    for policy in &args.policies {
        let artifact = Artifact::new(policy::read(policy, &args.modules)?, args)?;
        let same = artifacts.iter().find(|other| other.destination == artifact.destination);
        if let Some(same) = same {
            let problem = format!("would be overwritten by {policy}; push the two policies separately");
            return Err(Failure::about(&same.destination, problem));
        }
        artifacts.push(artifact);
    }
    Ok(artifacts)
}

impl Artifact {
    fn new(module: AnnotatedModule, args: &PushArgs) -> Result<Self, Failure> {
        let AnnotatedModule { path, wasm, metadata } = module;
        let title = metadata.annotations.get(TITLE).cloned();
        let id = title.or_else(|| Some(path.file_stem()?.to_string_lossy().into_owned())).unwrap_or_default();
        let version = metadata.annotations.get(VERSION).ok_or_else(|| {
            let problem = format!("the metadata has no {VERSION}; add a tag to the reference");
            Failure::about(path.display(), problem)
        });
        let destination = destination(args, &id, version)?;
        let layer = ImageLayer::new(wasm, WASM_LAYER_MEDIA_TYPE.to_owned(), None);
        let config = Config::new(CONFIG, WASM_CONFIG_MEDIA_TYPE.to_owned(), None);
        let manifest =
            OciImageManifest::build(slice::from_ref(&layer), &config, Some(annotations(&metadata)));
        // The keys of a JSON value are sorted, so the bytes do not depend on the order of the
        // fields.
        let manifest = serde_json::to_value(manifest).and_then(|manifest| serde_json::to_vec(&manifest));
        let manifest = manifest.map_err(|error| Failure::about(path.display(), error))?;
        let digest = format!("sha256:{:x}", Sha256::digest(&manifest));
        Ok(Self { id, destination, layer, config, manifest, digest })
    }

    /// Sends what the registry lacks, with retries if an error is transient. The manifest comes
    /// last, so that everything it names is present.
    async fn send(&self, connection: &Connection) -> Result<(), OciDistributionError> {
        let (client, to) = (&connection.client, &self.destination);
        let layer_digest = self.layer.sha256_digest();
        let config_digest = self.config.sha256_digest();
        for (blob, digest) in [(&self.layer.data, layer_digest), (&self.config.data, config_digest)] {
            let mut pauses = PAUSES.into_iter();
            // A registry that refuses the check can still accept the upload, or else explains why
            // not.
            while !client.blob_exists(to, &digest).await.unwrap_or(false) {
                let Err(error) = client.push_blob(to, blob.clone(), &digest).await else { break };
                match pauses.next() {
                    Some(pause) if is_transient(&error) => tokio::time::sleep(pause).await,
                    _ => return Err(error),
                }
            }
        }
        // A registry with immutable tags rejects a second push of a tag, even with the same
        // content.
        let existing = client.fetch_manifest_digest(to, &connection.auth).await;
        if existing.is_ok_and(|digest| digest == self.digest) {
            return Ok(());
        }
        let media_type = OCI_IMAGE_MEDIA_TYPE
            .parse()
            .map_err(|_| OciDistributionError::UnsupportedMediaTypeError(OCI_IMAGE_MEDIA_TYPE.to_owned()))?;
        client.push_manifest_raw(to, self.manifest.clone(), media_type).await.map(drop)
    }
}

/// Returns the destination of a policy. A reference that ends in a slash is a prefix; any other
/// must have only one policy. The version is needed only if it has to be the tag.
fn destination(args: &PushArgs, id: &str, version: Result<&String, Failure>) -> Result<Reference, Failure> {
    let mut text = reference::without_scheme(&args.reference).to_owned();
    if text.ends_with('/') {
        text = format!("{}/{id}", text.trim_end_matches('/'));
    } else if args.policies.len() > 1 {
        let problem = format!(
            "is the destination of one policy, and {} are given; write {text}/ to push each below this prefix",
            args.policies.len()
        );
        return Err(Failure::about(&text, problem));
    }
    if !reference::is_complete(&text) {
        text = format!("{text}:v{}", version?);
    }
    let destination = reference::parse(&text)?;
    if destination.digest().is_some() {
        let problem = "contains a digest, which the pushed content determines; use a tag instead";
        return Err(Failure::about(&destination, problem));
    }
    Ok(destination)
}

/// Returns the annotations of the manifest. Annotations of several lines are documentation and stay
/// in the module.
fn annotations(metadata: &Metadata) -> BTreeMap<String, String> {
    let lines = metadata.annotations.iter().map(|(key, value)| (key.clone(), value.trim().to_owned()));
    let mut annotations: BTreeMap<String, String> =
        lines.filter(|(_, value)| value.lines().count() <= 1).collect();
    if let Some(source) = annotations.get(SOURCE).cloned() {
        annotations.entry(ORG_OPENCONTAINERS_IMAGE_SOURCE.to_owned()).or_insert(source);
    }
    annotations
}

impl PushedPolicy<'_> {
    /// Writes the policy. Each YAML document begins with a separator, because the number of those
    /// that follow is not known.
    fn write(&self, out: &mut dyn Write, format: TextOrData) -> io::Result<()> {
        if matches!(format, TextOrData::Yaml) {
            writeln!(out, "---")?;
        }
        write_one(out, format, self, |out| {
            writeln!(out, "pushed {}: {}", one_line(self.policy), self.immutable_ref)
        })
    }
}
