//! The settings of a policy.

use kubewarden::matching::PolicyKind;
use manifest::found;
use scan::audit::selinux::SelinuxSettings;
use serde_json::Value;

use crate::args::SettingsArgs;
use crate::failure::Failure;
use crate::source::{InputReader, Source, SourceName};

/// Reads settings from a file or an argument, and returns them with the name of their source. The
/// value is `None` if neither is given, and null if the file is empty.
pub(crate) fn read(
    args: &SettingsArgs,
    reader: &mut InputReader,
) -> Result<(Option<Value>, SourceName), Failure> {
    let source = match (&args.settings, &args.settings_json) {
        (Some(file), _) => reader.text(file)?,
        (None, Some(json)) => Source { name: SourceName::new("--settings-json"), text: json.clone() },
        (None, None) => return Ok((None, SourceName::new("settings"))),
    };
    match source.document()? {
        settings if PolicyKind::of(&settings).is_some() => {
            let problem = "is a manifest of a policy, and not settings; pass it as the policy, or pass its spec.settings";
            Err(Failure::about(source.name, problem))
        }
        settings @ (Value::Object(_) | Value::Null) => Ok((Some(settings), source.name)),
        other => {
            let problem = format!("expected an object with settings, found {}", found(&other));
            Err(Failure::about(source.name, problem))
        }
    }
}

/// Reads the settings of the policy selinux, with the name of their source.
pub(crate) fn of_selinux(
    args: &SettingsArgs,
    reader: &mut InputReader,
) -> Result<(SelinuxSettings, SourceName), Failure> {
    let (settings, name) = read(args, reader)?;
    match SelinuxSettings::configure(&settings.unwrap_or_default()) {
        Ok(settings) => Ok((settings, name)),
        Err(error) => Err(Failure::about(name, error)),
    }
}
