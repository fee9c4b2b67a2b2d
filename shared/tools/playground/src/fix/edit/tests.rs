use serde_json::json;

use super::*;

fn edit(text: &str, change: impl Fn(&mut Value)) -> Option<String> {
    let before = documents(text).unwrap().remove(0);
    let mut after = before.clone();
    change(&mut after);
    edited(text, 0, &[], &before, &after)
}

const POD: &str = include_str!("../pod.yaml");

#[test]
fn blocks_keep_their_comments() {
    let new = edit(POD, |pod| {
        pod["spec"].as_object_mut().unwrap().remove("hostPID");
        let container = &mut pod["spec"]["containers"][0]["securityContext"];
        container["privileged"] = false.into();
        container["capabilities"]["drop"] = json!(["KILL", "ALL"]);
        container["seccompProfile"] = json!({ "type": "RuntimeDefault" });
    });
    let want = POD
        .replace("  hostPID: true   # why\n", "")
        .replacen("privileged: true\n", "privileged: false\n", 1)
        .replace(
            "        - KILL\n",
            "        - KILL\n        - ALL\n      seccompProfile:\n        type: RuntimeDefault\n",
        );
    assert_eq!(new.unwrap(), want);
}

#[test]
fn brackets_and_first_fields_of_items_are_edited() {
    let new = edit(POD, |pod| {
        let container = &mut pod["spec"]["containers"][1]["securityContext"];
        container.as_object_mut().unwrap().remove("privileged");
        container["capabilities"] = json!({ "drop": ["ALL"] });
    });
    let want = POD.replace("{privileged: true, runAsUser: 0}", "{runAsUser: 0, capabilities: {drop: [ALL]}}");
    assert_eq!(new.unwrap(), want);
    let new = edit(POD, |pod| {
        pod["spec"]["containers"][1].as_object_mut().unwrap().remove("securityContext");
    });
    let want =
        POD.replace("  - securityContext: {privileged: true, runAsUser: 0}\n    name: b\n", "  - name: b\n");
    assert_eq!(new.unwrap(), want);
    let new = edit(POD, |pod| {
        pod["spec"]["containers"].as_array_mut().unwrap().remove(0);
    });
    assert!(new.unwrap().contains("  containers:\n  - securityContext: {privileged"));
    let new = edit(POD, |pod| pod["status"] = json!({ "phase": "Running" }));
    assert!(new.unwrap().contains("status: {phase: Running}\n"));
}

#[test]
fn json_stays_json() {
    let text =
        "{\n  \"spec\": {\n    \"hostPID\": true,\n    \"x\": \"a, }\",\n    \"list\": [\"KILL\"]\n  }\n}\n";
    let new = edit(text, |pod| {
        let spec = pod["spec"].as_object_mut().unwrap();
        spec.remove("hostPID");
        spec.insert("new".to_owned(), json!({ "type": "A" }));
        spec["list"] = json!(["KILL", "ALL"]);
    });
    let new = new.unwrap();
    assert!(serde_json::from_str::<Value>(&new).is_ok(), "{new}");
    assert!(new.contains("\"x\": \"a, }\""), "{new}");
    let last = edit(text, |pod| {
        pod["spec"].as_object_mut().unwrap().remove("list");
    });
    assert!(last.unwrap().contains("\"x\": \"a, }\"\n  }"));
}

#[test]
fn a_text_without_a_last_line_break_is_edited() {
    let new = edit("a: 1\nb:\n  c: 2", |value| value["b"]["d"] = 3.into());
    assert_eq!(new.unwrap(), "a: 1\nb:\n  c: 2\n  d: 3");
}

#[test]
fn what_would_say_something_else_is_not_edited() {
    // An alias says the value of another place.
    let text = "a: &x {b: true}\nc: *x\n";
    assert_eq!(edit(text, |value| value["c"]["b"] = false.into()), None);
    assert_eq!(edit("a: |\n  x\n  y\n", |value| value["a"] = "z".into()), None);
}
