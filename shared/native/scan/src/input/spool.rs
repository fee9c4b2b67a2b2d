//! Pieces that are read again from a temporary file.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::sync::Arc;

use super::chunk::{Chunk, List, Origin, Unreadable};
use super::files::Input;

/// Pieces of an input that can be read only once.
#[derive(Debug, Default)]
pub(crate) struct Spool {
    /// The texts; `None` as long as there are none.
    file: Option<File>,
    entries: Vec<Entry>,
    at: usize,
    /// Why the file takes no more texts.
    failure: Option<String>,
}

/// The parts of a piece that are not in the file.
#[derive(Debug)]
struct Entry {
    origin: Arc<Origin>,
    list: Option<Arc<List>>,
    length: usize,
}

impl Spool {
    /// Adds a piece of a running cluster. After a failure, it adds none: the file may end within a
    /// text.
    pub(crate) fn push(&mut self, chunk: &Chunk) -> Result<(), String> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        self.write(chunk).map_err(|error| {
            let folder = tempfile::env::temp_dir();
            let failure = format!(
                "a temporary file cannot be written to {}: {error}; set TMPDIR to a writable folder with space",
                folder.display()
            );
            self.failure.insert(failure).clone()
        })
    }

    fn write(&mut self, chunk: &Chunk) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile()?),
        };
        file.write_all(chunk.text.as_bytes())?;
        let (origin, list) = (Arc::clone(&chunk.origin), chunk.list.clone());
        self.entries.push(Entry { origin, list, length: chunk.text.len() });
        Ok(())
    }

    fn read(&mut self, length: usize) -> io::Result<String> {
        let mut text = vec![0; length];
        if let Some(file) = &mut self.file {
            if self.at == 0 {
                file.rewind()?;
            }
            file.read_exact(&mut text)?;
        }
        String::from_utf8(text).map_err(io::Error::other)
    }
}

impl Input for Spool {
    fn next(&mut self) -> Option<Result<Chunk, Unreadable>> {
        let Entry { origin, list, length } = self.entries.get(self.at)?;
        let (origin, list, length) = (Arc::clone(origin), list.clone().unwrap_or_default(), *length);
        let read = self.read(length);
        self.at += 1;
        Some(match read {
            Ok(text) => Ok(Chunk::live(origin, text, list)),
            Err(error) => {
                self.at = self.entries.len();
                Err(Unreadable::new(origin, format!("a temporary file cannot be read: {error}")))
            }
        })
    }

    fn rewind(&mut self) {
        self.at = 0;
    }

    fn is_live(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_before_a_failure_come_back() {
        let mut spool = Spool::default();
        let piece = |text: &str| Chunk::live(Origin::file("pods"), text.to_owned(), List::of("v1", "Pod"));
        spool.push(&piece("{}")).unwrap();
        // A file that cannot be written.
        let written = spool.file.replace(File::open("/dev/null").unwrap());
        let failure = spool.push(&piece("[]")).unwrap_err();
        assert!(failure.contains("set TMPDIR to a writable folder with space"), "{failure}");
        spool.file = written;
        assert_eq!(spool.push(&piece("[]")), Err(failure));
        assert_eq!(spool.next().unwrap().unwrap().text, "{}");
        assert!(spool.next().is_none());
    }

    #[test]
    fn pieces_come_back_in_order() {
        let mut spool = Spool::default();
        let list = List::of("v1", "Pod");
        for text in ["{}", "", "{\"a\": \"ü\"}"] {
            spool.push(&Chunk::live(Origin::file("pods"), text.to_owned(), Arc::clone(&list))).unwrap();
        }
        for _ in 0..2 {
            let mut texts = Vec::new();
            while let Some(chunk) = spool.next() {
                let chunk = chunk.unwrap();
                assert_eq!((&*chunk.origin.name, chunk.list.as_ref()), ("pods", Some(&list)));
                texts.push(chunk.text);
            }
            assert_eq!(texts, ["{}", "", "{\"a\": \"ü\"}"]);
            spool.rewind();
        }
    }
}
