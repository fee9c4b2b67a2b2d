//! A value of a file with its place, read strictly: an unknown key is a mistake.

use serde_json::Value;
use text::{Path, Step, nearest};

use crate::{Mistake, Places, Position, found};

/// The text of a file with one document.
#[derive(Debug)]
pub struct Source {
    /// The name of the file, for people.
    pub name: String,
    /// The text.
    pub text: String,
    places: Places,
}

impl Source {
    /// The text of a file.
    #[must_use]
    pub fn new(name: String, text: String) -> Self {
        let places = Places::of(&text);
        Self { name, text, places }
    }

    /// Returns the position of a value, or of the nearest one that contains it.
    #[must_use]
    pub fn position(&self, steps: &[Step]) -> Option<Position> {
        self.places.find(0, steps).map(|place| place.start)
    }

    /// Returns the position of a value; `None` if it is not in the text.
    #[must_use]
    pub fn exact_position(&self, steps: &[Step]) -> Option<Position> {
        self.places.find_exactly(0, steps).map(|place| place.start)
    }
}

/// A value of a file, and the way to it.
#[derive(Clone, Debug)]
pub struct Cursor<'s> {
    /// The file.
    pub source: &'s Source,
    /// The value.
    pub value: &'s Value,
    /// The steps from the root of the document.
    pub steps: Vec<Step>,
}

impl<'s> Cursor<'s> {
    /// The root of a document.
    #[must_use]
    pub fn new(source: &'s Source, value: &'s Value) -> Self {
        Self { source, value, steps: Vec::new() }
    }

    /// Returns the position of the value.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        self.source.position(&self.steps)
    }

    /// A mistake in the value.
    #[must_use]
    pub fn mistake(&self, problem: impl std::fmt::Display) -> Mistake {
        let steps: Vec<Step<&str>> = self.steps.iter().map(Step::borrowed).collect();
        let path = Path(&steps).to_string();
        let message = if path.is_empty() { problem.to_string() } else { format!("{path}: {problem}") };
        Mistake::new(&self.source.name, self.position(), message)
    }

    /// Returns the place of the value in words: `portcullis.yaml:3: policies[0].settings`.
    #[must_use]
    pub fn place(&self) -> String {
        let steps: Vec<Step<&str>> = self.steps.iter().map(Step::borrowed).collect();
        let line = self.position().map(|at| format!(":{}", at.line)).unwrap_or_default();
        format!("{}{line}: {}", self.source.name, Path(&steps))
    }

    fn expected(&self, what: &str) -> Mistake {
        self.mistake(format!("expected {what}, found {}", found(self.value)))
    }

    fn at(&self, value: &'s Value, step: Step) -> Self {
        let steps = self.steps.iter().cloned().chain([step]).collect();
        Self { source: self.source, value, steps }
    }

    /// Returns the value of a key; `None` if it is absent or null.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Self> {
        let value = self.value.get(key).filter(|value| !value.is_null())?;
        Some(self.at(value, Step::Field(key.to_owned())))
    }

    /// Checks that the value is an object with nothing but known keys. The mistake for an unknown
    /// key names the nearest known one.
    ///
    /// # Errors
    /// Another value, or an unknown key.
    pub fn check_keys(&self, known: &[&str]) -> Result<(), Mistake> {
        for (key, one) in self.entries()? {
            if !known.contains(&key) {
                let advice = match nearest(key, known) {
                    Some(near) => format!("did you mean {near}?"),
                    None => format!("the keys are {}", known.join(", ")),
                };
                return Err(one.mistake(format!("unknown key; {advice}")));
            }
        }
        Ok(())
    }

    /// Returns the keys of an object with their values.
    ///
    /// # Errors
    /// The value is not an object.
    pub fn entries(&self) -> Result<Vec<(&'s str, Self)>, Mistake> {
        let fields = self.value.as_object().ok_or_else(|| self.expected("an object"))?;
        Ok(fields
            .iter()
            .map(|(key, value)| (key.as_str(), self.at(value, Step::Field(key.clone()))))
            .collect())
    }

    /// Returns the items of a list.
    ///
    /// # Errors
    /// The value is not a list.
    pub fn items(&self) -> Result<Vec<Self>, Mistake> {
        let items = self.value.as_array().ok_or_else(|| self.expected("a list"))?;
        Ok((0..).zip(items).map(|(index, item)| self.at(item, Step::Index(index))).collect())
    }

    /// Returns a string.
    ///
    /// # Errors
    /// The value is not a string.
    pub fn text(&self) -> Result<&'s str, Mistake> {
        self.value.as_str().ok_or_else(|| self.expected("a string"))
    }

    /// Returns the strings of a list.
    ///
    /// # Errors
    /// The value is not a list of strings.
    pub fn texts(&self) -> Result<Vec<String>, Mistake> {
        self.items()?.iter().map(|item| item.text().map(str::to_owned)).collect()
    }

    /// Returns a boolean.
    ///
    /// # Errors
    /// The value is not a boolean.
    pub fn flag(&self) -> Result<bool, Mistake> {
        self.value.as_bool().ok_or_else(|| self.expected("true or false"))
    }

    /// Returns an object.
    ///
    /// # Errors
    /// The value is not an object.
    pub fn object(&self) -> Result<Value, Mistake> {
        if self.value.is_object() { Ok(self.value.clone()) } else { Err(self.expected("an object")) }
    }
}
