//! Pods in namespaces of the node.

use admission::{Choice, Fault, Kind, Node, Setting, SettingsError, choices};

use super::types::Types;

choices! {
    /// A namespace of the node that a pod may share.
    pub enum HostNamespace {
        /// Of processes: `hostPID`.
        HostPID,
        /// Of inter-process communication: `hostIPC`.
        HostIPC,
        /// Of the network: `hostNetwork`.
        HostNetwork,
    }

    /// What becomes of a pod in such a namespace.
    pub enum HostNamespaceAction {
        /// It gets an unconfined type if it has none.
        Default,
        /// It has to have a type.
        Require,
        /// Nothing.
        Ignore,
        /// It is denied.
        Reject,
    }
}

/// The level of pods in namespaces of the node.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum HostNamespaceLevel {
    /// That of their owner.
    #[default]
    Allocated,
    /// `s0`, as unconfined types need no categories.
    Lowest,
}

impl Choice for HostNamespaceLevel {
    const VALUES: &'static [Self] = &[Self::Allocated, Self::Lowest];
    const NAMES: &'static [&'static str] = &["Allocated", "s0"];
}

/// The keys of `hostNamespaces`.
pub(super) const HOST_NAMESPACES: &[Setting] = &[
    Setting::new("triggers", Kind::List(&Kind::Choice(HostNamespace::NAMES))),
    Setting::new("action", Kind::Choice(HostNamespaceAction::NAMES)),
    Setting::new("type", Kind::Text),
    Setting::new("level", Kind::Choice(HostNamespaceLevel::NAMES)),
];

/// What becomes of pods in namespaces of the node.
#[derive(Debug)]
pub(super) struct HostNamespaces {
    triggers: Vec<HostNamespace>,
    pub(super) action: HostNamespaceAction,
    /// The type that they get; none where unconfined types are not known.
    pub(super) kind: Option<String>,
    pub(super) level: HostNamespaceLevel,
}

impl HostNamespace {
    /// The field of a pod's specification.
    fn field(self) -> &'static str {
        match self {
            Self::HostPID => "hostPID",
            Self::HostIPC => "hostIPC",
            Self::HostNetwork => "hostNetwork",
        }
    }
}

impl Default for HostNamespaces {
    fn default() -> Self {
        Self {
            triggers: vec![HostNamespace::HostPID, HostNamespace::HostIPC],
            action: HostNamespaceAction::default(),
            kind: None,
            level: HostNamespaceLevel::default(),
        }
    }
}

impl HostNamespaces {
    /// Reads `hostNamespaces`.
    ///
    /// # Errors
    /// What means nothing, with its path.
    pub(super) fn read(&mut self, setting: Node<'_>, types: &Types) -> Result<(), SettingsError> {
        self.kind = types.unconfined.first().cloned();
        let kind = setting.at("type");
        if setting.object()? {
            self.action = Choice::read(setting.at("action"))?;
            self.level = Choice::read(setting.at("level"))?;
            let triggers = setting.at("triggers");
            if triggers.is_present()? {
                self.triggers.clear();
            }
            for item in triggers.items()? {
                let namespace = HostNamespace::read(item)?;
                if self.triggers.contains(&namespace) {
                    return Err(SettingsError::at(item, "is there twice; remove one"));
                }
                self.triggers.push(namespace);
            }
            if self.triggers.is_empty() && self.action != HostNamespaceAction::Ignore {
                let problem =
                    "is empty, so that the action is never taken; name namespaces, or set action: Ignore";
                return Err(SettingsError::at(triggers, problem));
            }
            if let Some(text) = kind.text()? {
                if !types.is_unconfined(text) {
                    let problem = "is none of types.unconfined; add it there or use one of those";
                    return Err(SettingsError::about(kind, text, problem));
                }
                self.kind = Some(text.to_owned());
            }
        }
        if self.kind.is_none() && self.wants_type() {
            let problem = "is missing, as types.unconfined is empty; name a type there, or set action: Ignore or Reject";
            return Err(SettingsError::at(kind, problem));
        }
        Ok(())
    }

    /// The triggers that a pod has.
    ///
    /// # Errors
    /// When one cannot be read.
    pub(super) fn triggers<'d>(&self, spec: Node<'d>) -> Result<Vec<Node<'d>>, Fault> {
        let mut found = Vec::new();
        for namespace in &self.triggers {
            if let Some(at) = spec.entry(namespace.field())?
                && at.boolean()? == Some(true)
            {
                found.push(at);
            }
        }
        Ok(found)
    }

    /// Whether a pod is given or has to have a type.
    pub(super) fn wants_type(&self) -> bool {
        matches!(self.action, HostNamespaceAction::Default | HostNamespaceAction::Require)
    }
}

/// Whether a pod is in a namespace of the node through which runtimes lift all confinement.
///
/// # Errors
/// When it cannot be read.
pub(super) fn is_unconfinable(spec: Node<'_>) -> Result<bool, Fault> {
    let mut is = false;
    for namespace in [HostNamespace::HostPID, HostNamespace::HostIPC] {
        if let Some(at) = spec.entry(namespace.field())? {
            is |= at.boolean()? == Some(true);
        }
    }
    Ok(is)
}
