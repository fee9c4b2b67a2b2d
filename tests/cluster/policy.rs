//! The manifests of policies, which are those of `artifacthub/deploy` with other settings.

use kubewarden::deployment::Instance;
use serde_json::{Value, json};

#[derive(Clone, Debug)]
pub(crate) struct Policy {
    pub(crate) manifest: Value,
}

impl Policy {
    /// An instance of a policy with its needs by the settings, in monitor mode.
    pub(crate) fn monitor(id: &str, name: &str, settings: &Value) -> Self {
        let needs = kubewarden::deployment::find(id).unwrap().needs(settings);
        let module = format!("registry://ghcr.io/portcullis/policies/{id}:v0.1.0");
        let instance = Instance {
            name,
            module: &module,
            category: "Test",
            severity: "high",
            settings,
            needs: &needs,
            skipped_namespaces: &["kube-system"],
            protects: false,
        };
        let documents: Vec<Value> = serde_saphyr::from_multiple(&instance.to_yaml().unwrap()).unwrap();
        let mut manifest = documents.into_iter().next_back().unwrap();
        assert_eq!(manifest["kind"], "ClusterAdmissionPolicy");
        assert_eq!(manifest["spec"]["mode"], "monitor");
        if !kubewarden::deployment::find(id).unwrap().skips_infrastructure_namespaces() {
            manifest["spec"].as_object_mut().unwrap().remove("namespaceSelector");
        }
        // The module that this repository built, in the place of the published one.
        let built = tests::root().join(format!("target/policies/{id}.wasm"));
        assert!(built.exists(), "{}: does not exist; build it with ./justw modules", built.display());
        manifest["spec"]["module"] = json!(format!("file://{}", built.display()));
        Self { manifest }
    }

    pub(crate) fn protect(id: &str, name: &str, settings: &Value) -> Self {
        let mut policy = Self::monitor(id, name, settings);
        policy.manifest["spec"]["mode"] = json!("protect");
        policy.manifest["spec"]["failurePolicy"] = json!("Fail");
        policy
    }
}
