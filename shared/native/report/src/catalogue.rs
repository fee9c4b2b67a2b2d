//! The catalogue of rules: why each exists, an example, and the remedy.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use similar::{ChangeTag, TextDiff};

/// The files of the catalogue, by the ids of the policies.
const FILES: [(&str, &str); 5] = [
    ("external-ips", include_str!("../../../../policies/external-ips/rules.yaml")),
    ("node-labels", include_str!("../../../../policies/node-labels/rules.yaml")),
    ("node-pods", include_str!("../../../../policies/node-pods/rules.yaml")),
    ("pod-security", include_str!("../../../../policies/pod-security/rules.yaml")),
    ("selinux", include_str!("../../../../policies/selinux/rules.yaml")),
];

/// The page with the rules of a policy, without the directory.
const PAGES: &str =
    concat!("https://github.com/portcullis/portcullis/blob/v", env!("CARGO_PKG_VERSION"), "/docs/rules");

/// A rule of a policy, for people. Texts are Markdown: code is in backticks.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The attack or the failure that the rule prevents.
    pub reason: String,
    /// The way out, in the imperative.
    pub remedy: String,
    /// The settings of the policy that change which values the rule refuses.
    #[serde(default)]
    pub settings: Vec<String>,
    /// The names of the same restriction in other systems.
    #[serde(default)]
    pub elsewhere: BTreeMap<String, String>,
    /// A request that the rule denies, as YAML: a case without a name and a want.
    pub example: String,
    /// The fields of the example that are others in a request that the policy admits, as YAML.
    pub instead: String,
}

/// The rules of a policy, by their ids.
pub type Rules = BTreeMap<String, Rule>;

/// Returns the rules of a policy of Portcullis; none for another policy.
#[must_use]
pub fn rules(policy: &str) -> &'static Rules {
    static ALL: LazyLock<BTreeMap<&str, Rules>> = LazyLock::new(|| {
        // A test reads all files.
        FILES.map(|(id, text)| (id, serde_saphyr::from_str(text).unwrap_or_default())).into()
    });
    static NONE: Rules = BTreeMap::new();
    ALL.get(policy).unwrap_or(&NONE)
}

/// Returns whether there is such a rule of Portcullis.
#[must_use]
pub fn has(policy: &str, rule: &str) -> bool {
    rules(policy).contains_key(rule)
}

/// Returns the address of the page about a rule of Portcullis.
#[must_use]
pub fn address(policy: &str, rule: &str) -> String {
    // GitHub writes the anchors of headings in lower case.
    format!("{PAGES}/{policy}.md#{}", rule.to_lowercase())
}

impl Rule {
    /// Returns the example with the fields that make it admitted.
    #[must_use]
    pub fn corrected(&self) -> String {
        let mut corrected = fields(&self.example);
        for (key, text) in fields(&self.instead) {
            match corrected.iter_mut().find(|(known, _)| *known == key) {
                Some((_, old)) => *old = text,
                None => corrected.push((key, text)),
            }
        }
        corrected.into_iter().map(|(_, text)| text).collect()
    }

    /// Returns the lines of the corrected example: each after `+` if it is new, `-` if it is gone,
    /// and a space if it stays.
    #[must_use]
    pub fn change(&self) -> Vec<String> {
        let corrected = self.corrected();
        let diff = TextDiff::from_lines(self.example.as_str(), corrected.as_str());
        let line = |change: similar::Change<&str>| {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            format!("{sign}{}", change.value().trim_end_matches('\n'))
        };
        diff.iter_all_changes().map(line).collect()
    }
}

/// Returns the text of each field of an object in block style, in order.
fn fields(text: &str) -> Vec<(&str, String)> {
    let mut fields: Vec<(&str, String)> = Vec::new();
    for line in text.lines() {
        match fields.last_mut() {
            Some((_, field)) if line.starts_with(' ') => field.push_str(line),
            _ => fields.push((line.split(':').next().unwrap_or_default(), line.to_owned())),
        }
        if let Some((_, field)) = fields.last_mut() {
            field.push('\n');
        }
    }
    fields
}
