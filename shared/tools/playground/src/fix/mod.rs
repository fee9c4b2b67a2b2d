//! Fixes: changes of an object that follow from the rules' own remedies.

#[cfg(feature = "whole")]
mod apply;
#[cfg(feature = "whole")]
pub(crate) mod edit;

use manifest::Step;
use scan::Violation;
use serde_json::Value;

/// The change that a remedy asks for.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Action {
    Set(Value),
    Add(Value),
    /// Remove the field, or the item of a list.
    Remove,
}

/// The remedies that ask for a removal begin with these words.
const REMOVE: [&str; 2] = ["remove it", "remove the annotation"];

/// The remedies that ask for a value, by their beginning.
const SET: [(&str, bool); 2] = [("set it to true", true), ("set it to false", false)];

/// The remedies that ask for an item of a list, by their beginning, with the item.
const ADD: [(&str, &str); 1] = [("add it to capabilities.drop", "ALL")];

/// The fields whose remedy offers several values, and the one that the standard's users choose: the
/// profile of the runtime.
const PROFILES: [&str; 2] = ["seccompProfile", "appArmorProfile"];

/// Returns what to do about a violation at a path of the object; `None` if no value follows from
/// the remedy.
pub(crate) fn action(violation: &Violation, path: &[Step]) -> Option<Action> {
    action_of(violation.remedy.as_deref()?, path)
}

fn action_of(remedy: &str, path: &[Step]) -> Option<Action> {
    let is_profile_type = matches!(
        path,
        [.., Step::Field(profile), Step::Field(name)]
            if name == "type" && PROFILES.contains(&profile.as_str())
    );
    if is_profile_type {
        return Some(Action::Set("RuntimeDefault".into()));
    }
    if let Some((_, value)) = SET.iter().find(|(words, _)| remedy.starts_with(words)) {
        return Some(Action::Set((*value).into()));
    }
    if let Some((_, item)) = ADD.iter().find(|(words, _)| remedy.starts_with(words)) {
        return Some(Action::Add((*item).into()));
    }
    REMOVE.iter().any(|words| remedy.starts_with(words)).then_some(Action::Remove)
}

impl Action {
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Set(value) => {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                format!("Set it to {value}")
            }
            Self::Add(value) => format!("Add {} to the list", value.as_str().unwrap_or_default()),
            Self::Remove => "Remove it".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use rules::pod_security::standard::CHECKS;
    use serde_json::json;

    use super::*;

    fn steps(path: &str) -> Vec<Step> {
        convert::steps(path)
    }

    /// A remedy in other words would lose its fix.
    #[test]
    fn every_remedy_of_pod_security_has_an_action_or_needs_a_decision() {
        let mut without = Vec::new();
        for check in CHECKS {
            for rule in check.revisions.iter().flat_map(|revision| revision.rules) {
                for path in rule.field.paths() {
                    let path = steps(&path.replace('*', "0"));
                    for remedy in [rule.remedy, rule.remedy_if_unset] {
                        if !remedy.is_empty()
                            && action_of(remedy, &path).is_none()
                            && !without.contains(&remedy)
                        {
                            without.push(remedy);
                        }
                    }
                }
            }
        }
        // Somebody has to choose the type of the volume.
        without.sort_unstable();
        let claim = "use one of these, such as a persistentVolumeClaim for a volume of this type";
        assert_eq!(without, ["use another volume type", claim]);
    }

    #[test]
    fn actions_change_objects() {
        let mut object = json!({
            "spec": {
                "hostPID": true,
                "securityContext": { "sysctls": [{ "name": "a" }, { "name": "b" }] },
                "containers": [{ "name": "c", "securityContext": { "privileged": true } }],
            },
        });
        let container = "spec.containers[0].securityContext";
        for (action, path) in [
            (Action::Set(false.into()), format!("{container}.allowPrivilegeEscalation")),
            (Action::Add("ALL".into()), format!("{container}.capabilities.drop")),
            (Action::Remove, format!("{container}.privileged")),
            (Action::Remove, "spec.securityContext.sysctls[1].name".to_owned()),
            (Action::Remove, "spec.securityContext.sysctls[0].name".to_owned()),
            (Action::Remove, "spec.hostPID".to_owned()),
        ] {
            action.apply(&mut object, &steps(&path)).unwrap();
        }
        let context = json!({ "allowPrivilegeEscalation": false, "capabilities": { "drop": ["ALL"] } });
        assert_eq!(
            object,
            json!({ "spec": { "containers": [{ "name": "c", "securityContext": context }] } })
        );
        assert_eq!(Action::Remove.apply(&mut object, &steps("spec.x")), None);
        assert_eq!(Action::Remove.apply(&mut object, &steps("spec.containers[7]")), None);
    }
}
