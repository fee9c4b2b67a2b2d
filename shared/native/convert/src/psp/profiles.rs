//! The annotations of a `PodSecurityPolicy` about profiles of `AppArmor` and seccomp.
//!
//! Source: `pkg/security/podsecuritypolicy/{apparmor,seccomp}` in kubernetes 1.20.2.

use serde_json::Value;

use super::allowance::Freedom;
use super::policy::Policy;
use crate::InputError;
use crate::fields::Fields;

/// Reads the annotations.
///
/// # Errors
/// A value that the API server would not accept.
pub(super) fn read(metadata: &Fields<'_>, policy: &mut Policy) -> Result<(), InputError> {
    // Without annotations, an empty object has the same meaning.
    let annotations = metadata.object("annotations")?;
    let text = |key: &str| annotations.as_ref().map(|all| all.text(key)).transpose().map(Option::flatten);
    for system in [SECCOMP, APP_ARMOR] {
        let (allowed, default) = (text(system.allowed)?, text(system.default)?);
        if let Some(all) = &annotations {
            system.check(all, allowed, default)?;
        }
        let path =
            |key: &str| annotations.as_ref().map_or_else(|| "metadata".to_owned(), |all| all.path(key));
        (system.read)(allowed, &path(system.allowed), policy);
        if let Some(default) = default.filter(|default| !default.is_empty()) {
            let problem = format!(
                "no manifest sets {default} in pods without a profile{}; write it into them",
                if policy.allowance.has(Freedom::UnsetSeccomp) || system.name == APP_ARMOR.name {
                    ""
                } else {
                    ", which the manifest refuses"
                }
            );
            policy.leave_out(path(system.default), problem);
        }
    }
    Ok(())
}

/// A system with profiles.
struct System {
    name: &'static str,
    allowed: &'static str,
    default: &'static str,
    /// The profiles, in addition to `localhost/…`.
    profiles: &'static [&'static str],
    read: fn(Option<&str>, &str, &mut Policy),
}

const SECCOMP: System = System {
    name: "seccomp",
    allowed: "seccomp.security.alpha.kubernetes.io/allowedProfileNames",
    default: "seccomp.security.alpha.kubernetes.io/defaultProfileName",
    profiles: &["runtime/default", "docker/default", "unconfined"],
    read: seccomp,
};

const APP_ARMOR: System = System {
    name: "AppArmor",
    allowed: "apparmor.security.beta.kubernetes.io/allowedProfileNames",
    default: "apparmor.security.beta.kubernetes.io/defaultProfileName",
    profiles: &["runtime/default", "unconfined"],
    read: app_armor,
};

impl System {
    fn check(
        &self,
        annotations: &Fields<'_>,
        allowed: Option<&str>,
        default: Option<&str>,
    ) -> Result<(), InputError> {
        let allowed = allowed.into_iter().filter(|text| !text.is_empty()).flat_map(|text| text.split(','));
        let allowed = allowed.filter(|name| *name != "*" || self.name == APP_ARMOR.name);
        let default = default.into_iter().filter(|text| !text.is_empty());
        let names = allowed.map(|name| (self.allowed, name)).chain(default.map(|name| (self.default, name)));
        for (key, name) in names {
            let is_local = name.strip_prefix("localhost/").is_some_and(|file| !file.is_empty());
            if !is_local && !self.profiles.contains(&name) {
                let problem = format!("{} is not a profile of {}", Value::from(name), self.name);
                return Err(annotations.error(key, problem));
            }
        }
        Ok(())
    }
}

/// Without a list, pods must not set a profile. Otherwise, every pod and container must have one of
/// the list.
fn seccomp(allowed: Option<&str>, path: &str, policy: &mut Policy) {
    let allowed = allowed.filter(|allowed| !allowed.is_empty());
    let names: Vec<&str> = allowed.into_iter().flat_map(|allowed| allowed.split(',')).collect();
    if names.contains(&"*") {
        policy.allow(Freedom::UnsetSeccomp);
        policy.allow(Freedom::UnconfinedSeccomp);
        return;
    }
    if names.is_empty() {
        policy.allow(Freedom::UnsetSeccomp);
        let problem = "the policy refuses every seccomp profile, and each level of the standards allows RuntimeDefault \
                       and Localhost, so pods with them are admitted";
        policy.leave_out(path.to_owned(), problem);
        return;
    }
    if names.contains(&"unconfined") {
        policy.allow(Freedom::UnconfinedSeccomp);
    }
    let problem = format!(
        "the standards tell profiles apart by type alone, so pods with any RuntimeDefault or Localhost profile are \
         admitted, not only with {}, and pods whose containers have profiles need none of their own",
        names.join(", ")
    );
    policy.leave_out(path.to_owned(), problem);
}

/// Without a list, every profile is allowed. Otherwise, every container must have one of the list.
fn app_armor(allowed: Option<&str>, path: &str, policy: &mut Policy) {
    let Some(allowed) = allowed else {
        policy.allow(Freedom::UnconfinedAppArmor);
        return;
    };
    if allowed.split(',').any(|name| name == "unconfined") {
        policy.allow(Freedom::UnconfinedAppArmor);
    }
    let problem = if allowed.is_empty() {
        "the policy requires a profile and allows none, so it admits no pod; the manifest refuses only unconfined \
         containers"
            .to_owned()
    } else {
        format!(
            "the standards tell profiles apart by type alone and require none, so containers with another local profile, \
             the profile of the runtime or none are admitted, not only with {allowed}"
        )
    };
    policy.leave_out(path.to_owned(), problem);
}
