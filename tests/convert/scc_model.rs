//! A model of the admission plugin for `SecurityContextConstraints`: whether constraints admit a
//! pod as it is. A pod that the plugin would have to complete is not admitted as it is.
//!
//! Source: `pkg/securitycontextconstraints/sccmatching/provider.go` and the packages of its
//! strategies in openshift/apiserver-library-go (a8019f3).

use serde_json::Value;

/// The level of the Namespace shop.
pub(super) const LEVEL: &str = "s0:c26,c5";

/// The first user of the range of the Namespace shop, which has 10,000.
pub(super) const UID: i64 = 1_000_650_000;

/// A part of the plugin.
type Strategy = fn(&Constraints<'_>, &Value) -> bool;

const OF_PODS: [Strategy; 7] = [host, groups, user_namespace, volumes, sysctls, pod_seccomp, pod_se_linux];

/// Whether constraints admit a pod as it is.
pub(super) fn admits(constraints: &Value, pod: &Value) -> bool {
    let (constraints, spec) = (Constraints(constraints), &pod["spec"]);
    let mut containers = ["initContainers", "containers"].into_iter().flat_map(|list| items(&spec[list]));
    OF_PODS.iter().all(|admits| admits(&constraints, spec))
        && containers
            .all(|container| container_is_admitted(&constraints, &spec["securityContext"], container))
}

struct Constraints<'c>(&'c Value);

impl Constraints<'_> {
    fn is(&self, key: &str) -> bool {
        self.0[key] == true
    }

    fn lists(&self, key: &str, value: &str) -> bool {
        items(&self.0[key]).any(|item| item == value)
    }

    fn seccomp(&self, profile: &Value) -> bool {
        let name = match profile["type"].as_str() {
            None => "",
            Some("RuntimeDefault") => "runtime/default",
            Some("Unconfined") => "unconfined",
            Some(other) => other,
        };
        match items(&self.0["seccompProfiles"]).count() {
            0 => name.is_empty(),
            _ => self.lists("seccompProfiles", "*") || self.lists("seccompProfiles", name),
        }
    }

    fn se_linux(&self, options: &Value) -> bool {
        let strategy = &self.0["seLinuxContext"];
        let text = |options: &Value, key: &str| options[key].as_str().unwrap_or_default().to_owned();
        let mut others = ["user", "role", "type"].into_iter();
        strategy["type"] == "RunAsAny"
            || options["level"] == LEVEL
                && others.all(|key| text(options, key) == text(&strategy["seLinuxOptions"], key))
    }
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn host(constraints: &Constraints<'_>, spec: &Value) -> bool {
    [("hostNetwork", "allowHostNetwork"), ("hostPID", "allowHostPID"), ("hostIPC", "allowHostIPC")]
        .into_iter()
        .all(|(field, key)| spec[field] != true || constraints.is(key))
}

fn groups(constraints: &Constraints<'_>, spec: &Value) -> bool {
    ["fsGroup", "supplementalGroups"].into_iter().all(|key| {
        let strategy = &constraints.0[key];
        let groups = match &spec["securityContext"][key] {
            Value::Array(groups) => groups.clone(),
            Value::Number(group) => vec![Value::Number(group.clone())],
            _ => Vec::new(),
        };
        let (min, max) = match strategy["ranges"].get(0) {
            Some(range) => (range["min"].as_i64().unwrap(), range["max"].as_i64().unwrap()),
            None if key == "fsGroup" => (UID, UID),
            None => (UID, UID + 9_999),
        };
        let is_in = |group: &Value| (min..=max).contains(&group.as_i64().unwrap());
        strategy["type"] != "MustRunAs" || !groups.is_empty() && groups.iter().all(is_in)
    })
}

fn user_namespace(constraints: &Constraints<'_>, spec: &Value) -> bool {
    constraints.0["userNamespaceLevel"] != "RequirePodLevel" || spec["hostUsers"] == false
}

fn volumes(constraints: &Constraints<'_>, spec: &Value) -> bool {
    items(&spec["volumes"]).all(|volume| {
        let source = volume.as_object().unwrap().keys().find(|key| *key != "name").unwrap();
        constraints.lists("volumes", "*") || constraints.lists("volumes", source)
    })
}

fn sysctls(constraints: &Constraints<'_>, spec: &Value) -> bool {
    let safe = ["net.ipv4.tcp_syncookies", "net.ipv4.tcp_rmem"];
    items(&spec["securityContext"]["sysctls"]).all(|sysctl| {
        safe.contains(&sysctl["name"].as_str().unwrap()) || constraints.lists("allowedUnsafeSysctls", "*")
    })
}

fn pod_seccomp(constraints: &Constraints<'_>, spec: &Value) -> bool {
    constraints.seccomp(&spec["securityContext"]["seccompProfile"])
}

fn pod_se_linux(constraints: &Constraints<'_>, spec: &Value) -> bool {
    constraints.se_linux(&spec["securityContext"]["seLinuxOptions"])
}

fn container_is_admitted(constraints: &Constraints<'_>, context: &Value, container: &Value) -> bool {
    let own = &container["securityContext"];
    let effective = |key: &str| if own[key].is_null() { &context[key] } else { &own[key] };
    let (user, non_root) = (effective("runAsUser").as_i64(), effective("runAsNonRoot").as_bool());
    // The plugin would write runAsNonRoot.
    let is_complete = non_root.is_some() || user.is_none_or(|user| user == 0);
    let adds = |name: &str| {
        constraints.lists("allowedCapabilities", "*") || constraints.lists("allowedCapabilities", name)
    };
    let drops = |name: &Value| items(&own["capabilities"]["drop"]).any(|dropped| dropped == name);
    is_complete
        && may_run_as(&constraints.0["runAsUser"], user, non_root)
        && constraints.se_linux(effective("seLinuxOptions"))
        && constraints.seccomp(effective("seccompProfile"))
        && (own["privileged"] != true || constraints.is("allowPrivilegedContainer"))
        && (own["allowPrivilegeEscalation"] == false || constraints.is("allowPrivilegeEscalation"))
        && items(&own["capabilities"]["add"]).all(|name| adds(name.as_str().unwrap()))
        && items(&constraints.0["requiredDropCapabilities"]).all(drops)
        && (constraints.is("allowHostPorts") || items(&container["ports"]).all(|port| port["hostPort"] == 0))
}

fn may_run_as(strategy: &Value, user: Option<i64>, non_root: Option<bool>) -> bool {
    let in_range = |min: i64, max: i64| user.is_some_and(|user| (min..=max).contains(&user));
    match (strategy["type"].as_str().unwrap(), strategy["uidRangeMin"].as_i64()) {
        ("RunAsAny", _) => true,
        ("MustRunAsNonRoot", _) => {
            non_root != Some(false) && user != Some(0) && (non_root.is_some() || user.is_some())
        }
        ("MustRunAsRange", Some(min)) => in_range(min, strategy["uidRangeMax"].as_i64().unwrap()),
        ("MustRunAsRange", None) => in_range(UID, UID + 9_999),
        (other, _) => panic!("{other}"),
    }
}
