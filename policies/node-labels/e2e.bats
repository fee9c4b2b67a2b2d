#!/usr/bin/env bats
# The samples in kwctl; `./justw e2e` runs this. What they show is in samples/README.md.

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
        'node-labels would deny these labels of the Node: beta.kubernetes.io/masq-agent-ds-ready, foo/dedicated and 1 more'
    annotates forbidden-labels 'beta.kubernetes.io/masq-agent-ds-ready,foo/dedicated,node-role.kubernetes.io/worker'
}

@test "settings: a profile in the spelling of the document is refused" {
    refuses '{"labelProfile": "KEP-279"}' <<'END'
labelProfile: "KEP-279" is no value of this setting; did you mean Kep279?
END
}

@test "settings: protecting the name of the host is refused, as no node could register" {
    refuses '{"protectedLabelKeys": ["kubernetes.io/hostname"]}' <<'END'
protectedLabelKeys[0]: "kubernetes.io/hostname" covers labels that every kubelet sets, so no node could register; protect fewer labels
END
}

@test "settings: a pattern among the protected domains is refused" {
    refuses '{"protectedLabelPrefixes": ["*.example.com"]}' <<'END'
protectedLabelPrefixes[0]: "*.example.com" is not a domain; use a form such as example.com
END
}

@test "settings: an unknown mode is refused" {
    refuses '{"mode": "Monitor"}' <<'END'
mode: "Monitor" is no value of this setting; known are Enforce, Warn
END
}

@test "every sample is here" {
    tests_every_sample
}
