#!/usr/bin/env bats
# Runs the samples in kwctl; start it with `./justw e2e`. samples/README.md describes the samples.

load ../../tests/e2e/helper

@test "kubeadm etcd: admitted" {
    accepts kubeadm-etcd
}

@test "kubeadm kube apiserver: admitted" {
    accepts kubeadm-kube-apiserver
}

@test "kubeadm kube controller manager: admitted" {
    accepts kubeadm-kube-controller-manager
}

@test "kubeadm kube scheduler: admitted" {
    accepts kubeadm-kube-scheduler
}

@test "kubeadm not annotated: denied, both labels" {
    denies kubeadm-not-annotated <<'END'
metadata.labels.component: Forbidden: the Namespace does not list this label for mirror pods; add it to the Namespace's annotation node.kubernetes.io/mirror.allowed-label-keys or to allowedLabelKeys, or remove it from the static pod
metadata.labels.tier: Forbidden: the Namespace does not list this label for mirror pods; add it to the Namespace's annotation node.kubernetes.io/mirror.allowed-label-keys or to allowedLabelKeys, or remove it from the static pod
END
}

@test "copied zone: admitted" {
    accepts copied-zone
}

@test "unlisted label: denied, only the label" {
    denies unlisted-label <<'END'
metadata.labels.app: Forbidden: the Namespace does not list this label for mirror pods; add it to the Namespace's annotation node.kubernetes.io/mirror.allowed-label-keys or to allowedLabelKeys, or remove it from the static pod
END
}

@test "k8s app: denied" {
    denies k8s-app <<'END'
metadata.labels.k8s-app: Forbidden: mirror pods may not have this label, even if the Namespace lists it; remove it from the static pod, or add it with its value to allowedLabels
END
}

@test "adopted by replicaset: denied, labels and owner" {
    denies adopted-by-replicaset <<'END'
metadata.ownerReferences[0].apiVersion: Invalid value: "apps/v1": a mirror pod may be owned only by its Node; set it to v1
metadata.ownerReferences[0].kind: Invalid value: "ReplicaSet": a mirror pod may be owned only by its Node; set it to Node
metadata.ownerReferences[0].name: Invalid value: "web-6d4cf56db6": a mirror pod may be owned only by its Node; set the name of the node
metadata.ownerReferences[0].blockOwnerDeletion: Invalid value: true: a mirror pod may not block the deletion of its Node; remove it
metadata.labels.app: Forbidden: the Namespace does not list this label for mirror pods; add it to the Namespace's annotation node.kubernetes.io/mirror.allowed-label-keys or to allowedLabelKeys, or remove it from the static pod
metadata.labels.pod-template-hash: Forbidden: the Namespace does not list this label for mirror pods; add it to the Namespace's annotation node.kubernetes.io/mirror.allowed-label-keys or to allowedLabelKeys, or remove it from the static pod
END
}

@test "no mirror pod: denied" {
    denies no-mirror-pod <<'END'
metadata.annotations[kubernetes.io/config.mirror]: Required value: a node may create only mirror pods of its static pods; use the credentials of a controller or a user
END
}

@test "stolen secret: denied, both references" {
    denies stolen-secret <<'END'
spec.containers[0].envFrom[0].configMapRef: Forbidden: a mirror pod may not refer to API objects; remove it from the static pod, or set apiObjectReferences to Allow
spec.volumes[0].secret: Forbidden: a mirror pod may not refer to API objects; remove it from the static pod, or set apiObjectReferences to Allow
END
}

@test "evicts neighbor: denied" {
    denies evicts-neighbor <<'END'
request.name: Invalid value: "payments-0": a node may evict only its own pods; use the credentials of that node or of a controller
END
}

@test "status theft: denied, both labels" {
    denies status-theft <<'END'
metadata.labels.app: Forbidden: a node may not set, change or remove labels through pods/status; leave the labels of the pod unchanged
oldObject.metadata.labels.pod-template-hash: Forbidden: a node may not set, change or remove labels through pods/status; leave the labels of the pod unchanged
END
}

@test "heartbeat: admitted" {
    accepts heartbeat
}

@test "munge: admitted, mutated" {
    mutates munge \
        'node-pods removed labels of this mirror pod: app' \
        'node-pods replaced the owner references of this mirror pod' <<'END'
{"op":"add","path":"/metadata/annotations/kubernetes.io~1config.removed-labels","value":"{\"app\":\"payments\"}"}
{"op":"add","path":"/metadata/annotations/kubernetes.io~1config.removed-owner-references","value":"[{\"apiVersion\":\"apps/v1\",\"controller\":true,\"kind\":\"ReplicaSet\",\"name\":\"payments-5f7d9c8b6\",\"uid\":\"0d9a3b5e-3333-4d1c-9a51-3a6a8f5e1c22\"}]"}
{"op":"remove","path":"/metadata/labels/app"}
{"op":"replace","path":"/metadata/ownerReferences/0/apiVersion","value":"v1"}
{"op":"replace","path":"/metadata/ownerReferences/0/kind","value":"Node"}
{"op":"replace","path":"/metadata/ownerReferences/0/name","value":"worker-1"}
{"op":"replace","path":"/metadata/ownerReferences/0/uid","value":"8c2d9b3f-8d51-4f1e-8e4b-3a7a1d2f8b21"}
END
}

@test "warn: admitted, with a warning and an audit annotation" {
    accepts warn \
        'node-pods would deny this pod: metadata.labels.app'
    annotates violations 'metadata.labels.app: Forbidden: the Namespace does not list this label for mirror pods; add it to the Namespace'\''s annotation node.kubernetes.io/mirror.allowed-label-keys or to allowedLabelKeys, or remove it from the static pod'
}

@test "controller: admitted" {
    accepts controller
}

@test "settings: an allowed key that is denied by default is rejected" {
    refuses '{"allowedLabelKeys": ["component", "k8s-app"]}' <<'END'
allowedLabelKeys[1]: "k8s-app" is denied by deniedLabelKeys, which defaults to [k8s-app], or by deniedLabelPrefixes; remove it from one of the lists
END
}

@test "settings: keys in one string are rejected" {
    refuses '{"allowedLabelKeys": ["component,tier"]}' <<'END'
allowedLabelKeys[0]: "component,tier" is not a key; use a form such as team or example.com/team, without patterns
END
}

@test "settings: an unknown labelMode is rejected" {
    refuses '{"labelMode": "Denylist"}' <<'END'
labelMode: "Denylist" is not a valid value; did you mean DenyList?
END
}

@test "settings: a flag that is a number is rejected" {
    refuses '{"restrictAnnotations": 1}' <<'END'
restrictAnnotations: expected a boolean, found a number
END
}

@test "a failed look-up: cannot be evaluated" {
    cannot_evaluate unlisted-label <<'END'
node-pods: cannot evaluate this request: Namespace "shop": look-up failed: Callback evaluation failure: no route to host
END
}

@test "every sample is tested" {
    tests_every_sample
}
