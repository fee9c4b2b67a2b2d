//! Modules from registries, kept on disk by digest.
//!
//! `modules/HEX.wasm` is the module whose SHA-256 is HEX. `references/HEX` contains the digest of
//! the module that a reference named last, where HEX is the SHA-256 of the reference.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use oci_client::Reference;
use sha2::{Digest, Sha256};

use super::connection::block_on;
use super::pull::RemotePolicy;
use super::reference;
use crate::args::EngineArgs;
use crate::failure::Failure;
use crate::replace_file::replace_file;

const ALGORITHM: &str = "sha256:";

/// Returns the module that a reference names, from the cache if possible.
///
/// A reference with a tag is looked up in the registry every time, because tags move; `--offline`
/// trusts the cache. A reference by digest always names the same module.
pub(crate) fn cached(text: &str, engine: &EngineArgs) -> Result<Vec<u8>, Failure> {
    let from = reference::parse(text)?;
    let cache = Cache::open()?;
    if (engine.offline || from.digest().is_some())
        && let Some(digest) = cache.digest(&from)
        && let Some(wasm) = cache.module(&digest)
    {
        return Ok(wasm);
    }
    if engine.offline {
        let problem = format!(
            "is not in the cache {}, and --offline forbids the network; run the command once without --offline",
            cache.0.display()
        );
        return Err(Failure::about(from, problem));
    }
    block_on(async {
        let policy = RemotePolicy::find(&from, &engine.registry).await?;
        let digest = policy.module_digest();
        let wasm = match cache.module(digest) {
            Some(wasm) => wasm,
            None => policy.module().await?,
        };
        cache.keep(&from, digest, &wasm)?;
        Ok(wasm)
    })
}

struct Cache(PathBuf);

impl Cache {
    /// Finds the directory of the user's caches.
    fn open() -> Result<Self, Failure> {
        let base = etcetera::choose_base_strategy().map_err(|_| {
            Failure::new("no directory for the cache of modules is known; set HOME or XDG_CACHE_HOME")
        })?;
        Ok(Self(base.cache_dir().join("portcullis")))
    }

    /// Returns the digest of the module that a reference named last.
    fn digest(&self, from: &Reference) -> Option<String> {
        fs::read_to_string(self.reference(from)).ok()
    }

    /// Returns a module. A file that was damaged counts as absent, so that it is pulled again.
    fn module(&self, digest: &str) -> Option<Vec<u8>> {
        let wasm = fs::read(self.file(digest)?).ok()?;
        (format!("{ALGORITHM}{:x}", Sha256::digest(&wasm)) == digest).then_some(wasm)
    }

    fn keep(&self, from: &Reference, digest: &str, wasm: &[u8]) -> Result<(), Failure> {
        // A digest by another algorithm is not kept.
        let Some(file) = self.file(digest) else { return Ok(()) };
        if self.module(digest).is_none() {
            write(&file, wasm)?;
        }
        if self.digest(from).as_deref() == Some(digest) {
            return Ok(());
        }
        write(&self.reference(from), digest.as_bytes())
    }

    fn reference(&self, from: &Reference) -> PathBuf {
        self.0.join("references").join(format!("{:x}", Sha256::digest(from.whole())))
    }

    /// Returns the file of a module; `None` if the digest is not hexadecimal SHA-256.
    fn file(&self, digest: &str) -> Option<PathBuf> {
        let hex = digest.strip_prefix(ALGORITHM)?;
        let is_hex = hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex.then(|| self.0.join("modules").join(format!("{hex}.wasm")))
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let created = path.parent().map_or(Ok(()), fs::create_dir_all);
    match created {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            Err(Failure::about(path.display(), format!("the cache cannot be written: {error}")))
        }
        _ => replace_file(path, bytes),
    }
}
