//! Updates of images in pods with exemptions (X1).

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use suite::cases::Case;
use tests::bounded;

use super::generate;
use super::model::{Mode, Settings};
use super::policy::{evaluate, outcome};
use super::settings;

/// A case that updates a pod.
fn updated(old: &Value, new: &Value, settings: &Value) -> Case {
    serde_json::from_value(json!({
        "name": "generated",
        "settings": settings,
        "operation": "UPDATE",
        "object": new,
        "oldObject": old,
        "cluster": { "unreachable": "not needed" },
        "want": {},
    }))
    .unwrap()
}

/// Replaces the image of one container or init container, if there is one.
fn with_image(pod: &Value, which: Index, image: &str) -> Option<Value> {
    let mut pod = pod.clone();
    let count = |list: &str| pod["spec"][list].as_array().map_or(0, Vec::len);
    let (init, regular) = (count("initContainers"), count("containers"));
    if init + regular == 0 {
        return None;
    }
    let number = which.index(init + regular);
    let container = match number.checked_sub(init) {
        None => &mut pod["spec"]["initContainers"][number],
        Some(number) => &mut pod["spec"]["containers"][number],
    };
    container["image"] = json!(image);
    Some(pod)
}

proptest! {
    #![proptest_config(bounded(750))]

    /// A pod that may be created may get an image if it could be created with this image.
    #[test]
    fn new_images_are_evaluated_like_those_of_new_pods(
        pod in generate::pod(), settings in settings(), which: Index,
        image in prop::sample::select(vec!["attacker/shell", "quay.io/node/exporter:2", "registry.example/app:1"]),
    ) {
        let settings = Settings {
            exempt_images: vec!["quay.io/node/*", "registry.example/app:1"],
            exempt_accounts: vec![],
            lifts: vec!["Level", "Role", "Type", "User"],
            intra_pod: super::model::IntraPod::Ignore,
            ..settings
        };
        let guard = settings.json(Mode::Validate);
        let Some(old) = evaluate(&pod, &settings.json(Mode::Mutate)).object(&pod) else { return Ok(()) };
        let Some(old) = with_image(&old, which, "registry.example/app:1") else { return Ok(()) };
        let Some(new) = with_image(&old, which, image) else { return Ok(()) };
        if evaluate(&old, &guard).is_admitted() {
            let found = outcome(&updated(&old, &new, &guard));
            let is_admitted = evaluate(&new, &guard).is_admitted();
            prop_assert_eq!(found.denied.is_none(), is_admitted, "{:?}: {} {}", found, new, guard);
            prop_assert!(found.fault.is_none() && found.mutated.is_none());
        }
    }

    /// An update that changes no image is admitted, whatever the pod violates.
    #[test]
    fn updates_without_new_images_are_admitted(pod in generate::pod(), settings in settings()) {
        let settings = Settings { exempt_images: vec!["quay.io/node/*"], ..settings };
        let mut new = pod.clone();
        new["metadata"]["labels"] = json!({ "changed": "true" });
        for mode in [Mode::Mutate, Mode::Validate] {
            let found = outcome(&updated(&pod, &new, &settings.json(mode)));
            prop_assert_eq!(found.admitted, Some(true), "{:?}", found);
        }
    }
}
