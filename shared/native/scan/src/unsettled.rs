//! The pieces that are evaluated again once more objects are collected.

use std::collections::BTreeSet;

use crate::cluster::Kind;
use crate::input::{Chunk, Few, Input, Spool};

/// The pieces of a round whose verdicts depend on objects that were not collected.
#[derive(Debug)]
pub(crate) struct Unsettled {
    lacking: BTreeSet<Kind>,
    pieces: Pieces,
}

#[derive(Debug)]
enum Pieces {
    /// Those of an input that can be read again: their numbers, and the pieces as long as they are
    /// few.
    Numbered(BTreeSet<u64>, Option<Few>),
    /// Those of a running cluster, which can be read only once.
    Spooled(Spool),
}

#[derive(Default)]
pub(crate) struct Rest {
    /// The pieces; `None` for those of the input.
    pub(crate) source: Option<Box<dyn Input>>,
    /// The numbers of the pieces that are not settled; `None` for all.
    pub(crate) numbers: Option<BTreeSet<u64>>,
}

impl Unsettled {
    pub(crate) fn new(is_live: bool) -> Self {
        let pieces = if is_live {
            Pieces::Spooled(Spool::default())
        } else {
            Pieces::Numbered(BTreeSet::new(), Some(Few::default()))
        };
        Self { lacking: BTreeSet::new(), pieces }
    }

    /// Adds the piece with a number, and the kinds that have to be collected for it. Returns a
    /// piece of a running cluster that cannot be kept, and why.
    pub(crate) fn add(
        &mut self,
        number: u64,
        piece: Chunk,
        lacking: &BTreeSet<Kind>,
    ) -> Result<(), (Chunk, String)> {
        match &mut self.pieces {
            Pieces::Numbered(numbers, few) => {
                numbers.insert(number);
                *few = few.take().and_then(|few| few.and(piece));
            }
            Pieces::Spooled(spool) => spool.push(&piece).map_err(|why| (piece, why))?,
        }
        self.lacking.extend(lacking.iter().cloned());
        Ok(())
    }

    /// Returns the kinds to collect, and the pieces that the next round reads.
    pub(crate) fn into_rest(self) -> (BTreeSet<Kind>, Rest) {
        let rest = match self.pieces {
            Pieces::Numbered(_, Some(few)) => Rest { source: Some(Box::new(few)), numbers: None },
            Pieces::Numbered(numbers, None) => Rest { source: None, numbers: Some(numbers) },
            Pieces::Spooled(spool) => Rest { source: Some(Box::new(spool)), numbers: None },
        };
        (self.lacking, rest)
    }
}
