//! The parts of a `PodSecurityPolicy` that modules can express, as what it allows.
//!
//! A pod needs one policy that allows it, so several policies allow at most the union.

use std::collections::{BTreeMap, BTreeSet};

/// The allowance of a policy. By default, that of every policy.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Allowance {
    pub(super) freedoms: BTreeSet<Freedom>,
    pub(super) run_as: RunAs,
    /// The capabilities that containers may add.
    pub(super) capabilities: Names,
    /// The sysctls that pods may set in addition to the safe ones; a final `*` matches any text.
    pub(super) sysctls: Names,
    pub(super) host_ports: PortRanges,
    /// The sources of volumes that the level restricted refuses, without `hostPath`.
    pub(super) volumes: BTreeSet<&'static str>,
    pub(super) host_paths: HostPaths,
    pub(super) se_linux: SeLinux,
}

/// Something that pods may do or leave undone.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Freedom {
    Privileged,
    HostNetwork,
    HostPid,
    HostIpc,
    /// `allowPrivilegeEscalation` may be true or unset.
    Escalation,
    /// Containers need not drop all capabilities.
    KeptCapabilities,
    UnmaskedProc,
    UnconfinedAppArmor,
    UnconfinedSeccomp,
    UnsetSeccomp,
}

/// The users that containers may run as, from the strictest rule on.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum RunAs {
    /// Not root: a user other than 0, or `runAsNonRoot: true`.
    #[default]
    NonRoot,
    /// Not user 0.
    NonZero,
    Any,
}

/// Names or patterns of names.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Names {
    All,
    Only(BTreeSet<String>),
}

/// Ports of nodes, as ranges that do not touch each other.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct PortRanges(pub(super) Vec<(u16, u16)>);

/// The `hostPath` volumes that pods may have.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum HostPaths {
    All,
    /// The beginnings of paths, and whether every mount must be read-only.
    Below(BTreeMap<String, bool>),
}

/// The SELinux options that pods may have.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum SeLinux {
    Any,
    /// Exactly these fields.
    Fixed(BTreeMap<&'static str, String>),
}

impl Default for Names {
    fn default() -> Self {
        Self::Only(BTreeSet::new())
    }
}

impl Default for SeLinux {
    fn default() -> Self {
        Self::Fixed(BTreeMap::new())
    }
}

impl Default for HostPaths {
    fn default() -> Self {
        Self::Below(BTreeMap::new())
    }
}

impl Allowance {
    pub(super) fn has(&self, freedom: Freedom) -> bool {
        self.freedoms.contains(&freedom)
    }

    /// The allowance of two policies, of which a pod needs one.
    pub(super) fn union(&self, other: &Self) -> Self {
        Self {
            freedoms: &self.freedoms | &other.freedoms,
            run_as: self.run_as.max(other.run_as),
            capabilities: self.capabilities.union(&other.capabilities),
            sysctls: self.sysctls.union(&other.sysctls),
            host_ports: PortRanges::of([&self.host_ports.0[..], &other.host_ports.0].concat()),
            volumes: &self.volumes | &other.volumes,
            host_paths: self.host_paths.union(&other.host_paths),
            se_linux: if self.se_linux == other.se_linux { self.se_linux.clone() } else { SeLinux::Any },
        }
    }

    /// Whether the allowance contains another one.
    pub(super) fn contains(&self, other: &Self) -> bool {
        self.union(other) == *self
    }
}

impl Names {
    fn union(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Only(one), Self::Only(other)) => Self::Only(one | other),
            _ => Self::All,
        }
    }
}

impl HostPaths {
    fn union(&self, other: &Self) -> Self {
        let (Self::Below(one), Self::Below(other)) = (self, other) else { return Self::All };
        let mut paths = one.clone();
        for (path, read_only) in other {
            paths.entry(path.clone()).and_modify(|known| *known &= read_only).or_insert(*read_only);
        }
        Self::Below(paths)
    }
}

impl PortRanges {
    /// The ports of all ranges.
    pub(crate) fn of(mut ranges: Vec<(u16, u16)>) -> Self {
        ranges.sort_unstable();
        let mut joined: Vec<(u16, u16)> = Vec::new();
        for (min, max) in ranges {
            match joined.last_mut() {
                Some((_, last)) if min <= last.saturating_add(1) => *last = max.max(*last),
                _ => joined.push((min, max)),
            }
        }
        Self(joined)
    }

    /// Whether a container may use every port.
    pub(super) fn are_all(&self) -> bool {
        matches!(self.0.as_slice(), [(0..=1, u16::MAX)])
    }

    /// Patterns that match the numbers of the ports, and no other number.
    pub(crate) fn patterns(&self) -> Vec<String> {
        self.0.iter().flat_map(|(min, max)| patterns(u32::from(*min), u32::from(*max))).collect()
    }
}

/// Patterns for the numbers of a range: `8000` to `8099` are `80??`.
fn patterns(min: u32, max: u32) -> Vec<String> {
    let mut patterns = Vec::new();
    let mut next = min;
    while next <= max {
        // The largest block of numbers with the same first digits that begins here.
        let block = (1..5).map(|digits| (digits, 10_u32.saturating_pow(digits))).take_while(|(_, size)| {
            next >= *size && next.is_multiple_of(*size) && next.saturating_add(size.saturating_sub(1)) <= max
        });
        let (digits, size) = block.last().unwrap_or((0, 1));
        let first = next.checked_div(size).unwrap_or_default();
        patterns.push(format!("{first}{}", "?".repeat(usize::try_from(digits).unwrap_or_default())));
        next = next.saturating_add(size);
    }
    patterns
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::pattern::Patterns;

    #[test]
    fn patterns_of_ranges_match_exactly_their_ports() {
        for (min, max) in [(1, 65_535), (80, 80), (8000, 8099), (9, 10), (95, 1203), (30_000, 32_767), (1, 9)]
        {
            let ranges = PortRanges::of(vec![(min, max)]);
            let texts = ranges.patterns();
            let patterns = Patterns::of(&texts.iter().map(String::as_str).collect::<Vec<_>>());
            for port in 0..=u16::MAX {
                let is_in = (min..=max).contains(&port);
                assert_eq!(patterns.match_text(&port.to_string()), is_in, "{port} of {min}-{max}: {texts:?}");
            }
        }
    }

    #[test]
    fn ranges_are_joined() {
        let ranges = PortRanges::of(vec![(90, 99), (1, 5), (6, 7), (4, 4)]);
        assert_eq!(ranges, PortRanges(vec![(1, 7), (90, 99)]));
        assert!(PortRanges::of(vec![(30_000, u16::MAX), (0, 30_000)]).are_all());
    }

    #[test]
    fn unions_contain_their_parts() {
        let paths = |list: &[(&str, bool)]| {
            HostPaths::Below(list.iter().map(|(path, read_only)| ((*path).to_owned(), *read_only)).collect())
        };
        let one = Allowance { host_paths: paths(&[("/a", true), ("/b", true)]), ..Allowance::default() };
        let other =
            Allowance { host_paths: paths(&[("/a", false)]), run_as: RunAs::Any, ..Allowance::default() };
        let union = one.union(&other);
        assert_eq!(union.host_paths, paths(&[("/a", false), ("/b", true)]));
        assert!(union.contains(&one) && union.contains(&other) && !one.contains(&other));
    }
}
