//! Label selectors.
//!
//! Source: `LabelSelector` of k8s.io/apimachinery/pkg/apis/meta/v1 and its validation.

use admission::{Choice, Fault, Kind, Node, Setting, SettingsError, choices};

use crate::name::{is_label_key, is_label_value};

/// The keys of a label selector in settings.
pub const SELECTOR: &[Setting] = &[
    Setting::new("matchLabels", Kind::Texts),
    Setting::new("matchExpressions", Kind::List(&Kind::Object(EXPRESSION))),
];

const EXPRESSION: &[Setting] = &[
    Setting::new("key", Kind::Text),
    Setting::new("operator", Kind::Choice(Operator::NAMES)),
    Setting::new("values", Kind::List(&Kind::Text)),
];

choices! {
    /// How a requirement compares.
    pub enum Operator {
        /// The label is there with one of the values.
        In,
        /// The label is not there, or has another value.
        NotIn,
        /// The label is there.
        Exists,
        /// The label is not there.
        DoesNotExist,
    }
}

/// Requirements on labels, all of which have to be met.
#[derive(Debug)]
pub struct Selector(Vec<Requirement>);

#[derive(Debug)]
struct Requirement {
    key: String,
    operator: Operator,
    values: Vec<String>,
}

impl Selector {
    /// Reads a selector; `None` where it is absent.
    ///
    /// # Errors
    /// An empty selector, which would select everything, what the API server refuses, and requirements that
    /// no labels can meet together.
    pub fn read(setting: Node<'_>) -> Result<Option<Self>, SettingsError> {
        if !setting.object()? {
            return Ok(None);
        }
        let mut requirements = Vec::new();
        for (key, value) in setting.at("matchLabels").fields()? {
            let text = value.text()?.unwrap_or_default();
            check_key(value, key)?;
            check_value(value, text)?;
            let (key, values) = (key.to_owned(), vec![text.to_owned()]);
            requirements.push(Requirement { key, operator: Operator::In, values });
        }
        for expression in setting.at("matchExpressions").items()? {
            requirements.push(requirement(expression)?);
        }
        let problem = if requirements.is_empty() {
            "an empty selector selects everything; leave the key out or name at least one label"
        } else if is_unsatisfiable(&requirements) {
            "selects nothing, ever: some requirements on the same label exclude each other; remove one of them"
        } else {
            return Ok(Some(Self(requirements)));
        };
        Err(SettingsError::at(setting, problem))
    }

    /// Whether labels meet all requirements.
    ///
    /// # Errors
    /// When the labels cannot be read.
    pub fn matches(&self, labels: Node<'_>) -> Result<bool, Fault> {
        for requirement in &self.0 {
            let label = labels.entry(&requirement.key)?;
            let value = label.map(|label| label.text()).transpose()?.flatten();
            if !requirement.is_met(value) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Requirement {
    fn is_met(&self, value: Option<&str>) -> bool {
        let listed = || value.is_some_and(|value| self.values.iter().any(|known| known == value));
        match self.operator {
            Operator::In => listed(),
            Operator::NotIn => !listed(),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
        }
    }
}

fn requirement(expression: Node<'_>) -> Result<Requirement, SettingsError> {
    let (key, operator, values) = (expression.at("key"), expression.at("operator"), expression.at("values"));
    let text = key.text()?.unwrap_or_default();
    check_key(key, text)?;
    if !operator.is_present()? {
        return Err(SettingsError::at(operator, "is missing; write In, NotIn, Exists or DoesNotExist"));
    }
    let mut requirement =
        Requirement { key: text.to_owned(), operator: Operator::read(operator)?, values: Vec::new() };
    for (item, value) in values.texts()? {
        check_value(item, value)?;
        requirement.values.push(value.to_owned());
    }
    let problem = match (requirement.operator, requirement.values.is_empty()) {
        (Operator::In | Operator::NotIn, true) => "In and NotIn need values; name at least one",
        (Operator::Exists | Operator::DoesNotExist, false) => {
            "Exists and DoesNotExist take no values; remove them"
        }
        _ => return Ok(requirement),
    };
    Err(SettingsError::at(values, problem))
}

fn check_key(setting: Node<'_>, key: &str) -> Result<(), SettingsError> {
    if is_label_key(key) {
        return Ok(());
    }
    Err(SettingsError::about(setting, key, "is no key of a label; write it as team or example.com/team"))
}

fn check_value(setting: Node<'_>, value: &str) -> Result<(), SettingsError> {
    if is_label_value(value) {
        return Ok(());
    }
    Err(SettingsError::about(
        setting,
        value,
        "is no value of a label; write at most 63 letters, digits, -, _ and . between letters or digits",
    ))
}

/// Whether the requirements on some key exclude each other.
fn is_unsatisfiable(requirements: &[Requirement]) -> bool {
    requirements.iter().any(|requirement| {
        let met = |value| requirements.iter().all(|r| r.key != requirement.key || r.is_met(value));
        // Only no label, a value that somebody lists, or one that nobody lists can make a difference.
        let mut listed = requirements.iter().flat_map(|r| &r.values);
        !(met(None) || met(Some("\0")) || listed.any(|value| met(Some(value))))
    })
}
