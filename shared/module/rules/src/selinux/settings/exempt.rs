//! The settings of `exempt`: requests that are not evaluated, and rules that do not apply to some
//! pods.

use admission::{Choice, Fault, Kind, Node, Request, Setting, SettingsError, choices};

use super::names::{account_problem, names, namespace_problem};
use crate::conditions::{self, ContainerConditions, EvalContext, PodConditions};
use crate::namespace_lookup::NamespaceLookup;
use crate::subject::{has, refuse_everyone, users};
use crate::view::Container;

choices! {
    /// A rule that an exemption lifts.
    pub enum Lift {
        /// Unconfined types need a reason.
        Type,
        /// Users must be listed.
        User,
        /// Roles must be listed.
        Role,
        /// Levels must be those of the owner.
        Level,
        /// Containers of one pod must have one level.
        IntraPod,
    }
}

pub(super) const EXEMPT: &[Setting] = &[
    Setting::new("namespaces", Kind::List(&Kind::Text)),
    Setting::new("users", Kind::List(&Kind::Text)),
    Setting::new("pods", Kind::List(&Kind::Object(ENTRY))),
    Setting::new(
        "unconfined",
        Kind::Former(
            "is now a list of entries whose conditions all have to hold; write it as pods: \
             [{namespaces: [NAMESPACE], serviceAccounts: [NAMESPACE/NAME], images: [IMAGE], lifts: [Type]}]",
        ),
    ),
];

const ENTRY: &[Setting] = &[
    conditions::NAMESPACES,
    conditions::SERVICE_ACCOUNTS,
    conditions::POD_SELECTOR,
    conditions::IMAGES,
    Setting::new("lifts", Kind::List(&Kind::Choice(Lift::NAMES))),
];

#[derive(Debug, Default)]
pub(in crate::selinux) struct Exempt {
    namespaces: Vec<String>,
    users: Vec<String>,
    /// The rules that do not apply to some pods and containers.
    pub(in crate::selinux) pods: Vec<PodExemption>,
}

/// Conditions that all have to hold, and the rules that do not apply then.
#[derive(Debug)]
pub(in crate::selinux) struct PodExemption {
    pod: PodConditions,
    container: ContainerConditions,
    lifts: Lifts,
}

/// A set of rules that do not apply.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(in crate::selinux) struct Lifts(u8);

impl Lifts {
    const fn of(lift: Lift) -> Self {
        Self(match lift {
            Lift::Type => 1,
            Lift::User => 2,
            Lift::Role => 4,
            Lift::Level => 8,
            Lift::IntraPod => 16,
        })
    }

    pub(in crate::selinux) fn has(self, lift: Lift) -> bool {
        self.0 & Self::of(lift).0 != 0
    }

    /// Whether all rules apply.
    pub(in crate::selinux) fn are_empty(self) -> bool {
        self.0 == 0
    }

    pub(in crate::selinux) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(in crate::selinux) fn others(self) -> Self {
        Self(!self.0)
    }

    fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl Exempt {
    /// Reads `exempt`. An entry is an error if it depends only on what the author of a pod writes,
    /// or if its image patterns could match images of other owners.
    pub(super) fn read(&mut self, setting: Node<'_>) -> Result<(), SettingsError> {
        if !setting.object()? {
            return Ok(());
        }
        self.namespaces = names(setting.at("namespaces"), &namespace_problem)?;
        refuse_everyone(setting)?;
        let exempt_users = setting.at("users");
        if exempt_users.items()?.next().is_some() {
            self.users = users(exempt_users)?;
        }
        for entry in setting.at("pods").items()? {
            self.pods.push(PodExemption::read(entry)?);
        }
        Ok(())
    }

    pub(in crate::selinux) fn has_namespace(&self, namespace: &str) -> bool {
        has(&self.namespaces, namespace)
    }

    /// Whether a request is exempt because of its Namespace or its user.
    pub(in crate::selinux) fn covers(&self, request: &Request<'_>) -> Result<bool, Fault> {
        if request.namespace()?.is_some_and(|namespace| self.has_namespace(namespace)) {
            return Ok(true);
        }
        Ok(!self.users.is_empty() && has(&self.users, request.username()?))
    }

    /// Whether an exemption depends on images, which can change during the life of a pod.
    pub(in crate::selinux) fn depend_on_images(&self) -> bool {
        self.pods.iter().any(|entry| entry.container.depend_on_image())
    }

    /// The rules that do not apply to a container, or to containers with any image if there is
    /// none.
    pub(in crate::selinux) fn lifts(
        &self,
        container: Option<&Container<'_>>,
        context: &mut EvalContext<'_, '_>,
        lookup: &mut NamespaceLookup<'_>,
    ) -> Result<Lifts, Fault> {
        let mut lifts = Lifts::default();
        for (number, entry) in self.pods.iter().enumerate() {
            if context.meets(number, &entry.pod, lookup)?
                && match container {
                    Some(container) => entry.container.met_by(container)?,
                    None => true,
                }
            {
                lifts.add(entry.lifts);
            }
        }
        Ok(lifts)
    }
}

impl PodExemption {
    fn read(entry: Node<'_>) -> Result<Self, SettingsError> {
        let namespaces = names(entry.at("namespaces"), &namespace_problem)?;
        let accounts = names(entry.at("serviceAccounts"), &account_problem)?;
        names(entry.at("images"), &image_problem)?;
        if namespaces.is_empty() && accounts.is_empty() {
            let problem = "needs namespaces or serviceAccounts, because the author of a pod chooses \
                           its images and labels; add one of them";
            return Err(SettingsError::at(entry, problem));
        }
        let mut lifts = Lifts::default();
        let setting = entry.at("lifts");
        for item in setting.items()? {
            lifts.add(Lifts::of(Lift::read(item)?));
        }
        if lifts.are_empty() {
            let problem = "is missing; list the rules to lift: Type, User, Role, Level or IntraPod";
            return Err(SettingsError::at(setting, problem));
        }
        Ok(Self { pod: PodConditions::read(entry)?, container: ContainerConditions::read(entry)?, lifts })
    }
}

/// The problem with a text that is not an image or that could match images of other owners.
fn image_problem(text: &str) -> Option<&'static str> {
    let prefix = text.strip_suffix('*');
    if text.is_empty() || text.bytes().any(|byte| byte.is_ascii_whitespace()) {
        Some("is not an image; correct or remove it")
    } else if prefix.unwrap_or(text).bytes().any(|byte| b"*?".contains(&byte)) {
        Some("has a wildcard before its end; write a name, or end it in /*, :* or @*")
    } else if prefix.is_some_and(|prefix| !prefix.ends_with(['/', ':', '@'])) {
        Some("matches images with other names; end it in /*, :* or @*")
    } else {
        None
    }
}
