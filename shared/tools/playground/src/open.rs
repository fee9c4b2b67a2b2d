//! Cases of `portcullis test` as workspaces.

use kubernetes::kinds::Kinds;
use kubewarden::matching::PolicyKind;
use manifest::{Step, documents};
use serde_json::{Map, Value, json};

use crate::engine::object_ids;
use crate::engine::texts::{mark_in, problem, unreadable};
use crate::example::list;
use crate::exchange::{ExpectedOutcome, OpenedCase};
use crate::matrix::{Outcome, TextName, TextProblem};
use crate::text::yaml;
use crate::types::{Operation, User};
use crate::user;
use crate::workspace::{ObjectRequest, PolicyInput, PolicyMode, RequestInput, Workspace};

/// Reads a test file that [`Playground::case_text`] wrote, with its other files behind it as
/// further documents.
#[must_use]
pub fn open_case(text: &str) -> OpenedCase {
    match read(text) {
        Ok(opened) => opened,
        Err(problem) => OpenedCase { problem: Some(problem), ..OpenedCase::default() },
    }
}

/// Returns a problem with the value at a path of the test file.
fn about(text: &str, message: impl Into<String>, path: &[Step]) -> TextProblem {
    problem(TextName::Source, message, mark_in(text, TextName::Source, 0, path))
}

fn read(text: &str) -> Result<OpenedCase, TextProblem> {
    let mut values = documents(text).map_err(|error| unreadable(TextName::Source, &error))?.into_iter();
    let file = values.next().unwrap_or_default();
    let manifests: Vec<Value> = values.filter(|value| PolicyKind::of(value).is_some()).collect();
    let (Some(policies), Some(cases)) =
        (texts(file.get("policies")), file.get("cases").and_then(Value::as_array))
    else {
        let message = "expected a test file: an object with policies and cases, as Share writes it";
        return Err(about(text, message, &[]));
    };
    let defaults = file.get("defaults").cloned().unwrap_or_default();
    let first = cases.first().cloned().unwrap_or_default();
    let of_first = |key| of_case(&first, &defaults, key);
    let (names, inputs) = inputs(text, &policies, &manifests, &of_first("settings"))?;
    let mut workspace = Workspace {
        policies: inputs,
        evaluates_pods: of_first("pods") == Value::Bool(true)
            || defaults.get("pods") == Some(&Value::Bool(true)),
        ..Workspace::default()
    };
    set_cluster(&mut workspace, &of_first("cluster"));
    let mut objects = Objects::default();
    let mut expected = Vec::new();
    for (index, case) in (0..).zip(cases) {
        let path = [Step::Field("cases".to_owned()), Step::Index(index)];
        check(case, &defaults, &first)
            .and_then(|()| objects.add(case, &defaults))
            .map_err(|message| about(text, message, &path))?;
        let want = case.get("want").cloned().unwrap_or_default();
        expected.extend(wanted(&want, &names, index));
    }
    workspace.objects = objects.new.join("---\n");
    workspace.old_objects = objects.old.join("---\n");
    set_requests(&mut workspace, objects.requests);
    let name = first.get("name").and_then(Value::as_str).unwrap_or_default();
    Ok(OpenedCase {
        // The name ends with the object.
        title: name.rsplit_once(": ").map_or(name, |(title, _)| title).to_owned(),
        note: first.get("source").and_then(Value::as_str).unwrap_or_default().to_owned(),
        workspace: Some(workspace),
        expected,
        problem: None,
    })
}

/// Returns why the playground cannot evaluate a case: it has one question and one cluster for all
/// objects.
fn check(case: &Value, defaults: &Value, first: &Value) -> Result<(), &'static str> {
    let of_case = |key: &str| of_case(case, defaults, key);
    let is_empty = |value: &Value| value.is_null() || value.as_object().is_some_and(Map::is_empty);
    let differs = |key: &&str| {
        let [one, other] = [of_case(key), self::of_case(first, defaults, key)];
        one != other && !(is_empty(&one) && is_empty(&other))
    };
    if ["settings", "cluster", "pods"].iter().any(differs) {
        return Err("the case has other settings, pods or another cluster than the first one; open it alone");
    }
    if ["patch", "session", "objects"].into_iter().any(|key| !of_case(key).is_null()) {
        return Err("the playground evaluates no patch, session or list of objects; write object");
    }
    if of_case("cluster").get("files").is_some() {
        return Err("the playground reads no files; write the objects of the cluster");
    }
    Ok(())
}

/// Returns a value of a case, or else of the defaults.
fn of_case(case: &Value, defaults: &Value, key: &str) -> Value {
    case.get(key).or_else(|| defaults.get(key)).cloned().unwrap_or_default()
}

/// Returns the policies of a test file, with their names in it.
fn inputs(
    text: &str,
    policies: &[String],
    manifests: &[Value],
    settings: &Value,
) -> Result<(Vec<String>, Vec<PolicyInput>), TextProblem> {
    let mut names = Vec::new();
    let mut inputs = Vec::new();
    for (index, policy) in (0..).zip(policies) {
        let stem =
            policy.rsplit('/').next().unwrap_or(policy).trim_end_matches(".yaml").trim_end_matches(".yml");
        let has_name =
            |manifest: &&Value| manifest.pointer("/metadata/name").and_then(Value::as_str) == Some(stem);
        let is_id = rules::find(policy).is_some();
        let manifest = manifests.iter().find(has_name).filter(|_| !is_id);
        if !is_id && manifest.is_none() {
            let path = [Step::Field("policies".to_owned()), Step::Index(index)];
            let message =
                format!("{policy} is not here; paste its manifest behind the case, after a line ---");
            return Err(about(text, message, &path));
        }
        let of_policy = settings.get(stem).or_else(|| settings.get(policy));
        let own =
            of_policy.or_else(|| (policies.len() == 1).then_some(settings)).filter(|own| own.is_object());
        let manifest = manifest.map(|manifest| with_settings(manifest, own));
        let own = own.filter(|own| own.as_object().is_some_and(|fields| !fields.is_empty()));
        names.push(stem.to_owned());
        inputs.push(PolicyInput {
            id: if is_id { policy.clone() } else { id_of(manifest.as_ref()) },
            enabled: true,
            mode: if is_id { PolicyMode::RulesOnly } else { PolicyMode::AsDeployed },
            settings: own.filter(|_| is_id).map(yaml).unwrap_or_default(),
            manifest: manifest.as_ref().map(yaml).unwrap_or_default(),
        });
    }
    Ok((names, inputs))
}

/// Returns a manifest with the settings of a case, which replace its own or those of the members of
/// a group.
fn with_settings(manifest: &Value, own: Option<&Value>) -> Value {
    let mut manifest = manifest.clone();
    let Some(own) = own else { return manifest };
    let settings = || "settings".to_owned();
    match manifest.pointer_mut("/spec/policies") {
        Some(Value::Object(members)) => {
            for (name, member) in
                members.iter_mut().filter_map(|(name, member)| Some((name, member.as_object_mut()?)))
            {
                if let Some(own) = own.get(name) {
                    member.insert(settings(), own.clone());
                }
            }
        }
        _ => {
            if let Some(Value::Object(spec)) = manifest.get_mut("spec") {
                spec.insert(settings(), own.clone());
            }
        }
    }
    manifest
}

/// Returns the user of a case, who is in the group of everybody who is authenticated unless the
/// case names the groups.
fn user_of(given: Value) -> Result<User, &'static str> {
    let Value::Object(mut fields) = given else { return Ok(User::default()) };
    if fields.contains_key("uid") || fields.contains_key("extra") {
        return Err("users have no uid and no extra in the playground");
    }
    fields.entry("groups").or_insert_with(|| json!(["system:authenticated"]));
    user::of(&Value::Object(fields)).ok_or("the user of the case has no username; write it")
}

/// The objects of the cases, as documents.
#[derive(Default)]
struct Objects {
    new: Vec<String>,
    old: Vec<String>,
    updated: Vec<Value>,
    /// The requests that are not written out, each with the number of its object.
    requests: Vec<(usize, RequestInput)>,
}

impl Objects {
    /// Adds those of a case. The error is why the playground cannot evaluate it.
    fn add(&mut self, case: &Value, defaults: &Value) -> Result<(), &'static str> {
        let of_case = |key| of_case(case, defaults, key);
        let request = of_case("request");
        if request.is_object() {
            self.new.push(yaml(&json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request })));
            return Ok(());
        }
        let (object, old) = (of_case("object"), of_case("oldObject"));
        let operation = operation(&of_case("operation"), &object, &old)
            .ok_or("the playground does not make this operation")?;
        let subject = if operation == Operation::Delete && object.is_null() { &old } else { &object };
        let is_file = |value: &Value| value.get("file").is_some();
        if !subject.is_object() || subject.get("kind").is_none() || is_file(subject) || is_file(&old) {
            return Err("the case has no object that is written out; write object, or oldObject");
        }
        self.new.push(yaml(subject));
        if operation == Operation::Update {
            let kinds = Kinds::default();
            let identity = |object: &Value| scan::identity_in(object, crate::NAMESPACE, &kinds);
            if self.updated.iter().any(|other| *other != old && identity(other) == identity(&old)) {
                return Err("another case updates the same object from another state; open it alone");
            }
            self.old.push(yaml(&old));
            self.updated.push(old);
        }
        let user = user_of(of_case("user"))?;
        let subresource = of_case("subresource").as_str().unwrap_or_default().to_owned();
        self.requests.push((self.new.len() - 1, RequestInput { operation, subresource, user }));
        Ok(())
    }
}

fn id_of(manifest: Option<&Value>) -> String {
    let module = manifest.and_then(|manifest| manifest.pointer("/spec/module")).and_then(Value::as_str);
    let last = module.unwrap_or_default().rsplit('/').next().unwrap_or_default();
    last.split([':', '@']).next().unwrap_or_default().to_owned()
}

fn texts(value: Option<&Value>) -> Option<Vec<String>> {
    value?.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

fn set_cluster(workspace: &mut Workspace, cluster: &Value) {
    if let Some(reason) = cluster.get("unreachable").and_then(Value::as_str) {
        reason.clone_into(&mut workspace.unreachable);
    }
    let objects = cluster.get("objects").and_then(Value::as_array);
    workspace.cluster = list(objects.map_or(&[], Vec::as_slice));
}

/// The default depends on which objects there are.
fn operation(given: &Value, object: &Value, old: &Value) -> Option<Operation> {
    match given.as_str() {
        None if old.is_object() && object.is_object() => Some(Operation::Update),
        None if old.is_object() => Some(Operation::Delete),
        None => Some(Operation::Create),
        Some(_) => serde_json::from_value(given.clone()).ok(),
    }
}

/// Sets the requests about objects, by the indices of these. Requests that are all the same are the
/// request of the workspace.
fn set_requests(workspace: &mut Workspace, requests: Vec<(usize, RequestInput)>) {
    let Some((_, first)) = requests.first() else { return };
    if requests.iter().all(|(_, request)| request == first) {
        workspace.request = first.clone();
        return;
    }
    let ids = object_ids(workspace);
    let own = |(index, request): (usize, RequestInput)| {
        Some(ObjectRequest { object: ids.get(index)?.clone(), request })
    };
    workspace.requests = requests.into_iter().filter_map(own).collect();
}

fn wanted(want: &Value, policies: &[String], object: u32) -> Vec<ExpectedOutcome> {
    let keys: Map<String, Value> = want.as_object().cloned().unwrap_or_default();
    let is_by_policy = keys.keys().any(|key| key == "*" || policies.contains(key));
    let of = |policy: &String| {
        let want = match policies {
            [_] if !is_by_policy => want,
            _ => keys.get(policy).or_else(|| keys.get("*"))?,
        };
        Some(ExpectedOutcome { object, policy: policy.clone(), outcome: outcome(want) })
    };
    policies.iter().filter_map(of).collect()
}

fn outcome(want: &Value) -> Outcome {
    let has = |key: &str| want.get(key).is_some();
    let warns = want.get("warnings").and_then(Value::as_array).is_some_and(|warnings| !warnings.is_empty());
    match () {
        () if has("denied") => Outcome::Denied,
        () if has("fault") => Outcome::Fault,
        () if has("settingsError") => Outcome::Unknown,
        () if has("monitored") => Outcome::Monitored,
        () if has("mutated") => Outcome::Changed,
        () if has("skipped") => Outcome::NotLookedAt,
        () if warns => Outcome::Warned,
        () => Outcome::Passed,
    }
}
