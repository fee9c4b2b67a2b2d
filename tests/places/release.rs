//! The release of the tool: archives, checksums, the manifest for krew and the image, packed from
//! programs that stand for the built ones.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::files::{names, parse_one};
use crate::folder::{Done, Folder};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The targets, and the platforms as krew names them.
const TARGETS: [(&str, &str); 5] = [
    ("x86_64-unknown-linux-musl", "linux-amd64"),
    ("aarch64-unknown-linux-musl", "linux-arm64"),
    ("x86_64-apple-darwin", "darwin-amd64"),
    ("aarch64-apple-darwin", "darwin-arm64"),
    ("x86_64-pc-windows-msvc", "windows-amd64"),
];

fn program(platform: &str) -> &'static str {
    if platform.starts_with("windows") { "portcullis.exe" } else { "portcullis" }
}

/// A folder with `FROM` and the packed `TO`.
fn packed(test: &str) -> Folder {
    let folder = Folder::new(test);
    for (target, platform) in TARGETS {
        folder.file(&format!("from/{target}/{}", program(platform)), format!("#!{platform}"));
        folder.file(&format!("from/{target}/licences.txt"), "licences");
        folder.file(&format!("from/{target}/sbom.cdx.json"), "{}");
    }
    let done = pack(&folder);
    assert_eq!(done.status, 0, "{done:?}");
    folder
}

fn pack(folder: &Folder) -> Done {
    let script = tests::root().join("scripts/release-tool");
    folder.run(script, &["pack", &format!("v{VERSION}"), "from", "to"])
}

#[test]
fn packs_each_program_with_its_licences_and_lists_all_checksums() {
    let folder = packed("release-archives");
    folder.sh("cd to/files && sha256sum --check --strict SHA256SUMS");
    let listed: BTreeSet<String> = folder
        .read("to/files/SHA256SUMS")
        .lines()
        .map(|line| line.split_once("  ").unwrap().1.to_owned())
        .chain(["SHA256SUMS".to_owned()])
        .collect();
    assert_eq!(listed, names(&folder.0.join("to/files")));
    for (_, platform) in TARGETS {
        let program = program(platform);
        let files = folder.sh(&format!("tar -tvzf to/files/portcullis-{platform}.tar.gz"));
        let files: Vec<&str> = files.lines().collect();
        assert_eq!(files.len(), 3, "{files:?}");
        assert!(
            files[0].starts_with("-rwxr-xr-x 0/0 ") && files[0].ends_with(&format!(" {program}")),
            "{files:?}"
        );
        assert!(files[1].ends_with(" LICENSE") && files[2].ends_with(" licences.txt"), "{files:?}");
        let text = folder.sh(&format!("tar -xOzf to/files/portcullis-{platform}.tar.gz {program}"));
        assert_eq!(text, format!("#!{platform}"));
    }
}

#[test]
fn packing_is_reproducible_and_complete() {
    let folder = packed("release-again");
    folder.sh("touch from/*/* && cp -r to once");
    assert_eq!(pack(&folder).status, 0);
    folder.sh("diff -r once to");
    fs::remove_file(folder.0.join("from/aarch64-apple-darwin/licences.txt")).unwrap();
    let done = pack(&folder);
    assert!(done.status != 0 && done.stderr.contains("aarch64-apple-darwin/licences.txt"), "{done:?}");
}

/// The rules of krew 0.4: `internal/index/validation/validate.go` and
/// `cmd/validate-krew-manifest/main.go`.
#[test]
fn the_manifest_for_krew_follows_its_rules_and_has_the_checksums() {
    let folder = packed("release-krew");
    let manifest = parse_one(&folder.0.join("to/files/portcullis.yaml"));
    assert_eq!(manifest["apiVersion"], "krew.googlecontainertools.github.com/v1alpha2");
    assert_eq!(manifest["kind"], "Plugin");
    assert_eq!(manifest["metadata"]["name"], "portcullis", "the name of the file");
    let spec = &manifest["spec"];
    assert_eq!(spec["version"], format!("v{VERSION}"));
    assert!(spec["homepage"].is_string());
    let short = spec["shortDescription"].as_str().unwrap();
    assert!(
        !short.is_empty() && short.len() <= 70 && !short.contains('\n') && !short.ends_with('.'),
        "{short}"
    );
    for text in ["description", "caveats"] {
        let text = spec[text].as_str().unwrap();
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    }
    let known = ["version", "homepage", "shortDescription", "description", "caveats", "platforms"];
    assert!(spec.as_object().unwrap().keys().all(|key| known.contains(&key.as_str())), "{spec}");
    let sums = folder.read("to/files/SHA256SUMS");
    let sums: BTreeMap<&str, &str> =
        sums.lines().map(|line| line.split_once("  ").unwrap()).map(|(sum, file)| (file, sum)).collect();
    let mut seen = BTreeSet::new();
    for platform in spec["platforms"].as_array().unwrap() {
        let labels = platform["selector"]["matchLabels"].as_object().unwrap();
        assert_eq!(labels.keys().collect::<Vec<_>>(), ["arch", "os"]);
        let name = format!("{}-{}", labels["os"].as_str().unwrap(), labels["arch"].as_str().unwrap());
        let archive = format!("portcullis-{name}.tar.gz");
        let release = "https://github.com/portcullis/portcullis/releases/download";
        assert_eq!(platform["uri"], format!("{release}/v{VERSION}/{archive}"));
        assert_eq!(platform["sha256"], sums[archive.as_str()]);
        assert_eq!(platform["bin"], program(&name));
        assert!(seen.insert(name), "platforms overlap");
    }
    assert_eq!(seen, TARGETS.iter().map(|(_, platform)| (*platform).to_owned()).collect());
}

#[test]
fn the_workflow_builds_the_targets_that_are_packed() {
    let workflow = parse_one(&tests::root().join(".github/workflows/release-tool.yml"));
    let matrix = workflow["jobs"]["build"]["strategy"]["matrix"]["include"].as_array().unwrap();
    let built: BTreeSet<&str> = matrix.iter().map(|entry| entry["target"].as_str().unwrap()).collect();
    assert_eq!(built, TARGETS.iter().map(|(target, _)| *target).collect());
    // Policies have tags with a slash, which `*` does not match.
    assert_eq!(workflow["on"]["push"]["tags"], serde_json::json!(["v[0-9]+.[0-9]+.[0-9]+*"]));
}

#[test]
fn only_a_tag_of_this_version_is_released() {
    let folder = Folder::new("release-check");
    let script = tests::root().join("scripts/release-tool");
    for (arguments, status, message) in [
        (&["check", "0.1.0"][..], 1, "0.1.0: is not a tag of the tool; use vVERSION"),
        (&["check", "v99.0.0"], 1, "Cargo.toml: the version is not 99.0.0"),
        (&["build", "riscv64gc-unknown-linux-gnu"], 1, "is not a target of a release; they are: x86_64-"),
        (&["pack"], 2, "scripts/release-tool pack vVERSION FROM TO"),
        (&["publish", "v0.1.0"], 2, "scripts/release-tool check vVERSION"),
    ] {
        let done = folder.run(&script, arguments);
        assert_eq!(done.status, status, "{arguments:?} {done:?}");
        assert!(done.stderr.contains(message), "{arguments:?} {done:?}");
    }
}

#[test]
fn the_image_has_one_program_and_a_user_without_rights() {
    let folder = packed("release-image");
    let containerfile = folder.read("to/image/Containerfile");
    let lines: Vec<&str> =
        containerfile.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    assert_eq!(lines[0], "FROM scratch");
    assert!(
        lines.contains(&"USER 65532:65532") && lines.contains(&"ENTRYPOINT [\"/portcullis\"]"),
        "{lines:?}"
    );
    for arch in ["amd64", "arm64"] {
        let copied = lines.iter().filter_map(|line| line.strip_prefix("COPY "));
        for source in copied.flat_map(|line| line.split(' ').filter(|word| !word.starts_with(['-', '/']))) {
            let source = source.replace("${TARGETARCH}", arch);
            assert!(folder.0.join("to/image").join(&source).is_file(), "{source}");
        }
    }

    if Command::new("buildah").arg("--version").output().is_err() {
        return tests::not_run("BUILDAH", "the build of the image", "buildah is not on PATH").unwrap();
    }
    let storage = "--storage-driver vfs --root storage/root --runroot storage/run";
    folder.sh(
        &format!(
            "buildah {storage} build --quiet --timestamp 0 --platform linux/amd64,linux/arm64 --manifest image to/image
             buildah {storage} manifest push --quiet --all image oci:layout:image"
        ),
    );
    let blob = |digest: &Value| {
        let path = format!("layout/blobs/{}", digest.as_str().unwrap().replace(':', "/"));
        parse_one(&folder.0.join(path))
    };
    let index = parse_one(&folder.0.join("layout/index.json"));
    let images = blob(&index["manifests"][0]["digest"])["manifests"].as_array().unwrap().clone();
    let platforms: BTreeSet<&str> =
        images.iter().map(|image| image["platform"]["architecture"].as_str().unwrap()).collect();
    assert_eq!(platforms, BTreeSet::from(["amd64", "arm64"]));
    for image in &images {
        let manifest = blob(&image["digest"]);
        let config = blob(&manifest["config"]["digest"]);
        assert_eq!(config["config"]["User"], "65532:65532");
        assert_eq!(config["config"]["Entrypoint"], serde_json::json!(["/portcullis"]));
        let architecture = config["architecture"].as_str().unwrap();
        let layers = manifest["layers"].as_array().unwrap();
        let mut files = String::new();
        let mut text = String::new();
        for layer in layers {
            let layer = format!("layout/blobs/{}", layer["digest"].as_str().unwrap().replace(':', "/"));
            files += &folder.sh(&format!("tar -tvzf {layer}"));
            text += &folder.sh(&format!("tar -xOzf {layer} portcullis 2>/dev/null || true"));
        }
        assert_eq!(text, format!("#!linux-{architecture}"));
        let names: BTreeSet<&str> = files
            .lines()
            .filter(|line| line.starts_with('-'))
            .map(|line| line.rsplit(' ').next().unwrap())
            .collect();
        let expected = ["LICENSE", "etc/ssl/certs/ca-certificates.crt", "licences.txt", "portcullis"];
        assert_eq!(names, BTreeSet::from(expected), "{files}");
        assert!(
            files.lines().any(|line| line.starts_with("-rwxr-xr-x 0/0 ") && line.ends_with(" portcullis")),
            "{files}"
        );
    }
}
