//! Completions of settings and manifests.

use admission::{Kind, Setting, by_path};
use kubernetes::fields::{Fields, Type};

use crate::exchange::{Completion, Completions};

/// Returns the keys and values that can be written at a path of the settings of a policy. Lists
/// have no step in the path.
#[must_use]
pub fn settings_completions(policy: &str, path: &[String]) -> Completions {
    let Some(entry) = rules::find(policy) else { return Completions::default() };
    let docs = |path: &str| {
        let paths = by_path(entry.settings).into_iter().map(|(path, _)| path);
        let found = paths.zip(entry.docs).find(|(known, _)| known == path);
        found.map(|(_, (_, description))| (*description).to_owned()).unwrap_or_default()
    };
    let mut level = entry.settings;
    let mut values: Option<Kind> = None;
    for name in path {
        let Some(setting) = level.iter().find(|setting| setting.name == name) else {
            return Completions::default();
        };
        match inner(setting.kind) {
            Kind::Object(fields) => level = fields,
            kind => {
                values = Some(kind);
                level = &[];
            }
        }
    }
    let at = |name: &str| path.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join(".");
    let key = |setting: &Setting| Completion {
        label: setting.name.to_owned(),
        detail: setting.kind.to_string().replace('`', ""),
        info: docs(&at(setting.name)),
    };
    let is_former = |setting: &&Setting| !matches!(setting.kind, Kind::Former(_));
    let mut options: Vec<Completion> = level.iter().filter(is_former).map(key).collect();
    options.extend(values.into_iter().flat_map(choices).map(|value| Completion {
        label: value,
        detail: String::new(),
        info: String::new(),
    }));
    Completions { options }
}

fn inner(kind: Kind) -> Kind {
    match kind {
        Kind::List(kind) => *kind,
        kind => kind,
    }
}

/// Returns the values of a type, if there are only some.
fn choices(kind: Kind) -> Vec<String> {
    match inner(kind) {
        Kind::Flag => vec!["false".to_owned(), "true".to_owned()],
        Kind::Choice(names) => names.iter().map(|name| (*name).to_owned()).collect(),
        _ => Vec::new(),
    }
}

/// Returns the fields that can be written at a path of an object. Lists have no step in the path.
/// Without a kind, these are the first fields of any object.
#[must_use]
pub fn object_completions(api_version: &str, kind: &str, path: &[String]) -> Completions {
    let option = |label: &str, detail: &str| Completion {
        label: label.to_owned(),
        detail: detail.to_owned(),
        info: String::new(),
    };
    let names: Vec<Completion> = match path {
        [name] if name == "kind" => {
            let kinds = kubernetes::fields::kinds()
                .filter(|(version, _)| api_version.is_empty() || *version == api_version);
            kinds.map(|(version, fields)| option(fields.name, version)).collect()
        }
        [name] if name == "apiVersion" => {
            let kinds =
                kubernetes::fields::kinds().filter(|(_, fields)| kind.is_empty() || fields.name == kind);
            kinds.map(|(version, _)| option(version, "")).collect()
        }
        _ => match kubernetes::fields::fields_of(api_version, kind) {
            None if path.is_empty() => {
                ["apiVersion", "kind", "metadata", "spec"].map(|name| option(name, "")).into()
            }
            fields => {
                let fields = fields.and_then(|fields| below(fields, path));
                let fields = fields.into_iter().flat_map(Fields::entries);
                fields.map(|(name, of)| option(name, detail(*of))).collect()
            }
        },
    };
    let mut options = names;
    options.sort_by(|left, right| left.label.cmp(&right.label));
    options.dedup();
    Completions { options }
}

fn below(fields: &'static Fields, path: &[String]) -> Option<&'static Fields> {
    path.iter().try_fold(fields, |fields, name| match outer(fields.get(name)?) {
        Type::Object(fields) => Some(fields),
        _ => None,
    })
}

fn outer(of: Type) -> Type {
    match of {
        Type::List(of) => outer(*of),
        of => of,
    }
}

fn detail(of: Type) -> &'static str {
    match of {
        Type::Object(_) => "object",
        Type::List(_) => "list",
        Type::Map(_) => "map",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(completions: &Completions) -> Vec<&str> {
        completions.options.iter().map(|option| option.label.as_str()).collect()
    }

    fn path(text: &str) -> Vec<String> {
        text.split('.').filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn settings_have_keys_values_and_documentation() {
        let top = settings_completions("pod-security", &[]);
        assert!(labels(&top).contains(&"level"));
        assert!(top.options.iter().all(|option| !option.info.is_empty() && !option.detail.is_empty()));
        assert_eq!(
            labels(&settings_completions("pod-security", &path("level"))),
            ["restricted", "baseline", "privileged"]
        );
        assert!(labels(&settings_completions("external-ips", &path("allow"))).contains(&"cidrs"));
        assert_eq!(settings_completions("other", &[]), Completions::default());
        assert_eq!(settings_completions("pod-security", &path("x.y")), Completions::default());
    }

    #[test]
    fn objects_have_the_fields_of_their_kinds() {
        let pod = |text: &str| object_completions("v1", "Pod", &path(text));
        assert!(labels(&pod("spec.containers.securityContext")).contains(&"allowPrivilegeEscalation"));
        assert!(labels(&pod("")).contains(&"spec"));
        assert_eq!(pod("spec.x"), Completions::default());
        assert!(labels(&object_completions("apps/v1", "", &path("kind"))).contains(&"Deployment"));
        assert_eq!(labels(&object_completions("", "Deployment", &path("apiVersion"))), ["apps/v1"]);
        assert_eq!(labels(&object_completions("", "", &[])), ["apiVersion", "kind", "metadata", "spec"]);
    }
}
