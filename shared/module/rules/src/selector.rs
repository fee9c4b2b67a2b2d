//! Label selectors in settings.
//!
//! Source: `LabelSelector` of k8s.io/apimachinery/pkg/apis/meta/v1, and its validation.

use admission::{Choice, Fault, Kind, Node, Setting, SettingsError, choices};

use crate::name::{is_label_key, is_label_value};

pub(crate) const SELECTOR: &[Setting] = &[
    Setting::new("matchLabels", Kind::Texts),
    Setting::new("matchExpressions", Kind::List(&Kind::Object(EXPRESSION))),
];

const EXPRESSION: &[Setting] = &[
    Setting::new("key", Kind::Text),
    Setting::new("operator", Kind::Choice(Operator::NAMES)),
    Setting::new("values", Kind::List(&Kind::Text)),
];

choices! {
    pub enum Operator {
        In,
        NotIn,
        Exists,
        DoesNotExist,
    }
}

/// A list of requirements on labels, all of which must be met.
#[derive(Debug)]
pub(crate) struct Selector(Vec<Requirement>);

#[derive(Debug)]
struct Requirement {
    key: String,
    operator: Operator,
    values: Vec<String>,
}

impl Selector {
    /// Reads a selector. Errors are what the API server would reject, an empty selector, which
    /// would select every object, and requirements that contradict each other.
    pub(crate) fn read(setting: Node<'_>) -> Result<Option<Self>, SettingsError> {
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
            "the empty selector matches every object; remove the key or add at least one label"
        } else if is_unsatisfiable(&requirements) {
            "never matches, because requirements on the same label contradict each other; remove one of them"
        } else {
            return Ok(Some(Self(requirements)));
        };
        Err(SettingsError::at(setting, problem))
    }

    pub(crate) fn matches(&self, labels: Node<'_>) -> Result<bool, Fault> {
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
        (Operator::In | Operator::NotIn, true) => "In and NotIn need values; add at least one",
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
    Err(SettingsError::about(setting, key, "is not a label key; use a form such as team or example.com/team"))
}

fn check_value(setting: Node<'_>, value: &str) -> Result<(), SettingsError> {
    if is_label_value(value) {
        return Ok(());
    }
    Err(SettingsError::about(
        setting,
        value,
        "is not a label value; write at most 63 letters, digits, -, _ and ., with a letter or digit at both ends",
    ))
}

/// Returns whether the requirements on some key contradict each other.
fn is_unsatisfiable(requirements: &[Requirement]) -> bool {
    requirements.iter().any(|requirement| {
        let met = |value| requirements.iter().all(|r| r.key != requirement.key || r.is_met(value));
        // It is enough to try an absent label, every listed value, and one value that is not
        // listed.
        let mut listed = requirements.iter().flat_map(|r| &r.values);
        !(met(None) || met(Some("\0")) || listed.any(|value| met(Some(value))))
    })
}
