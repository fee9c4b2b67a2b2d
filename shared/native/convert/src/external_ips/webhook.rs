//! The flags of externalip-webhook.
//!
//! Source: `main.go`, `pkg/validator/service_validator.go` and `config/webhook` in
//! kubernetes-sigs/externalip-webhook (f674b66).

use serde_json::{Map, Value, json};

use super::command_line::{self, CommandLine, FlagValue};
use super::manifest::{Manifests, Restriction, rechecked};
use super::{ranges, unconverted};
use crate::InputError;
use crate::conversion::{Conversion, FieldProblem};
use crate::fields::Fields;
use crate::kubewarden::PolicyMode;

const CIDRS: &str = "allowed-external-ip-cidrs";
const USERS: &str = "allowed-usernames";
const GROUPS: &str = "allowed-groups";

/// The command of the project's own manifests.
const COMMAND: &str = "webhook";

/// The name of published images.
const PROGRAM: &str = "externalip-webhook";

/// The path of the webhook in its configuration.
const WEBHOOK_PATH: &str = "/validate-service";

/// The problem of a webhook that allows nobody an address.
const NOBODY: &str = "allow nobody an address, so the webhook also refuses every update of a Service that has an external IP; the \
                        policy tolerates stored addresses, as DenyServiceExternalIPs does";

/// The registration of the webhook.
#[derive(Debug, Default)]
pub(super) struct Registration {
    is_found: bool,
    failure_policy: Option<String>,
    /// Whether the input has a workload that runs the webhook.
    has_workload: bool,
    /// The fields that let the webhook judge fewer Services.
    narrowed: Vec<FieldProblem>,
}

impl Registration {
    /// Reads the registration from the objects of the input.
    ///
    /// # Errors
    /// Fields of another type.
    pub(super) fn of(objects: &[Fields<'_>]) -> Result<Self, InputError> {
        let mut registration = Self::default();
        for object in objects {
            if object.text("kind")? != Some("ValidatingWebhookConfiguration") {
                continue;
            }
            for webhook in object.objects("webhooks")? {
                if is_webhook(&webhook)? {
                    registration.is_found = true;
                    registration.failure_policy = webhook.text("failurePolicy")?.map(str::to_owned);
                    registration.read_conditions(object, &webhook)?;
                }
            }
        }
        for object in objects {
            registration.has_workload |= registration.is_of(object)?;
        }
        Ok(registration)
    }

    /// Whether a container runs the webhook. The image of the project's own manifests has a common
    /// name, so it counts only beside a registration.
    ///
    /// # Errors
    /// Fields of another type.
    pub(super) fn runs_in(&self, container: &Fields<'_>) -> Result<bool, InputError> {
        let line = CommandLine::of(container)?;
        Ok(line.runs(PROGRAM)
            || (self.is_found && line.runs(COMMAND))
            || [CIDRS, USERS, GROUPS].into_iter().any(|flag| line.has(flag)))
    }

    fn is_of(&self, object: &Fields<'_>) -> Result<bool, InputError> {
        let Some(pod) = command_line::pod_spec(object)? else { return Ok(false) };
        for container in pod.objects("containers")? {
            if self.runs_in(&container)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether its workload is in the input.
    pub(super) fn is_applied(&self) -> bool {
        self.has_workload
    }

    fn read_conditions(&mut self, object: &Fields<'_>, webhook: &Fields<'_>) -> Result<(), InputError> {
        for key in ["namespaceSelector", "objectSelector"] {
            if webhook.object(key)?.is_some_and(|selector| selector.iter().next().is_some()) {
                self.narrowed.push(narrowing(object, webhook, key));
            }
        }
        if !webhook.list("matchConditions")?.is_empty() {
            self.narrowed.push(narrowing(object, webhook, "matchConditions"));
        }
        Ok(())
    }
}

fn narrowing(object: &Fields<'_>, webhook: &Fields<'_>, key: &str) -> FieldProblem {
    let problem = format!(
        "{} of {} lets the webhook judge fewer Services; write it into the manifest",
        webhook.path(key),
        object.document()
    );
    FieldProblem::new("", problem)
        .widening("without it, the policy judges all of them and is in mode monitor")
}

/// Whether an object registers the webhook.
///
/// # Errors
/// Fields of another type.
pub(super) fn is_registration(object: &Fields<'_>) -> Result<bool, InputError> {
    for webhook in object.objects("webhooks")? {
        if is_webhook(&webhook)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_webhook(webhook: &Fields<'_>) -> Result<bool, InputError> {
    let Some(client) = webhook.object("clientConfig")? else { return Ok(false) };
    let path = client.object("service")?.map(|service| service.text("path")).transpose()?.flatten();
    let name = webhook.text("name")?.unwrap_or_default();
    Ok(path == Some(WEBHOOK_PATH) && name.contains("externalip"))
}

/// Converts the flags of a container that runs the webhook.
///
/// # Errors
/// Flags with which the webhook would not start.
pub(super) fn convert(
    container: &Fields<'_>,
    title: &str,
    registration: &Registration,
    manifests: &mut Manifests,
) -> Result<Conversion, InputError> {
    let line = CommandLine::of(container)?;
    if let Some(field) = [CIDRS, USERS, GROUPS].into_iter().find_map(|flag| line.script_with(flag)) {
        let problem = "has the flags in a shell script; write them as elements of command or args";
        return Ok(unconverted(container, title, FieldProblem::new(container.path(field), problem)));
    }
    let read = |flag| elements(container, &line.values(flag));
    let (cidrs, users, groups) = match (read(CIDRS), read(USERS), read(GROUPS)) {
        (Ok(cidrs), Ok(users), Ok(groups)) => (cidrs, users, groups),
        (Err(problem), ..) | (_, Err(problem), _) | (.., Err(problem)) => {
            return Ok(unconverted(container, title, problem));
        }
    };
    let mut blocks = Vec::new();
    for (field, text) in cidrs {
        let block = ranges::block(text, "the webhook does not start with it");
        blocks.push(block.map_err(|problem| container.error(field, problem))?);
    }
    let mut settings = Map::new();
    let mut problems = Vec::new();
    let anyone = users.is_empty() && groups.is_empty();
    let users = subjects(container, users, &mut problems);
    let groups = subjects(container, groups, &mut problems);
    if blocks.is_empty() || (!anyone && users.is_empty() && groups.is_empty()) {
        problems.push(FieldProblem::new(container.path("args"), NOBODY));
    } else {
        let mut rule = Map::new();
        rule.insert("cidrs".to_owned(), ranges::setting(&blocks));
        for (key, names) in [("users", users), ("groups", groups)] {
            if !names.is_empty() {
                rule.insert(key.to_owned(), json!(names));
            }
        }
        settings = rechecked(vec![rule.into()]);
    }
    let is_narrowed = !registration.narrowed.is_empty();
    problems.extend(
        registration
            .narrowed
            .iter()
            .map(|problem| FieldProblem { path: container.path("args"), ..problem.clone() }),
    );
    let restriction = Restriction {
        mode: if is_narrowed { PolicyMode::Monitor } else { PolicyMode::Protect },
        failure_policy: registration.failure_policy.clone(),
        problems,
        ..Restriction::of(settings)
    };
    manifests.add(container, title, restriction)
}

/// The elements of all values of a flag, with the fields that they are from.
fn elements<'d>(
    container: &Fields<'_>,
    values: &[FlagValue<'d>],
) -> Result<Vec<(&'static str, &'d str)>, FieldProblem> {
    let mut elements = Vec::new();
    for value in values {
        let found = value.elements();
        let found = found.map_err(|problem| FieldProblem::new(container.path(value.field), problem))?;
        elements.extend(found.into_iter().map(|element| (value.field, element)));
    }
    Ok(elements)
}

/// Names without duplicates, and without those that nobody has. The webhook knows no patterns.
fn subjects<'d>(
    container: &Fields<'_>,
    names: Vec<(&'static str, &'d str)>,
    problems: &mut Vec<FieldProblem>,
) -> Vec<&'d str> {
    let mut unique: Vec<&str> = Vec::new();
    for (field, name) in names {
        if name.trim().is_empty() || name.contains('*') {
            let problem = format!(
                "{} is left out, because the webhook knows no patterns and nobody has this name",
                Value::from(name)
            );
            problems.push(FieldProblem::new(container.path(field), problem));
        } else if !unique.contains(&name) {
            unique.push(name);
        }
    }
    unique
}
