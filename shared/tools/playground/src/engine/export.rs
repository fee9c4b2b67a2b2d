//! Reports and command lines for a workspace.

use report::{Format, Level, Notice, Options, Place};
use scan::{EntryRequest, Evaluator, Pods, Scan};
use serde_json::Value;

use super::Playground;
use super::evaluated::Evaluated;
use super::policies::Prepared;
use crate::exchange::{Command, NamedText, ReportFormat};
use crate::matrix::{RequestOrigin, TextName, TextProblem};
use crate::policy_manifest::Use;
use crate::types::{Operation, User};
use crate::user;
use crate::workspace::{PolicyInput, PolicyMode, RequestInput};

/// The name of the objects in reports and commands.
const OBJECTS: &str = "objects.yaml";

/// The names of the other texts in commands.
const CLUSTER: &str = "cluster.yaml";
const OLD: &str = "old.yaml";

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
    let (mut policies, mut notices) = (Vec::new(), Vec::new());
    for (index, input) in inputs {
        let prepared = Prepared::of(index, input);
        let problems = prepared.state.problems.iter();
        notices.extend(problems.map(|problem| error(format!("policy {}: {}", input.id, problem.message))));
        policies.extend(prepared.into_policy());
    }
    let can_evaluate = playground.surroundings.problem().is_none();
    let problems = playground.problems();
    notices
        .extend(problems.iter().map(|problem| error(format!("{}: {}", name_of(problem), problem.message))));
    let scan = Scan::new(policies, scan::Options::default());
    let requests = playground.evaluated.iter().map(|evaluated| {
        let is_review = evaluated.origin() == Some(RequestOrigin::Review);
        let evaluates_pods = playground.workspace.evaluates_pods && !is_review;
        let request =
            can_evaluate.then(|| evaluated.request(&playground.stored, playground.cluster().kinds()));
        let reason = match &evaluated.state.problem {
            Some(problem) => problem.message.clone(),
            None if can_evaluate => "it makes no request".to_owned(),
            None => "it is not evaluated, because the cluster cannot be read".to_owned(),
        };
        EntryRequest {
            placed: &evaluated.placed,
            entry: evaluated.number(),
            steps: evaluated.root("object", &[]),
            request: request.flatten().ok_or(reason),
            pods: if evaluates_pods { Pods::Auto } else { Pods::Off },
        }
    });
    let report = scan.report(OBJECTS, requests.collect(), playground.cluster(), notices);
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

fn error(message: String) -> Notice {
    Notice { level: Level::Error, place: None, message }
}

/// Returns the name of the text of a problem.
fn name_of(problem: &TextProblem) -> &'static str {
    match problem.text {
        TextName::OldObjects => "the stored objects",
        TextName::Cluster => "the cluster",
        TextName::Objects | TextName::Settings { .. } | TextName::Manifest { .. } | TextName::Source => {
            OBJECTS
        }
    }
}

/// Returns the commands that give the same verdicts: a scan, and a command of kwctl for a cell.
pub(super) fn commands(playground: &Playground, cell: Option<(&Evaluated, &Prepared)>) -> Vec<Command> {
    let workspace = &playground.workspace;
    let enabled = || workspace.policies.iter().zip(&playground.policies).filter(|(input, _)| input.enabled);
    let mut files = vec![file(OBJECTS, &workspace.objects)];
    let mut words = vec!["portcullis".to_owned(), "scan".to_owned(), OBJECTS.to_owned()];
    let mut remarks = Vec::new();
    let mut has_rules_alone = false;
    for (input, prepared) in enabled() {
        let name = unique(&prepared.state.name, &files);
        let Some(manifest) = manifest_of(input) else {
            remarks.push(format!("{} is left out: its settings are not valid.", prepared.state.name));
            continue;
        };
        words.extend(["--policy".to_owned(), name.clone()]);
        files.push(file(&name, &manifest));
        has_rules_alone |= input.mode == PolicyMode::RulesOnly;
    }
    if has_rules_alone {
        remarks.push(
            "Policies of which only the rules evaluate here have manifests for every namespace and in protect mode: \
             do not apply them."
                .to_owned(),
        );
    }
    if playground.surroundings.is_given() {
        words.extend(["--cluster".to_owned(), CLUSTER.to_owned()]);
        files.push(file(CLUSTER, &workspace.cluster));
    }
    if !workspace.unreachable.is_empty() {
        remarks.push("A scan cannot simulate an API server that is not reachable.".to_owned());
    }
    if !workspace.evaluates_pods {
        words.extend(["--pods".to_owned(), "off".to_owned()]);
    }
    words.extend(request_words(&workspace.request, &mut remarks));
    if workspace.request.operation == Operation::Update {
        words.extend(["--old".to_owned(), OLD.to_owned()]);
        files.push(file(OLD, &workspace.old_objects));
        remarks.push(
            "A scan also evaluates the deletion of stored objects that are not in the text.".to_owned(),
        );
    }
    if !workspace.requests.is_empty() {
        remarks.push("A scan evaluates all objects as requests of one user and one operation.".to_owned());
    }
    if !words.iter().any(|word| word == "--policy") {
        remarks.push("Without a policy, the tool evaluates its own five.".to_owned());
    }
    let mut commands =
        vec![Command { program: "portcullis".to_owned(), command: shell(&words), files, remarks }];
    commands.extend(cell.and_then(|cell| kwctl(playground, cell)));
    commands
}

fn manifest_of(input: &PolicyInput) -> Option<String> {
    let purpose = match input.mode {
        PolicyMode::RulesOnly => Use::Rules,
        PolicyMode::AsDeployed => Use::Deployment,
    };
    super::deployed::manifest(input, purpose)
}

/// Returns the name of a file that is not among the others.
fn unique(name: &str, files: &[NamedText]) -> String {
    let is_free = |name: &String| {
        ![CLUSTER, OLD].contains(&name.as_str()) && files.iter().all(|file| file.name != *name)
    };
    let first = std::iter::once(format!("{name}.yaml"));
    let more = (2..).map(|number| format!("{name}-{number}.yaml"));
    first.chain(more).find(is_free).unwrap_or_default()
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

/// Returns a command of kwctl for a cell; `None` if kwctl cannot evaluate it.
fn kwctl(playground: &Playground, (evaluated, prepared): (&Evaluated, &Prepared)) -> Option<Command> {
    let request = evaluated.make(&playground.stored, playground.cluster().kinds())?;
    let policy = prepared.policy.as_ref()?;
    let Evaluator::Module(module) = &policy.evaluator else { return None };
    let settings = module.settings();
    let module = match prepared.entry {
        Some(entry) => format!("registry://ghcr.io/portcullis/policies/{}:v{VERSION}", entry.id),
        None => policy.reference.module.clone(),
    };
    let words: Vec<String> = ["kwctl", "run", "--request-path", "request.json", "--settings-json"]
        .map(str::to_owned)
        .into_iter()
        .chain([settings.to_owned(), module])
        .collect();
    let mut remarks = vec![format!(
        "kwctl evaluates one request against one policy: {} by {}.",
        evaluated.state.title, prepared.state.name
    )];
    if prepared.entry.is_none() {
        remarks.push("kwctl evaluates no selectors and no match conditions.".to_owned());
    }
    if playground.surroundings.is_given() {
        let remark = "kwctl reads no objects from here. With --allow-context-aware, a policy looks up those of the \
                      cluster in your kubeconfig.";
        remarks.push(remark.to_owned());
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
