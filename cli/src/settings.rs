//! The settings of the policy.

use manifest::found;
use serde_json::Value;

use crate::args::SettingsArgs;
use crate::failure::Failure;
use crate::parse;
use crate::source::{Name, Reader, Source};

/// The settings from a file or an argument, and what messages call them; null if there are none.
///
/// # Errors
/// A file that cannot be read, and what is no object.
pub(crate) fn read(args: &SettingsArgs, reader: &mut Reader) -> Result<(Value, Name), Failure> {
    let source = match (&args.settings, &args.settings_json) {
        (Some(file), _) => reader.text(file)?,
        (None, Some(json)) => Source { name: Name::new("--settings-json"), text: json.clone() },
        (None, None) => return Ok((Value::Null, Name::new("settings"))),
    };
    let settings = parse::document(&source)?.unwrap_or_default();
    match settings {
        Value::Object(_) | Value::Null => Ok((settings, source.name)),
        other => {
            let problem = format!("expected settings as an object, found {}", found(&other));
            Err(Failure::about(source.name, problem))
        }
    }
}
