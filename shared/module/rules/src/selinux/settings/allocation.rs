//! The settings of `allocation`: the sources and owners of levels.

use admission::{Choice, Fault, Kind, Node, Request, Setting, SettingsError, choices};

use super::levels::read_level;
use super::names::{account_problem, names, namespace_problem, selinux_name_problem};
use super::types::is_file_type;
use crate::name::is_label_key;
use crate::selinux::level::Level;
use crate::selinux::pool::Pool;
use crate::subject::{Subjects, groups, refuse_everyone, users};

choices! {
    /// The source of a pod's level.
    pub enum Source {
        /// A hash of the name of its owner.
        Hash,
        /// An annotation of its Namespace.
        NamespaceAnnotation,
        /// The container runtime, at random.
        Runtime,
        /// The settings.
        Fixed,
    }

    /// The owner of a level.
    pub enum OwnerScope {
        /// A Namespace, or a group of Namespaces.
        Namespace,
        /// All Namespaces with the same value of a label.
        NamespaceLabel,
        /// A service account.
        ServiceAccount,
        /// A workload, such as a Deployment or a StatefulSet.
        Workload,
        /// A pod with a stable name: one of a StatefulSet, or one without a controller.
        StatefulPod,
    }

    /// How a new Namespace is handled whose hashed level another Namespace has.
    pub enum Collisions {
        /// The Namespace is denied.
        Reject,
        /// The Namespace is admitted with a warning.
        Warn,
        /// Levels are not compared, and no Namespaces are listed.
        Ignore,
    }

    /// How pods in a Namespace without an annotation are handled.
    pub enum OnMissingAnnotation {
        /// They get the hashed level.
        Hash,
        /// They are denied.
        Reject,
    }
}

pub(super) const ALLOCATION: &[Setting] = &[
    Setting::new("source", Kind::Choice(Source::NAMES)),
    Setting::new("scope", Kind::Choice(OwnerScope::NAMES)),
    Setting::new("namespaceLabel", Kind::Text),
    Setting::new("protectNamespaceLabel", Kind::Flag),
    Setting::new("collisions", Kind::Choice(Collisions::NAMES)),
    Setting::new("annotations", Kind::List(&Kind::Text)),
    Setting::new("onMissingAnnotation", Kind::Choice(OnMissingAnnotation::NAMES)),
    Setting::new("categories", Kind::Object(CATEGORIES)),
    Setting::new("salt", Kind::Text),
    Setting::new("sharedGroups", Kind::List(&Kind::Object(GROUP))),
    Setting::new("annotationEditors", Kind::Object(EDITORS)),
    Setting::new("fixed", Kind::Object(FIXED)),
];

const CATEGORIES: &[Setting] = &[
    Setting::new("min", Kind::Integer),
    Setting::new("max", Kind::Integer),
    Setting::new("perLevel", Kind::Integer),
];

const GROUP: &[Setting] =
    &[Setting::new("name", Kind::Text), Setting::new("namespaces", Kind::List(&Kind::Text))];

const EDITORS: &[Setting] = &[
    Setting::new("groups", Kind::List(&Kind::Text)),
    Setting::new("users", Kind::List(&Kind::Text)),
    Setting::new("serviceAccounts", Kind::List(&Kind::Text)),
];

const FIXED: &[Setting] = &[
    Setting::new("user", Kind::Text),
    Setting::new("role", Kind::Text),
    Setting::new("type", Kind::Text),
    Setting::new("level", Kind::Text),
];

/// The annotation that this policy writes, and the annotation that OpenShift writes.
const ANNOTATIONS: [&str; 2] = ["portcullis.dev/selinux-level", "openshift.io/sa.scc.mcs"];

/// The group that may do everything in a Kubernetes cluster.
const MASTERS: &str = "system:masters";

/// The maximum length of the salt, in bytes.
const LONGEST_SALT: usize = 64;

/// The minimum number of levels: with fewer, two owners would soon have the same one.
const FEWEST_LEVELS: u64 = 1_000;

#[derive(Debug)]
pub(in crate::selinux) struct Allocation {
    pub(in crate::selinux) source: Source,
    pub(in crate::selinux) scope: OwnerScope,
    /// The label key whose value owns a level, under [`OwnerScope::NamespaceLabel`].
    pub(in crate::selinux) namespace_label: Option<String>,
    /// Whether only editors may set, change and remove this label.
    pub(in crate::selinux) protects_label: bool,
    /// Under [`Source::Hash`], if the owners are Namespaces.
    pub(in crate::selinux) collisions: Collisions,
    /// The keys of annotations that hold a level; the first one present applies.
    pub(in crate::selinux) annotations: Vec<String>,
    pub(in crate::selinux) on_missing: OnMissingAnnotation,
    pub(in crate::selinux) pool: Pool,
    groups: Vec<Group>,
    /// The users who may write the annotations and the protected label.
    pub(in crate::selinux) editors: Subjects,
    pub(in crate::selinux) fixed: Fixed,
}

/// Namespaces that share a level.
#[derive(Debug)]
struct Group {
    name: String,
    namespaces: Vec<String>,
}

/// The context of every pod, under [`Source::Fixed`].
#[derive(Debug, Default)]
pub(in crate::selinux) struct Fixed {
    pub(in crate::selinux) user: Option<String>,
    pub(in crate::selinux) role: Option<String>,
    pub(in crate::selinux) type_name: Option<String>,
    pub(in crate::selinux) level: Option<Level>,
}

impl Default for Allocation {
    fn default() -> Self {
        Self {
            source: Source::default(),
            scope: OwnerScope::default(),
            namespace_label: None,
            protects_label: false,
            collisions: Collisions::default(),
            annotations: ANNOTATIONS.map(str::to_owned).to_vec(),
            on_missing: OnMissingAnnotation::default(),
            pool: Pool::default(),
            groups: Vec::new(),
            editors: Subjects::of(Vec::new(), vec![MASTERS.to_owned()]),
            fixed: Fixed::default(),
        }
    }
}

impl Allocation {
    pub(super) fn read(&mut self, setting: Node<'_>) -> Result<(), SettingsError> {
        if !setting.object()? {
            return Ok(());
        }
        self.source = Choice::read(setting.at("source"))?;
        self.scope = Choice::read(setting.at("scope"))?;
        if self.scope != OwnerScope::Namespace && self.source != Source::Hash {
            let problem = "requires allocation.source: Hash; remove it or set the source";
            return Err(SettingsError::at(setting.at("scope"), problem));
        }
        self.namespace_label = namespace_label(setting.at("namespaceLabel"), self.scope)?;
        let protect = setting.at("protectNamespaceLabel");
        self.protects_label = protect.boolean()?.unwrap_or_default();
        if self.protects_label && self.namespace_label.is_none() {
            let problem = "requires scope: NamespaceLabel; remove it or set the scope";
            return Err(SettingsError::at(protect, problem));
        }
        self.collisions = Choice::read(setting.at("collisions"))?;
        let annotations = setting.at("annotations");
        if annotations.is_present()? {
            self.annotations = names(annotations, &|key| {
                let is_key = is_label_key(key);
                (!is_key).then_some("is not a valid annotation key; write it as example.com/selinux-level")
            })?;
            if self.annotations.is_empty() && self.source == Source::NamespaceAnnotation {
                let problem = "is empty, so no Namespace has a level; list a key";
                return Err(SettingsError::at(annotations, problem));
            }
        }
        self.on_missing = Choice::read(setting.at("onMissingAnnotation"))?;
        read_pool(&mut self.pool, setting)?;
        read_groups(&mut self.groups, setting.at("sharedGroups"))?;
        self.editors = editors(setting.at("annotationEditors"))?;
        self.fixed.read(setting.at("fixed"), self.source)
    }

    /// Whether the requesting user is an editor. The audit scanner sends requests without a user,
    /// about whom nothing is known.
    pub(in crate::selinux) fn is_editor(&self, request: &Request<'_>) -> Result<bool, Fault> {
        Ok(request.username()?.is_empty() || self.editors.contain(request)?)
    }

    /// Whether the level of a pod depends on the Namespace object.
    pub(in crate::selinux) fn reads_namespace(&self) -> bool {
        self.source == Source::NamespaceAnnotation || self.scope == OwnerScope::NamespaceLabel
    }

    /// Whether a Namespace without an annotation has the hashed level. Namespaces of a group always
    /// do, because the policy does not annotate them.
    pub(in crate::selinux) fn hashes(&self, namespace: &str) -> bool {
        self.on_missing == OnMissingAnnotation::Hash || self.group(namespace).is_some()
    }

    pub(in crate::selinux) fn group(&self, namespace: &str) -> Option<&str> {
        let is_in = |group: &&Group| group.namespaces.iter().any(|known| known == namespace);
        self.groups.iter().find(is_in).map(|group| group.name.as_str())
    }
}

impl Fixed {
    fn read(&mut self, setting: Node<'_>, source: Source) -> Result<(), SettingsError> {
        let parts = [("user", &mut self.user), ("role", &mut self.role), ("type", &mut self.type_name)];
        let mut is_empty = true;
        for (key, part) in parts {
            let setting = setting.at(key);
            let Some(name) = setting.text()? else { continue };
            let file_type = "is a file type, which no process can have; correct it";
            let problem =
                selinux_name_problem(name).or((key == "type" && is_file_type(name)).then_some(file_type));
            if let Some(problem) = problem {
                return Err(SettingsError::about(setting, name, problem));
            }
            *part = Some(name.to_owned());
            is_empty = false;
        }
        let level = setting.at("level");
        if let Some(text) = level.text()? {
            self.level = Some(read_level(level, text)?);
            is_empty = false;
        }
        let problem = match (source, is_empty) {
            (Source::Fixed, true) => "is empty; set user, role, type or level, or another source",
            (Source::Fixed, false) | (_, true) => return Ok(()),
            (_, false) => "requires allocation.source: Fixed; remove it or set the source",
        };
        Err(SettingsError::at(setting, problem))
    }
}

fn namespace_label(setting: Node<'_>, scope: OwnerScope) -> Result<Option<String>, SettingsError> {
    let key = setting.text()?;
    match (scope, key) {
        (OwnerScope::NamespaceLabel, None) => {
            Err(SettingsError::at(setting, "is missing; set the label key that scope: NamespaceLabel needs"))
        }
        (OwnerScope::NamespaceLabel, Some(key)) if !is_label_key(key) => Err(SettingsError::about(
            setting,
            key,
            "is not a valid label key; write it as example.com/tenant",
        )),
        (OwnerScope::NamespaceLabel, Some(key)) => Ok(Some(key.to_owned())),
        (_, Some(_)) => {
            Err(SettingsError::at(setting, "requires scope: NamespaceLabel; remove it or set the scope"))
        }
        (_, None) => Ok(None),
    }
}

fn read_pool(pool: &mut Pool, setting: Node<'_>) -> Result<(), SettingsError> {
    let categories = setting.at("categories");
    let (min, max, per_level) = (categories.at("min"), categories.at("max"), categories.at("perLevel"));
    let category = |setting: Node<'_>, default: u16| -> Result<u16, SettingsError> {
        let Some(number) = setting.integer()? else { return Ok(default) };
        u16::try_from(number)
            .ok()
            .filter(|number| *number <= 1_023)
            .ok_or_else(|| SettingsError::at(setting, "is not a category; write a number from 0 to 1023"))
    };
    pool.min = category(min, pool.min)?;
    pool.max = category(max, pool.max)?;
    if pool.min > pool.max {
        return Err(SettingsError::at(min, "is greater than max; swap the two"));
    }
    match per_level.integer()? {
        None => {}
        Some(2) => pool.per_level = 2,
        Some(3) => pool.per_level = 3,
        Some(_) => {
            let problem = "is not 2 or 3; set one of them";
            return Err(SettingsError::at(per_level, problem));
        }
    }
    if pool.combinations() < FEWEST_LEVELS {
        let problem = "allow fewer than 1000 levels; widen min and max";
        return Err(SettingsError::at(categories, problem));
    }
    let salt = setting.at("salt");
    if let Some(text) = salt.text()? {
        if text.len() > LONGEST_SALT || text.contains('\0') {
            return Err(SettingsError::at(salt, "is longer than 64 bytes or has a zero byte; correct it"));
        }
        text.clone_into(&mut pool.salt);
    }
    Ok(())
}

fn read_groups(groups: &mut Vec<Group>, setting: Node<'_>) -> Result<(), SettingsError> {
    for item in setting.items()? {
        let (name, members) = (item.at("name"), item.at("namespaces"));
        let group = match name.text()? {
            None | Some("") => return Err(SettingsError::at(name, "is missing; name the group")),
            Some(name) => name,
        };
        if groups.iter().any(|known| known.name == group) {
            return Err(SettingsError::about(name, group, "is the name of two groups; rename one"));
        }
        let namespaces = names(members, &|namespace| {
            let has = |group: &Group| group.namespaces.iter().any(|known| known == namespace);
            if groups.iter().any(has) {
                Some("is in two groups; remove one")
            } else {
                namespace_problem(namespace)
            }
        })?;
        if namespaces.is_empty() {
            return Err(SettingsError::at(
                members,
                "is empty; list the Namespaces of the group, or remove it",
            ));
        }
        groups.push(Group { name: group.to_owned(), namespaces });
    }
    Ok(())
}

fn editors(setting: Node<'_>) -> Result<Subjects, SettingsError> {
    refuse_everyone(setting)?;
    let (users_setting, groups_setting) = (setting.at("users"), setting.at("groups"));
    let mut group_names = vec![MASTERS.to_owned()];
    if groups_setting.is_present()? {
        let is_filled = groups_setting.items()?.next().is_some();
        group_names = if is_filled { groups(groups_setting)? } else { Vec::new() };
    }
    let is_filled = users_setting.items()?.next().is_some();
    let mut user_names = if is_filled { users(users_setting)? } else { Vec::new() };
    for account in names(setting.at("serviceAccounts"), &account_problem)? {
        user_names.push(["system:serviceaccount:", &account.replacen('/', ":", 1)].concat());
    }
    Ok(Subjects::of(user_names, group_names))
}
