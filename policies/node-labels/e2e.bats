#!/usr/bin/env bats
# Runs the samples in kwctl; start it with `./justw e2e`. samples/README.md describes the samples.

load ../../tests/e2e/helper

@test "register: admitted" {
    accepts register
}

@test "register dedicated: denied" {
    denies register-dedicated <<'END'
metadata.labels[foo/dedicated]: Forbidden: nodes may not set, change or remove this label, which the policy settings protect; ask an administrator to label the Node
END
}

@test "heartbeat: admitted" {
    accepts heartbeat
}

@test "relabel self: denied" {
    denies relabel-self <<'END'
metadata.labels[node-restriction.kubernetes.io/team]: Forbidden: only administrators may set, change or remove labels of node-restriction.kubernetes.io; ask an administrator to label the Node
END
}

@test "status relabel: denied, both labels" {
    denies status-relabel <<'END'
metadata.labels[node-restriction.kubernetes.io/team]: Forbidden: only administrators may set, change or remove labels of node-restriction.kubernetes.io; ask an administrator to label the Node
oldObject.metadata.labels[node-role.kubernetes.io/worker]: Forbidden: nodes may set, change or remove only the listed labels of kubernetes.io and k8s.io; leave it unchanged, or ask an administrator to remove it
END
}

@test "agent token: denied" {
    denies agent-token <<'END'
metadata.labels[node-restriction.kubernetes.io/team]: Forbidden: only administrators may set, change or remove labels of node-restriction.kubernetes.io; ask an administrator to label the Node
END
}

@test "owner reference: denied" {
    denies owner-reference <<'END'
metadata.ownerReferences: Forbidden: nodes may not set, change or remove the owner references of their Node, because it is deleted with its owners; leave them unchanged, or ask an administrator to change them
END
}

@test "administrator: admitted" {
    accepts administrator
}

@test "another node: denied" {
    denies another-node <<'END'
request.name: Invalid value: "worker-2": a node may write only its own Node; use the credentials of that node or of an administrator
END
}

@test "warn: admitted, with a warning and an audit annotation" {
    accepts warn \
        'node-labels would deny these labels of the Node: foo/dedicated, beta.kubernetes.io/masq-agent-ds-ready and 1 more'
    annotates forbidden-labels 'foo/dedicated,beta.kubernetes.io/masq-agent-ds-ready,node-role.kubernetes.io/worker'
}

@test "settings: a profile in the notation of KEP-279 is rejected" {
    refuses '{"labelProfile": "KEP-279"}' <<'END'
labelProfile: "KEP-279" is not a valid value; did you mean Kep279?
END
}

@test "settings: protecting the hostname is rejected, because no node could register" {
    refuses '{"protectedLabelKeys": ["kubernetes.io/hostname"]}' <<'END'
protectedLabelKeys[0]: "kubernetes.io/hostname" covers labels that every kubelet sets, so no node could register; protect fewer labels
END
}

@test "settings: a pattern in the protected domains is rejected" {
    refuses '{"protectedLabelPrefixes": ["*.example.com"]}' <<'END'
protectedLabelPrefixes[0]: "*.example.com" is not a domain; use a form such as example.com
END
}

@test "settings: an unknown mode is rejected" {
    refuses '{"mode": "Monitor"}' <<'END'
mode: "Monitor" is not a valid value; expected one of Enforce, Warn
END
}

@test "every sample is tested" {
    tests_every_sample
}
