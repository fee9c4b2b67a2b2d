#!/usr/bin/env bats
# Runs the samples in kwctl: `./justw e2e`. samples/README.md describes them.

load ../../tests/e2e/helper

@test "restricted: admitted" {
    accepts restricted
}

@test "careless: denied by four controls of restricted and one of baseline" {
    denies careless <<'END'
spec.containers[0].ports[0].hostPort: Invalid value: 8080: container "web": Host Ports (baseline) allows only 0; remove it and use a Service
spec.containers[0].securityContext.allowPrivilegeEscalation: Required value: container "web": Privilege Escalation (restricted) requires false; set it to false
spec.containers[0].securityContext.capabilities.drop: Required value: container "web": Capabilities (restricted): must drop ALL; add ALL to the list
spec.containers[0].securityContext.runAsNonRoot: Required value: container "web": Running as Non-root (restricted) requires true; set it to true, here or for the pod
spec.containers[0].securityContext.seccompProfile.type: Required value: container "web": Seccomp (restricted) requires RuntimeDefault or Localhost; set it to RuntimeDefault, here or for the pod
END
}

@test "one of two: denied for the privileged container only" {
    denies one-of-two <<'END'
spec.containers[1].securityContext.privileged: Invalid value: true: container "debug": Privileged Containers (baseline) allows only false; remove it and add the capabilities that the container needs
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

@test "mesh imitated: denied for the application container only" {
    denies mesh-imitated <<'END'
spec.containers[0].securityContext.capabilities.add[0]: Invalid value: "NET_ADMIN": container "web": Capabilities (restricted) allows only NET_BIND_SERVICE; remove it
END
}

@test "log collector: admitted" {
    accepts log-collector
}

@test "log collector and more: denied for the socket only" {
    denies log-collector-and-more <<'END'
spec.template.spec.volumes[1].hostPath.path: Invalid value: "/run/containerd/containerd.sock": volume "v1": Volume Types (restricted) allows only configMap, csi, downwardAPI, emptyDir, ephemeral, image, persistentVolumeClaim, projected, secret; use one of these, such as a persistentVolumeClaim for a volume of this type
END
}

@test "cronjob apparmor: denied with the path in the template" {
    denies cronjob-apparmor <<'END'
spec.jobTemplate.spec.template.metadata.annotations[container.apparmor.security.beta.kubernetes.io/backup]: Invalid value: "unconfined": AppArmor (baseline) allows only runtime/default, localhost/*; remove it or use one of these
END
}

@test "templates warn: admitted with warnings" {
    accepts templates-warn \
        'would violate PodSecurity "restricted:latest": Privilege Escalation: web' \
        'would violate PodSecurity "restricted:latest": Capabilities: web' \
        'would violate PodSecurity "restricted:latest": Running as Non-root: web' \
        'would violate PodSecurity "restricted:latest": Seccomp: web'
}

@test "warn and audit: admitted with warnings and audit annotations" {
    accepts warn-and-audit \
        'would violate PodSecurity "restricted:latest": Privilege Escalation: web' \
        'would violate PodSecurity "restricted:latest": Capabilities: web' \
        'would violate PodSecurity "restricted:latest": Running as Non-root: web' \
        'would violate PodSecurity "restricted:latest": Seccomp: web'
    annotates audit-violations 'would violate PodSecurity "restricted:latest": Privilege Escalation: web; Capabilities: web; Running as Non-root: web; Seccomp: web'
    annotates enforce-policy 'baseline:latest'
}

@test "debug: denied for the ephemeral container only" {
    denies debug <<'END'
spec.ephemeralContainers[0].securityContext.allowPrivilegeEscalation: Required value: ephemeral container "debugger-7xk2p": Privilege Escalation (restricted) requires false; set it to false
spec.ephemeralContainers[0].securityContext.capabilities.drop: Required value: ephemeral container "debugger-7xk2p": Capabilities (restricted): must drop ALL; add ALL to the list
spec.ephemeralContainers[0].securityContext.capabilities.add[0]: Invalid value: "SYS_PTRACE": ephemeral container "debugger-7xk2p": Capabilities (restricted) allows only NET_BIND_SERVICE; remove it
spec.ephemeralContainers[0].securityContext.runAsNonRoot: Required value: ephemeral container "debugger-7xk2p": Running as Non-root (restricted) requires true; set it to true, here or for the pod
spec.ephemeralContainers[0].securityContext.seccompProfile.type: Required value: ephemeral container "debugger-7xk2p": Seccomp (restricted) requires RuntimeDefault or Localhost; set it to RuntimeDefault, here or for the pod
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

@test "tolerated and more: denied for the new violation only" {
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
spec.containers[0].securityContext.runAsUser: Invalid value: 0: container "builder": Running as Non-root user (restricted) allows any value except 0; remove it or use another user ID
END
}

@test "exempt runtime: admitted" {
    accepts exempt-runtime
    annotates exempt 'runtimeClass'
}

@test "settings: an unknown key without a near one is refused with all known keys" {
    refuses '{"enforce": "baseline"}' <<'END'
enforce: unknown key; expected one of level, profile, version, exclude, audit, warn, exemptions, existingViolations, templates, namespaceLabels
END
}

@test "settings: an empty version is refused" {
    refuses '{"version": ""}' <<'END'
version: "" is not a version; write latest or a minor version such as v1.37
END
}

@test "settings: an unknown control is refused with the nearest name" {
    refuses '{"exclude": [{"controlName": "Capability", "images": ["*"]}]}' <<'END'
exclude[0].controlName: "Capability" is not a control of the Pod Security Standards; did you mean Capabilities?
END
}

@test "settings: a control of the pod with images is refused" {
    refuses '{"exclude": [{"controlName": "Host Namespaces", "images": ["*"]}]}' <<'END'
exclude[0].images: "Host Namespaces" restricts the pod and not its containers; remove this key, or narrow the entry with podSelector, namespaces or serviceAccounts
END
}

@test "a failed look-up: denied as a fault" {
    cannot_evaluate namespace-labels <<'END'
pod-security: cannot evaluate this request: Namespace "shop": look-up failed: Callback evaluation failure: no route to host
END
}

@test "every sample is tested" {
    tests_every_sample
}
