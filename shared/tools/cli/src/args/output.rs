//! The arguments for output, which are the same in all commands.

use anstream::ColorChoice;
use clap::ValueEnum;

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum ColorWhen {
    /// At a terminal.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl ColorWhen {
    /// Applies the choice to everything that is written from now on.
    pub(crate) fn apply(self) {
        match self {
            // The default of the process, in which environment variables count.
            Self::Auto => {}
            Self::Always => ColorChoice::Always.write_global(),
            Self::Never => ColorChoice::Never.write_global(),
        }
    }
}

/// The output format of a command.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum TextOrData {
    /// Text for people.
    #[default]
    Text,
    /// JSON; several verdicts, one per line.
    Json,
    /// YAML; several verdicts, one per document.
    Yaml,
}
