//! Workspaces as cases of `portcullis test`.

mod want;

use std::collections::{BTreeMap, BTreeSet};

use scan::{Content, Effect, Kind, LookUp};
use serde_json::{Map, Value, json};

use self::want::Want;
use super::evaluated::Evaluated;
use super::expectation::words;
use super::policies::Prepared;
use super::secrets::secrets;
use super::texts::Given;
use super::{Playground, number, summary, texts};
use crate::example::list;
use crate::exchange::{CaseOptions, CaseText, NamedText};
use crate::matrix::{Matrix, Outcome};
use crate::policy_manifest::{self, Use};
use crate::text::yaml;
use crate::types::Operation;
use crate::user;
use crate::workspace::{PolicyMode, Workspace};

/// The needs of the cases of a file, and their names.
#[derive(Debug, Default)]
struct Reached {
    /// The policies that look at an object, by their indices.
    policies: BTreeSet<u32>,
    /// The kinds that policies looked up.
    kinds: BTreeSet<Kind>,
    /// The names of the cases.
    names: BTreeSet<String>,
}

/// The policies of a test file, with the settings in its defaults and the files next to it.
#[derive(Debug, Default)]
struct Listed {
    names: Vec<Value>,
    settings: Map<String, Value>,
    files: Vec<NamedText>,
}

impl Listed {
    fn add_name(&mut self, name: &str, of_policy: &str) -> Result<(), String> {
        if self.names.iter().any(|known| known == name) {
            return Err(format!(
                "two policies have the name {of_policy}; remove one, or rename its manifest"
            ));
        }
        self.names.push(Value::from(name));
        Ok(())
    }
}

/// Writes a workspace as a test file.
pub(super) fn write(playground: &Playground, options: &CaseOptions) -> CaseText {
    written(playground, options).unwrap_or_else(|problem| CaseText {
        problem: Some(problem),
        // A link contains them, too.
        warnings: secrets(playground).into_iter().collect(),
        ..CaseText::default()
    })
}

fn written(playground: &Playground, options: &CaseOptions) -> Result<CaseText, String> {
    let mut workspace = playground.workspace.clone();
    let mut warnings = Vec::new();
    let has_cluster = !workspace.cluster.trim().is_empty() || !workspace.unreachable.is_empty();
    if has_cluster && !options.with_cluster {
        workspace.cluster = list(&[]);
        workspace.unreachable.clear();
        warnings
            .push("The case has no objects of the cluster: look-ups find only those of the text.".to_owned());
    }
    let mut alone = Playground::new();
    let matrix = alone.evaluate(workspace);
    if let Some(problem) = matrix.problems.first() {
        return Err(problem.message.clone());
    }
    let mut reached = Reached::default();
    let mut cases = Vec::new();
    for (index, evaluated) in alone.evaluated.iter().enumerate() {
        match &evaluated.state.problem {
            None => cases.push(alone.case(index, evaluated, options, &mut reached, &mut warnings)?),
            Some(problem) => {
                let title = &evaluated.state.title;
                warnings.push(format!("The case does not have {title}: {}.", problem.message));
            }
        }
    }
    if cases.is_empty() {
        return Err("the input contains no objects; paste at least one".to_owned());
    }
    let Listed { names, settings, files } = alone.listed(&reached.policies)?;
    warnings.extend(changed(playground, &matrix));
    warnings.extend(secrets(&alone));
    if !files.is_empty() {
        // Selectors of a deployment read the labels of Namespaces.
        reached.kinds.insert(("v1".to_owned(), "Namespace".to_owned()));
    }
    let cluster = alone.objects_of_case(&reached.kinds);
    let text = assembled(&alone.workspace, options, &names.into(), (settings, cluster), &cases);
    let length = files.iter().map(|file| file.text.len()).sum::<usize>().saturating_add(text.len());
    Ok(CaseText {
        markdown: markdown(&alone, options, &matrix, &text, &files),
        bytes: number(length),
        text,
        files,
        warnings,
        problem: None,
    })
}

fn assembled(
    workspace: &Workspace,
    options: &CaseOptions,
    policies: &Value,
    (settings, cluster): (Map<String, Value>, Vec<Value>),
    cases: &[String],
) -> String {
    let mut text = String::new();
    for line in [&options.title, &options.note].into_iter().flat_map(|text| text.lines()) {
        if !line.trim().is_empty() {
            text.extend(["# ", line.trim(), "\n"]);
        }
    }
    text.push_str(&field("policies", policies));
    let mut defaults = Map::new();
    if !settings.is_empty() {
        defaults.insert("settings".to_owned(), settings.into());
    }
    if workspace.evaluates_pods {
        defaults.insert("pods".to_owned(), true.into());
    }
    if !workspace.unreachable.is_empty() {
        defaults.insert("cluster".to_owned(), json!({ "unreachable": workspace.unreachable }));
    } else if !cluster.is_empty() {
        if cluster.iter().any(|object| !scan::misspelt(object).is_empty()) {
            defaults.insert("invalid".to_owned(), true.into());
        }
        defaults.insert("cluster".to_owned(), json!({ "objects": cluster }));
    }
    if !defaults.is_empty() {
        text.push_str(&field("defaults", &defaults.into()));
    }
    text.push_str("cases:\n");
    text.push_str(&cases.concat());
    text
}

fn field(name: &str, value: &Value) -> String {
    yaml(&json!({ name: value }))
}

impl Playground {
    /// Returns the objects of the cluster, and those of the text that policies looked up.
    fn objects_of_case(&self, looked_up: &BTreeSet<Kind>) -> Vec<Value> {
        let mut kinds: BTreeSet<Kind> = self.surroundings.stored().iter().map(texts::kind).collect();
        kinds.extend(
            self.surroundings.given.iter().filter(|given| given.is_definition()).filter_map(Given::kind),
        );
        kinds.extend(looked_up.iter().cloned());
        let of_kind = |(api_version, kind): &Kind| self.cluster().objects_of(api_version, kind);
        kinds.iter().flat_map(of_kind).collect()
    }

    /// Lists the policies with these indices.
    fn listed(&self, reached: &BTreeSet<u32>) -> Result<Listed, String> {
        let mut listed = Listed::default();
        for prepared in self.policies.iter().filter(|prepared| reached.contains(&prepared.index)) {
            let Some(input) =
                usize::try_from(prepared.index).ok().and_then(|at| self.workspace.policies.get(at))
            else {
                continue;
            };
            let value = manifest::documents(&input.settings).unwrap_or_default().into_iter().next();
            let value = value.unwrap_or_else(|| json!({}));
            if input.mode == PolicyMode::RulesOnly {
                listed.add_name(&input.id, &input.id)?;
                if value.as_object().is_some_and(|fields| !fields.is_empty()) {
                    listed.settings.insert(input.id.clone(), value);
                }
                continue;
            }
            let manifest = if input.manifest.trim().is_empty() {
                policy_manifest::of(&input.id, &value, Use::Deployment).unwrap_or_default()
            } else {
                input.manifest.clone()
            };
            let name = format!("{}.yaml", prepared.state.name);
            listed.add_name(&name, &prepared.state.name)?;
            listed.files.push(NamedText { name, text: manifest });
        }
        if listed.names.is_empty() {
            let problem = "no policy looks at these objects as its settings deploy it; a test of nothing proves nothing";
            return Err(problem.to_owned());
        }
        Ok(listed)
    }

    /// Writes the case of an object.
    fn case(
        &self,
        index: usize,
        evaluated: &Evaluated,
        options: &CaseOptions,
        reached: &mut Reached,
        warnings: &mut Vec<String>,
    ) -> Result<String, String> {
        let wants = self.wants(evaluated, reached)?;
        for prepared in self.policies.iter().filter(|prepared| prepared.policy.is_some()) {
            let name = &prepared.state.name;
            let tested = wants.get(name).map_or(Outcome::NotLookedAt, Want::outcome);
            let passes = |outcome| outcome >= Outcome::Passed;
            if let Some(outcome) = self.outcome(index, prepared)
                && outcome != tested
                && !(passes(outcome) && passes(tested))
            {
                warnings.push(format!(
                    "{} is {} by the rules of {name}, and {} as its settings deploy it, which the case tests.",
                    evaluated.state.title,
                    words(outcome),
                    words(tested)
                ));
            }
        }
        let mut want: Map<String, Value> =
            wants.into_iter().filter_map(|(name, want)| Some((name, want.value()?))).collect();
        for expected in options.expected.iter().filter(|one| usize::try_from(one.object) == Ok(index)) {
            let policy = self.policies.iter().find(|prepared| prepared.state.name == expected.policy);
            let policy = policy.ok_or_else(|| format!("there is no policy {}", expected.policy))?;
            if self.outcome(index, policy) != Some(expected.outcome) {
                want.remove(&expected.policy);
                want.extend(want::expected(expected)?);
                reached.policies.insert(policy.index);
            }
        }
        // The other policies let the object pass: what they do not look at is admitted, too.
        want.insert("*".to_owned(), json!({ "admitted": true }));
        let title =
            if options.title.trim().is_empty() { "a case of the playground" } else { options.title.trim() };
        let mut name = format!("{title}: {}", evaluated.state.title);
        while !reached.names.insert(name.clone()) {
            name.push_str(" again");
        }
        let mut fields = vec![("name", Value::from(name))];
        if !options.note.trim().is_empty() {
            fields.push(("source", options.note.trim().into()));
        }
        fields.extend(self.question(evaluated)?);
        fields.push(("want", want.into()));
        let lines: String = fields.iter().map(|(name, value)| field(name, value)).collect();
        let mut text = String::new();
        for (number, line) in lines.lines().enumerate() {
            let before = if number == 0 { "- " } else { "  " };
            text.push_str(if line.is_empty() { "" } else { before });
            text.push_str(line);
            text.push('\n');
        }
        Ok(text)
    }

    fn question(&self, evaluated: &Evaluated) -> Result<Vec<(&'static str, Value)>, String> {
        let entry = evaluated.entry().ok_or("the object cannot be read")?;
        let object = match &entry.content {
            Content::Object(object) => object.clone(),
            Content::Review(_) | Content::Untyped(..) | Content::Other(_) => {
                let request = evaluated
                    .make(&self.stored, self.cluster().kinds())
                    .ok_or("the request cannot be read")?;
                let mut fields = vec![("request", request.as_value().clone())];
                let is_unsent = scan::unsent(request.as_value(), self.cluster().kinds()).is_some();
                fields.extend(is_unsent.then_some(("invalid", Value::Bool(true))));
                // A review is evaluated as it is.
                fields.extend(self.workspace.evaluates_pods.then_some(("pods", Value::Bool(false))));
                return Ok(fields);
            }
        };
        let mut fields = vec![("user", user::info(&evaluated.request.user))];
        fields.push(("operation", evaluated.request.operation.name().into()));
        let subresource = evaluated.request.subresource.trim();
        if !subresource.is_empty() {
            fields.push(("subresource", subresource.into()));
        }
        let kinds = self.cluster().kinds();
        let identity = scan::identity_in(&object, crate::NAMESPACE, kinds);
        let stored = identity.and_then(|identity| Some(self.stored.get(&identity)?.value.clone()));
        let request = evaluated.make(&self.stored, kinds);
        if request.is_some_and(|request| scan::unsent(request.as_value(), kinds).is_some()) {
            fields.push(("invalid", true.into()));
        }
        match evaluated.request.operation {
            Operation::Create => fields.push(("object", object)),
            Operation::Delete => fields.push(("oldObject", object)),
            Operation::Update => {
                fields.push(("object", object));
                fields.extend(stored.map(|stored| ("oldObject", stored)));
            }
        }
        Ok(fields)
    }

    /// Returns what the policies do, as the tool asks them: with the conditions of their
    /// deployment.
    fn wants(&self, evaluated: &Evaluated, reached: &mut Reached) -> Result<BTreeMap<String, Want>, String> {
        let mut wants: BTreeMap<String, Want> = BTreeMap::new();
        let mut problem = None;
        let asked = summary::ask_with(self, evaluated, &Prepared::tested, &mut |prepared, answer, asked| {
            if !matches!(answer.verdict.effect, Effect::Skipped) {
                reached.policies.insert(prepared.index);
            }
            let look_ups = answer.verdict.look_ups.iter();
            reached.kinds.extend(look_ups.flat_map(LookUp::kinds));
            if let Effect::Unknown(reason) = &answer.verdict.effect {
                problem = Some(format!("{}: it is not known what happens: {reason}", prepared.state.name));
            }
            wants.entry(prepared.state.name.clone()).or_default().add(answer, asked);
        });
        asked.ok_or("the object makes no request")?;
        problem.map_or(Ok(wants), Err)
    }
}

fn changed(playground: &Playground, without: &Matrix) -> Vec<String> {
    let mut changed = Vec::new();
    for (index, evaluated) in playground.evaluated.iter().enumerate() {
        for prepared in &playground.policies {
            let now = playground.outcome(index, prepared);
            let cell = usize::try_from(prepared.index).ok().and_then(|at| without.cells.get(index)?.get(at));
            let then = cell.and_then(|cell| cell.outcome);
            if let (Some(now), Some(then)) = (now, then.filter(|then| now != Some(*then))) {
                changed.push(format!(
                    "{} at {} is {} here, and {} in the case without the cluster.",
                    evaluated.state.title,
                    prepared.state.name,
                    words(now),
                    words(then)
                ));
            }
        }
    }
    changed
}

/// Returns a case as an issue.
fn markdown(
    playground: &Playground,
    options: &CaseOptions,
    matrix: &Matrix,
    text: &str,
    files: &[NamedText],
) -> String {
    let mut lines = Vec::new();
    if !options.title.trim().is_empty() {
        lines.push(format!("### {}\n", options.title.trim()));
    }
    if !options.note.trim().is_empty() {
        lines.push(format!("{}\n", options.note.trim()));
    }
    lines.push("| object | policy | verdict |\n|---|---|---|".to_owned());
    let cell = |text: &str| text.replace('|', "\\|");
    for (state, cells) in matrix.objects.iter().zip(&matrix.cells) {
        for (prepared, found) in playground.policies.iter().zip(cells) {
            let Some(outcome) = found.outcome else { continue };
            lines.push(format!("| {} | {} | {} |", cell(&state.title), prepared.state.name, words(outcome)));
        }
    }
    for (name, text) in [("case.yaml", text)]
        .into_iter()
        .chain(files.iter().map(|file| (file.name.as_str(), file.text.as_str())))
    {
        // A fence that is longer than any in the text.
        let fence = text.lines().filter_map(|line| {
            let fence = line.trim_start();
            fence.starts_with("```").then(|| fence.chars().take_while(|one| *one == '`').count())
        });
        let fence = "`".repeat(fence.max().map_or(3, |longest| longest.saturating_add(1)));
        lines.push(format!("\n`{name}`\n\n{fence}yaml\n{}\n{fence}", text.trim_end()));
    }
    lines.push("\n```console\n$ portcullis test case.yaml\n```\n".to_owned());
    lines.join("\n")
}
