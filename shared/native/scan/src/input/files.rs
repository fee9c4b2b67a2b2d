//! Files, folders and the standard input.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use kubernetes::kinds::Kinds;
use manifest::Problem;
use report::Level;

use super::chunk::{Chunk, Cursor, LIMIT, Origin, Unreadable, too_long};
use super::piece::Piece;
use super::pieces::Pieces;
use super::spelling::may_be_object;
use crate::checkout::Checkout;
use crate::cluster::Kind;
use crate::paths::relative;

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
    /// The files of revisions.
    kept: Vec<Arc<Checkout>>,
}

#[derive(Debug)]
struct Source {
    origin: Arc<Origin>,
    content: Content,
    /// How much it matters that the text cannot be read, once that is known.
    level: Option<Level>,
}

#[derive(Debug)]
enum Content {
    File(PathBuf),
    /// The copy of a stream, which can be read again.
    Spool(File),
    Text(Arc<str>),
    Problem(Level, String),
}

impl Files {
    /// Adds a file.
    pub(crate) fn add_file(&mut self, origin: Origin, path: PathBuf) {
        self.push(Arc::new(origin), Content::File(path));
    }

    /// Adds a stream, such as the standard input. It is copied to a temporary file, because a scan
    /// can need it twice.
    pub fn add_stream(&mut self, name: &str, stream: &mut dyn Read) {
        let mut spool = || -> io::Result<File> {
            let mut file = tempfile::tempfile()?;
            io::copy(stream, &mut file)?;
            Ok(file)
        };
        let content = spool()
            .map_or_else(|error| Content::Problem(Level::Error, cannot_be_read(&error)), Content::Spool);
        self.push(Origin::file(name), content);
    }

    /// Adds a text from a program or a revision.
    pub fn add_text(&mut self, origin: Arc<Origin>, text: impl Into<Arc<str>>) {
        self.push(origin, Content::Text(text.into()));
    }

    /// Adds a problem, which the scan reports.
    pub fn add_problem(&mut self, name: &str, level: Level, problem: impl Into<String>) {
        self.push(Origin::file(name), Content::Problem(level, problem.into()));
    }

    /// Adds a sentence for users about how the files were found.
    pub(crate) fn add_remark(&mut self, remark: String) {
        self.remarks.push(remark);
    }

    /// Keeps the files of a revision as long as they are read.
    pub(crate) fn keep(&mut self, checkout: Arc<Checkout>) {
        self.kept.push(checkout);
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

    /// Returns the level of problems of the present text.
    fn level(&mut self) -> Option<Level> {
        let source = self.sources.get_mut(self.at)?;
        let level = source.level.unwrap_or_else(|| source.level());
        source.level = Some(level);
        Some(level)
    }

    fn push(&mut self, origin: Arc<Origin>, content: Content) {
        self.sources.push(Source { origin, content, level: None });
    }
}

/// The longest file, in bytes, that is searched for the names of fields.
const SEARCHED: u64 = 16 * 1024 * 1024;

/// Returns whether a file can contain objects, by its name.
#[must_use]
pub fn is_object_file(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| {
        ["json", "yaml", "yml"].iter().any(|known| extension.eq_ignore_ascii_case(known))
    })
}

/// Returns the name of a file in reports: relative to the working directory where it is below it,
/// with `/` on every system. The name of a file above does not depend on how an argument names its
/// folder.
pub(crate) fn file_name(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let ups = path.components().take_while(|part| *part == Component::ParentDir).count();
    let rest: PathBuf = path.components().skip(ups).collect();
    // A folder that `..` leaves can be a link.
    let is_plain = ups > 0 && !rest.components().any(|part| part == Component::ParentDir);
    let above = here.ancestors().nth(ups).filter(|_| is_plain);
    let from_above = above.map(|above| relative(&here, &above.join(rest)));
    let path = from_above.as_deref().unwrap_or(path);
    let path = path.strip_prefix(&here).unwrap_or(path);
    let path = path.strip_prefix(".").unwrap_or(path);
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    with_colon(path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/"))
}

/// Returns the name of a file in reports. One with a colon begins with `./`, because
/// `REVISION:FILE` is a file of a revision.
#[must_use]
pub fn with_colon(name: String) -> String {
    if name.contains(':') && Path::new(&name).is_relative() { format!("./{name}") } else { name }
}

pub(crate) fn cannot_be_read(error: &io::Error) -> String {
    format!("cannot be read: {error}")
}

impl Source {
    fn open(&self) -> Result<Pieces<Reader>, Problem> {
        let problem = |message: String| Problem::new(None, message);
        let reader: Box<dyn Read> = match &self.content {
            Content::File(path) => {
                Box::new(File::open(path).map_err(|error| problem(cannot_be_read(&error)))?)
            }
            Content::Spool(file) => {
                let copy = file.try_clone().and_then(|mut file| file.seek(SeekFrom::Start(0)).map(|_| file));
                Box::new(copy.map_err(|error| problem(cannot_be_read(&error)))?)
            }
            Content::Text(text) => Box::new(io::Cursor::new(Arc::<[u8]>::from(Arc::clone(text)))),
            Content::Problem(_, message) => return Err(problem(message.clone())),
        };
        Pieces::new(Reader(in_utf8(reader)?))
    }

    /// Returns how much it matters that the text cannot be read: little if it cannot be that of an
    /// object.
    fn level(&self) -> Level {
        match &self.content {
            Content::Problem(level, _) => *level,
            Content::File(path) if self.origin.of_templates.is_some() => {
                let is_short = path.metadata().is_ok_and(|metadata| metadata.len() <= SEARCHED);
                let text = if is_short { std::fs::read(path).ok() } else { None };
                if text.is_some_and(|text| !may_be_object(&text)) { Level::Note } else { Level::Error }
            }
            _ => Level::Error,
        }
    }

    fn size(&self) -> Option<u64> {
        match &self.content {
            Content::File(path) => path.metadata().ok().map(|metadata| metadata.len()),
            Content::Spool(file) => file.metadata().ok().map(|metadata| metadata.len()),
            Content::Text(text) => u64::try_from(text.len()).ok(),
            Content::Problem(..) => Some(0),
        }
    }
}

/// Decodes a text in UTF-16, which begins with a byte order mark; other texts stay as they are.
/// go-yaml decodes such files, so tools other than kubectl deploy them.
pub(super) fn in_utf8(mut text: Box<dyn Read>) -> Result<Box<dyn Read>, Problem> {
    let unreadable = |error: io::Error| Problem::new(None, cannot_be_read(&error));
    let mut mark = Vec::new();
    text.by_ref().take(2).read_to_end(&mut mark).map_err(unreadable)?;
    let unit: fn([u8; 2]) -> u16 = match mark.as_slice() {
        [0xff, 0xfe] => u16::from_le_bytes,
        [0xfe, 0xff] => u16::from_be_bytes,
        _ => return Ok(Box::new(io::Cursor::new(mark).chain(text))),
    };
    let longest = u64::try_from(LIMIT).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    text.take(longest.saturating_add(1)).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > LIMIT {
        return Err(too_long(Cursor::START.0));
    }
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
    match String::from_utf16(&units) {
        Ok(text) if rest.is_empty() => Ok(Box::new(io::Cursor::new(text.into_bytes()))),
        _ => Err(Problem::new(None, "not valid UTF-16")),
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
                        let level = self.level()?;
                        self.at += 1;
                        return Some(Err(Unreadable { origin, problem, level }));
                    }
                },
            };
            match pieces.next() {
                Some(Ok(Piece { text, at, list, is_envelope })) => {
                    return Some(Ok(Chunk { origin, text, at, list, is_envelope }));
                }
                Some(Err(problem)) => {
                    let level = self.level()?;
                    return Some(Err(Unreadable { origin, problem, level }));
                }
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
