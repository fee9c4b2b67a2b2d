//! `portcullis pull`.

use std::io::Cursor;
use std::path::PathBuf;
use std::process::ExitCode;

use oci_client::errors::OciDistributionError;
use oci_client::manifest::{OciDescriptor, OciManifest, WASM_LAYER_MEDIA_TYPE};
use oci_client::{Reference, RegistryOperation};

use super::connection::{Connection, block_on};
use super::reference;
use crate::args::{PullArgs, RegistryArgs};
use crate::failure::Failure;
use crate::replace::replace;
use crate::report::to_stdout;
use crate::text::one_line;

/// A module of more bytes is not taken: room for it is made before the first one arrives.
const LIMIT: usize = 256 << 20;

/// Pulls a policy into a file and prints its digest.
///
/// # Errors
/// What is no policy, what cannot be had, and a file that cannot be written, which is then as it was.
pub(crate) fn pull(args: &PullArgs) -> Result<ExitCode, Failure> {
    let from = reference::parse(&args.reference)?;
    let path = args.output.clone().unwrap_or_else(|| file_name(&from));
    let (digest, wasm) = block_on(fetch(&from, &args.registry))?;
    replace(&path, &wasm)?;
    let name = path.display().to_string();
    to_stdout(|out| {
        writeln!(out, "pulled {} into {}", reference::immutable(&from, &digest), one_line(&name))
    })?;
    Ok(ExitCode::SUCCESS)
}

/// A file in the working directory, named after the repository.
fn file_name(reference: &Reference) -> PathBuf {
    let name = reference.repository().rsplit('/').next().unwrap_or_default();
    PathBuf::from(format!("{name}.wasm"))
}

/// The digest of the manifest, and the module; both are held against what names them.
async fn fetch(from: &Reference, args: &RegistryArgs) -> Result<(String, Vec<u8>), Failure> {
    let connection = Connection::open(from, RegistryOperation::Pull, args).await?;
    let (manifest, digest) = connection
        .client
        .pull_manifest(from, &connection.auth)
        .await
        .map_err(|error| connection.failure(from, &error))?;
    let (layer, size) =
        layer(&manifest).map_err(|problem| Failure::about(from, format!("is no policy: {problem}")))?;
    let mut wasm = vec![0; size];
    let mut rest = Cursor::new(wasm.as_mut_slice());
    let other_size =
        || Failure::about(from, "the registry sends a module of another size than its manifest says");
    connection.client.pull_blob(from, layer, &mut rest).await.map_err(|error| match error {
        OciDistributionError::IoError(_) => other_size(),
        error => connection.failure(from, &error),
    })?;
    if rest.position() != size as u64 {
        return Err(other_size());
    }
    Ok((digest, wasm))
}

/// The only layer of a policy, and its size.
fn layer(manifest: &OciManifest) -> Result<(&OciDescriptor, usize), String> {
    let OciManifest::Image(manifest) = manifest else {
        return Err("it is an index of several images".to_owned());
    };
    let [layer] = manifest.layers.as_slice() else {
        return Err(format!("it has {} layers, expected one", manifest.layers.len()));
    };
    if layer.media_type != WASM_LAYER_MEDIA_TYPE {
        return Err(format!("its layer is {}, expected {WASM_LAYER_MEDIA_TYPE}", layer.media_type));
    }
    match usize::try_from(layer.size) {
        Ok(size) if size <= LIMIT => Ok((layer, size)),
        _ => Err(format!("it has {} bytes, more than the {LIMIT} that are taken", layer.size)),
    }
}
