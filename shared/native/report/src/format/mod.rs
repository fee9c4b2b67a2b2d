//! The formats of a report.

mod compact;
mod comparison;
mod excerpt;
mod github;
mod gitlab;
mod html;
mod json;
mod junit;
mod markdown;
mod open_reports;
mod sarif;
mod text;

pub use github::command as github_command;

use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

use crate::exit::UnknownName;
use crate::{FailOn, Place, Report};

/// A format of a report.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Format {
    /// Text for people, grouped by file or by namespace.
    #[default]
    Text,
    /// A line for each finding, as compilers print them.
    Compact,
    /// The [`Report`] as JSON.
    Json,
    /// SARIF 2.1.0, as GitHub code scanning reads it.
    Sarif,
    /// `JUnit` XML.
    Junit,
    /// Annotations of GitHub Actions.
    Github,
    /// GitLab Code Quality.
    Gitlab,
    /// Markdown, for the summary of a job.
    Markdown,
    /// `Report` and `ClusterReport` of `openreports.io/v1alpha1`.
    OpenReports,
    /// A page of HTML that needs no other file.
    Html,
}

impl Format {
    /// The names of all formats.
    pub const NAMES: [&'static str; 10] =
        ["text", "compact", "json", "sarif", "junit", "github", "gitlab", "markdown", "openreports", "html"];

    const ALL: [Self; 10] = [
        Self::Text,
        Self::Compact,
        Self::Json,
        Self::Sarif,
        Self::Junit,
        Self::Github,
        Self::Gitlab,
        Self::Markdown,
        Self::OpenReports,
        Self::Html,
    ];
}

impl FromStr for Format {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let mut formats = Self::NAMES.iter().zip(Self::ALL);
        let format = formats.find(|(known, _)| **known == name);
        format.map(|(_, format)| format).ok_or_else(|| UnknownName::new(name, &Self::NAMES))
    }
}

/// A format and the file that it is written to: `FORMAT[=FILE]`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Output<F = Format> {
    /// The format.
    pub format: F,
    /// The file; `None` for the standard output.
    pub file: Option<String>,
}

impl<F: FromStr> FromStr for Output<F> {
    type Err = FormatError<F::Err>;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (format, file) = match text.split_once('=') {
            Some((_, "")) => return Err(FormatError::NoFile),
            Some((format, file)) => (format, Some(file.to_owned())),
            None => (text, None),
        };
        Ok(Self { format: format.parse().map_err(FormatError::Unknown)?, file })
    }
}

/// The reason why a text is not a format with a file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum FormatError<E = UnknownName> {
    /// The format is not known.
    Unknown(E),
    /// The name of the file is missing.
    NoFile,
}

impl<E: fmt::Display> fmt::Display for FormatError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(error) => write!(f, "the format {error}"),
            Self::NoFile => f.write_str("the name of the file is missing after =; write FORMAT=FILE"),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for FormatError<E> {}

/// Returns the lines of the input from the first to the last line of a place; `None` if the input
/// cannot be read again.
pub type Sources<'a> = dyn Fn(&Place) -> Option<String> + 'a;

/// The input of formats in addition to the report.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Whether text has colours, as ANSI escape sequences.
    pub colors: bool,
    /// The findings that fail the scan.
    pub fail_on: FailOn,
    /// The category of a SARIF file. GitHub replaces the results of earlier files of the same
    /// category, so that several scans of a repository need one each.
    pub category: Option<&'a str>,
    /// The version of the tool.
    pub version: &'a str,
    /// The lines of the input, which HTML shows.
    pub sources: Option<&'a Sources<'a>>,
    /// The folder of the repository to which the names of files are relative, such as `deploy`.
    /// Services that show findings in a repository need names that are relative to its root.
    pub folder: &'a str,
}

impl Options<'_> {
    /// Returns the name of a file relative to the root of the repository.
    #[must_use]
    pub fn in_repository(&self, file: &str) -> String {
        // Files outside, of a revision, and on the standard input are not in the repository.
        let is_of_revision = file.contains(':') && !file.starts_with("./");
        if file.starts_with('/') || is_of_revision || file == "-" {
            return file.to_owned();
        }
        let mut parts: Vec<&str> = self.folder.split('/').filter(|part| !part.is_empty()).collect();
        for part in file.split('/').filter(|part| !matches!(*part, "" | ".")) {
            match part {
                ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        parts.join("/")
    }
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            colors: false,
            fail_on: FailOn::default(),
            category: None,
            version: env!("CARGO_PKG_VERSION"),
            sources: None,
            folder: "",
        }
    }
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("colors", &self.colors)
            .field("fail_on", &self.fail_on)
            .field("category", &self.category)
            .field("version", &self.version)
            .field("sources", &self.sources.is_some())
            .field("folder", &self.folder)
            .finish()
    }
}

/// Writes a report. The same report and options give the same bytes.
///
/// # Errors
/// The output cannot be written.
pub fn write(out: &mut dyn Write, report: &Report, format: Format, options: &Options<'_>) -> io::Result<()> {
    match format {
        Format::Text => text::write(out, report, options),
        Format::Compact => compact::write(out, report),
        Format::Json => json::write(out, report),
        Format::Sarif => sarif::write(out, report, options),
        Format::Junit => junit::write(out, report, options),
        Format::Github => github::write(out, report, options),
        Format::Gitlab => gitlab::write(out, report, options),
        Format::Markdown => markdown::write(out, report, options),
        Format::OpenReports => open_reports::write(out, report),
        Format::Html => html::write(out, report, options),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{Finding, Level, Notice, sample};

    /// Writes a report in a format, with fixed options.
    pub(crate) fn written(report: &Report, format: Format) -> String {
        let source = |place: &Place| {
            let span = place.span?;
            let last = span.end.line.saturating_sub(span.start.line).min(40);
            let lines =
                (0..=last).map(|line| format!("  line: {line} # {}\n", sample::HOSTILE.replace('\n', " ")));
            Some(lines.collect())
        };
        let options = Options {
            version: "1.2.3",
            category: Some("shop"),
            sources: Some(&source),
            ..Options::default()
        };
        let mut bytes = Vec::new();
        write(&mut bytes, report, format, &options).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn names_of_files_are_relative_to_the_repository() {
        for (folder, file, name) in [
            ("", "a.yaml", "a.yaml"),
            ("deploy", "a.yaml", "deploy/a.yaml"),
            ("deploy/prod", "../base/a.yaml", "deploy/base/a.yaml"),
            ("deploy", "../../a.yaml", "../a.yaml"),
            ("deploy", "/a.yaml", "/a.yaml"),
            ("deploy", "HEAD:a.yaml", "HEAD:a.yaml"),
            ("deploy", "./system:a.yaml", "deploy/system:a.yaml"),
            ("deploy", "-", "-"),
        ] {
            let options = Options { folder, ..Options::default() };
            assert_eq!(options.in_repository(file), name, "{folder} {file}");
        }
    }

    #[test]
    fn a_line_that_is_not_known_is_not_shown() {
        let place = |file: &str| Some(Place { file: file.to_owned(), span: None, is_exact: false });
        let report = Report {
            findings: vec![Finding { place: place("chart/a.yaml"), ..sample::finding() }],
            notices: vec![Notice {
                level: Level::Error,
                place: place("b.yaml"),
                message: "unreadable".to_owned(),
            }],
            ..sample::clean()
        };
        for (format, parts) in [
            (Format::Text, &["high, chart/a.yaml (line unknown)\n", "error: b.yaml: unreadable\n"][..]),
            (Format::Compact, &["chart/a.yaml: error: spec.", "\nb.yaml: error: unreadable\n"]),
            (
                Format::Json,
                &[
                    "\"file\": \"chart/a.yaml\",\n        \"isExact\"",
                    "\"file\": \"b.yaml\",\n        \"isExact\"",
                ],
            ),
            (Format::Sarif, &["\"uri\": \"chart/a.yaml\"", "\"uri\": \"b.yaml\""]),
            (Format::Junit, &[">pod-security/privileged: chart/a.yaml: spec.", ">b.yaml: unreadable<"]),
            (Format::Github, &["::error file=chart/a.yaml,title=", "::error file=b.yaml,title="]),
            (Format::Gitlab, &["; the line is not known\"", "\"begin\": 1"]),
            (Format::Markdown, &["| chart/a.yaml (line unknown) |", "| b.yaml |"]),
            (Format::OpenReports, &["file: chart/a.yaml"]),
            (Format::Html, &["<code>chart/a.yaml</code> (line unknown)", "<code>b.yaml</code> unreadable"]),
        ] {
            let text = written(&report, format);
            for part in parts {
                assert!(text.contains(part), "{format:?}: {part}: {text}");
            }
            for part in [
                "a.yaml:1",
                "b.yaml:1",
                "line=",
                " line: ",
                "\"region\": {",
                "startLine",
                "\"line\"",
                "<pre>",
            ] {
                assert!(!text.contains(part), "{format:?}: {part}: {text}");
            }
        }
        assert_eq!(crate::read(&written(&report, Format::Json)).unwrap(), report);
    }

    #[test]
    fn formats_are_read_by_name() {
        for (name, format) in Format::NAMES.iter().zip(Format::ALL) {
            assert_eq!(name.parse(), Ok(format));
            assert_eq!(*name, format!("{format:?}").to_lowercase());
        }
        let output = |format, file: Option<&str>| Ok(Output { format, file: file.map(str::to_owned) });
        assert_eq!("text".parse(), output(Format::Text, None));
        assert_eq!("sarif=a=b.sarif".parse(), output(Format::Sarif, Some("a=b.sarif")));
    }

    #[test]
    fn a_misspelt_format_is_corrected() {
        let error = |text: &str| text.parse::<Output>().unwrap_err().to_string();
        assert_eq!(error("sarf=x"), r#"the format "sarf" is not known; did you mean sarif?"#);
        assert_eq!(
            error("pdf"),
            "the format \"pdf\" is not known; use one of text, compact, json, sarif, junit, github, gitlab, markdown, \
             openreports, html"
        );
        assert_eq!(error("json="), "the name of the file is missing after =; write FORMAT=FILE");
    }

    /// Compares every format of the sample with the files in `tests/formats`, which `BLESS=1`
    /// rewrites.
    #[test]
    fn formats_are_as_expected() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats");
        let mut wrong = Vec::new();
        for (report, kind) in [(sample::report(), "sample"), (sample::clean(), "clean")] {
            for (name, format) in Format::NAMES.iter().zip(Format::ALL) {
                let file = folder.join(format!("{kind}.{}", extension(name)));
                let text = written(&report, format);
                assert_eq!(text, written(&report, format), "{name} differs between two calls");
                if std::env::var_os("BLESS").is_some() {
                    std::fs::create_dir_all(&folder).unwrap();
                    std::fs::write(file, text).unwrap();
                } else if std::fs::read_to_string(&file).ok().as_deref() != Some(text.as_str()) {
                    wrong.push(file);
                }
            }
        }
        assert!(wrong.is_empty(), "these files differ from the output; BLESS=1 rewrites them: {wrong:#?}");
    }

    fn extension(format: &str) -> &str {
        match format {
            "text" => "txt",
            "compact" => "compact.txt",
            "sarif" => "sarif.json",
            "junit" => "junit.xml",
            "github" => "github.txt",
            "gitlab" => "gitlab.json",
            "openreports" => "openreports.yaml",
            other => other,
        }
    }

    #[test]
    fn no_format_fails_on_an_empty_report() {
        for format in Format::ALL {
            written(&Report::default(), format);
        }
    }

    #[test]
    fn no_format_lets_control_characters_through() {
        for format in Format::ALL {
            let text = written(&sample::report(), format);
            assert!(!text.contains('\u{1b}'), "{format:?}");
        }
    }
}
