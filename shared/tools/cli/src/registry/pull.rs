//! `portcullis pull`.

use std::io::Cursor;
use std::path::PathBuf;
use std::process::ExitCode;

use oci_client::errors::OciDistributionError;
use oci_client::manifest::{OciDescriptor, OciManifest, WASM_LAYER_MEDIA_TYPE};
use oci_client::{Reference, RegistryOperation};
use report::one_line;
use serde::Serialize;

use super::args::{PullArgs, RegistryArgs};
use super::connection::{Connection, block_on};
use super::reference;
use crate::failure::Failure;
use crate::replace_file::replace_file;
use crate::stdout::{print, write_one};

/// The maximum size of a module. The memory for a module is allocated before its first byte
/// arrives.
const MAX_SIZE: usize = 256 << 20;

#[derive(Serialize)]
struct PulledPolicy {
    /// The reference by digest, with the key that `push` uses.
    immutable_ref: String,
    file: String,
}

/// Pulls a policy into a file and prints its digest. If that fails, an existing file is unchanged.
pub(crate) fn pull(args: &PullArgs) -> Result<ExitCode, Failure> {
    let from = reference::parse(&args.reference)?;
    let path = args.file.clone().unwrap_or_else(|| file_name(&from));
    let (digest, wasm) = block_on(async {
        let policy = RemotePolicy::find(&from, &args.registry).await?;
        let wasm = policy.module().await?;
        Ok((policy.digest, wasm))
    })?;
    replace_file(&path, &wasm)?;
    let pulled = PulledPolicy {
        immutable_ref: reference::immutable(&from, &digest),
        file: path.display().to_string(),
    };
    print(|out| {
        write_one(out, args.output, &pulled, |out| {
            writeln!(out, "pulled {} into {}", pulled.immutable_ref, one_line(&pulled.file))
        })
    })?;
    Ok(ExitCode::SUCCESS)
}

fn file_name(reference: &Reference) -> PathBuf {
    let name = reference.repository().rsplit('/').next().unwrap_or_default();
    PathBuf::from(format!("{name}.wasm"))
}

pub(super) struct RemotePolicy<'a> {
    from: &'a Reference,
    connection: Connection,
    layer: OciDescriptor,
    size: usize,
    pub(super) digest: String,
}

impl<'a> RemotePolicy<'a> {
    /// Reads the manifest of a policy. The client verifies its digest.
    pub(super) async fn find(from: &'a Reference, args: &RegistryArgs) -> Result<Self, Failure> {
        let connection = Connection::open(from, RegistryOperation::Pull, args).await?;
        let (manifest, digest) = connection
            .client
            .pull_manifest(from, &connection.auth)
            .await
            .map_err(|error| connection.failure(from, &error))?;
        let (layer, size) = layer(&manifest)
            .map_err(|problem| Failure::about(from, format!("is not a policy: {problem}")))?;
        let layer = layer.clone();
        Ok(Self { from, connection, layer, size, digest })
    }

    pub(super) fn module_digest(&self) -> &str {
        &self.layer.digest
    }

    /// Reads the module. The client verifies its digest.
    pub(super) async fn module(&self) -> Result<Vec<u8>, Failure> {
        let Self { from, connection, layer, size, .. } = self;
        let mut wasm = vec![0; *size];
        let mut rest = Cursor::new(wasm.as_mut_slice());
        let wrong_size = || {
            Failure::about(from, "the registry sent a module whose size differs from that in the manifest")
        };
        connection.client.pull_blob(from, layer, &mut rest).await.map_err(|error| match error {
            OciDistributionError::IoError(_) => wrong_size(),
            error => connection.failure(from, &error),
        })?;
        if rest.position() != *size as u64 {
            return Err(wrong_size());
        }
        Ok(wasm)
    }
}

/// Returns the only layer of a policy, and its size; an error for a manifest of something else.
fn layer(manifest: &OciManifest) -> Result<(&OciDescriptor, usize), String> {
    let OciManifest::Image(manifest) = manifest else {
        return Err("it is an image index".to_owned());
    };
    let [layer] = manifest.layers.as_slice() else {
        return Err(format!("expected one layer, found {}", manifest.layers.len()));
    };
    if layer.media_type != WASM_LAYER_MEDIA_TYPE {
        return Err(format!("expected a layer of type {WASM_LAYER_MEDIA_TYPE}, found {}", layer.media_type));
    }
    match usize::try_from(layer.size) {
        Ok(size) if size <= MAX_SIZE => Ok((layer, size)),
        _ => Err(format!("the layer has {} bytes, more than the maximum of {MAX_SIZE}", layer.size)),
    }
}
