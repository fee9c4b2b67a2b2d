//! The admission plugin `PodSecurity`.
//!
//! Source: `admission/admission.go` and `api/helpers.go` in kubernetes/pod-security-admission. The
//! plugin denies pods at the level of mode enforce and no template.

use admission_review::Draft;
use serde_json::Value;
use standards_model::{Level, Version};

use crate::object::POD;
use crate::{Kind, Model, Namespaces, Object, Verdict};

/// The label of mode enforce, and of its version.
const LABELS: [&str; 2] =
    ["pod-security.kubernetes.io/enforce", "pod-security.kubernetes.io/enforce-version"];

/// A model of the admission plugin `PodSecurity`.
#[derive(Debug)]
pub struct PsaModel {
    level: Level,
    version: Version,
    /// Whether the ordinary user is exempt.
    exempts_user: bool,
    namespaces: Vec<String>,
    runtime_classes: Vec<String>,
}

impl PsaModel {
    /// Reads a `PodSecurityConfiguration`, or an `AdmissionConfiguration` that contains one.
    ///
    /// # Errors
    /// The reason why the document is neither.
    pub fn read(document: &Value) -> Result<Self, String> {
        let plugins = document.get("plugins").and_then(Value::as_array).into_iter().flatten();
        let embedded = plugins
            .filter(|plugin| plugin.get("name").is_some_and(|name| name == "PodSecurity"))
            .find_map(|plugin| plugin.get("configuration"));
        let configuration = embedded.unwrap_or(document);
        let default = |key: &str, otherwise: &'static str| {
            let value = configuration.pointer(&format!("/defaults/{key}")).and_then(Value::as_str);
            value.filter(|value| !value.is_empty()).unwrap_or(otherwise).to_owned()
        };
        let (level, version) = (default("enforce", "privileged"), default("enforce-version", "latest"));
        let names = |key: &str| -> Vec<String> {
            let names = configuration.pointer(&format!("/exemptions/{key}")).and_then(Value::as_array);
            names.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let user = Draft::ordinary_user();
        let user = user.get("username").and_then(Value::as_str).unwrap_or_default();
        Ok(Self {
            level: Level::named(&level).ok_or_else(|| format!("there is no level {level}"))?,
            version: Version::parse(&version).ok_or_else(|| format!("there is no version {version}"))?,
            exempts_user: names("usernames").iter().any(|name| name == user),
            namespaces: names("namespaces"),
            runtime_classes: names("runtimeClasses"),
        })
    }

    /// The level and the version of a Namespace with labels. An invalid level is restricted, and an
    /// invalid version the latest one.
    fn standard(&self, labels: &std::collections::BTreeMap<String, String>) -> (Level, Version) {
        let [level, version] = LABELS.map(|key| labels.get(key));
        let of_version = match version {
            None => self.version,
            Some(text) => Version::parse(text).unwrap_or(Version::Latest),
        };
        let of_level = level.map_or(self.level, |text| Level::named(text).unwrap_or(Level::Restricted));
        (of_level, of_version)
    }
}

impl Model for PsaModel {
    fn kinds(&self) -> Vec<Kind> {
        vec![POD]
    }

    fn judge(&self, object: &Object, namespaces: &Namespaces) -> Verdict {
        let is_in = |names: &[String], name: &str| names.iter().any(|known| known == name);
        if self.exempts_user || is_in(&self.namespaces, object.namespace()) {
            return Verdict::Passes;
        }
        let pod = match object.pod(&object.value) {
            Ok(pod) => pod,
            Err(problem) => return Verdict::Unknown(problem),
        };
        let class = pod.spec.runtime_class_name.as_deref();
        if class.is_some_and(|class| is_in(&self.runtime_classes, class)) {
            return Verdict::Passes;
        }
        let Some(labels) = namespaces.labels(object.namespace()) else {
            let name = object.namespace();
            return Verdict::Unknown(format!("the labels of Namespace {name} are not in the input"));
        };
        let (level, version) = self.standard(labels);
        let violated = standards_model::violated(&pod.metadata, &pod.spec, level, version);
        if violated.is_empty() {
            Verdict::Passes
        } else {
            let checks: Vec<&str> = violated.into_iter().collect();
            Verdict::Violates(format!("PodSecurity {level}:{version}: {}", checks.join(", ")))
        }
    }
}
