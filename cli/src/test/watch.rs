//! The files of a run, watched for changes.
//!
//! Asking for the state of some dozen files twice a second is cheap, works on every file system and
//! needs no library.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use suite::{FileState, file_state};

/// The time between two looks.
const PAUSE: Duration = Duration::from_millis(500);

/// Waits until one of the files is no longer in the state in which it was read, and returns it. The
/// names of manifests and directories count as the content of a directory.
pub(super) fn change_of(files: &BTreeMap<PathBuf, FileState>) -> PathBuf {
    loop {
        if let Some((changed, _)) = files.iter().find(|(file, known)| file_state(file) != **known) {
            return changed.clone();
        }
        sleep(PAUSE);
    }
}
