use std::fmt;

use admission::{Finding, FindingKind, Findings, PolicyEntry, Remedy};
use serde_json::{Value, json};
use text::{Quoted, Step};

/// The reasons of a denial, at least one.
#[derive(Clone, Debug)]
pub struct Denial {
    /// The reasons.
    pub violations: Vec<Violation>,
    /// The number of further violations, which are counted but not listed.
    pub more: usize,
}

impl Denial {
    pub(crate) fn of_text(reason: String) -> Self {
        Self { violations: vec![of_text(reason, None)], more: 0 }
    }

    /// Returns the lines of the message of the module, which lists what fits into it.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let typed = self.violations.iter().map(|violation| match &violation.message {
            Message::Typed(finding) => Some(Finding::clone(finding)),
            Message::Text(_) => None,
        });
        match typed.collect::<Option<Vec<_>>>() {
            Some(listed) => Findings { listed, more: self.more }.lines(),
            None => self.violations.iter().map(Violation::to_string).collect(),
        }
    }
}

/// A reason of a denial.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The steps in the object; `None` if it is about no value of the object.
    pub steps: Option<Vec<Step>>,
    /// The message, which begins with the path.
    pub(crate) message: Message,
    /// The reason, as a plain fact.
    pub reason: String,
    /// The remedy; `None` for a text of a module.
    pub remedy: Option<Remedy>,
    /// The rule of the policy; `None` for a text of a module.
    pub rule: Option<Rule>,
}

/// A rule of a policy.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The id of the policy, such as `pod-security`.
    pub policy: &'static str,
    /// The id, which never changes.
    pub id: &'static str,
    /// The name for people.
    pub name: &'static str,
}

/// Displays the whole message.
impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message.with_path(None))
    }
}

impl Violation {
    /// Returns the steps from the root of the payload to the value, as in `request.oldObject.spec`;
    /// `None` if it is a text of a module.
    #[must_use]
    pub fn payload_steps(&self) -> Option<&[Step]> {
        match &self.message {
            Message::Typed(finding) => Some(&finding.steps),
            Message::Text(_) => None,
        }
    }

    /// Returns the refused value of a request; `None` if none is shown.
    pub(crate) fn refused(&self, request: &Value) -> Option<Value> {
        let Message::Typed(finding) = &self.message else { return None };
        let FindingKind::Invalid { value: shown } = &finding.kind else { return None };
        let whole = finding.steps.iter().skip(1).try_fold(request, manifest::child);
        // The address is refused because of a port of the Service.
        if finding.id == PORT_CONFLICT {
            let ports = request.pointer("/object/spec/ports").cloned().unwrap_or_default();
            return Some(json!([whole, ports]));
        }
        // A message shows the beginning of a long text, or a part that a violation is about.
        match whole {
            Some(Value::String(text)) if Quoted(text).to_string() != *shown => Some(shown.as_str().into()),
            whole => Some(whole.cloned().unwrap_or_else(|| shown.as_str().into())),
        }
    }
}

/// The rule of `external-ips` about an address and a port.
const PORT_CONFLICT: &str = "port-conflict";

/// The message of a violation, from which the message about another path can be made.
#[derive(Clone, Debug)]
pub(crate) enum Message {
    Typed(Box<Finding>),
    Text(String),
}

impl Message {
    /// Returns the message, with another path in the place of its own.
    pub(crate) fn with_path(&self, steps: Option<&[Step]>) -> String {
        match (self, steps) {
            (Self::Typed(finding), None) => finding.to_string(),
            (Self::Typed(finding), Some(steps)) => {
                let object = ["request", "object"].map(|name| Step::Field(name.to_owned()));
                let mut finding = finding.clone();
                finding.steps = object.into_iter().chain(steps.iter().cloned()).collect();
                finding.to_string()
            }
            (Self::Text(text), None) => text.clone(),
            (Self::Text(text), Some(steps)) => {
                let (_, length) = leading_path(text).unwrap_or_default();
                let steps: Vec<Step<&str>> = steps.iter().map(Step::borrowed).collect();
                format!("{}{}", text::Path(&steps), text.get(length..).unwrap_or_default())
            }
        }
    }
}

pub(crate) fn typed(entry: &PolicyEntry, finding: Finding) -> Violation {
    let is = |name: &str, step: Option<&Step>| matches!(step, Some(Step::Field(field)) if field == name);
    let is_in_object = is("request", finding.steps.first()) && is("object", finding.steps.get(1));
    Violation {
        steps: is_in_object.then(|| finding.steps.iter().skip(2).cloned().collect()),
        reason: finding.rule.clone(),
        remedy: Some(finding.remedy.clone()),
        rule: Some(Rule {
            policy: entry.id,
            id: finding.id,
            name: entry.name_of(finding.id).unwrap_or(finding.id),
        }),
        message: Message::Typed(Box::new(finding)),
    }
}

/// Returns a violation with a text. Its path counts if the object can have the first field.
pub(crate) fn of_text(text: String, object: Option<&Value>) -> Violation {
    let path = leading_path(&text).map(|(steps, _)| steps);
    let has_first = |steps: &Vec<Step>| match (steps.first(), object) {
        (Some(Step::Field(name)), Some(object)) => {
            object.get(name).is_some() || ["metadata", "spec"].contains(&name.as_str())
        }
        _ => false,
    };
    Violation {
        steps: path.filter(has_first),
        reason: text.clone(),
        remedy: None,
        rule: None,
        message: Message::Text(text),
    }
}

/// Returns the path with which a message begins, as `field.Path` of apimachinery writes it, and its
/// length: `spec.containers[0].image: …`.
#[must_use]
pub fn leading_path(text: &str) -> Option<(Vec<Step>, usize)> {
    let mut steps = Vec::new();
    let mut rest = text;
    loop {
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | '$'))?;
        let (name, behind) = rest.split_at_checked(length)?;
        if name.is_empty() {
            return None;
        }
        steps.push(Step::Field(name.to_owned()));
        rest = behind;
        while let Some(inside) = rest.strip_prefix('[') {
            let (key, behind) = inside.split_once(']')?;
            steps.push(
                key.parse().map_or_else(|_| Step::Field(key.trim_matches('"').to_owned()), Step::Index),
            );
            rest = behind;
        }
        match rest.strip_prefix('.') {
            Some(behind) => rest = behind,
            None => return rest.starts_with(':').then(|| (steps, text.len().saturating_sub(rest.len()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_a_foreign_policy_can_begin_with_a_path() {
        let object = json!({ "spec": {}, "metadata": {} });
        for (text, path) in [
            ("spec.containers[0].image: Invalid value", Some("spec.containers[0].image")),
            ("metadata.labels[a.b/c]: x", Some("metadata.labels[a.b/c]")),
            ("status.x: not in the object", None),
            ("Container app: is privileged", None),
            ("no colon", None),
            ("spec", None),
            ("", None),
        ] {
            let violation = of_text(text.to_owned(), Some(&object));
            let shown = violation.steps.as_deref().map(|steps| {
                let steps: Vec<Step<&str>> = steps.iter().map(Step::borrowed).collect();
                text::Path(&steps).to_string()
            });
            assert_eq!(shown.as_deref(), path, "{text}");
        }
        let message = Message::Text("spec.hostPID: Invalid value: true".to_owned());
        let steps = ["spec", "template", "spec", "hostPID"].map(|name| Step::Field(name.to_owned()));
        assert_eq!(message.with_path(Some(&steps)), "spec.template.spec.hostPID: Invalid value: true");
    }
}
