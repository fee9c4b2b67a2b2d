#!/usr/bin/env bats
# Runs the samples in kwctl, as part of `./justw e2e`. samples/README.md describes them.

load ../../tests/e2e/helper

@test "plain: admitted, mutated" {
    mutates plain <<'END'
{"op":"add","path":"/spec/securityContext/seLinuxOptions","value":{"level":"s0:c560,c568"}}
END
}

@test "partial: admitted, mutated" {
    mutates partial <<'END'
{"op":"add","path":"/spec/containers/0/securityContext/seLinuxOptions/level","value":"s0:c560,c568"}
{"op":"add","path":"/spec/containers/1/securityContext/seLinuxOptions/level","value":"s0:c560,c568"}
END
}

@test "theft: denied" {
    denies theft <<'END'
spec.securityContext.seLinuxOptions.level: Invalid value: "s0:c458,c1021": is not the level of namespace "shop"; set it to s0:c560,c568
END
}

@test "range: denied" {
    denies range <<'END'
spec.securityContext.seLinuxOptions.level: Invalid value: "s0-s0:c0.c1023": is a range, which gives access to the files of others; set it to s0:c560,c568
END
}

@test "unconfined: denied" {
    denies unconfined <<'END'
spec.containers[0].securityContext.seLinuxOptions.type: Invalid value: "spc_t": container "web": is unconfined and only for privileged containers and pods with hostPID or hostIPC; remove it
END
}

@test "node exporter: admitted, mutated" {
    mutates node-exporter \
        'containers in host namespaces run unconfined: node-exporter' <<'END'
{"op":"add","path":"/spec/securityContext/seLinuxOptions","value":{"level":"s0:c23,c582","type":"spc_t"}}
END
}

@test "privileged agent: admitted, mutated" {
    mutates privileged-agent <<'END'
{"op":"add","path":"/spec/containers/0/securityContext/seLinuxOptions/level","value":"s0:c248,c343"}
END
    annotates unconfined 'containers: agent'
}

@test "guard lacking: denied" {
    denies guard-lacking <<'END'
spec.securityContext.seLinuxOptions.level: Required value: pods must have the level of namespace "shop"; set it to s0:c560,c568
END
}

@test "guard given: admitted" {
    accepts guard-given
}

@test "openshift: admitted" {
    accepts openshift
}

@test "new namespace: admitted, mutated" {
    mutates new-namespace <<'END'
{"op":"add","path":"/metadata/annotations","value":{"portcullis.dev/selinux-level":"s0:c475,c586"}}
END
    annotates level 's0:c475,c586'
}

@test "taken level: denied" {
    denies taken-level <<'END'
metadata.name: Invalid value: "tenant-327": has the level of Namespace "tenant-286", s0:c136,c179; choose another name, or put both in one of allocation.sharedGroups
END
}

@test "changed annotation: denied" {
    denies changed-annotation <<'END'
metadata.annotations[portcullis.dev/selinux-level]: Forbidden: only allocation.annotationEditors may change the level of a Namespace; restore it, or ask one of them
END
}

@test "debug: admitted" {
    accepts debug
}

@test "debug elsewhere: denied" {
    denies debug-elsewhere <<'END'
spec.ephemeralContainers[0].securityContext.seLinuxOptions.level: Invalid value: "s0:c458,c1021": ephemeral container "debugger-7xk2p": is not the level of its pod; set it to s0:c560,c568
END
}

@test "local volume: denied" {
    denies local-volume <<'END'
spec.local.path: Invalid value: "/etc": the runtime would relabel a system path; use a path that holds nothing else
END
}

@test "shared claim: admitted, mutated, with a warning" {
    mutates shared-claim \
        'pods use the same claims with another level or change policy: database-0' <<'END'
{"op":"add","path":"/spec/securityContext/seLinuxOptions","value":{"level":"s0:c560,c568"}}
END
}

@test "deployment: denied, the template's path" {
    denies deployment <<'END'
spec.template.spec.securityContext.seLinuxOptions.level: Invalid value: "s0:c458,c1021": is not the level of namespace "shop"; set it to s0:c560,c568
END
}

@test "settings: a mode that is a number is rejected" {
    refuses '{"mode": 7}' <<'END'
mode: expected a string, found a number
END
}

@test "settings: a range as an extra level is rejected" {
    refuses '{"levels": {"extra": ["s0-s0:c1,c2"]}}' <<'END'
levels.extra[0]: "s0-s0:c1,c2" is a range, which gives access to the files of others; write a single level
END
}

@test "settings: an allowed type of custom files is rejected" {
    refuses '{"types": {"allowed": ["user_home_file_t"]}}' <<'END'
types.allowed[0]: "user_home_file_t" allows a file type, which no process can have; remove it
END
}

@test "settings: the boolean that YAML reads from Off is rejected" {
    refuses '{"volumes": {"sharedClaims": false}}' <<'END'
volumes.sharedClaims: expected a string, found a boolean
END
}

@test "failed look-up: fault" {
    cannot_evaluate openshift <<'END'
selinux: cannot evaluate this request: Namespace "shop": look-up failed: Callback evaluation failure: no route to host
END
}

@test "every sample has a test" {
    tests_every_sample
}
