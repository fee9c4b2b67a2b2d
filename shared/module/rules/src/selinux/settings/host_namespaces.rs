//! The settings of `hostNamespaces`: pods that share the PID, IPC or network namespace of the node.

use admission::{Choice, Fault, Kind, Node, Setting, SettingsError, choices};

use super::types::{Types, needs_exemption};

choices! {
    /// A host namespace that a pod can share.
    pub enum HostNamespace {
        /// The PID namespace, with `hostPID`.
        HostPID,
        /// The IPC namespace, with `hostIPC`.
        HostIPC,
        /// The network namespace, with `hostNetwork`.
        HostNetwork,
    }

    /// How a pod in a host namespace is handled.
    pub enum HostNamespaceAction {
        /// The pod gets an unconfined type if it sets none.
        Default,
        /// The pod must set a type.
        Require,
        /// The pod is handled like other pods.
        Ignore,
        /// The pod is denied.
        Reject,
    }
}

/// The level of pods in host namespaces.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum HostNamespaceLevel {
    /// The level of their owner.
    #[default]
    Allocated,
    /// `s0`: unconfined types need no categories.
    Lowest,
}

impl Choice for HostNamespaceLevel {
    const VALUES: &'static [Self] = &[Self::Allocated, Self::Lowest];
    const NAMES: &'static [&'static str] = &["Allocated", "s0"];
}

pub(super) const HOST_NAMESPACES: &[Setting] = &[
    Setting::new("triggers", Kind::List(&Kind::Choice(HostNamespace::NAMES))),
    Setting::new("action", Kind::Choice(HostNamespaceAction::NAMES)),
    Setting::new("type", Kind::Text),
    Setting::new("level", Kind::Choice(HostNamespaceLevel::NAMES)),
];

#[derive(Debug)]
pub(in crate::selinux) struct HostNamespaces {
    triggers: Vec<HostNamespace>,
    pub(in crate::selinux) action: HostNamespaceAction,
    /// The type that such pods get; `None` if there are no unconfined types.
    pub(in crate::selinux) type_name: Option<String>,
    pub(in crate::selinux) level: HostNamespaceLevel,
}

impl HostNamespace {
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
            type_name: None,
            level: HostNamespaceLevel::default(),
        }
    }
}

impl HostNamespaces {
    pub(super) fn read(&mut self, setting: Node<'_>, types: &Types) -> Result<(), SettingsError> {
        self.type_name = types.unconfined.iter().find(|name| !needs_exemption(name)).cloned();
        let type_setting = setting.at("type");
        if setting.object()? {
            self.action = Choice::read(setting.at("action"))?;
            self.level = Choice::read(setting.at("level"))?;
            self.read_triggers(setting.at("triggers"))?;
            if let Some(text) = type_setting.text()? {
                let problem = if !types.is_unconfined(text) {
                    Some("is not one of types.unconfined; add it there or use one of them")
                } else if needs_exemption(text) {
                    Some("gives more than host namespaces do; use another type, or set action: Ignore")
                } else {
                    None
                };
                if let Some(problem) = problem {
                    return Err(SettingsError::about(type_setting, text, problem));
                }
                self.type_name = Some(text.to_owned());
            }
        }
        if self.type_name.is_none() && self.sets_type() {
            let problem = "is missing, as types.unconfined has no type for it; list one there, or set action: Ignore or Reject";
            return Err(SettingsError::at(type_setting, problem));
        }
        Ok(())
    }

    fn read_triggers(&mut self, setting: Node<'_>) -> Result<(), SettingsError> {
        if setting.is_present()? {
            self.triggers.clear();
        }
        for item in setting.items()? {
            let namespace = HostNamespace::read(item)?;
            if self.triggers.contains(&namespace) {
                return Err(SettingsError::at(item, "is a duplicate; remove it"));
            }
            self.triggers.push(namespace);
        }
        if self.triggers.is_empty() && self.action != HostNamespaceAction::Ignore {
            let problem = "is empty, so the action never applies; list namespaces, or set action: Ignore";
            return Err(SettingsError::at(setting, problem));
        }
        Ok(())
    }

    /// The fields of a pod's specification that trigger the action.
    pub(in crate::selinux) fn triggers<'d>(&self, spec: Node<'d>) -> Result<Vec<Node<'d>>, Fault> {
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

    /// Whether a pod in a host namespace gets a type or must set one.
    pub(in crate::selinux) fn sets_type(&self) -> bool {
        matches!(self.action, HostNamespaceAction::Default | HostNamespaceAction::Require)
    }
}

/// Whether a pod shares the PID or IPC namespace of the node, in which CRI-O does not confine it.
///
/// Source: `configureSELinuxLabels` in CRI-O's `server/container_create.go` (1.36).
pub(in crate::selinux) fn shares_host_processes(spec: Node<'_>) -> Result<bool, Fault> {
    Ok(shares(spec, HostNamespace::HostPID)? || shares(spec, HostNamespace::HostIPC)?)
}

/// Whether a pod shares the network namespace of the node, in which CRI-O does not confine it by
/// default.
///
/// Source: `hostnetwork_disable_selinux` in CRI-O's `crio.conf(5)` (1.36), `true` by default.
pub(in crate::selinux) fn shares_host_network(spec: Node<'_>) -> Result<bool, Fault> {
    shares(spec, HostNamespace::HostNetwork)
}

fn shares(spec: Node<'_>, namespace: HostNamespace) -> Result<bool, Fault> {
    match spec.entry(namespace.field())? {
        Some(at) => Ok(at.boolean()? == Some(true)),
        None => Ok(false),
    }
}
