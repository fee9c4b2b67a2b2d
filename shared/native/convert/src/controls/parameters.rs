//! The settings or parameters of a policy, which may be absent.

use crate::InputError;
use crate::conversion::FieldProblem;
use crate::fields::Fields;

/// The settings or parameters of a policy. If they are absent, so is each of their fields.
#[derive(Clone, Debug)]
pub(crate) struct Parameters<'d> {
    fields: Option<Fields<'d>>,
    /// The path of the whole.
    path: String,
}

impl<'d> Parameters<'d> {
    /// The fields below a key.
    ///
    /// # Errors
    /// A value that is not an object.
    pub(crate) fn below(parent: &Fields<'d>, key: &str) -> Result<Self, InputError> {
        Ok(Self { fields: parent.object(key)?, path: parent.path(key) })
    }

    /// The path of a field.
    pub(crate) fn path(&self, key: &str) -> String {
        self.fields.as_ref().map_or_else(|| self.path.clone(), |fields| fields.path(key))
    }

    /// The path of the whole.
    pub(crate) fn whole(&self) -> &str {
        &self.path
    }

    /// Whether a field is present.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.fields.as_ref().is_some_and(|fields| fields.get(key).is_some())
    }

    /// An object; an absent one has no fields.
    ///
    /// # Errors
    /// A value of another type.
    pub(crate) fn object(&self, key: &str) -> Result<Self, InputError> {
        match &self.fields {
            Some(fields) => Self::below(fields, key),
            None => Ok(Self { fields: None, path: self.path.clone() }),
        }
    }

    /// A boolean.
    ///
    /// # Errors
    /// A value of another type.
    pub(crate) fn flag(&self, key: &str) -> Result<Option<bool>, InputError> {
        self.read(|fields| fields.boolean(key))
    }

    /// A string.
    ///
    /// # Errors
    /// A value of another type.
    pub(crate) fn text(&self, key: &str) -> Result<Option<&'d str>, InputError> {
        self.read(|fields| fields.text(key))
    }

    /// An integer.
    ///
    /// # Errors
    /// A value of another type.
    pub(crate) fn integer(&self, key: &str) -> Result<Option<i64>, InputError> {
        self.read(|fields| {
            let Some(value) = fields.get(key) else { return Ok(None) };
            let problem =
                || fields.error(key, format!("expected an integer, found {}", manifest::found(value)));
            value.as_i64().map(Some).ok_or_else(problem)
        })
    }

    /// A list of strings; empty if the field is absent.
    ///
    /// # Errors
    /// A value of another type.
    pub(crate) fn texts(&self, key: &str) -> Result<Vec<String>, InputError> {
        let Some(fields) = &self.fields else { return Ok(Vec::new()) };
        Ok(fields.texts(key)?.into_iter().map(str::to_owned).collect())
    }

    /// A list of objects; empty if the field is absent.
    ///
    /// # Errors
    /// A value of another type.
    pub(crate) fn objects(&self, key: &str) -> Result<Vec<Self>, InputError> {
        let Some(fields) = &self.fields else { return Ok(Vec::new()) };
        let items = fields.objects(key)?.into_iter().enumerate();
        Ok(items
            .map(|(index, item)| Self { fields: Some(item), path: format!("{}[{index}]", fields.path(key)) })
            .collect())
    }

    /// The fields with keys other than the known ones, as problems.
    pub(crate) fn unknown(&self, known: &[&str]) -> Vec<FieldProblem> {
        self.fields.as_ref().map_or_else(Vec::new, |fields| fields.unknown(known))
    }

    /// An error about a field.
    pub(crate) fn error(&self, key: &str, problem: &str) -> InputError {
        match &self.fields {
            Some(fields) => fields.error(key, problem),
            None => InputError { document: String::new(), path: self.path(key), problem: problem.to_owned() },
        }
    }

    fn read<T>(
        &self,
        value: impl Fn(&Fields<'d>) -> Result<Option<T>, InputError>,
    ) -> Result<Option<T>, InputError> {
        self.fields.as_ref().map(value).transpose().map(Option::flatten)
    }
}
