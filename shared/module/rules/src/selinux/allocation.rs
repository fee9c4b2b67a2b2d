//! Where levels come from, as settings say it.

use admission::{Choice, Kind, Node, Setting, SettingsError, choices};

use super::exempt::no_namespace;
use super::level::Level;
use super::lists::names;
use super::pool::Pool;
use super::types::{is_of_files, no_name};
use crate::name::{is_label, is_label_key, is_subdomain};
use crate::subject::{Subjects, groups, users};

choices! {
    /// Where the level of a pod comes from.
    pub enum Source {
        /// From a hash of its owner's name.
        Hash,
        /// From an annotation of its Namespace.
        NamespaceAnnotation,
        /// From the runtime, at random.
        Runtime,
        /// From the settings.
        Fixed,
    }

    /// Who owns a level.
    pub enum OwnerScope {
        /// A Namespace, or a group of them.
        Namespace,
        /// All Namespaces with the same value of a label.
        NamespaceLabel,
        /// A ServiceAccount.
        ServiceAccount,
        /// What makes pods: a Deployment, a StatefulSet and the like.
        Workload,
        /// A pod whose name is known: of a StatefulSet, or without a controller.
        StatefulPod,
    }

    /// What becomes of pods in a Namespace without an annotation.
    pub enum OnMissingAnnotation {
        /// They get the level of the hash.
        Hash,
        /// They are denied.
        Reject,
    }
}

/// The keys of `allocation`.
pub(super) const ALLOCATION: &[Setting] = &[
    Setting::new("source", Kind::Choice(Source::NAMES)),
    Setting::new("scope", Kind::Choice(OwnerScope::NAMES)),
    Setting::new("namespaceLabel", Kind::Text),
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

/// The annotation that the allocator writes, and that of OpenShift's.
const ANNOTATIONS: [&str; 2] = ["portcullis.dev/selinux-level", "openshift.io/sa.scc.mcs"];

/// Who may do everything.
const MASTERS: &str = "system:masters";

/// The longest salt.
const LONGEST_SALT: usize = 64;

/// Fewer levels than these would soon be shared.
const FEWEST_LEVELS: u64 = 1_000;

/// Where levels come from.
#[derive(Debug)]
pub(super) struct Allocation {
    pub(super) source: Source,
    pub(super) scope: OwnerScope,
    /// The key whose value owns a level, under [`OwnerScope::NamespaceLabel`].
    pub(super) namespace_label: Option<String>,
    /// The keys of annotations that hold a level, of which the first that is there counts.
    pub(super) annotations: Vec<String>,
    pub(super) on_missing: OnMissingAnnotation,
    pub(super) pool: Pool,
    groups: Vec<Group>,
    /// Who may write the annotations.
    pub(super) editors: Subjects,
    pub(super) fixed: Fixed,
}

/// Namespaces that share a level.
#[derive(Debug)]
struct Group {
    name: String,
    namespaces: Vec<String>,
}

/// What every pod has to have.
#[derive(Debug, Default)]
pub(super) struct Fixed {
    pub(super) user: Option<String>,
    pub(super) role: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) level: Option<Level>,
}

impl Default for Allocation {
    fn default() -> Self {
        Self {
            source: Source::default(),
            scope: OwnerScope::default(),
            namespace_label: None,
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
    /// Reads `allocation`.
    ///
    /// # Errors
    /// What means nothing, with its path.
    pub(super) fn read(&mut self, setting: Node<'_>) -> Result<(), SettingsError> {
        if !setting.object()? {
            return Ok(());
        }
        self.source = Choice::read(setting.at("source"))?;
        self.scope = Choice::read(setting.at("scope"))?;
        if self.scope != OwnerScope::Namespace && self.source != Source::Hash {
            let problem = "is for allocation.source: Hash alone; remove it or the source";
            return Err(SettingsError::at(setting.at("scope"), problem));
        }
        self.namespace_label = namespace_label(setting.at("namespaceLabel"), self.scope)?;
        let annotations = setting.at("annotations");
        if annotations.is_present()? {
            self.annotations = names(annotations, &|key| {
                let is_key = is_label_key(key);
                (!is_key).then_some("is no key of an annotation; write it as example.com/selinux-level")
            })?;
            if self.annotations.is_empty() && self.source == Source::NamespaceAnnotation {
                let problem = "is empty, so that no Namespace has a level; name a key";
                return Err(SettingsError::at(annotations, problem));
            }
        }
        self.on_missing = Choice::read(setting.at("onMissingAnnotation"))?;
        read_pool(&mut self.pool, setting)?;
        read_groups(&mut self.groups, setting.at("sharedGroups"))?;
        self.editors = editors(setting.at("annotationEditors"))?;
        self.fixed.read(setting.at("fixed"), self.source)
    }

    /// Whether the level of a pod depends on what its Namespace says, and on nothing that the pod says.
    pub(super) fn asks(&self) -> bool {
        self.source == Source::NamespaceAnnotation || self.scope == OwnerScope::NamespaceLabel
    }

    /// Whether a Namespace without an annotation has the level of the hash. The allocator annotates none of a group.
    pub(super) fn hashes(&self, namespace: &str) -> bool {
        self.on_missing == OnMissingAnnotation::Hash || self.group(namespace).is_some()
    }

    /// The group that a Namespace is in.
    pub(super) fn group(&self, namespace: &str) -> Option<&str> {
        let is_in = |group: &&Group| group.namespaces.iter().any(|known| known == namespace);
        self.groups.iter().find(is_in).map(|group| group.name.as_str())
    }
}

impl Fixed {
    fn read(&mut self, setting: Node<'_>, source: Source) -> Result<(), SettingsError> {
        let parts = [("user", &mut self.user), ("role", &mut self.role), ("type", &mut self.kind)];
        let mut is_empty = true;
        for (key, part) in parts {
            let setting = setting.at(key);
            let Some(name) = setting.text()? else { continue };
            let of_files = "is a type of files, with which no process can run; correct it";
            let problem = no_name(name).or((key == "type" && is_of_files(name)).then_some(of_files));
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
            (_, false) => "is for allocation.source: Fixed alone; remove it or set that",
        };
        Err(SettingsError::at(setting, problem))
    }
}

/// A level in settings.
///
/// # Errors
/// What is none.
pub(super) fn read_level(setting: Node<'_>, text: &str) -> Result<Level, SettingsError> {
    Level::parse(text)
        .map_err(|problem| SettingsError::about(setting, text, &[problem, "; write it as s0:c1,c2"].concat()))
}

fn namespace_label(setting: Node<'_>, scope: OwnerScope) -> Result<Option<String>, SettingsError> {
    let key = setting.text()?;
    match (scope, key) {
        (OwnerScope::NamespaceLabel, None) => {
            Err(SettingsError::at(setting, "is missing; scope: NamespaceLabel needs the key of a label"))
        }
        (OwnerScope::NamespaceLabel, Some(key)) if !is_label_key(key) => {
            Err(SettingsError::about(setting, key, "is no key of a label; write it as example.com/tenant"))
        }
        (OwnerScope::NamespaceLabel, Some(key)) => Ok(Some(key.to_owned())),
        (_, Some(_)) => {
            Err(SettingsError::at(setting, "is for scope: NamespaceLabel alone; remove it or set that"))
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
            .ok_or_else(|| SettingsError::at(setting, "is no category; they are 0 to 1023"))
    };
    pool.min = category(min, pool.min)?;
    pool.max = category(max, pool.max)?;
    if pool.min > pool.max {
        return Err(SettingsError::at(min, "is above max; swap the two"));
    }
    match per_level.integer()? {
        None => {}
        Some(2) => pool.per_level = 2,
        Some(3) => pool.per_level = 3,
        Some(_) => {
            let problem = "is neither 2 nor 3; set one of them";
            return Err(SettingsError::at(per_level, problem));
        }
    }
    if pool.combinations() < FEWEST_LEVELS {
        let problem = "leave fewer than 1000 levels; widen min and max";
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
                no_namespace(namespace)
            }
        })?;
        if namespaces.is_empty() {
            return Err(SettingsError::at(
                members,
                "is empty; name the Namespaces of the group, or remove it",
            ));
        }
        groups.push(Group { name: group.to_owned(), namespaces });
    }
    Ok(())
}

fn editors(setting: Node<'_>) -> Result<Subjects, SettingsError> {
    let (who, of_groups) = (setting.at("users"), setting.at("groups"));
    let mut names_of_groups = vec![MASTERS.to_owned()];
    if of_groups.is_present()? {
        let some = of_groups.items()?.next().is_some();
        names_of_groups = if some { groups(of_groups)? } else { Vec::new() };
    }
    let mut names_of_users = if who.items()?.next().is_some() { users(who)? } else { Vec::new() };
    for account in names(setting.at("serviceAccounts"), &no_account)? {
        names_of_users.push(["system:serviceaccount:", &account.replacen('/', ":", 1)].concat());
    }
    Ok(Subjects::of(names_of_users, names_of_groups))
}

/// Why a text is no service account as settings write them, if it is none.
pub(super) fn no_account(account: &str) -> Option<&'static str> {
    let is_one =
        account.split_once('/').is_some_and(|(namespace, name)| is_label(namespace) && is_subdomain(name));
    (!is_one).then_some("is no service account; write NAMESPACE/NAME")
}
