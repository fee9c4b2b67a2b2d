//! The manifests that a conversion writes, and what it could not convert.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Map, Value};

use super::target::Rule;
use crate::args::ManifestOutput;
use crate::failure::Failure;
use crate::report::to_stdout;
use crate::text::one_line;

/// The policy that judges.
pub(super) const POLICY: &str = "pod-security";

/// A policy of Kubewarden.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Manifest {
    pub(super) api_version: &'static str,
    pub(super) kind: &'static str,
    pub(super) metadata: Metadata,
    pub(super) spec: Spec,
}

#[derive(Debug, Serialize)]
pub(super) struct Metadata {
    pub(super) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) namespace: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Spec {
    pub(super) module: String,
    pub(super) mode: Mode,
    pub(super) mutating: bool,
    pub(super) rules: Vec<Rule>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) namespace_selector: Option<Selector>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) object_selector: Option<Selector>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) match_conditions: Vec<MatchCondition>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failure_policy: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) timeout_seconds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) background_audit: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) context_aware_resources: Vec<Resource>,
    pub(super) settings: Map<String, Value>,
}

impl Spec {
    /// What every conversion has in common.
    pub(super) fn new(mode: Mode, rules: Vec<Rule>, settings: Map<String, Value>) -> Self {
        Self {
            module: format!("registry://ghcr.io/portcullis/policies/{POLICY}:v{}", env!("CARGO_PKG_VERSION")),
            mode,
            mutating: false,
            rules,
            namespace_selector: None,
            object_selector: None,
            match_conditions: Vec::new(),
            failure_policy: None,
            timeout_seconds: None,
            background_audit: None,
            context_aware_resources: Vec::new(),
            settings,
        }
    }
}

/// Whether a verdict counts.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Mode {
    Protect,
    Monitor,
}

#[derive(Debug, Serialize)]
pub(super) struct MatchCondition {
    pub(super) name: String,
    pub(super) expression: String,
}

/// A kind that the policy may look up.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Resource {
    pub(super) api_version: &'static str,
    pub(super) kind: &'static str,
}

impl Resource {
    pub(super) const NAMESPACE: Self = Self { api_version: "v1", kind: "Namespace" };
}

/// A label selector.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Selector {
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) match_labels: Map<String, Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) match_expressions: Vec<Requirement>,
}

/// A requirement on one label.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Requirement {
    pub(super) key: String,
    pub(super) operator: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) values: Vec<String>,
}

impl Selector {
    /// Narrows the selector to what another selects, too.
    pub(super) fn narrow(&mut self, other: Self) {
        for (key, value) in other.match_labels {
            if self.match_labels.contains_key(&key) {
                let values = value.as_str().map(str::to_owned).into_iter().collect();
                self.match_expressions.push(Requirement { key, operator: "In".to_owned(), values });
            } else {
                self.match_labels.insert(key, value);
            }
        }
        self.match_expressions.extend(other.match_expressions);
    }
}

/// A place in a document, and what is wrong with it.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) path: String,
    pub(super) problem: String,
}

impl Problem {
    pub(super) fn new(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { path: path.into(), problem: problem.into() }
    }
}

/// Something that is not in any manifest.
#[derive(Debug, Serialize)]
pub(super) struct NotConverted {
    policy: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    path: String,
    problem: String,
}

impl NotConverted {
    /// A problem with a rule of a policy, or with a whole document.
    pub(super) fn new(policy: &str, rule: Option<&str>, Problem { path, problem }: Problem) -> Self {
        Self { policy: policy.to_owned(), rule: rule.map(str::to_owned), path, problem }
    }
}

/// What becomes of a rule or of a document.
#[derive(Debug, Default)]
pub(super) struct Converted {
    pub(super) missing: Vec<NotConverted>,
    /// What a reader of the manifest should know, though nothing is missing.
    pub(super) notes: Vec<String>,
    pub(super) manifest: Option<Manifest>,
}

/// A list as kubectl applies it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct List<'c> {
    api_version: &'static str,
    kind: &'static str,
    items: Vec<&'c Manifest>,
    not_converted: Vec<&'c NotConverted>,
    notes: BTreeSet<&'c str>,
}

/// Why the module would refuse settings; `None` if it would not.
///
/// # Errors
/// When there is no such policy.
pub(super) fn refusal(settings: &Map<String, Value>) -> Result<Option<Problem>, Failure> {
    let entry = rules::find(POLICY)
        .ok_or_else(|| Failure::new(format!("policy {POLICY}: unknown to this version of the tool")))?;
    let text = Value::Object(settings.clone()).to_string();
    let refused = (entry.check_settings)(text.as_bytes()).err();
    Ok(refused.map(|error| Problem::new(error.path(), error.problem())))
}

/// Prints all manifests on standard output, in order, with what is not converted.
///
/// # Errors
/// When standard output cannot be written.
pub(super) fn print(converted: &[Converted], output: ManifestOutput) -> Result<(), Failure> {
    to_stdout(|out| match output {
        ManifestOutput::Yaml => yaml(out, converted),
        ManifestOutput::Json => json(out, converted),
    })
}

fn yaml(out: &mut dyn Write, converted: &[Converted]) -> io::Result<()> {
    let mut first = true;
    // What stands above a manifest belongs to its document.
    let mut comments = Vec::new();
    for Converted { missing, notes, manifest } in converted {
        for NotConverted { policy, rule, path, problem } in missing {
            let rule = rule.as_ref().map(|rule| format!(", rule {rule}")).unwrap_or_default();
            comments.push(format!("not converted: {policy}{rule}: {path}: {problem}"));
        }
        comments.extend(notes.iter().cloned());
        let Some(manifest) = manifest else { continue };
        if !std::mem::take(&mut first) {
            writeln!(out, "---")?;
        }
        write_comments(out, &mut comments)?;
        let text = serde_saphyr::to_string(manifest).map_err(io::Error::other)?;
        out.write_all(text.as_bytes())?;
    }
    write_comments(out, &mut comments)
}

fn write_comments(out: &mut dyn Write, comments: &mut Vec<String>) -> io::Result<()> {
    for comment in comments.drain(..) {
        writeln!(out, "# {}", one_line(&comment))?;
    }
    Ok(())
}

fn json(out: &mut dyn Write, converted: &[Converted]) -> io::Result<()> {
    let list = List {
        api_version: "v1",
        kind: "List",
        items: converted.iter().filter_map(|converted| converted.manifest.as_ref()).collect(),
        not_converted: converted.iter().flat_map(|converted| &converted.missing).collect(),
        notes: converted.iter().flat_map(|converted| &converted.notes).map(String::as_str).collect(),
    };
    serde_json::to_writer(&mut *out, &list)?;
    writeln!(out)
}
