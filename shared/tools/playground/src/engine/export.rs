//! Reports and command lines for a workspace.

use report::{Format, Options, Place};
use scan::{EntryRequest, Pods, Policy, Scan};
use serde_json::Value;

use super::Playground;
use super::policies::Prepared;
use crate::exchange::{Command, NamedText, ReportFormat};
use crate::matrix::RequestOrigin;
use crate::types::{Operation, User};
use crate::user;
use crate::workspace::{PolicyInput, PolicyMode, RequestInput};

/// The name of the objects in reports and commands.
const OBJECTS: &str = "objects.yaml";

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Returns a report about the objects, as `portcullis scan` writes it.
pub(super) fn report(playground: &Playground, format: ReportFormat) -> String {
    let format = match format {
        ReportFormat::Markdown => Format::Markdown,
        ReportFormat::Sarif => Format::Sarif,
        ReportFormat::Html => Format::Html,
        ReportFormat::Json => Format::Json,
    };
    // A scan owns its policies.
    let inputs = (0..).zip(&playground.workspace.policies).filter(|(_, input)| input.enabled);
    let policies: Vec<Policy> =
        inputs.filter_map(|(index, input)| Prepared::of(index, input).into_policy()).collect();
    let scan = Scan::new(policies, scan::Options::default());
    let requests = playground.evaluated.iter().map(|evaluated| {
        let is_review = evaluated.origin() == Some(RequestOrigin::Review);
        let evaluates_pods = playground.workspace.evaluates_pods && !is_review;
        let request = evaluated.make(&playground.stored, playground.cluster().kinds());
        EntryRequest {
            placed: &evaluated.placed,
            entry: evaluated.number(),
            steps: evaluated.root("object", &[]),
            request: request.map(|request| request.as_value().clone()),
            pods: if evaluates_pods { Pods::Auto } else { Pods::Off },
        }
    });
    let report = scan.report(OBJECTS, requests.collect(), playground.cluster());
    let objects = &playground.workspace.objects;
    let sources = |place: &Place| {
        let lines = place.span?;
        let first = usize::try_from(lines.start.line).ok()?.checked_sub(1)?;
        let count = usize::try_from(lines.end.line).ok()?.checked_sub(first)?;
        Some(manifest::lines(objects).skip(first).take(count).collect::<Vec<_>>().join("\n"))
    };
    let options = Options { sources: Some(&sources), ..Options::default() };
    let mut text = Vec::new();
    // Nothing fails that writes to memory.
    let _ = report::write(&mut text, &report, format, &options);
    String::from_utf8(text).unwrap_or_default()
}

/// Returns the commands that give the same verdicts.
pub(super) fn commands(playground: &Playground) -> Vec<Command> {
    let workspace = &playground.workspace;
    let enabled = || workspace.policies.iter().zip(&playground.policies).filter(|(input, _)| input.enabled);
    let mut files = vec![file(OBJECTS, &workspace.objects)];
    let mut words = vec!["portcullis".to_owned(), "scan".to_owned(), OBJECTS.to_owned()];
    let mut remarks = Vec::new();
    let mut has_rules_alone = false;
    for (input, prepared) in enabled() {
        let name = format!("{}.yaml", prepared.state.name);
        let Some(manifest) = manifest_of(input) else {
            remarks.push(format!("{} is left out: its settings are not valid.", prepared.state.name));
            continue;
        };
        words.extend(["--policy".to_owned(), name.clone()]);
        files.push(file(&name, &manifest));
        has_rules_alone |= input.mode == PolicyMode::RulesOnly;
    }
    if has_rules_alone {
        remarks.push("The policies evaluate only their rules here; the manifests deploy them.".to_owned());
    }
    if !workspace.cluster.trim().is_empty() {
        words.extend(["--cluster".to_owned(), "cluster.yaml".to_owned()]);
        files.push(file("cluster.yaml", &workspace.cluster));
    }
    if !workspace.unreachable.is_empty() {
        remarks.push("A scan cannot simulate an API server that is not reachable.".to_owned());
    }
    words.extend(request_words(&workspace.request, &mut remarks));
    if workspace.request.operation == Operation::Update {
        words.extend(["--old".to_owned(), "old.yaml".to_owned()]);
        files.push(file("old.yaml", &workspace.old_objects));
    }
    if !workspace.requests.is_empty() {
        remarks.push("A scan evaluates all objects as requests of one user and one operation.".to_owned());
    }
    let mut commands =
        vec![Command { program: "portcullis".to_owned(), command: shell(&words), files, remarks }];
    commands.extend(kwctl(playground));
    commands
}

fn manifest_of(input: &PolicyInput) -> Option<String> {
    let manifest = super::deployed::manifest(input)?;
    // Rules alone deny, whatever the offered manifest does at first.
    Some(match input.mode {
        PolicyMode::RulesOnly => manifest.replacen("mode: monitor", "mode: protect", 1),
        PolicyMode::AsDeployed => manifest,
    })
}

fn request_words(request: &RequestInput, remarks: &mut Vec<String>) -> Vec<String> {
    let mut words = Vec::new();
    if request.operation == Operation::Delete {
        words.extend(["--operation".to_owned(), "delete".to_owned()]);
    }
    if request.user != User::Ordinary {
        let info = user::info(&request.user);
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        words.extend(["--user".to_owned(), text(info.get("username"))]);
        for group in info.get("groups").and_then(Value::as_array).into_iter().flatten() {
            words.extend(["--group".to_owned(), text(Some(group))]);
        }
    }
    if !request.subresource.trim().is_empty() {
        remarks.push("A scan evaluates no requests to subresources.".to_owned());
    }
    words
}

/// Returns a command of kwctl for the first object and the first policy.
fn kwctl(playground: &Playground) -> Option<Command> {
    let evaluated = playground.evaluated.iter().find(|evaluated| evaluated.state.problem.is_none())?;
    let request = evaluated.make(&playground.stored, playground.cluster().kinds())?;
    let enabled = playground.workspace.policies.iter().zip(&playground.policies);
    let (input, _) =
        enabled.into_iter().find(|(input, prepared)| input.enabled && prepared.policy.is_some())?;
    let settings = manifest::documents(&input.settings)
        .ok()?
        .into_iter()
        .next()
        .unwrap_or_else(|| serde_json::json!({}));
    let module = format!("registry://ghcr.io/portcullis/policies/{}:v{VERSION}", input.id);
    let words: Vec<String> = ["kwctl", "run", "--request-path", "request.json", "--settings-json"]
        .map(str::to_owned)
        .into_iter()
        .chain([settings.to_string(), module])
        .collect();
    let mut remarks = vec![format!(
        "kwctl evaluates one request against one policy: {} by {}.",
        evaluated.state.title, input.id
    )];
    if input.mode == PolicyMode::AsDeployed {
        remarks.push("kwctl evaluates no selectors and no match conditions.".to_owned());
    }
    Some(Command {
        program: "kwctl".to_owned(),
        command: shell(&words),
        files: vec![file("request.json", &crate::text::json(request.as_value()))],
        remarks,
    })
}

fn file(name: &str, text: &str) -> NamedText {
    NamedText { name: name.to_owned(), text: text.to_owned() }
}

/// Joins words for a shell of POSIX.
fn shell(words: &[String]) -> String {
    let is_plain = |word: &str| {
        !word.is_empty() && word.chars().all(|one| one.is_ascii_alphanumeric() || "-_./:=@".contains(one))
    };
    let quoted = words
        .iter()
        .map(|word| if is_plain(word) { word.clone() } else { format!("'{}'", word.replace('\'', r"'\''")) });
    quoted.collect::<Vec<_>>().join(" ")
}
