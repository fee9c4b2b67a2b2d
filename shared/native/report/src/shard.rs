//! Shards: the parts of a scan that several programs judge, by namespace.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::fingerprint::digest;

/// One of several equal shares of a scan: `I/N`, from `0/N` to `N-1/N`.
///
/// Shares count from zero, as the completion index of an indexed Job and the shards of
/// kube-state-metrics do.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(into = "String", try_from = "String")]
pub struct Share {
    index: u32,
    count: u32,
}

/// The most shares of a scan. Each of them reads the whole input.
const MOST: u32 = 1000;

impl Share {
    /// Returns whether the share has the objects of a namespace; those of the cluster have the
    /// namespace "".
    ///
    /// The share of a namespace is the number in the first eight hexadecimal digits of the SHA-256
    /// digest of its name, modulo the number of shares. It depends on nothing else, so that all
    /// programs agree.
    #[must_use]
    pub fn has(self, namespace: &str) -> bool {
        let digest = Sha256::digest(namespace);
        let number = digest.iter().take(4).fold(0_u32, |number, byte| (number << 8) | u32::from(*byte));
        number.checked_rem(self.count) == Some(self.index)
    }

    /// The number of shares of the scan.
    #[must_use]
    pub fn count(self) -> u32 {
        self.count
    }

    pub(crate) fn index(self) -> u32 {
        self.index
    }

    /// All shares of the same scan.
    pub(crate) fn all(self) -> impl Iterator<Item = Self> {
        (0..self.count).map(move |index| Self { index, ..self })
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl From<Share> for String {
    fn from(share: Share) -> Self {
        share.to_string()
    }
}

impl TryFrom<String> for Share {
    type Error = InvalidShare;

    fn try_from(text: String) -> Result<Self, InvalidShare> {
        text.parse()
    }
}

impl FromStr for Share {
    type Err = InvalidShare;

    fn from_str(text: &str) -> Result<Self, InvalidShare> {
        // `parse` also reads a sign.
        let number = |text: &str| {
            text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<u32>().ok()).flatten()
        };
        let numbers = text.split_once('/').and_then(|(index, count)| Some((number(index)?, number(count)?)));
        match numbers {
            Some((_, count)) if count == 0 || count > MOST => Err(InvalidShare::Count),
            Some((index, count)) if index >= count => {
                Err(InvalidShare::Index { last: count.saturating_sub(1), count })
            }
            Some((index, count)) => Ok(Self { index, count }),
            None => Err(InvalidShare::Form),
        }
    }
}

/// The reason why a text is not a share.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum InvalidShare {
    /// It has not the form `I/N`.
    Form,
    /// There are no shares, or too many.
    Count,
    /// The share does not exist.
    Index {
        /// The last share.
        last: u32,
        /// The number of shares.
        count: u32,
    },
}

impl fmt::Display for InvalidShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form => f.write_str("write it as I/N, such as 0/4"),
            Self::Count => write!(f, "a scan has 1 to {MOST} shards"),
            Self::Index { last, count } => {
                write!(f, "shards count from zero: use one of 0/{count} to {last}/{count}")
            }
        }
    }
}

impl std::error::Error for InvalidShare {}

/// The shard that a report is about.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Shard {
    /// The share of the scan.
    pub share: Share,
    /// A digest of what the scan asked: its policies and options. Shards with different ones are
    /// not parts of one scan.
    pub scan: String,
}

impl Shard {
    /// Creates the shard of a scan whose verdicts depend on `question`.
    #[must_use]
    pub fn new(share: Share, question: &[&str]) -> Self {
        Self { share, scan: digest(&serde_json::json!(question)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_read() {
        let share = |text: &str| text.parse::<Share>().map_err(|error| error.to_string());
        assert_eq!(share("3/4"), Ok(Share { index: 3, count: 4 }));
        assert_eq!(share("0/1").unwrap().to_string(), "0/1");
        let error = |text: &str| share(text).unwrap_err();
        assert_eq!(error("4/4"), "shards count from zero: use one of 0/4 to 3/4");
        for text in ["0/0", "0/1001"] {
            assert_eq!(error(text), "a scan has 1 to 1000 shards");
        }
        for text in ["", "1", "1/", "/2", "+1/2", "-1/2", "1/2/3", "a/b", "1 /2"] {
            assert_eq!(error(text), "write it as I/N, such as 0/4", "{text}");
        }
    }

    /// Shards are computed on different days by different versions: these values are stable.
    #[test]
    fn each_namespace_is_in_one_share_that_does_not_change() {
        let of = |namespace: &str, count| {
            let shares: Vec<u32> = Share { index: 0, count }
                .all()
                .filter(|share| share.has(namespace))
                .map(|share| share.index)
                .collect();
            assert_eq!(shares.len(), 1, "{namespace} of {count}");
            shares[0]
        };
        // printf %s shop | sha256sum | cut -c1-8
        for (namespace, number) in
            [("", 0xe3b0_c442_u32), ("default", 0x37a8_eec1), ("kube-system", 0x8800_7f70)]
        {
            for count in [1, 2, 3, 4, 5, 7, 1000] {
                assert_eq!(of(namespace, count), number % count, "{namespace} of {count}");
            }
        }
    }

    #[test]
    fn shares_are_of_similar_size() {
        for count in [2_u32, 5, 16] {
            for share in (Share { index: 0, count }).all() {
                let number = (0..4000).filter(|name| share.has(&format!("team-{name}"))).count();
                let fair = 4000 / usize::try_from(count).unwrap();
                assert!(number > fair * 4 / 5 && number < fair * 6 / 5, "{share}: {number}");
            }
        }
    }
}
