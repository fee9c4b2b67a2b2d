//! The settings of a policy.

use manifest::{Position, found};
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
    let mut documents = manifest::documents(&source.text).map_err(|problem| match problem.at {
        Some(Position { line, column }) => {
            Failure::about(format!("{}:{line}:{column}", source.name), problem.message())
        }
        None => Failure::about(&source.name, problem),
    })?;
    if documents.len() > 1 {
        let problem = format!("expected one document, found {}", documents.len());
        return Err(Failure::about(&source.name, problem));
    }
    match documents.pop().unwrap_or_default() {
        settings @ (Value::Object(_) | Value::Null) => Ok((Some(settings), source.name)),
        other => {
            let problem = format!("expected an object with settings, found {}", found(&other));
            Err(Failure::about(source.name, problem))
        }
    }
}
