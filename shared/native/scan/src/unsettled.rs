//! The pieces that are judged again once more objects are collected.

use std::collections::BTreeSet;

use crate::input::{Chunk, Few, Input, Spool};

/// The pieces of a round whose verdicts depend on objects that were not collected.
#[derive(Debug)]
pub(crate) enum Unsettled {
    /// Those of an input that can be read again: their numbers, and the pieces as long as they are
    /// few.
    Numbered(BTreeSet<u64>, Option<Few>),
    /// Those of a running cluster, which can be read only once.
    Spooled(Spool),
}

/// What a round reads.
#[derive(Default)]
pub(crate) struct Rest {
    /// The pieces; `None` for those of the input.
    pub(crate) source: Option<Box<dyn Input>>,
    /// The numbers of the pieces that are not settled; `None` for all.
    pub(crate) numbers: Option<BTreeSet<u64>>,
}

impl Unsettled {
    pub(crate) fn new(is_live: bool) -> Self {
        if is_live {
            Self::Spooled(Spool::default())
        } else {
            Self::Numbered(BTreeSet::new(), Some(Few::default()))
        }
    }

    /// Adds the piece with a number.
    ///
    /// # Errors
    /// Returns the piece of a running cluster that cannot be kept, and why.
    pub(crate) fn add(&mut self, number: u64, piece: Chunk) -> Result<(), (Chunk, String)> {
        match self {
            Self::Numbered(numbers, few) => {
                numbers.insert(number);
                *few = few.take().and_then(|few| few.and(piece));
                Ok(())
            }
            Self::Spooled(spool) => spool.push(&piece).map_err(|why| (piece, why)),
        }
    }

    /// Returns what the next round reads.
    pub(crate) fn into_rest(self) -> Rest {
        match self {
            Self::Numbered(_, Some(few)) => Rest { source: Some(Box::new(few)), numbers: None },
            Self::Numbered(numbers, None) => Rest { source: None, numbers: Some(numbers) },
            Self::Spooled(spool) => Rest { source: Some(Box::new(spool)), numbers: None },
        }
    }
}
