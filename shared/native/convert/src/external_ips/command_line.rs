//! The command lines of containers.

use crate::InputError;
use crate::fields::Fields;

/// Returns the specification of the pod or of the pod template; `None` for other kinds.
pub(super) fn pod_spec<'d>(object: &Fields<'d>) -> Result<Option<Fields<'d>>, InputError> {
    let Some(spec) = object.object("spec")? else { return Ok(None) };
    match object.text("kind")? {
        Some("Pod") => Ok(Some(spec)),
        Some("Deployment" | "DaemonSet" | "StatefulSet" | "ReplicaSet") => {
            spec.required_object("template")?.object("spec")
        }
        _ => Ok(None),
    }
}

/// The command line of a container.
pub(super) struct CommandLine<'d> {
    image: &'d str,
    /// The words, with the field that each is from.
    words: Vec<(&'static str, &'d str)>,
}

/// The value of a flag, and the field of the container that it is from.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct FlagValue<'d> {
    pub(super) field: &'static str,
    pub(super) text: &'d str,
}

impl<'d> CommandLine<'d> {
    /// Reads the command line.
    ///
    /// # Errors
    /// Fields of another type.
    pub(super) fn of(container: &Fields<'d>) -> Result<Self, InputError> {
        let mut words = Vec::new();
        for field in ["command", "args"] {
            words.extend(container.texts(field)?.into_iter().map(|word| (field, word)));
        }
        Ok(Self { image: container.text("image")?.unwrap_or_default(), words })
    }

    /// Whether the command or the image has the name of a program.
    pub(super) fn runs(&self, program: &str) -> bool {
        let file = |text: &str| text.rsplit('/').next().unwrap_or_default().to_owned();
        let image = file(self.image);
        let image = image.split([':', '@']).next().unwrap_or_default();
        image == program || self.words.first().is_some_and(|(_, word)| file(word) == program)
    }

    /// Whether one of the words is a flag.
    pub(super) fn has(&self, flag: &str) -> bool {
        self.words.iter().any(|(_, word)| {
            let name = word.split('=').next().unwrap_or_default();
            is_flag(name, flag)
        })
    }

    /// The field that contains the name of a flag inside another word, such as a shell script.
    pub(super) fn script_with(&self, flag: &str) -> Option<&'static str> {
        let hides = |word: &str| !word.starts_with('-') && (word.contains(flag) || word.contains("$@"));
        self.words.iter().find(|(_, word)| hides(word)).map(|(field, _)| *field)
    }

    /// The values of a flag, as `--flag=value` or `--flag value`.
    pub(super) fn values(&self, flag: &str) -> Vec<FlagValue<'d>> {
        let mut values = Vec::new();
        let mut words = self.words.iter();
        while let Some((field, word)) = words.next() {
            let text = match word.split_once('=') {
                Some((name, value)) if is_flag(name, flag) => Some(value),
                None if is_flag(word, flag) => words.next().map(|(_, value)| *value),
                _ => None,
            };
            values.extend(text.map(|text| FlagValue { field, text }));
        }
        values
    }
}

/// Whether a word is a flag. Kubernetes reads underscores in the names of flags as hyphens.
fn is_flag(word: &str, flag: &str) -> bool {
    word.strip_prefix("--").is_some_and(|name| name.replace('_', "-") == flag)
}

impl<'d> FlagValue<'d> {
    /// The elements of a list.
    ///
    /// # Errors
    /// Why the elements cannot be known.
    pub(super) fn elements(&self) -> Result<Vec<&'d str>, String> {
        if self.text.contains("$(") {
            return Err(format!("{} is from an environment variable; write the value", self.text));
        }
        if self.text.contains('"') {
            return Err(format!("{} has quotation marks; write the elements without them", self.text));
        }
        Ok(self.text.split(',').filter(|_| !self.text.is_empty()).collect())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Document;

    fn values(container: &serde_json::Value) -> Vec<(&'static str, String)> {
        let document = Document { name: "d".to_owned(), value: container.clone() };
        let fields = Fields::of(&document).unwrap();
        let values = CommandLine::of(&fields).unwrap().values("a-b");
        values.into_iter().map(|value| (value.field, value.text.to_owned())).collect()
    }

    #[test]
    fn finds_the_values_of_a_flag() {
        let container = json!({
            "command": ["/p", "--a-b=1", "--a_b", "2", "--a-bc=3", "-a-b=4", "a-b=5"],
            "args": ["--a-b=6,7", "--a-b"],
        });
        let expected = [("command", "1"), ("command", "2"), ("args", "6,7")];
        assert_eq!(values(&container), expected.map(|(field, text)| (field, text.to_owned())));
    }
}
