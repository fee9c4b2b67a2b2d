//! A value of a test file with its place, read strictly: an unknown key is a mistake.

use manifest::{Places, Position, found};
use serde_json::Value;
use text::{Path, Step, nearest};

use crate::Mistake;

#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) text: String,
    places: Places,
}

impl Source {
    pub(crate) fn new(name: String, text: String) -> Self {
        let places = Places::of(&text);
        Self { name, text, places }
    }

    pub(crate) fn position(&self, steps: &[Step]) -> Option<Position> {
        self.places.find(0, steps).map(|place| place.start)
    }

    /// Returns the position of a value; `None` if it is not in the text.
    pub(crate) fn exact_position(&self, steps: &[Step]) -> Option<Position> {
        self.places.find_exactly(0, steps).map(|place| place.start)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Cursor<'s> {
    pub(crate) source: &'s Source,
    pub(crate) value: &'s Value,
    pub(crate) steps: Vec<Step>,
}

impl<'s> Cursor<'s> {
    pub(crate) fn new(source: &'s Source, value: &'s Value) -> Self {
        Self { source, value, steps: Vec::new() }
    }

    pub(crate) fn position(&self) -> Option<Position> {
        self.source.position(&self.steps)
    }

    pub(crate) fn mistake(&self, problem: impl std::fmt::Display) -> Mistake {
        let steps: Vec<Step<&str>> = self.steps.iter().map(Step::borrowed).collect();
        let path = Path(&steps).to_string();
        let message = if path.is_empty() { problem.to_string() } else { format!("{path}: {problem}") };
        Mistake::new(&self.source.name, self.position(), message)
    }

    fn expected(&self, what: &str) -> Mistake {
        self.mistake(format!("expected {what}, found {}", found(self.value)))
    }

    fn at(&self, value: &'s Value, step: Step) -> Self {
        let steps = self.steps.iter().cloned().chain([step]).collect();
        Self { source: self.source, value, steps }
    }

    /// Returns the value of a key; `None` if it is absent or null.
    pub(crate) fn get(&self, key: &str) -> Option<Self> {
        let value = self.value.get(key).filter(|value| !value.is_null())?;
        Some(self.at(value, Step::Field(key.to_owned())))
    }

    /// Checks that the value is an object with nothing but known keys. The mistake for an unknown
    /// key names the nearest known one.
    pub(crate) fn check_keys(&self, known: &[&str]) -> Result<(), Mistake> {
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

    pub(crate) fn entries(&self) -> Result<Vec<(&'s str, Self)>, Mistake> {
        let fields = self.value.as_object().ok_or_else(|| self.expected("an object"))?;
        Ok(fields
            .iter()
            .map(|(key, value)| (key.as_str(), self.at(value, Step::Field(key.clone()))))
            .collect())
    }

    pub(crate) fn items(&self) -> Result<Vec<Self>, Mistake> {
        let items = self.value.as_array().ok_or_else(|| self.expected("a list"))?;
        Ok((0..).zip(items).map(|(index, item)| self.at(item, Step::Index(index))).collect())
    }

    pub(crate) fn text(&self) -> Result<&'s str, Mistake> {
        self.value.as_str().ok_or_else(|| self.expected("a string"))
    }

    pub(crate) fn texts(&self) -> Result<Vec<String>, Mistake> {
        self.items()?.iter().map(|item| item.text().map(str::to_owned)).collect()
    }

    pub(crate) fn flag(&self) -> Result<bool, Mistake> {
        self.value.as_bool().ok_or_else(|| self.expected("true or false"))
    }

    pub(crate) fn object(&self) -> Result<Value, Mistake> {
        if self.value.is_object() { Ok(self.value.clone()) } else { Err(self.expected("an object")) }
    }
}
