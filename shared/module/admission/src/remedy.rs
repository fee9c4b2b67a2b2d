//! Remedies: what to do about a violation.

use std::borrow::Cow;
use std::fmt;

/// The remedy of a violation, in the imperative: a change of the object, and the words that follow
/// those of the change.
///
/// # Example
/// ```
/// use admission::{Change, Remedy};
///
/// let remedy = Remedy::set_flag(true).and(", here or for the pod");
/// assert_eq!(remedy.to_string(), "set it to true, here or for the pod");
/// assert_eq!(remedy.change, Some(Change::SetFlag(true)));
///
/// let remedy = Remedy::from("use another volume type");
/// assert_eq!((remedy.change, remedy.words), (None, "use another volume type"));
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Remedy<T = Cow<'static, str>> {
    /// The change after which the object does not violate the rule at this place; `None` if no
    /// change of this object does, or people have to choose one.
    pub change: Option<Change<T>>,
    /// The words that follow those of the change, such as an alternative or a reason. They are the
    /// whole remedy if there is no change.
    pub words: T,
}

/// A change of an object at the place of a violation. It is displayed as an imperative about `it`,
/// the value at that place.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Change<T = Cow<'static, str>> {
    /// Set the value to a boolean.
    SetFlag(bool),
    /// Set the value to a string.
    SetText(T),
    /// Add a string to the list.
    Insert(T),
    /// Remove the field, or the item of a list.
    Remove,
    /// Remove the item of a list that has the value as a field, such as the sysctl with this name.
    RemoveItem,
}

impl Remedy<&'static str> {
    /// Remove the value.
    pub const REMOVE: Self = Self::of(Change::Remove);

    /// A remedy that is a change, without further words.
    #[must_use]
    pub const fn of(change: Change<&'static str>) -> Self {
        Self { change: Some(change), words: "" }
    }

    /// A remedy in words alone.
    #[must_use]
    pub const fn in_words(words: &'static str) -> Self {
        Self { change: None, words }
    }

    /// Set the value to a boolean.
    #[must_use]
    pub const fn set_flag(value: bool) -> Self {
        Self::of(Change::SetFlag(value))
    }

    /// Set the value to a string.
    #[must_use]
    pub const fn set_text(value: &'static str) -> Self {
        Self::of(Change::SetText(value))
    }

    /// Returns the remedy with the words that follow those of the change.
    #[must_use]
    pub const fn and(mut self, words: &'static str) -> Self {
        self.words = words;
        self
    }
}

impl<T: AsRef<str>> Change<T> {
    /// Returns the verb and the value of the imperative.
    fn parts(&self) -> [&str; 3] {
        match self {
            Self::SetFlag(true) => ["set it to ", "true", ""],
            Self::SetFlag(false) => ["set it to ", "false", ""],
            Self::SetText(value) => ["set it to ", value.as_ref(), ""],
            Self::Insert(value) => ["add ", value.as_ref(), " to the list"],
            Self::Remove | Self::RemoveItem => ["remove it", "", ""],
        }
    }
}

impl<T: AsRef<str>> Remedy<T> {
    /// Returns the words, in parts.
    pub(crate) fn parts(&self) -> [&str; 4] {
        let [verb, value, rest] = self.change.as_ref().map_or([""; 3], Change::parts);
        [verb, value, rest, self.words.as_ref()]
    }
}

impl<T: AsRef<str>> fmt::Display for Change<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts().into_iter().try_for_each(|part| f.write_str(part))
    }
}

impl<T: AsRef<str>> fmt::Display for Remedy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts().into_iter().try_for_each(|part| f.write_str(part))
    }
}

/// A remedy in words alone.
impl From<&'static str> for Remedy<&'static str> {
    fn from(words: &'static str) -> Self {
        Self::in_words(words)
    }
}

impl From<&'static str> for Remedy {
    fn from(words: &'static str) -> Self {
        Remedy::in_words(words).into()
    }
}

impl From<String> for Remedy {
    fn from(words: String) -> Self {
        Self { change: None, words: words.into() }
    }
}

impl From<Remedy<&'static str>> for Remedy {
    fn from(Remedy { change, words }: Remedy<&'static str>) -> Self {
        Self { change: change.map(Change::from), words: words.into() }
    }
}

impl From<Change<&'static str>> for Change {
    fn from(change: Change<&'static str>) -> Self {
        match change {
            Change::SetFlag(value) => Self::SetFlag(value),
            Change::SetText(value) => Self::SetText(value.into()),
            Change::Insert(value) => Self::Insert(value.into()),
            Change::Remove => Self::Remove,
            Change::RemoveItem => Self::RemoveItem,
        }
    }
}

impl From<Change> for Remedy {
    fn from(change: Change) -> Self {
        Self { change: Some(change), words: "".into() }
    }
}
