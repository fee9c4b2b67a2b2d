//! The dump of a cluster, from files.

use audit::{AuditError, Dump, Kept};

use crate::cluster;
use crate::failure::Failure;
use crate::source::{InputReader, SourceName};

/// A dump, and the name of its files in messages.
#[derive(Debug)]
pub(crate) struct DumpFiles {
    pub(crate) dump: Dump,
    name: String,
}

impl DumpFiles {
    /// Reads a dump from files and directories, and keeps what an audit needs of each object.
    ///
    /// # Errors
    /// The first file that cannot be read, and objects that cannot be in one cluster.
    pub(crate) fn read(files: &[String], kept: Kept, reader: &mut InputReader) -> Result<Self, Failure> {
        let objects = cluster::read_kept(files, kept, reader)?;
        let names: Vec<String> = files.iter().map(|file| SourceName::of_argument(file).to_string()).collect();
        Ok(Self { dump: Dump::new(objects), name: names.join(", ") })
    }

    /// A failure to audit the dump.
    pub(crate) fn failure(&self, error: &AuditError) -> Failure {
        Failure::about(&self.name, error)
    }
}
