//! A second implementation of the decision table, on the Kubernetes API types.
//!
//! The model completes the pod first and checks it afterwards, in the opposite order to the policy.
//! It shares only the parsing and hashing of levels with the policy; both have their own tests.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{Pod, PodSpec, SELinuxOptions, SecurityContext};
use rules::selinux::level::Level;
use rules::selinux::pool::Pool;
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Mode {
    Mutate,
    Validate,
}

#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum Source {
    #[default]
    Hash,
    Runtime,
    Fixed(Fixed),
}

/// The fixed context of every pod.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Fixed {
    pub user: Option<&'static str>,
    pub role: Option<&'static str>,
    pub kind: Option<&'static str>,
    pub level: Option<&'static str>,
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Match {
    #[default]
    Exact,
    Format,
    Any,
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Action {
    #[default]
    Default,
    Require,
    Ignore,
    Reject,
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum IntraPod {
    #[default]
    Enforce,
    Warn,
    Ignore,
}

/// The settings that the model supports; `None` omits a setting.
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub source: Source,
    pub matching: Match,
    /// `levels.missing: Allow`.
    pub allows_missing: bool,
    pub extra: Vec<&'static str>,
    pub allowed: Option<Vec<&'static str>>,
    pub unconfined: Option<Vec<&'static str>>,
    pub users: Vec<&'static str>,
    pub roles: Vec<&'static str>,
    pub triggers: Option<Vec<&'static str>>,
    pub action: Action,
    pub host_type: Option<&'static str>,
    /// `hostNamespaces.level: s0`.
    pub lowest: bool,
    pub intra_pod: IntraPod,
    /// `volumes.hostPath: Reject`.
    pub rejects_host_paths: bool,
    /// `volumes.readOnlyClaims: Reject`.
    pub rejects_read_only_claims: bool,
    pub exempt_accounts: Vec<&'static str>,
    pub exempt_images: Vec<&'static str>,
    /// The rules that both exemptions lift.
    pub lifts: Vec<&'static str>,
    pub recursive: bool,
    pub crio_try_skip: bool,
}

impl Settings {
    /// The settings as JSON.
    pub fn json(&self, mode: Mode) -> Value {
        let mut volumes = json!({
            "hostPath": if self.rejects_host_paths { "Reject" } else { "Warn" },
            "readOnlyClaims": if self.rejects_read_only_claims { "Reject" } else { "Off" },
        });
        if mode == Mode::Mutate {
            volumes["changePolicy"] = json!(if self.recursive { "Recursive" } else { "Leave" });
            volumes["crioTrySkip"] = json!(self.crio_try_skip);
        }
        let allocation = match &self.source {
            Source::Hash => json!({ "source": "Hash", "scope": "Namespace" }),
            Source::Runtime => json!({ "source": "Runtime" }),
            Source::Fixed(Fixed { user, role, kind, level }) => {
                json!({ "source": "Fixed", "fixed": { "user": user, "role": role, "type": kind, "level": level } })
            }
        };
        json!({
            "mode": format!("{mode:?}"),
            "allocation": allocation,
            "levels": {
                "match": format!("{:?}", self.matching),
                "missing": if self.allows_missing { "Allow" } else { "Require" },
                "extra": self.extra,
            },
            "types": { "allowed": self.allowed, "unconfined": self.unconfined },
            "users": self.users,
            "roles": self.roles,
            "hostNamespaces": {
                "triggers": self.triggers,
                "action": format!("{:?}", self.action),
                "type": self.host_type,
                "level": if self.lowest { "s0" } else { "Allocated" },
            },
            "intraPod": format!("{:?}", self.intra_pod),
            "volumes": volumes,
            "exempt": { "pods": self.exempt_pods() },
        })
    }

    fn exempt_pods(&self) -> Value {
        let mut entries = Vec::new();
        if !self.exempt_accounts.is_empty() {
            entries.push(json!({ "serviceAccounts": self.exempt_accounts, "lifts": self.lifts }));
        }
        if !self.exempt_images.is_empty() {
            let (images, lifts) = (&self.exempt_images, &self.lifts);
            entries.push(json!({ "namespaces": ["shop"], "images": images, "lifts": lifts }));
        }
        entries.into()
    }

    /// Whether exemptions lift a rule from a container of a pod.
    fn lifts(&self, rule: &str, spec: &PodSpec, part: &Part) -> bool {
        let accounts = [&spec.service_account_name, &spec.service_account];
        let account = accounts.into_iter().find_map(|name| filled(name.as_ref())).unwrap_or("default");
        let has_account = self.exempt_accounts.contains(&format!("shop/{account}").as_str());
        let has_image = self.exempt_images.iter().any(|image| match image.strip_suffix('*') {
            Some(start) => part.image.starts_with(start),
            None => part.image == *image,
        });
        self.lifts.contains(&rule) && (has_account || has_image)
    }

    fn fixed(&self) -> Fixed {
        if let Source::Fixed(fixed) = &self.source { fixed.clone() } else { Fixed::default() }
    }

    fn owned(&self) -> Option<Level> {
        match &self.source {
            Source::Hash => Some(Pool::default().level("namespace:shop")),
            Source::Runtime => None,
            Source::Fixed(fixed) => fixed.level.map(|level| Level::parse(level).unwrap()),
        }
    }

    fn unconfined(&self) -> Vec<&str> {
        self.unconfined.clone().unwrap_or_else(|| vec!["spc_t"])
    }

    fn is_unconfined(&self, kind: Option<&str>) -> bool {
        kind.is_some_and(|kind| self.unconfined().contains(&kind))
    }

    /// The type of pods in host namespaces.
    fn host_type(&self) -> Option<&str> {
        self.host_type.or_else(|| self.unconfined().into_iter().find(|kind| *kind != "super_t"))
    }

    fn allows(&self, kind: &str) -> bool {
        if kind.ends_with("_file_t") {
            return false;
        }
        let default = ["container_t", "container_init_t", "container_kvm_t", "container_engine_t"];
        let allowed = self.allowed.clone().unwrap_or_else(|| default.to_vec());
        allowed.iter().any(|text| match (text.strip_prefix('*'), text.strip_suffix('*')) {
            (Some(end), _) => kind.ends_with(end),
            (_, Some(start)) => kind.starts_with(start),
            _ => kind == *text,
        })
    }

    fn triggers(&self, spec: &PodSpec) -> bool {
        let triggers = self.triggers.clone().unwrap_or_else(|| vec!["HostPID", "HostIPC"]);
        triggers.iter().any(|trigger| match *trigger {
            "HostPID" => spec.host_pid == Some(true),
            "HostIPC" => spec.host_ipc == Some(true),
            "HostNetwork" => spec.host_network == Some(true),
            other => panic!("{other}"),
        })
    }
}

/// The answer of the model.
pub enum Answer {
    /// Denied, for these reasons.
    Denied(BTreeSet<&'static str>),
    /// Admitted, as this completed pod.
    Admitted(Box<Pod>),
}

const USER: &str = "a user that is not listed";
const ROLE: &str = "a role that is not listed";
const TYPE: &str = "a type that is not allowed";
const UNCONFINED: &str = "an unconfined type without a reason";
const LEVEL: &str = "a level of another owner";
const TWO_LEVELS: &str = "two levels in one pod";
const HOST: &str = "host namespaces";
const NO_TYPE: &str = "no type in host namespaces";
const INCOMPLETE: &str = "a missing value in a guard";
const HOST_PATH: &str = "a hostPath volume in a confined container";
const READ_ONLY: &str = "a read-only claim in a confined container";

/// Types that no pattern allows, of those that are generated.
const KNOWN_UNCONFINED: [&str; 3] = ["container_runtime_t", "spc_t", "super_t"];

/// All reasons, in alphabetical order.
pub const REASONS: [&str; 11] =
    [HOST_PATH, LEVEL, INCOMPLETE, READ_ONLY, ROLE, TYPE, USER, UNCONFINED, HOST, NO_TYPE, TWO_LEVELS];

/// A container of any list.
struct Part {
    image: String,
    privileged: bool,
    own: Option<SELinuxOptions>,
    mounts: Vec<String>,
}

fn parts(spec: &PodSpec) -> Vec<Part> {
    let mut parts = Vec::new();
    macro_rules! add {
        ($containers:expr) => {
            for container in $containers {
                let context = container.security_context.clone().unwrap_or_default();
                let mounts = container.volume_mounts.iter().flatten().map(|mount| mount.name.clone());
                parts.push(Part {
                    image: container.image.clone().unwrap_or_default(),
                    privileged: context.privileged == Some(true),
                    own: context.se_linux_options,
                    mounts: mounts.collect(),
                });
            }
        };
    }
    add!(&spec.containers);
    add!(spec.init_containers.iter().flatten());
    add!(spec.ephemeral_containers.iter().flatten());
    parts
}

/// The contexts of all containers, in the order of [`parts`].
fn contexts(spec: &mut PodSpec) -> Vec<&mut Option<SecurityContext>> {
    let mut contexts: Vec<_> = spec.containers.iter_mut().map(|one| &mut one.security_context).collect();
    contexts.extend(spec.init_containers.iter_mut().flatten().map(|one| &mut one.security_context));
    contexts.extend(spec.ephemeral_containers.iter_mut().flatten().map(|one| &mut one.security_context));
    contexts
}

/// The text, unless it is empty.
fn filled(text: Option<&String>) -> Option<&str> {
    text.map(String::as_str).filter(|text| !text.is_empty())
}

fn kind_of(options: Option<&SELinuxOptions>) -> Option<&str> {
    options.and_then(|options| filled(options.type_.as_ref()))
}

fn level_of(options: Option<&SELinuxOptions>) -> Option<&str> {
    options.and_then(|options| filled(options.level.as_ref()))
}

/// The kinds of values that were added.
#[derive(Default)]
struct Added {
    level: bool,
    kind: bool,
    name: bool,
}

pub fn evaluate(pod: &Pod, settings: &Settings, mode: Mode) -> Answer {
    let spec = pod.spec.as_ref().unwrap();
    let selected = spec.node_selector.iter().flatten();
    let is_windows = spec.os.as_ref().is_some_and(|os| os.name == "windows")
        || selected.into_iter().any(|(key, value)| key == "kubernetes.io/os" && value == "windows");
    let annotations = pod.metadata.annotations.clone().unwrap_or_default();
    if is_windows || annotations.contains_key("kubernetes.io/config.mirror") {
        return Answer::Admitted(Box::new(pod.clone()));
    }
    let (completed, added) = completed(pod, settings);
    let mut reasons = violations(pod, settings);
    let after = completed.spec.as_ref().unwrap();
    let demands_levels = !settings.allows_missing
        && (settings.matching == Match::Exact || matches!(settings.source, Source::Fixed(_)));
    if settings.intra_pod == IntraPod::Enforce && settings.matching != Match::Any {
        // The runtime chooses missing levels if the guard requires none.
        let is_completed = mode == Mode::Mutate || demands_levels;
        let levels =
            compared_levels(if is_completed { after } else { spec }, settings, given_kind(settings, spec));
        if levels.iter().any(|level| *level != levels[0]) {
            reasons.insert(TWO_LEVELS);
        }
    }
    if added.kind && settings.triggers(spec) && settings.action == Action::Require {
        reasons.insert(NO_TYPE);
    }
    // The volumes that confined containers mount.
    let confined: BTreeSet<String> = parts(after)
        .into_iter()
        .filter(|part| {
            let of_pod =
                after.security_context.as_ref().and_then(|context| context.se_linux_options.as_ref());
            !part.privileged && !settings.is_unconfined(kind_of(part.own.as_ref().or(of_pod)))
        })
        .flat_map(|part| part.mounts)
        .collect();
    for volume in spec.volumes.iter().flatten().filter(|volume| confined.contains(&volume.name)) {
        if settings.rejects_host_paths && volume.host_path.is_some() {
            reasons.insert(HOST_PATH);
        }
        let claim = volume.persistent_volume_claim.as_ref();
        if settings.rejects_read_only_claims && claim.is_some_and(|claim| claim.read_only == Some(true)) {
            reasons.insert(READ_ONLY);
        }
    }
    if mode == Mode::Validate && (added.kind || added.name || added.level && demands_levels) {
        reasons.insert(INCOMPLETE);
    }
    if !reasons.is_empty() {
        return Answer::Denied(reasons);
    }
    Answer::Admitted(Box::new(if mode == Mode::Mutate { completed } else { pod.clone() }))
}

/// The default type of options without one.
fn given_kind<'a>(settings: &'a Settings, spec: &PodSpec) -> Option<&'a str> {
    let wants = matches!(settings.action, Action::Default | Action::Require);
    match &settings.source {
        _ if wants && settings.triggers(spec) => settings.host_type(),
        Source::Fixed(fixed) => fixed.kind,
        _ => None,
    }
}

/// The completed pod.
fn completed(pod: &Pod, settings: &Settings) -> (Pod, Added) {
    let fixed = settings.fixed();
    let spec = pod.spec.as_ref().unwrap();
    let owned = settings.owned();
    let given = given_kind(settings, spec);
    let is_lowest = settings.lowest && settings.triggers(spec);
    let mut added = Added::default();
    let mut completed = pod.clone();
    let spec = completed.spec.as_mut().unwrap();
    let of_pod = spec.security_context.as_ref().and_then(|context| context.se_linux_options.clone());
    let mut fill = |options: &mut SELinuxOptions, kind: Option<&str>| {
        for (field, wanted) in [(&mut options.user, fixed.user), (&mut options.role, fixed.role)] {
            if let (None, Some(wanted)) = (filled(field.as_ref()), wanted) {
                *field = Some(wanted.to_owned());
                added.name = true;
            }
        }
        if let (None, Some(given)) = (kind, given) {
            options.type_ = Some(given.to_owned());
            added.kind = true;
        }
        let is_lowest = is_lowest && settings.is_unconfined(kind_of(Some(options)));
        let wanted = if is_lowest { Some(Level::of(&[])) } else { owned.clone() };
        if let (None, Some(wanted)) = (filled(options.level.as_ref()), wanted) {
            options.level = Some(wanted.text());
            added.level = true;
        }
    };
    let containers = parts(spec);
    if containers.is_empty() || containers.iter().any(|part| part.own.is_none()) {
        let mut options = of_pod.clone().unwrap_or_default();
        let before = options.clone();
        let kind = kind_of(Some(&before));
        fill(&mut options, kind);
        if options != before {
            spec.security_context.get_or_insert_default().se_linux_options = Some(options);
        }
    }
    for context in contexts(spec).into_iter().flatten() {
        if let Some(options) = &mut context.se_linux_options {
            let kind = kind_of(Some(options)).map(str::to_owned);
            fill(options, kind.as_deref());
        }
    }
    if settings.recursive && added.level {
        let policy = &mut spec.security_context.get_or_insert_default().se_linux_change_policy;
        if filled(policy.as_ref()).is_none() {
            *policy = Some("Recursive".to_owned());
        }
    }
    if settings.crio_try_skip && running_levels(spec).iter().any(Option::is_some) {
        let annotations = completed.metadata.annotations.get_or_insert_default();
        annotations.entry("try-skip-volume-selinux-label.crio.io".to_owned()).or_insert("true".to_owned());
    }
    (completed, added)
}

/// The level of each container of a completed pod; `None` if the runtime chooses it.
fn running_levels(spec: &PodSpec) -> Vec<Option<Level>> {
    let of_pod = spec.security_context.as_ref().and_then(|context| context.se_linux_options.as_ref());
    let read = |part: Part| Level::parse(level_of(part.own.as_ref().or(of_pod))?).ok();
    parts(spec).into_iter().map(read).collect()
}

/// The levels that have to be equal: not those of exempt containers, and not those of containers at
/// `s0` that SELinux does not confine.
fn compared_levels(spec: &PodSpec, settings: &Settings, given: Option<&str>) -> Vec<Option<Level>> {
    let of_pod = spec.security_context.as_ref().and_then(|context| context.se_linux_options.as_ref());
    let mut levels = running_levels(spec).into_iter();
    let mut compared = Vec::new();
    for part in parts(spec) {
        let level = levels.next().unwrap();
        let kind = kind_of(part.own.as_ref().or(of_pod)).or(given);
        let is_free = part.privileged || settings.is_unconfined(kind);
        let is_lowest = level.as_ref() == Some(&Level::of(&[]));
        if !(settings.lifts("IntraPod", spec, &part) || is_free && is_lowest) {
            compared.push(level);
        }
    }
    compared
}

/// The reasons for which values in the pod are denied.
fn violations(pod: &Pod, settings: &Settings) -> BTreeSet<&'static str> {
    let spec = pod.spec.as_ref().unwrap();
    let mut reasons = BTreeSet::new();
    let triggered = settings.triggers(spec);
    if triggered && settings.action == Action::Reject {
        reasons.insert(HOST);
    }
    let given = given_kind(settings, spec);
    let in_host = triggered || spec.host_pid == Some(true) || spec.host_ipc == Some(true);
    let containers = parts(spec);
    let inheriting: Vec<&Part> = containers.iter().filter(|part| part.own.is_none()).collect();
    let of_pod = spec.security_context.as_ref().and_then(|context| context.se_linux_options.as_ref());
    let mut places: Vec<(&SELinuxOptions, Vec<&Part>)> =
        of_pod.map(|own| (own, inheriting)).into_iter().collect();
    for part in &containers {
        places.extend(part.own.as_ref().map(|own| (own, vec![part])));
    }
    let fixed = settings.fixed();
    for (own, running) in places {
        let all = |is: &dyn Fn(&Part) -> bool| !running.is_empty() && running.iter().all(|part| is(part));
        let lifted = |rule: &str| all(&|part| settings.lifts(rule, spec, part));
        for (name, fixed, listed, rule, reason) in [
            (&own.user, fixed.user, &settings.users, "User", USER),
            (&own.role, fixed.role, &settings.roles, "Role", ROLE),
        ] {
            let Some(name) = filled(name.as_ref()) else { continue };
            if !lifted(rule) && fixed.map_or_else(|| !listed.contains(&name), |fixed| name != fixed) {
                reasons.insert(reason);
            }
        }
        let kind = kind_of(Some(own));
        if let Some(kind) = kind {
            let is_unconfined = settings.is_unconfined(Some(kind));
            if let Some(fixed) = fixed.kind {
                let is_exempt = is_unconfined && lifted("Type");
                if kind != fixed && !(triggered && settings.host_type() == Some(kind)) && !is_exempt {
                    reasons.insert(TYPE);
                }
            } else if is_unconfined {
                let is_usual = kind != "super_t";
                let may = |part: &Part| part.privileged && is_usual || settings.lifts("Type", spec, part);
                if !(in_host && is_usual || all(&may)) {
                    reasons.insert(UNCONFINED);
                }
            } else if KNOWN_UNCONFINED.contains(&kind) || !settings.allows(kind) {
                reasons.insert(TYPE);
            }
        }
        if let Some(level) = filled(own.level.as_ref())
            && !is_allowed_level(
                level,
                settings.is_unconfined(kind.or(given)),
                all(&|part| part.privileged || settings.lifts("Level", spec, part)),
                lifted("Level"),
                settings,
            )
        {
            reasons.insert(LEVEL);
        }
    }
    reasons
}

fn is_allowed_level(
    text: &str,
    is_unconfined: bool,
    is_privileged: bool,
    is_lifted: bool,
    settings: &Settings,
) -> bool {
    let is_fixed = settings.fixed().level.is_some();
    if settings.matching == Match::Any && !is_fixed {
        return true;
    }
    let Ok(level) = Level::parse(text) else { return false };
    if is_lifted {
        return true;
    }
    let owned = settings.owned();
    if is_fixed {
        return Some(&level) == owned.as_ref();
    }
    let is_extra = settings.extra.iter().any(|text| Level::parse(text).as_ref() == Ok(&level));
    if Some(&level) == owned.as_ref() || is_extra {
        return true;
    }
    if level == Level::of(&[]) {
        return is_unconfined || is_privileged;
    }
    if level.is_range() {
        return is_privileged;
    }
    let reaches_others = level.is_range() || level.categories() > 2;
    let is_free = owned.is_none() && settings.source != Source::Runtime;
    !reaches_others && (is_free || settings.matching == Match::Format)
}
