//! Files, folders and the standard input.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::WalkBuilder;
use kubernetes::kinds::Kinds;
use manifest::Problem;

use super::chunk::{Chunk, Origin, Unreadable};
use super::piece::{Piece, Pieces};
use super::tracked;
use crate::cluster::Kind;

/// The input of a scan.
///
/// A scan can need several passes: objects that policies look up are collected before the objects
/// that depend on them are evaluated.
pub trait Input {
    /// Returns the next piece or problem; `None` at the end.
    fn next(&mut self) -> Option<Result<Chunk, Unreadable>>;

    /// Returns to the beginning, where nothing is selected.
    fn rewind(&mut self);

    /// Notes that only objects of some kinds are of interest until the input is rewound. An input
    /// that cannot leave out the others yields them as well.
    fn select(&mut self, _: &BTreeSet<Kind>) {}

    /// Returns the kinds of the objects that could not be read since the beginning, each with the
    /// reason. The absence of such an object means nothing.
    fn withheld(&self) -> BTreeMap<Kind, String> {
        BTreeMap::new()
    }

    /// Returns the kinds that exist in addition to those of Kubernetes and those that objects of
    /// the input define.
    fn kinds(&self) -> Kinds {
        Kinds::default()
    }

    /// Returns sentences for users about how the objects were read.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns whether the objects are those of a running cluster. They are in no file, can be
    /// read only once, and the objects for look-ups come from elsewhere.
    fn is_live(&self) -> bool {
        false
    }

    /// Returns the number of bytes, if it is known.
    fn size(&self) -> Option<u64> {
        None
    }
}

/// Texts from files, folders, the standard input and programs, in turn.
#[derive(Debug, Default)]
pub struct Files {
    sources: Vec<Source>,
    at: usize,
    open: Option<Pieces<Reader>>,
    remarks: Vec<String>,
}

#[derive(Debug)]
struct Source {
    origin: Arc<Origin>,
    content: Content,
}

#[derive(Debug)]
enum Content {
    File(PathBuf),
    /// The copy of a stream, which can be read again.
    Spool(File),
    Text(Arc<str>),
    Problem(String),
}

impl Files {
    /// Finds the files that arguments name: files, folders, and `-` for the standard input.
    ///
    /// In folders, these are all files `*.json`, `*.yaml` and `*.yml` that git does not ignore, by
    /// name: those that no rule matches, and in a repository those that git tracks, whatever the
    /// rules are. A file that cannot be read becomes a problem, and the rest is read.
    #[must_use]
    pub fn of_arguments(arguments: &[String]) -> Self {
        let mut files = Self::default();
        for argument in arguments {
            files.add(argument);
        }
        if let [argument] = arguments {
            let argument = file_name(Path::new(argument));
            for source in &mut files.sources {
                source.origin = source.origin.below(&argument);
            }
        }
        files
    }

    fn add(&mut self, argument: &str) {
        let path = Path::new(argument);
        if argument == "-" {
            self.add_stream("-", &mut io::stdin().lock());
        } else if path.is_dir() {
            self.add_folder(path);
        } else if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
            // A pipe, such as that of `scan <(helm template …)`, can be read only once.
            match File::open(path) {
                Ok(mut pipe) => self.add_stream(&file_name(path), &mut pipe),
                Err(error) => self.add_problem(&file_name(path), unreadable(&error)),
            }
        } else {
            self.push(Origin::file(file_name(path)), Content::File(path.to_owned()));
        }
    }

    /// Adds a stream, such as the standard input. It is copied to a temporary file, because a scan
    /// can need it twice.
    pub fn add_stream(&mut self, name: &str, stream: &mut dyn Read) {
        let mut spool = || -> io::Result<File> {
            let mut file = tempfile::tempfile()?;
            io::copy(stream, &mut file)?;
            Ok(file)
        };
        let content = spool().map_or_else(|error| Content::Problem(unreadable(&error)), Content::Spool);
        self.push(Origin::file(name), content);
    }

    /// Adds a text from a program or a revision.
    pub fn add_text(&mut self, origin: Arc<Origin>, text: impl Into<Arc<str>>) {
        self.push(origin, Content::Text(text.into()));
    }

    /// Adds a problem, which the scan reports.
    pub fn add_problem(&mut self, name: &str, problem: impl Into<String>) {
        self.push(Origin::file(name), Content::Problem(problem.into()));
    }

    fn add_folder(&mut self, folder: &Path) {
        // Git does not ignore what it tracks, and a change of such a file would not be evaluated.
        let tracked = tracked::files(folder).unwrap_or_else(|problem| {
            self.add_problem(&file_name(folder), problem);
            Some(Vec::new())
        });
        // Only git knows what it tracks.
        let has_rules = tracked.is_some();
        // Git's rules hold without a repository as well, so that an unpacked archive gives the same
        // result. Links are not followed: they could lead to a cycle, or to the same file twice.
        let walk = WalkBuilder::new(folder)
            .require_git(false)
            .git_global(false)
            .git_ignore(has_rules)
            .git_exclude(has_rules)
            // Rules of other programs, and names with a leading dot, which git does not ignore.
            .ignore(false)
            .hidden(false)
            .filter_entry(|entry| entry.file_name() != ".git")
            .build();
        let before = self.sources.len();
        let mut paths = Vec::new();
        for entry in walk {
            match entry {
                Ok(entry) => paths.push(entry.into_path()),
                Err(error) => self.add_problem(&file_name(folder), format!("cannot be read: {error}")),
            }
        }
        match tracked {
            Some(tracked) => {
                let ignored = ignored(&paths, &tracked.iter().map(|path| folder.join(path)).collect());
                self.remarks.extend(about_ignored(&ignored));
                paths.extend(tracked.iter().map(|path| folder.join(path)));
            }
            None => self.remarks.push(WITHOUT_GIT.to_owned()),
        }
        // Paths are compared by their components: this is the order of a walk by name.
        paths.sort();
        paths.dedup();
        for path in paths.into_iter().filter(|path| is_object_file(path)) {
            match path.metadata() {
                Ok(metadata) if metadata.is_file() => {
                    self.push(Origin::file(file_name(&path)), Content::File(path));
                }
                Ok(_) => {}
                // Git tracks a file until its deletion is committed. A broken link is not deleted.
                Err(error) if error.kind() == io::ErrorKind::NotFound && path.symlink_metadata().is_err() => {
                }
                Err(error) => self.add_problem(&file_name(&path), unreadable(&error)),
            }
        }
        if self.sources.len() == before {
            let problem = "has no file *.yaml, *.yml or *.json that git does not ignore; name files";
            self.add_problem(&file_name(folder), problem);
        }
    }

    /// Returns the names of the texts, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().map(|source| source.origin.name.as_str())
    }

    /// Returns whether there is nothing to read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    fn push(&mut self, origin: Arc<Origin>, content: Content) {
        self.sources.push(Source { origin, content });
    }
}

const WITHOUT_GIT: &str = "git is not on PATH or does not know the repository, so that files are evaluated although \
                           .gitignore names them; install git, or name the files";

/// The most names in a sentence.
const NAMED: usize = 10;

/// Returns the files and folders in those of a walk that it left out, unless git tracks them.
fn ignored(walked: &[PathBuf], tracked: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let known: BTreeSet<&PathBuf> = walked.iter().collect();
    // The walk follows a link only at its beginning, and has reported what cannot be read.
    let folders = walked.iter().enumerate().filter(|(at, path)| *at == 0 || !path.is_symlink());
    let inside = folders.filter_map(|(_, path)| path.read_dir().ok()).flatten().filter_map(Result::ok);
    let left_out = inside.map(|entry| entry.path()).filter(|path| {
        !known.contains(path)
            && !tracked.contains(path)
            && path.file_name().is_some_and(|name| name != ".git")
            && (path.is_dir() || is_object_file(path))
    });
    let mut left_out: Vec<PathBuf> = left_out.collect();
    left_out.sort();
    left_out
}

fn about_ignored(ignored: &[PathBuf]) -> Option<String> {
    let mut names: Vec<String> = ignored.iter().take(NAMED).map(|path| file_name(path)).collect();
    let more = ignored.len().saturating_sub(names.len());
    names.extend((more > 0).then(|| format!("{more} more")));
    (!names.is_empty()).then(|| {
        format!("git ignores these paths, and untracked files there are not evaluated: {}", names.join(", "))
    })
}

/// Returns whether a file can contain objects, by its name.
pub(crate) fn is_object_file(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| {
        ["json", "yaml", "yml"].iter().any(|known| extension.eq_ignore_ascii_case(known))
    })
}

/// Returns the name of a file in reports: relative to the working directory where it is below it,
/// with `/` on every system.
pub(crate) fn file_name(path: &Path) -> String {
    let below = std::env::current_dir().ok().and_then(|folder| path.strip_prefix(folder).ok());
    let path = below.unwrap_or(path);
    let path = path.strip_prefix(".").unwrap_or(path);
    path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}

fn unreadable(error: &io::Error) -> String {
    format!("cannot be read: {error}")
}

impl Source {
    fn open(&self) -> Result<Pieces<Reader>, Problem> {
        let problem = |message: String| Problem::new(None, message);
        let reader: Box<dyn Read> = match &self.content {
            Content::File(path) => Box::new(File::open(path).map_err(|error| problem(unreadable(&error)))?),
            Content::Spool(file) => {
                let copy = file.try_clone().and_then(|mut file| file.seek(SeekFrom::Start(0)).map(|_| file));
                Box::new(copy.map_err(|error| problem(unreadable(&error)))?)
            }
            Content::Text(text) => Box::new(io::Cursor::new(Bytes(Arc::clone(text)))),
            Content::Problem(message) => return Err(problem(message.clone())),
        };
        Pieces::new(Reader(reader))
    }

    fn size(&self) -> Option<u64> {
        match &self.content {
            Content::File(path) => path.metadata().ok().map(|metadata| metadata.len()),
            Content::Spool(file) => file.metadata().ok().map(|metadata| metadata.len()),
            Content::Text(text) => u64::try_from(text.len()).ok(),
            Content::Problem(_) => Some(0),
        }
    }
}

struct Reader(Box<dyn Read>);

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").finish_non_exhaustive()
    }
}

struct Bytes(Arc<str>);

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl Input for Files {
    fn next(&mut self) -> Option<Result<Chunk, Unreadable>> {
        loop {
            let Source { origin, .. } = self.sources.get(self.at)?;
            let origin = Arc::clone(origin);
            let pieces = match &mut self.open {
                Some(pieces) => pieces,
                None => match self.sources.get(self.at)?.open() {
                    Ok(pieces) => self.open.insert(pieces),
                    Err(problem) => {
                        self.at += 1;
                        return Some(Err(Unreadable { origin, problem }));
                    }
                },
            };
            match pieces.next() {
                Some(Ok(Piece { text, at, list, is_envelope })) => {
                    return Some(Ok(Chunk { origin, text, at, list, is_envelope }));
                }
                Some(Err(problem)) => return Some(Err(Unreadable { origin, problem })),
                None => {
                    self.open = None;
                    self.at += 1;
                }
            }
        }
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }

    fn rewind(&mut self) {
        self.at = 0;
        self.open = None;
    }

    fn size(&self) -> Option<u64> {
        self.sources.iter().map(Source::size).sum()
    }
}
