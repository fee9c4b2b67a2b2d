//! Policy reports, written into the cluster.
//!
//! Sources for groups and plurals: `apis/openreports.io/v1alpha1` of openreports/reports-api, and
//! `policy-report/pkg/api/wgpolicyk8s.io/v1alpha2` of kubernetes-sigs/wg-policy-prototypes. For the
//! label by which programs know their reports: `crates/audit-scanner/src/report` of
//! kubewarden/kubewarden-controller.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Value, json};
use text::percent_encoded;

use crate::connection::{Connection, Method, Request};
use crate::error::Error;

/// The field manager of the reports, and the value of their label `app.kubernetes.io/managed-by`.
const MANAGER: &str = "portcullis";

/// The label by which programs find their own reports.
const LABEL: &str = "app.kubernetes.io/managed-by";

/// The beginning of the names of the reports.
const PREFIX: &str = "portcullis-";

/// An API for policy reports.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ReportApi {
    /// `Report` and `ClusterReport` of `openreports.io/v1alpha1`.
    OpenReports,
    /// `PolicyReport` and `ClusterPolicyReport` of `wgpolicyk8s.io/v1alpha2`.
    PolicyReport,
}

impl ReportApi {
    /// All APIs, the preferred first.
    const ALL: [Self; 2] = [Self::OpenReports, Self::PolicyReport];

    fn group(self) -> &'static str {
        match self {
            Self::OpenReports => "openreports.io",
            Self::PolicyReport => "wgpolicyk8s.io",
        }
    }

    fn version(self) -> &'static str {
        match self {
            Self::OpenReports => "v1alpha1",
            Self::PolicyReport => "v1alpha2",
        }
    }

    /// The plurals of reports in namespaces and of those of the cluster.
    fn plurals(self) -> [&'static str; 2] {
        match self {
            Self::OpenReports => ["reports", "clusterreports"],
            Self::PolicyReport => ["policyreports", "clusterpolicyreports"],
        }
    }

    fn path(self) -> String {
        format!("/apis/{}/{}", self.group(), self.version())
    }

    /// Returns the APIs that the cluster has, the preferred first.
    ///
    /// # Errors
    /// The server cannot be asked, or it has neither.
    pub fn installed(connection: &Connection) -> Result<Vec<Self>, Error> {
        let mut found = Vec::new();
        for api in Self::ALL {
            match connection.get(&api.path()) {
                Ok(text) if api.is_whole(&text) => found.push(api),
                Ok(_) => {}
                Err(error) if error.status() == Some(404) => {}
                Err(error) => return Err(error),
            }
        }
        if found.is_empty() {
            let problem = "has neither openreports.io/v1alpha1 nor wgpolicyk8s.io/v1alpha2; install the \
                           definitions of OpenReports";
            return Err(Error::new(format!("{}: {problem}", connection.server())));
        }
        Ok(found)
    }

    /// Returns whether the resources of a group contain both kinds of reports.
    fn is_whole(self, resources: &str) -> bool {
        let resources: Value = serde_json::from_str(resources).unwrap_or_default();
        let resources = resources.get("resources").and_then(Value::as_array);
        let names: Vec<&str> =
            resources.into_iter().flatten().filter_map(|resource| resource.get("name")?.as_str()).collect();
        self.plurals().iter().all(|plural| names.contains(plural))
    }
}

/// Displays group and version.
impl fmt::Display for ReportApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.group(), self.version())
    }
}

/// How reports are applied.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Apply {
    /// Whether earlier reports that are not among the new ones are removed.
    pub removes_stale: bool,
    /// Whether the server only tries.
    pub is_dry_run: bool,
}

/// The outcome of applying reports.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct AppliedReports {
    /// The reports that were written.
    pub written: u64,
    /// The earlier reports that were removed.
    pub removed: u64,
    /// The earlier reports that stay, although they are not among the new ones.
    pub kept: u64,
    /// The reports whose namespace no longer exists.
    pub without_namespace: u64,
    /// The reports that the server refuses, each with the reason. If there are any, earlier ones
    /// stay.
    pub refused: Vec<Error>,
}

/// An earlier report.
struct Stored {
    path: String,
    uid: String,
}

/// Writes manifests of reports into the cluster by server-side apply, in the first of the installed
/// APIs, and removes earlier ones.
///
/// The server tries all manifests before it writes the first one, and earlier reports are removed
/// after all new ones are written: a failure leaves old reports, never none. A manifest that the
/// server refuses does not keep the others from being written. Only reports that have the label and
/// a name of ours are removed.
///
/// # Errors
/// The server does not answer, or a right is missing, so that the other manifests would fail as
/// well. The message says what was written.
pub fn apply_reports(
    connection: &Connection,
    installed: &[ReportApi],
    manifests: &[Value],
    how: Apply,
) -> Result<AppliedReports, Error> {
    let Some(api) = installed.first() else { return Ok(AppliedReports::default()) };
    let mut applied = AppliedReports::default();
    let mut wanted = Vec::new();
    for manifest in manifests {
        match path(connection, *api, manifest) {
            Ok(path) => wanted.push((path, manifest)),
            Err(error) => applied.refused.push(error),
        }
    }
    let paths: BTreeSet<String> = wanted.iter().map(|(path, _)| path.clone()).collect();
    let mut stale = Vec::new();
    for api in installed {
        for plural in api.plurals() {
            let stored = stored(connection, *api, plural)?;
            stale.extend(stored.into_iter().filter(|report| !paths.contains(&report.path)));
        }
    }
    let tries = if how.is_dry_run { &[true][..] } else { &[true, false] };
    for &is_dry_run in tries {
        applied.written = 0;
        let mut left = Vec::new();
        for (path, manifest) in wanted {
            match write(connection, &path, manifest, is_dry_run) {
                Ok(true) => {
                    applied.written = applied.written.saturating_add(1);
                    left.push((path, manifest));
                }
                Ok(false) => applied.without_namespace = applied.without_namespace.saturating_add(1),
                Err(error) if concerns_all(&error) => {
                    let so_far = if is_dry_run {
                        "nothing was written".to_owned()
                    } else {
                        let (all, written) = (manifests.len(), applied.written);
                        format!("{written} of {all} reports were written, and none was removed")
                    };
                    let message = format!("{error}; {so_far}");
                    return Err(explained(error.with_message(message), *api));
                }
                Err(error) => applied.refused.push(error),
            }
        }
        wanted = left;
    }
    let number = u64::try_from(stale.len()).unwrap_or(u64::MAX);
    // A refused report leaves its object without a new one, so that no old one is out of date.
    if !how.removes_stale || !applied.refused.is_empty() {
        applied.kept = number;
        return Ok(applied);
    }
    applied.removed = number;
    if !how.is_dry_run {
        for report in &stale {
            remove(connection, report).map_err(|error| {
                let message = format!("{error}; all new reports were written, and old ones are left");
                explained(error.with_message(message), *api)
            })?;
        }
    }
    Ok(applied)
}

/// Returns whether an error is not about one report: other reports would fail as well.
///
/// A quota and an admission plugin respond with 403 as well, about one object. Source of the words
/// for rights: `pkg/endpoints/handlers/responsewriters/errors.go` of kubernetes/apiserver 0.36.
fn concerns_all(error: &Error) -> bool {
    match error.status() {
        None | Some(401) => true,
        Some(403) => {
            let message = error.to_string();
            ["patch", "create"].iter().any(|verb| message.contains(&format!(" cannot {verb} resource ")))
        }
        Some(_) => false,
    }
}

/// Adds the rights that are needed to the message about a right that is missing.
fn explained(error: Error, api: ReportApi) -> Error {
    if error.status() != Some(403) {
        return error;
    }
    let [namespaced, cluster] = api.plurals();
    let group = api.group();
    let message =
        format!("{error}; grant list, create, patch and delete of {namespaced} and {cluster} in {group}");
    error.with_message(message)
}

/// Returns the path of a manifest.
fn path(connection: &Connection, api: ReportApi, manifest: &Value) -> Result<String, Error> {
    let text = |pointer: &str| manifest.pointer(pointer).and_then(Value::as_str);
    let [namespaced, cluster] = api.plurals();
    let name = text("/metadata/name").unwrap_or_default();
    let namespace = text("/metadata/namespace");
    // A namespace of a report can be any text.
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte))
    };
    match namespace {
        Some(namespace) if is_name(namespace) && is_name(name) => {
            Ok(format!("{}/namespaces/{namespace}/{namespaced}/{name}", api.path()))
        }
        None if is_name(name) => Ok(format!("{}/{cluster}/{name}", api.path())),
        _ => {
            let problem = format!("{:?} is not the name of a namespace", namespace.unwrap_or_default());
            Err(Error::new(format!("{}: {problem}", connection.server())))
        }
    }
}

/// Returns the reports that have our label and a name of ours.
fn stored(connection: &Connection, api: ReportApi, plural: &str) -> Result<Vec<Stored>, Error> {
    let [namespaced, _] = api.plurals();
    let list =
        format!("{}/{plural}?labelSelector=app.kubernetes.io%2Fmanaged-by%3D{MANAGER}&limit=500", api.path());
    let mut found = Vec::new();
    let mut next = String::new();
    loop {
        let text = connection.get(&format!("{list}{next}")).map_err(|error| explained(error, api))?;
        let page: Value = serde_json::from_str(&text).map_err(|error| {
            Error::new(format!("{}: the list {list} cannot be read: {error}", connection.server()))
        })?;
        for item in page.get("items").and_then(Value::as_array).into_iter().flatten() {
            let text = |pointer: &str| item.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
            let (namespace, name) = (text("/metadata/namespace"), text("/metadata/name"));
            let label = item.pointer("/metadata/labels").and_then(|labels| labels.get(LABEL));
            if label.and_then(Value::as_str) != Some(MANAGER) || !name.starts_with(PREFIX) {
                continue;
            }
            let path = if plural == namespaced {
                format!("{}/namespaces/{namespace}/{plural}/{name}", api.path())
            } else {
                format!("{}/{plural}/{name}", api.path())
            };
            found.push(Stored { path, uid: text("/metadata/uid").to_owned() });
        }
        match page.pointer("/metadata/continue").and_then(Value::as_str) {
            Some(token) if !token.is_empty() => next = format!("&continue={}", percent_encoded(token)),
            _ => return Ok(found),
        }
    }
}

/// Applies a manifest, and returns whether its namespace exists.
fn write(connection: &Connection, path: &str, manifest: &Value, is_dry_run: bool) -> Result<bool, Error> {
    let dry_run = if is_dry_run { "&dryRun=All" } else { "" };
    // The reports are ours alone: what others wrote into them is overwritten.
    let path = format!("{path}?fieldManager={MANAGER}&force=true{dry_run}");
    let request = Request {
        // JSON is YAML.
        content_type: "application/apply-patch+yaml",
        ..Request::new(Method::PATCH, &path, manifest.to_string().into_bytes())
    };
    match connection.send(&request) {
        Ok(_) => Ok(true),
        // An object that does not exist is created: the namespace does not exist.
        Err(error) if error.status() == Some(404) => Ok(false),
        Err(error) if error.to_string().contains("because it is being terminated") => Ok(false),
        Err(error) => Err(error),
    }
}

/// Removes a report, unless another program has replaced or removed it.
fn remove(connection: &Connection, report: &Stored) -> Result<(), Error> {
    let options = json!({
        "apiVersion": "meta.k8s.io/v1",
        "kind": "DeleteOptions",
        "preconditions": { "uid": report.uid },
    });
    let body = options.to_string().into_bytes();
    match connection.send(&Request::new(Method::DELETE, &report.path, body)) {
        Err(error) if !matches!(error.status(), Some(404 | 409)) => Err(error),
        _ => Ok(()),
    }
}
