#!/usr/bin/env bats
# Runs the samples in kwctl; start it with `./justw e2e`. samples/README.md describes the samples.

load ../../tests/e2e/helper

@test "create denied: denied" {
    denies create-denied <<'END'
spec.externalIPs[0]: Invalid value: "192.0.2.80": Services may not claim new external IPs; remove it and use a Service of type LoadBalancer, an Ingress or a Gateway
END
}

@test "update legacy label: admitted" {
    accepts update-legacy-label
}

@test "update adds value: denied, only the new one" {
    denies update-adds-value <<'END'
spec.externalIPs[1]: Invalid value: "198.51.100.53": Services may not claim new external IPs; remove it and use a Service of type LoadBalancer, an Ingress or a Gateway
END
}

@test "create allowed: admitted" {
    accepts create-allowed
}

@test "create conflict: denied" {
    denies create-conflict <<'END'
spec.externalIPs[0]: Invalid value: "203.0.113.5": port 80/TCP of this address is in use by Service "gateway"; use another address or another port
END
}

@test "status denied: denied" {
    denies status-denied <<'END'
status.loadBalancer.ingress[0].ip: Invalid value: "192.0.2.200": Services may not receive new load balancer addresses; leave the status to the load balancer controller
END
}

@test "status controller: admitted" {
    accepts status-controller
}

@test "audit: denied" {
    denies audit <<'END'
spec.externalIPs[0]: Invalid value: "192.0.2.10": Services may not claim new external IPs; remove it and use a Service of type LoadBalancer, an Ingress or a Gateway
END
}

@test "settings: an unknown key that is similar to none is rejected with all keys" {
    refuses '{"namespaces": ["ingress"]}' <<'END'
namespaces: unknown key; expected one of allow, reject, exempt, existingValues, comparison, loadBalancerIngress, conflicts, fields
END
}

@test "settings: ranges that are a string are rejected" {
    refuses '{"allow": [{"cidrs": "192.0.2.0/24"}]}' <<'END'
allow[0].cidrs: expected an array, found a string
END
}

@test "settings: a choice that is a boolean is rejected" {
    refuses '{"existingValues": true}' <<'END'
existingValues: expected a string, found a boolean
END
}

@test "a failed look-up: cannot be evaluated" {
    cannot_evaluate create-conflict <<'END'
external-ips: cannot evaluate this request: list of Services: look-up failed: Callback evaluation failure: no route to host
END
}

@test "every sample is tested" {
    tests_every_sample
}
