//! Manifests that Helm and Kustomize render, by the user's own programs.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use report::{Place, Position, Span};

use crate::checkout::Checkout;
use crate::entry::{Rendered, Spot};
use crate::input::{Chunk, Files, Origin, file_name};

/// A chart with the arguments of `helm template`.
#[derive(Clone, Debug)]
pub struct Chart {
    /// A folder, an archive or a reference.
    pub chart: String,
    /// The files with its values.
    pub values: Vec<String>,
    /// The name of the release.
    pub release: String,
    /// The namespace of the release.
    pub namespace: String,
}

/// Adds the manifests that `helm template` renders of a chart.
///
/// Helm notes the template of each document in a comment. Findings have the place of the template's
/// `kind`, because Helm does not note which of its lines renders a value.
pub fn add_helm(files: &mut Files, chart: &Chart) {
    let folder = Path::new(&chart.chart).is_dir().then(|| file_name(Path::new(&chart.chart)));
    let origin = Origin {
        name: chart.chart.clone(),
        path: chart.chart.clone(),
        chart: folder.or_else(|| Some(String::new())),
        is_rendered: true,
    };
    add(files, origin, &[chart.command()], &str::to_owned);
}

/// Adds the manifests that `kustomize build` or `kubectl kustomize` builds of a folder. Findings
/// have the place of the folder's `kustomization.yaml`, unless Kustomize notes the origin of an
/// object in its annotation `config.kubernetes.io/origin`.
pub fn add_kustomize(files: &mut Files, folder: &str) {
    let name = KUSTOMIZATIONS
        .iter()
        .map(|name| Path::new(folder).join(name))
        .find(|path| path.is_file())
        .map_or_else(|| folder.to_owned(), |path| file_name(&path));
    let origin = Origin { name, path: folder.to_owned(), chart: None, is_rendered: true };
    add(files, origin, &kustomize(folder), &str::to_owned);
}

/// Adds what [`add_helm`] and [`add_kustomize`] add, of a revision of the user's git repository.
pub fn add_rendered_revision(files: &mut Files, revision: &str, charts: &[Chart], folders: &[String]) {
    let checkout = match Checkout::of(revision) {
        Ok(checkout) => checkout,
        Err(problem) => return files.add_problem(&format!("git:{revision}"), problem),
    };
    let told = |message: &str| checkout.told(message);
    for chart in charts {
        let name = checkout.name(&chart.chart);
        match chart.of(&checkout) {
            Ok(old) => {
                let origin = Origin {
                    name: name.clone(),
                    path: chart.chart.clone(),
                    chart: Some(name),
                    is_rendered: true,
                };
                add(files, origin, &[old.command()], &told);
            }
            Err(problem) => files.add_problem(&name, problem),
        }
    }
    for folder in folders {
        let name = checkout.name(folder);
        match checkout.find(folder) {
            Ok(found) => {
                let origin = Origin { name, path: folder.clone(), chart: None, is_rendered: true };
                add(files, origin, &kustomize(&found.to_string_lossy()), &told);
            }
            Err(problem) => files.add_problem(&name, problem),
        }
    }
}

/// The names of a file by which Kustomize knows a folder.
const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

type Run = (&'static str, Vec<OsString>);

impl Chart {
    fn command(&self) -> Run {
        let mut arguments: Vec<OsString> = [
            "template",
            &self.release,
            &self.chart,
            "--include-crds",
            "--skip-tests",
            "--namespace",
            &self.namespace,
        ]
        .map(OsString::from)
        .into();
        for file in &self.values {
            arguments.extend([OsString::from("--values"), file.into()]);
        }
        ("helm", arguments)
    }

    /// Returns the chart with its values in a revision.
    fn of(&self, checkout: &Checkout) -> Result<Self, String> {
        if !Path::new(".").join(&self.chart).is_dir() {
            return Err(
                "only a folder has a revision; give the chart before the change, rendered, with --old"
                    .to_owned(),
            );
        }
        let text = |path: &String| checkout.find(path).map(|found| found.to_string_lossy().into_owned());
        let values: Result<_, String> = self.values.iter().map(text).collect();
        Ok(Self { chart: text(&self.chart)?, values: values?, ..self.clone() })
    }
}

fn kustomize(folder: &str) -> [Run; 2] {
    [("kustomize", vec!["build".into(), folder.into()]), ("kubectl", vec!["kustomize".into(), folder.into()])]
}

/// Adds the output of the first of some programs that exists.
fn add(files: &mut Files, origin: Origin, commands: &[Run], told: &dyn Fn(&str) -> String) {
    for (program, arguments) in commands {
        let output = match Command::new(program).args(arguments).output() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => {
                return files.add_problem(&origin.name, format!("{program} cannot be run: {error}"));
            }
            Ok(output) => output,
        };
        if !output.status.success() {
            let problem = told(String::from_utf8_lossy(&output.stderr).trim());
            return files.add_problem(&origin.name, format!("{program} failed: {problem}"));
        }
        return match String::from_utf8(output.stdout) {
            Ok(text) => files.add_text(Arc::new(origin), text),
            Err(_) => files.add_problem(&origin.name, format!("{program} wrote text that is not UTF-8")),
        };
    }
    let names: Vec<&str> = commands.iter().map(|(program, _)| *program).collect();
    files.add_problem(&origin.name, format!("cannot be rendered: install {}", names.join(" or ")));
}

/// Returns the place of a value in the file that it was rendered from, as far as the renderer notes
/// it. It is never exact.
pub(crate) fn template_place(chunk: &Chunk, spot: &Spot, place: Place) -> Place {
    if !chunk.origin.is_rendered {
        return place;
    }
    let file = source(chunk, spot);
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let at = kind_line(&text, &spot.rendered.kind).map(|line| Position { line, column: 1 });
    Place { file, span: at.map(|at| Span { start: at, end: at }), is_exact: false }
}

/// Returns the file that a value was rendered from, as far as the renderer notes it; the file of
/// the text if nothing rendered it.
pub(crate) fn source(chunk: &Chunk, spot: &Spot) -> String {
    let source = match &chunk.origin.chart {
        Some(chart) => helm_source(chart, &chunk.text),
        None if chunk.origin.is_rendered => kustomize_source(&chunk.origin.name, &spot.rendered),
        None => None,
    };
    source.unwrap_or_else(|| chunk.origin.name.clone())
}

/// Returns the file of a template from Helm's comment, such as `# Source: chart/templates/a.yaml`.
fn helm_source(chart: &str, text: &str) -> Option<String> {
    let source = text.lines().find_map(|line| line.strip_prefix("# Source: "))?.trim();
    let (_, inside) = source.split_once('/')?;
    Some(if chart.is_empty() { source.to_owned() } else { format!("{chart}/{inside}") })
}

/// Returns the file from Kustomize's annotation, which the user can ask for by `buildMetadata:
/// [originAnnotations]`.
fn kustomize_source(kustomization: &str, rendered: &Rendered) -> Option<String> {
    let origin = rendered.origin.as_deref()?;
    let path = origin.lines().find_map(|line| line.strip_prefix("path: "))?.trim();
    let file = Path::new(kustomization).parent()?.join(path);
    file.is_file().then(|| file_name(&file))
}

fn kind_line(text: &str, kind: &str) -> Option<u64> {
    let is_kind = |line: &str| {
        let value = line.trim_end().strip_prefix("kind:").map(str::trim);
        value.is_some_and(|value| value.trim_matches(['"', '\'']) == kind)
    };
    (1..).zip(text.lines()).find(|(_, line)| is_kind(line)).map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_template_is_its_kind() {
        assert_eq!(
            kind_line("{{ if x }}\napiVersion: v1\nkind: Pod\n---\nkind: \"Service\"\n", "Service"),
            Some(5)
        );
        assert_eq!(kind_line("kind: {{ .Values.kind }}\n", "Service"), None);
        let text = "---\n# Source: shop/charts/db/templates/a.yaml\napiVersion: v1\n";
        assert_eq!(
            helm_source("deploy/shop", text).as_deref(),
            Some("deploy/shop/charts/db/templates/a.yaml")
        );
        assert_eq!(helm_source("", text).as_deref(), Some("shop/charts/db/templates/a.yaml"));
    }
}
