//! The largest updates that are evaluated.

use kubernetes::objects::Objects;
use serde_json::{Value, json};

fn message(object: &Value) -> String {
    let request = json!({
        "uid": "1",
        "kind": { "group": "", "version": "v1", "kind": "Pod" },
        "operation": "UPDATE",
        "namespace": "shop",
        "userInfo": { "username": "dev" },
        "object": object,
        "oldObject": object,
    });
    let payload = json!({ "request": request, "settings": {} }).to_string();
    let cluster = Objects::from_values(Vec::new()).unwrap();
    let response = rules::find("pod-security").unwrap().respond(payload.as_bytes(), &cluster);
    String::from_utf8(response.to_json()).unwrap()
}

fn pod(count: usize, list: &str, item: &Value) -> Value {
    let items = vec![item.clone(); count];
    let spec = match list {
        "add" => json!({ "containers": [{ "securityContext": { "capabilities": { "add": items } } }] }),
        _ => json!({ list: items }),
    };
    json!({ "spec": spec })
}

/// S5: the limits that the README states, in values of the object and the old object.
#[test]
fn updates_are_evaluated_up_to_the_documented_size() {
    let hardened = json!({ "name": "web", "image": "x", "ports": [{ "containerPort": 80 }], "securityContext": {
        "allowPrivilegeEscalation": false,
        "runAsNonRoot": true,
        "capabilities": { "drop": ["ALL"] },
        "seccompProfile": { "type": "RuntimeDefault" },
    } });
    let volume = json!({ "name": "v", "hostPath": { "path": "/" } });
    let cases = [("add", json!("CHOWN"), 1), ("volumes", volume, 4), ("containers", hardened, 13)];
    for (list, item, values) in cases {
        let most = (1 << 18) / values;
        assert!(!message(&pod(most - 20, list, &item)).contains("too large"), "{list}");
        assert!(message(&pod(most + 1, list, &item)).contains("too large"), "{list}");
    }
}
