//! A case of a test file.

use std::path::Path;
use std::sync::Arc;

use kubernetes::review::{AdmissionRequest, Draft};
use manifest::{Cursor, Mistake};
use scan::{Cluster, Question, Session};
use serde_json::{Map, Value, json};

use crate::files::{self, Files, listed};
use crate::paths;
use crate::policies::{Policies, Settings};
use crate::want::{Want, Wants};

/// The keys of a case that are about its request and surroundings.
const QUESTION: [&str; 13] = [
    "invalid",
    "object",
    "oldObject",
    "objects",
    "patch",
    "request",
    "user",
    "operation",
    "subresource",
    "cluster",
    "pods",
    "settings",
    "session",
];

pub(crate) fn keys() -> Vec<&'static str> {
    ["name", "source", "want"].into_iter().chain(QUESTION).collect()
}

pub(crate) const DEFAULTS: [&str; 13] = QUESTION;

/// The groups of a user that the API server adds to everybody whom it has authenticated.
const AUTHENTICATED: &str = "system:authenticated";

const OPERATIONS: [&str; 4] = ["CREATE", "UPDATE", "DELETE", "CONNECT"];

#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) requests: Vec<Value>,
    /// Whether the case has no objects but those of its request, which are as a webhook receives
    /// them.
    pub(crate) is_received: bool,
    pub(crate) user: Value,
    pub(crate) cluster: Cluster,
    /// The recording that answers look-ups instead of the cluster.
    pub(crate) session: Option<Arc<Session>>,
    pub(crate) pods: bool,
    pub(crate) settings: Settings,
    pub(crate) wants: Wants,
}

/// A case with the defaults of its file.
pub(crate) struct Reader<'s, 'r> {
    pub(crate) case: Cursor<'s>,
    pub(crate) defaults: Option<Cursor<'s>>,
    pub(crate) dir: &'r Path,
    pub(crate) files: &'r Files,
    pub(crate) allows_commands: bool,
}

impl<'s> Reader<'s, '_> {
    pub(crate) fn read(&self, policies: &Policies<'_>) -> Result<Case, Mistake> {
        self.case.check_keys(&keys())?;
        let settings = self.get("settings").map(|at| settings(&at, policies)).transpose()?;
        let wants = match self.case.get("want") {
            Some(want) => Wants::read(&want, policies)?,
            None => return Err(self.case.mistake("has no want; say what the policies are to do")),
        };
        let mut cluster = match self.get("cluster") {
            Some(at) => self.cluster(&at)?,
            None => Cluster::of_objects(Vec::new()).map_err(|error| self.case.mistake(error.to_string()))?,
        };
        let session = self.get("session").map(|at| self.session(&at)).transpose()?;
        if let Some(session) = &session {
            cluster.set_session(Arc::clone(session));
        }
        let user = self.get("user").map(|at| user(&at)).transpose()?.unwrap_or_else(Draft::ordinary_user);
        let requests = self.requests(&user, &cluster)?;
        let mut all = wants.by_policy.values().chain(&wants.others);
        if requests.len() > 1 && all.any(Want::compares_object) {
            let at = self.case.get("want").unwrap_or_else(|| self.case.clone());
            let problem = "several objects cannot be compared with one; write mutated: true, or a case for \
                           each object";
            return Err(at.mistake(problem));
        }
        self.check_absent(wants.by_policy.values().chain(&wants.others), &requests)?;
        Ok(Case {
            requests,
            is_received: self.is_received(),
            user,
            cluster,
            session,
            pods: self.get("pods").map(|at| at.flag()).transpose()?.unwrap_or(false),
            settings: settings.unwrap_or_default(),
            wants,
        })
    }

    /// Returns the value of a key in the case, or else in the defaults.
    fn get(&self, key: &str) -> Option<Cursor<'s>> {
        // The objects of a case replace those of the defaults.
        let objects = ["object", "objects"];
        if objects.contains(&key) && objects.iter().any(|key| self.case.get(key).is_some()) {
            return self.case.get(key);
        }
        self.case.get(key).or_else(|| self.defaults.as_ref()?.get(key))
    }

    /// Checks that the fields that a case wants to be absent exist: a misspelt one always is.
    fn check_absent<'w>(
        &self,
        wants: impl Iterator<Item = &'w Want>,
        requests: &[Value],
    ) -> Result<(), Mistake> {
        let object = requests.first().and_then(|request| request.get("object"));
        let misspelt = |object| wants.flat_map(Want::absent).find_map(|path| paths::misspelt(path, object));
        match object.and_then(misspelt) {
            Some(problem) => {
                let at = self.case.get("want").unwrap_or_else(|| self.case.clone());
                Err(at.mistake(format!("a path in mutated: {problem}")))
            }
            None => Ok(()),
        }
    }

    /// Whether the case has a request and no objects, so that it is evaluated as it is.
    fn is_received(&self) -> bool {
        ["object", "objects", "oldObject"].iter().all(|key| self.get(key).is_none())
    }

    fn may_be_invalid(&self) -> Result<bool, Mistake> {
        Ok(self.get("invalid").map(|at| at.flag()).transpose()?.unwrap_or(false))
    }

    fn session(&self, at: &Cursor<'_>) -> Result<Arc<Session>, Mistake> {
        let path = self.dir.join(at.text()?);
        let text = self.files.text(&path).map_err(|problem| at.mistake(problem))?;
        let session = Session::read(&text);
        session.map(Arc::new).map_err(|problem| at.mistake(format!("{}: {problem}", path.display())))
    }

    fn requests(&self, user: &Value, cluster: &Cluster) -> Result<Vec<Value>, Mistake> {
        let at_objects = self.get("objects");
        let objects = match (&at_objects, self.get("object")) {
            (Some(at), None) => self.objects(at)?.into_iter().map(Some).collect(),
            (None, Some(at)) => vec![Some(self.object(&at)?)],
            (None, None) => vec![None],
            (Some(at), Some(_)) => {
                return Err(at.mistake("a case has either object or objects; remove one of them"));
            }
        };
        let old = self.get("oldObject").map(|at| self.object(&at)).transpose()?;
        let may_be_invalid = self.may_be_invalid()?;
        let operation = self.get("operation").map(|at| operation(&at)).transpose()?;
        let subresource = self.get("subresource").map(|at| at.text().map(str::to_owned)).transpose()?;
        let patch = self.get("patch");
        let request = self.get("request");
        let mut requests = Vec::new();
        for mut object in objects {
            if let Some(patch) = &patch {
                let Some(object) = &mut object else {
                    return Err(patch.mistake("there is no object to change; write object"));
                };
                apply(patch, object)?;
            }
            let question = Question {
                operation: operation.clone(),
                subresource: subresource.clone(),
                user: user.clone(),
                object,
                old_object: old.clone(),
                namespace: "default".to_owned(),
            };
            let made = question.request(cluster.kinds());
            let made = match (made, &request) {
                (Some(made), _) => made,
                (None, Some(_)) => Draft::default().request(),
                (None, None) => {
                    return Err(self.case.mistake("has no object; write object, oldObject or objects"));
                }
            };
            let made = with_fields(made, request.as_ref())?;
            // A recorded request can be that of a newer server.
            let is_recorded = ["object", "oldObject"].iter().any(|key| made.get(*key).is_some_and(is_stored));
            let is_recorded = is_recorded && self.is_received();
            if !may_be_invalid
                && !is_recorded
                && let Some(problem) = scan::unsent(&made, cluster.kinds())
            {
                let place = ["request", "patch", "object", "objects", "oldObject"];
                let place = place.iter().find_map(|key| self.get(key));
                return Err(unsent(place.as_ref().unwrap_or(&self.case), &problem));
            }
            let at = request.as_ref().unwrap_or(&self.case);
            let made = AdmissionRequest::from_value(made).map_err(|error| at.mistake(error))?;
            requests.push(made.as_value().clone());
        }
        Ok(requests)
    }

    /// Reads an object: one that is written out, or one of a file.
    fn object(&self, at: &Cursor<'_>) -> Result<Value, Mistake> {
        if files::is_object(&at.object()?) {
            return Ok(at.value.clone());
        }
        let Some(file) = at.get("file") else {
            let keys: Vec<&str> = at.entries()?.into_iter().map(|(key, _)| key).collect();
            let near = keys.iter().find(|key| text::nearest(key, &["file"]).is_some());
            let advice = match near {
                Some(key) => format!("did you mean file for {key}?"),
                None => "write apiVersion and kind, or the file with the object".to_owned(),
            };
            return Err(at.mistake(format!("is neither an object nor {{file, kind, name}}; {advice}")));
        };
        at.check_keys(&["file", "kind", "name", "namespace"])?;
        let path = self.dir.join(file.text()?);
        let objects = self.files.objects(&path).map_err(|problem| file.mistake(problem))?;
        let wanted = |key: &str| at.get(key).map(|at| at.text()).transpose();
        let (kind, name, namespace) = (wanted("kind")?, wanted("name")?, wanted("namespace")?);
        let is = |wanted: Option<&str>, object: &Value, pointer: &str| {
            wanted.is_none_or(|wanted| object.pointer(pointer).and_then(Value::as_str) == Some(wanted))
        };
        let chosen: Vec<&Value> = objects
            .iter()
            .filter(|object| {
                is(kind, object, "/kind")
                    && is(name, object, "/metadata/name")
                    && is(namespace, object, "/metadata/namespace")
            })
            .collect();
        match chosen.as_slice() {
            [one] => Ok((*one).clone()),
            [] => Err(at.mistake(format!(
                "{} has no such object; it has {}",
                path.display(),
                listed(&objects.iter().collect::<Vec<_>>())
            ))),
            several => Err(at.mistake(format!(
                "{} has several such objects: {}; say which by kind, name and namespace",
                path.display(),
                listed(several)
            ))),
        }
    }

    fn objects(&self, at: &Cursor<'_>) -> Result<Vec<Value>, Mistake> {
        at.check_keys(&["files", "command"])?;
        match (at.get("files"), at.get("command")) {
            (Some(files), None) => self.all_of(&files),
            (None, Some(command)) => {
                let words = command.texts()?;
                if !self.allows_commands {
                    return Err(command.mistake(format!(
                        "the test runs {}; pass --allow-commands if you trust the file",
                        words.join(" ")
                    )));
                }
                files::printed(&words, self.dir).map_err(|problem| command.mistake(problem))
            }
            _ => Err(at.mistake("takes either files or command")),
        }
    }

    fn all_of(&self, at: &Cursor<'_>) -> Result<Vec<Value>, Mistake> {
        let items = at.items()?;
        if items.is_empty() {
            return Err(at.mistake("names no file; write at least one"));
        }
        let mut objects = Vec::new();
        for file in items {
            let path = self.dir.join(file.text()?);
            objects.extend(self.files.objects(&path).map_err(|problem| file.mistake(problem))?);
        }
        Ok(objects)
    }

    fn cluster(&self, at: &Cursor<'_>) -> Result<Cluster, Mistake> {
        at.check_keys(&["objects", "files", "unreachable"])?;
        if let Some(reason) = at.get("unreachable") {
            if at.get("objects").or_else(|| at.get("files")).is_some() {
                return Err(
                    reason.mistake("a cluster that cannot be reached has no objects; remove one of them")
                );
            }
            return Ok(Cluster::unreachable(reason.text()?));
        }
        let may_be_invalid = self.may_be_invalid()?;
        let mut objects = at.get("files").map(|files| self.all_of(&files)).transpose()?.unwrap_or_default();
        for object in at.get("objects").map(|objects| objects.items()).transpose()?.into_iter().flatten() {
            let value = object.object()?;
            if !files::is_object(&value) {
                return Err(object.mistake("has no apiVersion and kind; write a Kubernetes object"));
            }
            objects.push(value);
        }
        let mut suspicions = objects.iter().filter(|object| !is_stored(object)).flat_map(scan::misspelt);
        if let Some(suspicion) = suspicions.next().filter(|_| !may_be_invalid) {
            return Err(unsent(at, &suspicion.message));
        }
        Cluster::of_objects(objects).map_err(|error| at.mistake(error.to_string()))
    }
}

fn unsent(at: &Cursor<'_>, problem: &str) -> Mistake {
    at.mistake(format!("no API server sends this: {problem}; write invalid: true if the case is about it"))
}

/// Whether a server has stored an object, whose fields may be those of a newer version.
fn is_stored(object: &Value) -> bool {
    object.pointer("/metadata/uid").and_then(Value::as_str).is_some_and(|uid| !uid.is_empty())
}

fn operation(at: &Cursor<'_>) -> Result<String, Mistake> {
    let operation = at.text()?;
    if OPERATIONS.contains(&operation) {
        return Ok(operation.to_owned());
    }
    let advice = match text::nearest(&operation.to_uppercase(), &OPERATIONS) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("write one of {}", OPERATIONS.join(", ")),
    };
    Err(at.mistake(format!("{operation:?} is not an operation; {advice}")))
}

/// Reads a user, who is in the group of everybody who is authenticated unless the file names the
/// groups.
fn user(at: &Cursor<'_>) -> Result<Value, Mistake> {
    at.check_keys(&["username", "uid", "groups", "extra"])?;
    let mut user = at.object()?;
    if let Some(fields) = user.as_object_mut() {
        fields.entry("groups").or_insert_with(|| json!([AUTHENTICATED]));
    }
    Ok(user)
}

fn apply(at: &Cursor<'_>, object: &mut Value) -> Result<(), Mistake> {
    for operation in at.items()? {
        operation.check_keys(&["op", "path", "value", "from"])?;
    }
    let patch: json_patch::Patch = serde_json::from_value(at.value.clone())
        .map_err(|error| at.mistake(format!("not a JSON patch: {error}")))?;
    json_patch::patch(object, &patch).map_err(|error| {
        let items = at.items().unwrap_or_default();
        items.get(error.operation).unwrap_or(at).mistake(format!("the patch does not apply: {error}"))
    })
}

/// Puts fields of the file into a request; null removes a field.
fn with_fields(mut request: Value, at: Option<&Cursor<'_>>) -> Result<Value, Mistake> {
    const FIELDS: [&str; 15] = [
        "uid",
        "kind",
        "resource",
        "subResource",
        "requestKind",
        "requestResource",
        "requestSubResource",
        "name",
        "namespace",
        "operation",
        "userInfo",
        "object",
        "oldObject",
        "dryRun",
        "options",
    ];
    if let (Some(at), Some(fields)) = (at, request.as_object_mut()) {
        at.check_keys(&FIELDS)?;
        let given: Map<String, Value> = at.value.as_object().cloned().unwrap_or_default();
        fields.extend(given);
        fields.retain(|_, value| !value.is_null());
    }
    Ok(request)
}

/// Reads the settings of a case: of the only policy, or by policy.
fn settings(at: &Cursor<'_>, policies: &Policies<'_>) -> Result<Settings, Mistake> {
    let names = policies.names();
    let entries = at.entries()?;
    if !entries.is_empty() && entries.iter().all(|(key, _)| names.contains(key)) {
        return entries.into_iter().map(|(name, one)| Ok((name.to_owned(), one.object()?))).collect();
    }
    match names.as_slice() {
        [only] => Ok([((*only).to_owned(), at.value.clone())].into()),
        _ => {
            match entries.iter().find(|(key, _)| !names.contains(key)) {
                Some((key, one)) => Err(one
                    .mistake(format!("{}; settings of several policies are by name", policies.unknown(key)))),
                None => Ok(Settings::new()),
            }
        }
    }
}
