//! Charts and overlays, rendered by the real Helm and Kustomize.

use std::env;
use std::path::PathBuf;

use crate::folder::{Done, Folder, tool};

/// A template with the addresses of the values; its kind is in line 2.
const TEMPLATE: &str = "\
apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  externalIPs: {{ toJson .Values.addresses }}
";

/// Returns a program: the one that the variable names, or the one on PATH. `None` if there is none
/// and none is required.
fn program(variable: &str, name: &str, what: &str) -> Option<PathBuf> {
    let named = env::var_os(variable).map(|path| tests::root().join(path));
    let paths = env::var_os("PATH").unwrap_or_default();
    let found =
        named.or_else(|| env::split_paths(&paths).map(|folder| folder.join(name)).find(|at| at.is_file()));
    if found.is_none() {
        tests::not_run(variable, what, &format!("{name} is not installed")).unwrap();
    }
    found
}

/// A git repository in which the tool finds a program.
struct Repository(Folder);

impl Repository {
    fn new(test: &str, name: &str, program: PathBuf) -> Self {
        let folder = Folder::new(test);
        folder.link(name, program);
        folder.git(".", &["init", "--quiet"]);
        Self(folder)
    }

    fn commit(&self) {
        self.0.git(".", &["add", "."]);
        self.0.git(".", &["commit", "--quiet", "--message", "change"]);
    }

    fn scan(&self, arguments: &[&str]) -> Done {
        let all = [&["scan", "--policy", "external-ips"], arguments].concat();
        Done::of(self.0.command(tool(), &all).env("PATH", self.0.path()))
    }
}

#[test]
fn a_chart_is_rendered_and_a_change_of_it_evaluated() {
    let Some(helm) = program("HELM", "helm", "the scans of charts") else { return };
    let repository = Repository::new("helm", "helm", helm);
    let folder = &repository.0;
    folder.file("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 0.1.0\n");
    folder.file("shop/values.yaml", "addresses: []\n");
    folder.file("shop/templates/service.yaml", TEMPLATE);
    let chart = ["--helm", "shop"];
    assert_eq!(repository.scan(&chart).status, 0);

    folder.file("exposed.yaml", "addresses: [192.0.2.1]\n");
    let exposed = ["--helm", "shop", "--values", "exposed.yaml"];
    let done = repository.scan(&exposed);
    assert_eq!(done.status, 1, "{done:?}");
    assert!(done.stdout.contains("shop/templates/service.yaml:2"), "{done:?}");

    // Policies tolerate stored addresses.
    repository.commit();
    let change = [&exposed[..], &["--old", "git:HEAD"]].concat();
    let done = repository.scan(&change);
    assert_eq!(done.status, 0, "{done:?}");
    folder.file("exposed.yaml", "addresses: [192.0.2.1, 192.0.2.2]\n");
    let done = repository.scan(&change);
    assert_eq!(done.status, 1, "{done:?}");
    assert!(done.stdout.contains("192.0.2.2") && !done.stdout.contains("192.0.2.1:"), "{done:?}");

    // A chart that fails is an error that names the revision and no temporary file.
    folder.file("shop/templates/service.yaml", "{{ fail \"no\" }}");
    repository.commit();
    folder.file("shop/templates/service.yaml", TEMPLATE);
    let done = repository.scan(&change);
    assert_eq!(done.status, 2, "{done:?}");
    assert!(done.stdout.contains("HEAD:shop") && done.stdout.contains("helm failed"), "{done:?}");
    assert!(!(done.stdout + &*done.stderr).contains(&*env::temp_dir().join(".tmp").to_string_lossy()));
}

#[test]
fn a_chart_that_has_no_revision_is_an_error() {
    let Some(helm) = program("HELM", "helm", "the scans of charts") else { return };
    let repository = Repository::new("helm-new", "helm", helm);
    let folder = &repository.0;
    folder.file("README", "");
    repository.commit();
    folder.file("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 0.1.0\n");
    folder.file("shop/templates/service.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n");
    for (arguments, want) in [
        (["--helm", "shop", "--old", "git:HEAD"], "the revision has no shop;"),
        (["--helm", "shop", "--old", "git:missing"], "git failed"),
        (["--helm", "shop", "--old", "git:--help"], "not a revision"),
    ] {
        let done = repository.scan(&arguments);
        assert_eq!(done.status, 2, "{done:?}");
        assert!(done.stdout.contains(want), "{done:?}");
    }
}

#[test]
fn an_overlay_is_built_and_a_change_of_it_evaluated() {
    let Some(kubectl) = program("KUBECTL", "kubectl", "the scans of overlays") else { return };
    let repository = Repository::new("kustomize", "kubectl", kubectl);
    let folder = &repository.0;
    let service = |addresses: &str| {
        format!(
            "apiVersion: v1\nmetadata: {{name: web}}\nkind: Service\nspec: {{externalIPs: [{addresses}]}}\n"
        )
    };
    folder.file("base/service.yaml", service("192.0.2.1"));
    folder.file("base/kustomization.yaml", "resources: [service.yaml]\nbuildMetadata: [originAnnotations]\n");
    folder.file("prod/kustomization.yaml", "resources: [../base]\nnamePrefix: prod-\n");
    repository.commit();
    let done = repository.scan(&["--kustomize", "prod"]);
    assert_eq!(done.status, 1, "{done:?}");
    assert!(done.stdout.contains("prod-web"), "{done:?}");
    assert!(repository.scan(&["--kustomize", "base"]).stdout.contains("base/service.yaml:3"));

    let change = ["--kustomize", "prod", "--old", "git:HEAD"];
    let done = repository.scan(&change);
    assert_eq!(done.status, 0, "{done:?}");
    folder.file("base/service.yaml", service("192.0.2.1, 192.0.2.2"));
    assert_eq!(repository.scan(&change).status, 1);
}
