//! The name by which the tool was called: `portcullis`, or as a plugin of kubectl.
//!
//! kubectl runs `kubectl-portcullis` from PATH for `kubectl portcullis`, and asks
//! `kubectl_complete-portcullis` to complete its arguments (kubectl,
//! `pkg/cmd/plugin/plugin_completion.go`). Both are links to this program.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsStr;
use std::path::Path;

use clap::{Command, CommandFactory};

use crate::args::Cli;

const PLUGIN: &str = "kubectl portcullis";

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum CalledAs {
    /// By its own name, or one that a user gave it.
    Tool,
    /// By kubectl, for `kubectl portcullis`.
    Plugin,
    /// By kubectl, to complete the arguments of `kubectl portcullis`.
    PluginCompletion,
}

impl CalledAs {
    pub(crate) fn now() -> Self {
        Self::by(std::env::args_os().next().as_deref())
    }

    fn by(program: Option<&OsStr>) -> Self {
        let name = program.map(Path::new).and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        match name.strip_suffix(EXE_SUFFIX).unwrap_or(&name) {
            "kubectl-portcullis" => Self::Plugin,
            "kubectl_complete-portcullis" => Self::PluginCompletion,
            _ => Self::Tool,
        }
    }

    /// The command line, with this name in its help and examples.
    pub(crate) fn command(self) -> Command {
        match self {
            Self::Tool => Cli::command(),
            Self::Plugin | Self::PluginCompletion => with_examples(Cli::command()).bin_name(PLUGIN),
        }
    }
}

/// Writes the examples of a command and its subcommands as those of the plugin.
fn with_examples(command: Command) -> Command {
    let examples =
        command.get_after_help().map(|text| text.to_string().replace("portcullis ", "kubectl portcullis "));
    let command = command.mut_subcommands(with_examples);
    match examples {
        Some(examples) => command.after_help(examples),
        None => command,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_last_part_of_the_path() {
        for (program, called_as) in [
            ("portcullis", CalledAs::Tool),
            ("/usr/local/bin/portcullis", CalledAs::Tool),
            ("/opt/krew/bin/kubectl-portcullis", CalledAs::Plugin),
            ("kubectl_complete-portcullis", CalledAs::PluginCompletion),
            ("kubectl-portcullis-old", CalledAs::Tool),
            ("", CalledAs::Tool),
        ] {
            let program = format!("{program}{}", if program.is_empty() { "" } else { EXE_SUFFIX });
            assert_eq!(CalledAs::by(Some(OsStr::new(&program))), called_as, "{program}");
        }
        assert_eq!(CalledAs::by(None), CalledAs::Tool);
    }
}
