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

/// A repository of the shape that many have: a chart, a kustomization of a base with a patch, a
/// template of another program, and files that are not manifests.
fn whole(repository: &Repository) {
    let folder = &repository.0;
    let service = |name: &str| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: {name}}}\nspec: {{externalIPs: [192.0.2.1]}}\n"
        )
    };
    folder.file("charts/shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 0.1.0\n");
    folder.file("charts/shop/values.yaml", "addresses: [192.0.2.1]\n");
    folder.file("charts/shop/templates/service.yaml", TEMPLATE);
    folder.file("charts/shop/charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 0.1.0\n");
    folder.file("charts/shop/charts/db/templates/service.yaml", service("db"));
    folder
        .file("charts/library/Chart.yaml", "apiVersion: v2\nname: library\nversion: 0.1.0\ntype: library\n");
    folder.file("charts/library/charts/app/service.yaml", service("app"));
    folder.file("deploy/base/service.yaml", service("base"));
    folder.file("deploy/base/kustomization.yaml", "resources: [service.yaml]\n");
    folder.file(
        "deploy/prod/kustomization.yaml",
        "resources: [../base]\nnamePrefix: prod-\npatches: [{path: patch.yaml, target: {kind: Service}}]\n",
    );
    folder.file("deploy/prod/patch.yaml", "- {op: add, path: /metadata/labels, value: {a: b}}\n");
    folder
        .file("deploy/remote/kustomization.yaml", "resources: [https://example.com/a, ../other, own.txt]\n");
    folder.file("deploy/remote/own.txt", service("own"));
    folder.file("deploy/other/kustomization.yaml", "Resources: [service.yaml]\n---\na: 1\n");
    folder.file("deploy/other/service.yaml", service("other"));
    folder.file("charts/shop/.helmignore", "ignored.yaml\n");
    folder.file("charts/shop/templates/ignored.yaml", service("ignored"));
    folder.file("deploy/patched/kustomization.yaml", "resources: [../other]\nnamePrefix: patched-\n");
    folder.file("hack/template.yaml", "apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ name }}-a\n");
    folder.file("hack/broken.json", "{\"a\": 1, // a comment\n}\n");
    folder.file("testdata/broken.yaml", "apiVersion: v1\nkind: [\n");
    folder.file("package.json", "{\"name\": \"shop\"}\n");
    folder.file(".portcullisignore", "testdata/\n");
}

#[test]
fn a_whole_repository_is_evaluated_rendered_excluded_or_named() {
    let Some(helm) = program("HELM", "helm", "the scans of charts") else { return };
    let Some(kubectl) = program("KUBECTL", "kubectl", "the scans of overlays") else { return };
    let repository = Repository::new("whole", "helm", helm);
    repository.0.link("kubectl", kubectl);
    whole(&repository);
    let done = repository.scan(&["."]);
    assert_eq!(done.status, 1, "{done:?}");
    for want in [
        "  Service default/db\n",
        "  Service default/web\n",
        "  Service default/prod-base\n    DENIED    external-ips/not-allowed, deploy/base/service.yaml:4:22\n",
        "  Service default/own\n",
        "  Service default/other\n",
        "  Service default/patched-other\n",
        "  Service default/app\n",
        "  Service default/ignored\n",
        "FAILED  8 denied, 0 unknown",
        "warning: hack/template.yaml:4:",
        "note: hack/broken.json:1:10: invalid JSON: ",
        "note: files that are excluded: testdata/broken.yaml\n",
        "note: charts that are rendered, in the place of their templates: charts/shop\n",
        "in the place of the files that they name: deploy/patched, deploy/prod, \
         deploy/other\n",
        "warning: deploy/remote/kustomization.yaml: the kustomization is not built, and its resources and patches \
         are evaluated as they are: deploy/remote/kustomization.yaml names `https://example.com/a`, which is not a \
         file here\n",
    ] {
        assert!(done.stdout.contains(want), "{want} {}", done.stdout);
    }
    for unwanted in ["deploy/prod/patch.yaml", "library/Chart.yaml", "Service default/base\n"] {
        assert!(!done.stdout.contains(unwanted), "{unwanted} {}", done.stdout);
    }
    assert_eq!(repository.scan(&[".", "--strict"]).status, 2);
    // Services need names that are relative to the root of the repository.
    let arguments = ["scan", "base", "--policy", "external-ips", "-o", "github"];
    let done = Done::of(repository.0.command(tool(), &arguments).current_dir(repository.0.0.join("deploy")));
    assert!(done.stdout.contains("::error file=deploy/base/service.yaml,line=4,"), "{done:?}");
    let excluded =
        [".", "--exclude", "/charts", "--exclude", "remote", "--exclude", "*late.yaml", "--strict"];
    assert!(repository.scan(&excluded).stdout.contains("FAILED  2 denied, 0 unknown"));
    // A chart that the user names is not rendered a second time.
    let named = [".", "--helm", "./charts/shop/", "--kustomize", "deploy/prod/"];
    assert!(repository.scan(&named).stdout.contains("FAILED  7 denied, 0 unknown"));
    // Both states of a change are rendered, and policies tolerate stored addresses.
    repository.commit();
    let change = [".", "--old", "git:HEAD"];
    let of_named = [&named[..], &change[1..]].concat();
    for change in [&change[..], &of_named, &["./deploy/../deploy", "--old", "git:HEAD"]] {
        let done = repository.scan(change);
        assert_eq!(done.status, 0, "{done:?}");
    }
    repository.0.file("charts/shop/values.yaml", "addresses: [192.0.2.2]\n");
    let done = repository.scan(&change);
    assert!(
        done.stdout.contains("Service default/web\n") && done.stdout.contains("FAILED  1 denied"),
        "{done:?}"
    );
}

#[test]
fn charts_are_rendered_as_the_configuration_says_in_every_directory() {
    let Some(helm) = program("HELM", "helm", "the scans of charts") else { return };
    let repository = Repository::new("configured", "helm", helm);
    let folder = &repository.0;
    for chart in ["shop", "other"] {
        folder.file(&format!("charts/{chart}/Chart.yaml"), format!("name: {chart}\nversion: 0.1.0\n"));
        folder.file(&format!("charts/{chart}/values.yaml"), "addresses: []\n");
        folder.file(&format!("charts/{chart}/templates/service.yaml"), TEMPLATE);
    }
    folder.file("values/a.yaml", "addresses: [192.0.2.1]\n");
    folder.file("values/b.yaml", "addresses: [192.0.2.2]\n");
    folder.file("deploy/README.md", "");
    folder.file(
        "portcullis.yaml",
        "policies: [external-ips]\nbaseline: ci/known.jsonl\nexclude: [/values/]\ncharts:\n\
         - {chart: charts/shop, values: [values/a.yaml], namespace: a}\n\
         - {chart: charts/shop, values: [values/b.yaml], namespace: b}\n",
    );
    folder.file("ci/README.md", "");
    let scan = |below: &str, arguments: &[&str]| {
        let all = [&["scan"], arguments].concat();
        let mut tool = folder.command(tool(), &all);
        Done::of(tool.env("PATH", folder.path()).current_dir(folder.0.join(below)))
    };
    // The names of files are those of the directory in which the tool runs.
    for (below, prefix) in [(".", ""), ("deploy", "../")] {
        let done = scan(below, &[]);
        assert_eq!(done.status, 1, "{done:?}");
        for want in [
            "  Service a/web\n",
            "  Service b/web\n",
            "FAILED  2 denied",
            &format!("external-ips/not-allowed, {prefix}charts/shop/templates/service.yaml:2:1"),
            &format!("note: files that are excluded: {prefix}values/a.yaml, {prefix}values/b.yaml\n"),
        ] {
            assert!(done.stdout.contains(want), "{want} {}", done.stdout);
        }
    }
    assert!(scan("charts", &["shop"]).stdout.contains("FAILED  2 denied"));
    assert_eq!(scan(".", &["charts/other"]).status, 0);
    let named = ["charts", "--helm", "charts/shop", "--values", "values/b.yaml"];
    assert!(scan(".", &named).stdout.contains("FAILED  1 denied"));
    // A chart that a revision does not have is new, and each rendering is compared by itself.
    folder.file("charts/shop/values.yaml", "addresses: [192.0.2.9]\n");
    repository.commit();
    folder.file("charts/new/Chart.yaml", "name: new\nversion: 0.1.0\n");
    folder.file("charts/new/templates/service.yaml", TEMPLATE.replace(".Values.addresses", "list"));
    let configuration = std::fs::read_to_string(folder.0.join("portcullis.yaml")).unwrap();
    folder.file("portcullis.yaml", format!("{configuration}- chart: charts/new\n"));
    let done = scan(".", &["--old", "git:HEAD"]);
    assert_eq!(done.status, 0, "{done:?}");
    assert!(done.stdout.contains("note: HEAD:charts/new: the revision does not have the chart"), "{done:?}");
    folder.file("values/b.yaml", "addresses: [192.0.2.3]\n");
    let done = scan(".", &["--old", "git:HEAD"]);
    assert!(
        done.stdout.contains("  Service b/web\n") && done.stdout.contains("FAILED  1 denied"),
        "{done:?}"
    );
    // So is the baseline, whichever directory it was written from.
    assert_eq!(scan("deploy", &["--write-baseline"]).status, 0);
    for below in [".", "deploy", "charts/shop"] {
        let done = scan(below, &[]);
        assert!(done.status == 0 && done.stderr.is_empty(), "{done:?}");
    }
    let known = std::fs::read_to_string(folder.0.join("ci/known.jsonl")).unwrap();
    assert!(known.contains(r#""file":"charts/shop/templates/service.yaml""#), "{known}");
}

#[test]
fn kustomizations_hide_no_file_that_they_do_not_apply() {
    let Some(kubectl) = program("KUBECTL", "kubectl", "the scans of overlays") else { return };
    let exposed = "apiVersion: v1\nkind: Service\nmetadata: {name: bad}\nspec: {externalIPs: [192.0.2.1]}\n";
    let good = "apiVersion: v1\nkind: Service\nmetadata: {name: good}\n";
    let component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n- target: {kind: Service}\n  \
                     patch: |-\n    - {op: add, path: /spec, value: {externalIPs: [192.0.2.1]}}\n";
    for (name, files) in [
        // A folder that can be built is, although one that includes it cannot be.
        (
            "broken",
            &[
                ("base/a.yaml", good),
                ("base/kustomization.yaml", "resources: [a.yaml]\ncomponents: [../component]\n"),
                ("component/kustomization.yaml", component),
                ("dead/kustomization.yaml", "resources: [../base, missing.yaml]\n"),
            ][..],
        ),
        // Two fields whose names differ only in case. Kustomize reads one of them.
        (
            "letters",
            &[
                ("a.yaml", good),
                ("b.yaml", exposed),
                ("kustomization.yaml", "Resources: [b.yaml]\nresources: [a.yaml]\n"),
            ],
        ),
        // A file that only a generator reads.
        (
            "generator",
            &[
                ("b.yaml", exposed),
                ("kustomization.yaml", "configMapGenerator: [{name: a, files: [b.yaml]}]\n"),
            ],
        ),
        // A second document, which Kustomize ignores.
        (
            "second",
            &[("a.yaml", good), ("kustomization.yaml", &*format!("resources: [a.yaml]\n---\n{exposed}"))],
        ),
    ] {
        let repository = Repository::new(&format!("hidden-{name}"), "kubectl", kubectl.clone());
        for (name, text) in files {
            repository.0.file(name, text);
        }
        let done = repository.scan(&["."]);
        assert!(done.stdout.contains("FAILED  1 denied"), "{name}: {done:?}");
    }
}

#[test]
fn without_programs_resources_are_evaluated_and_charts_named() {
    let Some(git) = program("GIT", "git", "the scans of repositories") else { return };
    let repository = Repository::new("bare", "git", git);
    whole(&repository);
    let arguments = ["scan", "--policy", "external-ips", "."];
    let done = Done::of(repository.0.command(tool(), &arguments).env("PATH", repository.0.0.join("bin")));
    assert_eq!(done.status, 1, "{done:?}");
    for want in [
        "  Service default/base\n",
        "  Service default/own\n",
        "  Service default/other\n",
        // An object of a chart that is not a template.
        "  Service default/db\n",
        "  Service default/app\n",
        "  Service default/ignored\n",
        "FAILED  6 denied, 0 unknown",
        "warning: charts/shop/Chart.yaml: the chart is not rendered, and its templates are not evaluated: cannot be \
         rendered: install helm; pass --helm with --values, or exclude it\n",
        "warning: deploy/prod/kustomization.yaml: the kustomization is not built",
    ] {
        assert!(done.stdout.contains(want), "{want} {}", done.stdout);
    }
}

#[test]
fn policies_are_read_through_their_kustomization() {
    let Some(kubectl) = program("KUBECTL", "kubectl", "the scans of overlays") else { return };
    let repository = Repository::new("policies", "kubectl", kubectl);
    let folder = &repository.0;
    let policy = |name: &str, mode: &str| {
        format!(
            "apiVersion: policies.kubewarden.io/v1\nkind: ClusterAdmissionPolicy\nmetadata: {{name: {name}}}\nspec:\n  \
             module: registry://ghcr.io/portcullis/policies/external-ips:v{}\n  mode: {mode}\n  mutating: false\n  \
             rules: [{{apiGroups: [''], apiVersions: [v1], resources: [services], operations: [CREATE]}}]\n",
            env!("CARGO_PKG_VERSION")
        )
    };
    folder.file("policies/ranges.yaml", policy("ranges", "monitor"));
    folder.file("policies/example.yaml", policy("example", "protect"));
    folder.file(
        "policies/kustomization.yaml",
        "resources: [ranges.yaml]\npatches:\n- target: {kind: ClusterAdmissionPolicy}\n  patch: |-\n    \
         - {op: replace, path: /spec/mode, value: protect}\n",
    );
    folder.file("web.yaml", crate::folder::EXPOSED);
    let arguments = ["scan", "web.yaml", "--policy", "policies"];
    let done = Done::of(folder.command(tool(), &arguments).env("PATH", folder.path()));
    assert_eq!(done.status, 1, "{done:?}");
    assert!(
        done.stdout.contains("DENIED    ranges/not-allowed") && !done.stdout.contains("example"),
        "{done:?}"
    );
    let done = Done::of(folder.command(tool(), &arguments).env("PATH", ""));
    assert_eq!(done.status, 2, "{done:?}");
    assert!(
        done.stderr.contains("policies/kustomization.yaml: cannot be rendered: install kustomize"),
        "{done:?}"
    );
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
    folder.file("base/kustomization.yaml", "resources: [service.yaml]\n");
    folder.file("prod/kustomization.yaml", "resources: [../base]\nnamePrefix: prod-\n");
    repository.commit();
    let done = repository.scan(&["--kustomize", "prod"]);
    assert_eq!(done.status, 1, "{done:?}");
    assert!(done.stdout.contains("prod-web"), "{done:?}");
    assert!(repository.scan(&["--kustomize", "base"]).stdout.contains("base/service.yaml:4:22"));

    let change = ["--kustomize", "prod", "--old", "git:HEAD"];
    let done = repository.scan(&change);
    assert_eq!(done.status, 0, "{done:?}");
    folder.file("base/service.yaml", service("192.0.2.1, 192.0.2.2"));
    assert_eq!(repository.scan(&change).status, 1);
}
