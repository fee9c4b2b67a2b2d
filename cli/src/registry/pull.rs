//! `portcullis pull`.

use std::io::Cursor;
use std::path::PathBuf;
use std::process::ExitCode;

use oci_client::errors::OciDistributionError;
use oci_client::manifest::{OciDescriptor, OciManifest, WASM_LAYER_MEDIA_TYPE};
use oci_client::{Reference, RegistryOperation};

use super::args::{PullArgs, RegistryArgs};
use super::connection::{Connection, block_on};
use super::reference;
use crate::failure::Failure;
use crate::replace_file::replace_file;
use crate::stdout::print;
use crate::terminal::one_line;

/// The maximum size of a module. The memory for a module is allocated before its first byte
/// arrives.
const MAX_SIZE: usize = 256 << 20;

/// Pulls a policy into a file and prints its digest.
///
/// # Errors
/// An artifact that is not a policy or cannot be pulled, and a file that cannot be written. An
/// existing file is then unchanged.
pub(crate) fn pull(args: &PullArgs) -> Result<ExitCode, Failure> {
    let from = reference::parse(&args.reference)?;
    let path = args.output.clone().unwrap_or_else(|| file_name(&from));
    let (digest, wasm) = block_on(fetch(&from, &args.registry))?;
    replace_file(&path, &wasm)?;
    let name = path.display().to_string();
    print(|out| writeln!(out, "pulled {} into {}", reference::immutable(&from, &digest), one_line(&name)))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the default file, which is named after the repository.
fn file_name(reference: &Reference) -> PathBuf {
    let name = reference.repository().rsplit('/').next().unwrap_or_default();
    PathBuf::from(format!("{name}.wasm"))
}

/// Returns the digest of the manifest, and the module. The client verifies both digests.
async fn fetch(from: &Reference, args: &RegistryArgs) -> Result<(String, Vec<u8>), Failure> {
    let connection = Connection::open(from, RegistryOperation::Pull, args).await?;
    let (manifest, digest) = connection
        .client
        .pull_manifest(from, &connection.auth)
        .await
        .map_err(|error| connection.failure(from, &error))?;
    let (layer, size) =
        layer(&manifest).map_err(|problem| Failure::about(from, format!("is not a policy: {problem}")))?;
    let mut wasm = vec![0; size];
    let mut rest = Cursor::new(wasm.as_mut_slice());
    let wrong_size =
        || Failure::about(from, "the registry sent a module whose size differs from that in the manifest");
    connection.client.pull_blob(from, layer, &mut rest).await.map_err(|error| match error {
        OciDistributionError::IoError(_) => wrong_size(),
        error => connection.failure(from, &error),
    })?;
    if rest.position() != size as u64 {
        return Err(wrong_size());
    }
    Ok((digest, wasm))
}

/// Returns the only layer of a policy, and its size.
///
/// # Errors
/// A manifest of something else.
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
