//! Services with external IPs.

use serde_json::{Value, json};

/// Returns a Service with the given external IPs, which may be null.
#[must_use]
pub fn service(external_ips: &Value) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": { "name": "extip", "namespace": "shop" },
        "spec": { "ports": [{ "port": 80 }], "externalIPs": external_ips },
    })
}

/// Returns so many different addresses, at most 2²⁴.
#[must_use]
pub fn many_ips(count: usize) -> Vec<String> {
    (0..count).map(|index| format!("10.{}.{}.{}", index >> 16, index >> 8 & 0xff, index & 0xff)).collect()
}
