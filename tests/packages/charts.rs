//! The charts in `artifacthub/charts/policies`, which Rancher's catalogue lists, follow from the
//! policies.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use kubewarden::packaging::{Metadata, rancher_chart};
use serde_json::{Value, json};
use tests::root;

use super::forms::FORMS;
use crate::deploy::{expand, metadata};
use crate::files::{compare_or_write, helm, names};

/// The only template. The extension renders none, and Helm would install a chart without templates
/// as an empty release.
const REFUSAL: &str = r#"{{- fail "this chart installs nothing: it is an entry for Rancher's Kubewarden extension; install the chart portcullis" }}
"#;

/// The text of a chart's README, which Rancher shows next to the form: the fields that the form
/// does not set, or sets to something else.
fn readme(id: &str, metadata: &Metadata) -> String {
    let annotation = |key: &str| &metadata.annotations[key];
    let deployment = kubewarden::deployment::find(id).unwrap();
    let needs = deployment.manifest_needs(&json!({}));
    let tree = format!(
        "{}/blob/{}",
        annotation("io.kubewarden.policy.source"),
        annotation("com.github.release.tag")
    );
    let introduction = format!(
        "Rancher's Kubewarden extension makes a ClusterAdmissionPolicy from this chart. The chart itself installs \
         nothing. The [README]({tree}/policies/{id}/README.md) describes the policy and its settings. \
         [Rancher]({tree}/docs/rancher.md) describes the form."
    );
    let advice =
        "The form does not know the following fields. Choose its YAML view, and replace them in `spec`.";
    let mut text = format!(
        "# {}\n\n{}.\n\n{}\n\n## Complete the form\n\n{advice}\n\n```yaml\n",
        annotation("io.artifacthub.displayName"),
        annotation("io.kubewarden.policy.description"),
        wrapped(&introduction).join("\n"),
    );
    text += "mode: monitor # then protect; Kubewarden does not allow a return to monitor\n\
             failurePolicy: Ignore # Fail in protect mode\n\
             timeoutSeconds: 5\n\
             timeoutEvalSeconds: 2\n";
    writeln!(text, "mutating: {}", needs.mutating).unwrap();
    writeln!(text, "backgroundAudit: {}", needs.background_audit).unwrap();
    if !deployment.skips_infrastructure_namespaces() {
        text += "namespaceSelector: {} # requests from every namespace count\n";
    }
    text += "matchConditions:\n";
    for condition in &needs.match_conditions {
        write!(text, "  - name: {}\n    expression: |-\n", condition.name).unwrap();
        for line in condition.expression.lines() {
            writeln!(text, "      {line}").unwrap();
        }
    }
    text += "```\n";

    let dependencies = dependencies(deployment);
    if !dependencies.is_empty() {
        // The form starts with the rules of the metadata.
        let all = expand(&json!(deployment.all_rules().collect::<Vec<_>>()));
        let has_all = all.is_subset(&expand(&json!(metadata.rules)));
        let subject = if has_all { "They are" } else { "They and the rules of the form are" };
        write!(
            text,
            "\n{subject} for the default settings, and depend on {}.\nThe chart `portcullis` renders them for all \
             settings:\n\n\
             ```console\n\
             $ helm template portcullis artifacthub/charts/portcullis --values values.yaml\n\
             ```\n",
            dependencies.join(", ")
        )
        .unwrap();
    }
    text
}

/// Returns the settings that change the fields, other than rules and look-ups.
fn dependencies(deployment: &kubewarden::deployment::Deployment) -> Vec<String> {
    let fields = |settings: &Value| {
        let needs = deployment.manifest_needs(settings);
        (needs.match_conditions, needs.mutating, needs.background_audit)
    };
    let defaults = fields(&json!({}));
    let changing = |(path, values): &(&str, &[String])| {
        // "" stands for an absent setting, and a value that ends in * for those that begin so.
        values.iter().filter(|value| !value.is_empty()).any(|value| {
            let mut settings = json!({});
            let place = path.split('.').fold(&mut settings, |place, step| &mut place[step]);
            *place = json!(value);
            fields(&settings) != defaults
        })
    };
    let paths: BTreeSet<&str> = deployment.settings().filter(changing).map(|(path, _)| path).collect();
    paths.into_iter().map(|path| format!("`{path}`")).collect()
}

/// Returns the words of a text in lines.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + word.len() < 90 => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[test]
fn the_charts_match_the_policies() {
    let charts = root().join("artifacthub/charts/policies");
    for entry in rules::CATALOG {
        let metadata = metadata(entry.id);
        let files = rancher_chart(&metadata).unwrap();
        let folder = charts.join(entry.id);
        for (name, text) in [
            ("Chart.yaml", &files.chart),
            ("README.md", &readme(entry.id, &metadata)),
            ("questions.yaml", &FORMS[entry.id].to_yaml().unwrap()),
            ("templates/refusal.yaml", &REFUSAL.to_owned()),
            ("values.yaml", &files.values),
        ] {
            compare_or_write(&folder.join(name), text);
        }
        let known = ["Chart.yaml", "README.md", "questions.yaml", "templates", "values.yaml"];
        assert_eq!(names(&folder), known.map(str::to_owned).into());
        assert_eq!(names(&folder.join("templates")), [String::from("refusal.yaml")].into());
    }
    let ids: BTreeSet<String> = rules::CATALOG.iter().map(|entry| entry.id.to_owned()).collect();
    assert_eq!(names(&charts), ids);
}

#[test]
fn the_fields_in_a_readme_are_those_that_the_policy_needs() {
    for entry in rules::CATALOG {
        let metadata = metadata(entry.id);
        let text = readme(entry.id, &metadata);
        let (_, fields) = text.split_once("```yaml\n").unwrap();
        let fields: Value = serde_saphyr::from_str(fields.split_once("```").unwrap().0).unwrap();
        let needs = kubewarden::deployment::find(entry.id).unwrap().manifest_needs(&json!({}));
        assert_eq!(fields["matchConditions"], json!(needs.match_conditions), "{}", entry.id);
        assert_eq!(fields["mutating"], json!(needs.mutating), "{}", entry.id);
        // The form starts with these rules at least, and with the look-ups of all settings.
        let (form, needed) = (expand(&json!(metadata.rules)), expand(&json!(needs.rules)));
        assert!(needed.is_subset(&form), "{}: {needed:?}", entry.id);
        let looked_up = &metadata.context_aware_resources;
        assert!(needs.context_aware_resources.iter().all(|kind| looked_up.contains(kind)), "{}", entry.id);
    }
}

#[test]
fn helm_refuses_to_install_a_chart() {
    for entry in rules::CATALOG {
        let chart = format!("artifacthub/charts/policies/{}", entry.id);
        let Some(rendered) = helm("the refusals of the charts of policies", &chart, "{}") else { return };
        let message = rendered.expect_err(&chart);
        assert!(message.contains("this chart installs nothing"), "{message}");
    }
}
