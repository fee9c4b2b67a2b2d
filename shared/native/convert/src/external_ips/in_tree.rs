//! The in-tree admission plugin `DenyServiceExternalIPs`.
//!
//! Sources: `plugin/pkg/admission/network/denyserviceexternalips/admission.go` and
//! `pkg/kubeapiserver/options/admission.go` in kubernetes/kubernetes, `AdmissionOptions` in
//! `pkg/server/options/admission.go` of kubernetes/apiserver, `ClusterConfiguration` in
//! `cmd/kubeadm/app/apis/kubeadm` of kubernetes/kubernetes.

use serde_json::{Map, Value};

use super::command_line::{CommandLine, FlagValue};
use super::manifest::{Manifests, Restriction};
use super::unconverted;
use crate::InputError;
use crate::conversion::{Conversion, FieldProblem};
use crate::fields::Fields;

/// The name of the plugin.
pub(super) const PLUGIN: &str = "DenyServiceExternalIPs";

/// The flag that enables plugins, and the one that lists them in older versions.
const ENABLE: [&str; 2] = ["enable-admission-plugins", "admission-control"];

/// The flag that disables plugins.
const DISABLE: &str = "disable-admission-plugins";

const PROGRAM: &str = "kube-apiserver";

/// Whether a container runs the API server.
///
/// # Errors
/// Fields of another type.
pub(super) fn runs_in(container: &Fields<'_>) -> Result<bool, InputError> {
    let line = CommandLine::of(container)?;
    let [enable, list] = ENABLE;
    Ok(line.runs(PROGRAM) || [enable, list, DISABLE].into_iter().any(|flag| line.has(flag)))
}

/// Converts the flags of a container that runs the API server.
///
/// # Errors
/// Flags with which the API server would not start.
pub(super) fn container(
    container: &Fields<'_>,
    title: &str,
    manifests: &mut Manifests,
) -> Result<Conversion, InputError> {
    let line = CommandLine::of(container)?;
    let enabled: Vec<FlagValue<'_>> = ENABLE.into_iter().flat_map(|flag| line.values(flag)).collect();
    let [enable, _] = ENABLE;
    if enabled.is_empty()
        && let Some(field) = line.script_with(enable)
    {
        let problem = "has the flags in a shell script; write them as elements of command or args";
        return Ok(unconverted(container, title, FieldProblem::new(container.path(field), problem)));
    }
    let path = |value: Option<&FlagValue<'_>>| container.path(value.map_or("command", |value| value.field));
    let disabled = line.values(DISABLE);
    convert(container, title, &enabled, &disabled, &path, manifests)
}

/// Converts the arguments of the API server in a `ClusterConfiguration` of kubeadm: a list of names
/// and values since v1beta4, and an object before.
///
/// # Errors
/// Arguments with which the API server would not start, and fields of another type.
pub(super) fn kubeadm(
    object: &Fields<'_>,
    title: &str,
    manifests: &mut Manifests,
) -> Result<Conversion, InputError> {
    const FIELD: &str = "extraArgs";
    let Some(server) = object.object("apiServer")? else {
        let problem = format!("is missing, so the API server does not enable {PLUGIN}");
        return Ok(unconverted(object, title, FieldProblem::new(object.path("apiServer"), problem)));
    };
    let arguments: Vec<(&str, &str)> = match server.get(FIELD) {
        Some(Value::Array(_)) => {
            let arguments = server.objects(FIELD)?;
            let argument = |argument: &Fields<'_>| {
                let name = argument.required_text("name").map(str::to_owned)?;
                Ok((name, argument.text("value")?.unwrap_or_default().to_owned()))
            };
            let arguments: Result<Vec<(String, String)>, InputError> =
                arguments.iter().map(argument).collect();
            return kubeadm_arguments(&server, title, &arguments?, manifests);
        }
        _ => server.pairs(FIELD)?,
    };
    let arguments: Vec<(String, String)> =
        arguments.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    kubeadm_arguments(&server, title, &arguments, manifests)
}

fn kubeadm_arguments(
    server: &Fields<'_>,
    title: &str,
    arguments: &[(String, String)],
    manifests: &mut Manifests,
) -> Result<Conversion, InputError> {
    const FIELD: &str = "extraArgs";
    let values = |flags: &[&str]| -> Vec<FlagValue<'_>> {
        let named = arguments.iter().filter(|(name, _)| flags.contains(&name.as_str()));
        named.map(|(_, text)| FlagValue { field: FIELD, text }).collect()
    };
    let path = |_: Option<&FlagValue<'_>>| server.path(FIELD);
    convert(server, title, &values(&ENABLE), &values(&[DISABLE]), &path, manifests)
}

fn convert(
    fields: &Fields<'_>,
    title: &str,
    enabled: &[FlagValue<'_>],
    disabled_values: &[FlagValue<'_>],
    path: &dyn Fn(Option<&FlagValue<'_>>) -> String,
    manifests: &mut Manifests,
) -> Result<Conversion, InputError> {
    let names = |values: &[FlagValue<'_>]| -> Result<bool, FieldProblem> {
        let mut found = false;
        for value in values {
            let elements =
                value.elements().map_err(|problem| FieldProblem::new(path(Some(value)), problem))?;
            found |= elements.contains(&PLUGIN);
        }
        Ok(found)
    };
    let is_enabled = match (names(enabled), names(disabled_values)) {
        (Ok(enabled), Ok(disabled)) => {
            if enabled && disabled {
                let problem = format!("{PLUGIN} is enabled and disabled, so the API server does not start");
                return Err(InputError {
                    document: fields.document().to_owned(),
                    path: path(disabled_values.first()),
                    problem,
                });
            }
            enabled
        }
        (Err(problem), _) | (_, Err(problem)) => return Ok(unconverted(fields, title, problem)),
    };
    if !is_enabled {
        let problem = format!("does not enable {PLUGIN}, so it restricts no external IPs");
        return Ok(unconverted(fields, title, FieldProblem::new(path(enabled.first()), problem)));
    }
    manifests.add(fields, title, Restriction::of(Map::new()))
}
