//! The states in which files are read: that of the working directory, and that of a revision.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::checkout::Checkout;
use crate::input::{Origin, file_name};
use crate::paths::absolute;

/// A state of files.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// The files of a revision; `None` for the working directory.
    checkout: Option<Arc<Checkout>>,
    /// The only argument, to which the names are relative by which a file of one state is known in
    /// another.
    argument: Option<PathBuf>,
}

impl State {
    /// The state of the working directory, or of a revision, in which some arguments are found.
    pub(crate) fn of(checkout: Option<&Arc<Checkout>>, arguments: &[String]) -> Self {
        let argument = if let [argument] = arguments { Some(absolute(Path::new(argument))) } else { None };
        Self { checkout: checkout.map(Arc::clone), argument }
    }

    pub(crate) fn is_revision(&self) -> bool {
        self.checkout.is_some()
    }

    /// Returns the origin of a file. The name by which it is known in another state does not depend
    /// on how an argument names its folder.
    pub(crate) fn origin(&self, path: &Path) -> Origin {
        let path = self.in_working_tree(path);
        let name = file_name(&path);
        let whole = absolute(&path);
        let below = self.argument.as_ref().and_then(|argument| whole.strip_prefix(argument).ok());
        let path = below.map_or_else(|| file_name(&whole), |below| below.to_string_lossy().into_owned());
        let name = self.checkout.as_ref().map_or(name.clone(), |checkout| checkout.name(&name));
        Origin { name, path, ..Origin::default() }
    }

    /// Returns the path that a file has in the working tree.
    pub(crate) fn in_working_tree(&self, path: &Path) -> PathBuf {
        self.checkout.as_ref().map_or_else(|| path.to_owned(), |checkout| checkout.in_working_tree(path))
    }

    /// Replaces the temporary folder in a message of a program.
    pub(crate) fn told(&self, message: &str) -> String {
        self.checkout.as_ref().map_or_else(|| message.to_owned(), |checkout| checkout.told(message))
    }
}
