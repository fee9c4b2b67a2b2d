//! Manifests that Helm and Kustomize render, by the user's own programs.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use report::{Place, Position, Span};

use crate::entry::{Rendered, Spot};
use crate::input::{Chunk, Files, Origin, file_name};

/// Adds the manifests that `helm template` renders of a chart: a folder, an archive or a reference.
///
/// Helm notes the template of each document in a comment. Findings have the place of the template's
/// `kind`, because Helm does not note which of its lines renders a value.
pub fn add_helm(files: &mut Files, chart: &str, values: &[String], release: &str, namespace: Option<&str>) {
    let mut arguments: Vec<OsString> =
        ["template", release, chart, "--include-crds", "--skip-tests"].map(OsString::from).into();
    for file in values {
        arguments.extend([OsString::from("--values"), file.into()]);
    }
    if let Some(namespace) = namespace {
        arguments.extend(["--namespace".into(), namespace.into()]);
    }
    let folder = Path::new(chart).is_dir().then(|| file_name(Path::new(chart)));
    let origin =
        Origin { name: chart.to_owned(), chart: folder.or_else(|| Some(String::new())), is_rendered: true };
    add(files, origin, &[("helm", arguments)]);
}

/// Adds the manifests that `kustomize build` or `kubectl kustomize` builds of a folder. Findings
/// have the place of the folder's `kustomization.yaml`, unless Kustomize notes the origin of an
/// object in its annotation `config.kubernetes.io/origin`.
pub fn add_kustomize(files: &mut Files, folder: &str) {
    let name = ["kustomization.yaml", "kustomization.yml", "Kustomization"]
        .iter()
        .map(|name| Path::new(folder).join(name))
        .find(|path| path.is_file())
        .map_or_else(|| folder.to_owned(), |path| file_name(&path));
    let origin = Origin { name, chart: None, is_rendered: true };
    let commands = [
        ("kustomize", vec!["build".into(), folder.into()]),
        ("kubectl", vec!["kustomize".into(), folder.into()]),
    ];
    add(files, origin, &commands);
}

/// Adds the output of the first of some programs that exists.
fn add(files: &mut Files, origin: Origin, commands: &[(&str, Vec<OsString>)]) {
    for (program, arguments) in commands {
        let output = match Command::new(program).args(arguments).output() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => {
                return files.add_problem(&origin.name, format!("{program} cannot be run: {error}"));
            }
            Ok(output) => output,
        };
        if !output.status.success() {
            let problem = String::from_utf8_lossy(&output.stderr);
            return files.add_problem(&origin.name, format!("{program} failed: {}", problem.trim()));
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
    let source = match &chunk.origin.chart {
        Some(chart) => helm_source(chart, &chunk.text),
        None => kustomize_source(&chunk.origin.name, &spot.rendered),
    };
    let file = source.unwrap_or_else(|| chunk.origin.name.clone());
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let at = kind_line(&text, &spot.rendered.kind).map(|line| Position { line, column: 1 });
    Place { file, span: at.map(|at| Span { start: at, end: at }), is_exact: false }
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

/// Returns the first line of a template with a kind.
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
