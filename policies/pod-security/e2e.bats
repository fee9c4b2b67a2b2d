#!/usr/bin/env bats
# The samples in kwctl; `./justw e2e` runs this. What they show is in samples/README.md.

load ../../tests/e2e/helper

@test "restricted: admitted" {
    accepts restricted
}

@test "careless: denied, four controls of restricted and one of baseline" {
    denies careless <<'END'
spec.containers[0].ports[0].hostPort: Invalid value: 8080: container "web": Host Ports (baseline) allows only 0; remove it, and use a Service
spec.containers[0].securityContext.allowPrivilegeEscalation: Required value: container "web": Privilege Escalation (restricted) demands false; set it to false
spec.containers[0].securityContext.capabilities.drop: Required value: container "web": Capabilities (restricted) demands ALL; add ALL to it
spec.containers[0].securityContext.runAsNonRoot: Required value: container "web": Running as Non-root (restricted) demands true; set it to true, here or for the pod
spec.containers[0].securityContext.seccompProfile.type: Required value: container "web": Seccomp (restricted) demands RuntimeDefault or Localhost; set one of these, here or for the pod
END
}

@test "one of two: denied, that one alone" {
    denies one-of-two <<'END'
spec.containers[1].securityContext.privileged: Invalid value: true: container "debug": Privileged Containers (baseline) allows only false; remove it, and add the capabilities that it needs
spec.containers[1].securityContext.allowPrivilegeEscalation: Invalid value: true: container "debug": Privilege Escalation (restricted) allows only false; set it to false
END
}

@test "excluded image: admitted" {
    accepts excluded-image
}

@test "excluded values: admitted" {
    accepts excluded-values
}

@test "beyond excluded values: denied" {
    denies beyond-excluded-values <<'END'
spec.containers[0].securityContext.capabilities.add[2]: Invalid value: "SYS_ADMIN": container "nginx": Capabilities (restricted) allows only NET_BIND_SERVICE; remove it
END
}

@test "excluded volumes: admitted" {
    accepts excluded-volumes
}

@test "mesh: admitted" {
    accepts mesh
}

@test "mesh imitated: denied, the application alone" {
    denies mesh-imitated <<'END'
spec.containers[0].securityContext.capabilities.add[0]: Invalid value: "NET_ADMIN": container "web": Capabilities (restricted) allows only NET_BIND_SERVICE; remove it
END
}

@test "log collector: admitted" {
    accepts log-collector
}

@test "log collector and more: denied, the socket alone" {
    denies log-collector-and-more <<'END'
spec.template.spec.volumes[1].hostPath.path: Invalid value: "/run/containerd/containerd.sock": volume "v1": Volume Types (restricted) allows only configMap, csi, downwardAPI, emptyDir, ephemeral, image, persistentVolumeClaim, projected, secret; use one of these, such as a claim for a volume of this type
END
}

@test "cronjob apparmor: denied, the template's path" {
    denies cronjob-apparmor <<'END'
spec.jobTemplate.spec.template.metadata.annotations[container.apparmor.security.beta.kubernetes.io/backup]: Invalid value: "unconfined": AppArmor (baseline) allows only runtime/default, localhost/*; remove it or use one of these
END
}

@test "templates warn: admitted, with warnings" {
    accepts templates-warn \
        'would violate PodSecurity "restricted:latest": Privilege Escalation: web' \
        'would violate PodSecurity "restricted:latest": Capabilities: web' \
        'would violate PodSecurity "restricted:latest": Running as Non-root: web' \
        'would violate PodSecurity "restricted:latest": Seccomp: web'
}

@test "warn and audit: admitted, with warnings and audit annotations" {
    accepts warn-and-audit \
        'would violate PodSecurity "restricted:latest": Privilege Escalation: web' \
        'would violate PodSecurity "restricted:latest": Capabilities: web' \
        'would violate PodSecurity "restricted:latest": Running as Non-root: web' \
        'would violate PodSecurity "restricted:latest": Seccomp: web'
    annotates audit-violations 'would violate PodSecurity "restricted:latest": Privilege Escalation: web; Capabilities: web; Running as Non-root: web; Seccomp: web'
    annotates enforce-policy 'baseline:latest'
}

@test "debug: denied, the ephemeral container alone" {
    denies debug <<'END'
spec.ephemeralContainers[0].securityContext.allowPrivilegeEscalation: Required value: ephemeral container "debugger-7xk2p": Privilege Escalation (restricted) demands false; set it to false
spec.ephemeralContainers[0].securityContext.capabilities.drop: Required value: ephemeral container "debugger-7xk2p": Capabilities (restricted) demands ALL; add ALL to it
spec.ephemeralContainers[0].securityContext.capabilities.add[0]: Invalid value: "SYS_PTRACE": ephemeral container "debugger-7xk2p": Capabilities (restricted) allows only NET_BIND_SERVICE; remove it
spec.ephemeralContainers[0].securityContext.runAsNonRoot: Required value: ephemeral container "debugger-7xk2p": Running as Non-root (restricted) demands true; set it to true, here or for the pod
spec.ephemeralContainers[0].securityContext.seccompProfile.type: Required value: ephemeral container "debugger-7xk2p": Seccomp (restricted) demands RuntimeDefault or Localhost; set one of these, here or for the pod
END
}

@test "debug by operators: admitted" {
    accepts debug-by-operators
}

@test "label of an old pod: admitted" {
    accepts label-of-an-old-pod
}

@test "tolerated: admitted" {
    accepts tolerated
}

@test "tolerated and more: denied, the new one alone" {
    denies tolerated-and-more <<'END'
spec.template.spec.hostNetwork: Invalid value: true: Host Namespaces (baseline) allows only false; remove it
END
}

@test "namespace labels: admitted" {
    accepts namespace-labels
}

@test "windows: admitted" {
    accepts windows
}

@test "user namespace: admitted" {
    accepts user-namespace
}

@test "user namespace before: denied" {
    denies user-namespace-before <<'END'
spec.containers[0].securityContext.runAsNonRoot: Invalid value: false: container "builder": Running as Non-root (restricted) allows only true; set it to true
spec.containers[0].securityContext.runAsUser: Invalid value: 0: container "builder": Running as Non-root user (restricted) allows all but 0; use another user or remove it
END
}

@test "exempt runtime: admitted" {
    accepts exempt-runtime
    annotates exempt 'runtimeClass'
}

@test "settings: an unknown key that is like no other is refused, with all of them" {
    refuses '{"enforce": "baseline"}' <<'END'
enforce: unknown key; known are level, profile, version, exclude, audit, warn, exemptions, existingViolations, templates, namespaceLabels
END
}

@test "settings: an empty version is refused" {
    refuses '{"version": ""}' <<'END'
version: "" is no version; write latest or, for example, v1.37
END
}

@test "settings: a control that does not exist is refused, with the nearest name" {
    refuses '{"exclude": [{"controlName": "Capability", "images": ["*"]}]}' <<'END'
exclude[0].controlName: "Capability" is no control of the Pod Security Standards; did you mean Capabilities?
END
}

@test "settings: a control of the pod with images is refused" {
    refuses '{"exclude": [{"controlName": "Host Namespaces", "images": ["*"]}]}' <<'END'
exclude[0].images: "Host Namespaces" is about the pod and not about containers; remove this, or narrow the entry with podSelector, namespaces or serviceAccounts
END
}

@test "a look-up fails: denied as not judged" {
    cannot_judge namespace-labels <<'END'
pod-security: cannot judge this request: Namespace "shop": look-up failed: Callback evaluation failure: no route to host
END
}

@test "every sample is here" {
    tests_every_sample
}
