//! The conditions of an entry on a container.

use admission::{Choice, Fault, Node, SettingsError};

use super::settings::{IMPOSSIBLE, is_pattern_of_label, name_patterns};
use crate::pattern::Patterns;
use crate::view::{Container, ContainerKind};

/// Conditions on a container that must all be met: one of the images, one of the names and one of
/// the kinds. An empty list is not a condition.
#[derive(Debug, Default)]
pub(crate) struct ContainerConditions {
    images: Patterns,
    names: Patterns,
    kinds: Vec<ContainerKind>,
}

impl ContainerConditions {
    /// Reads the keys `images`, `containers` and `containerKinds` of an entry.
    pub(crate) fn read(entry: Node<'_>) -> Result<Self, SettingsError> {
        let mut kinds = Vec::new();
        for kind in entry.at("containerKinds").items()? {
            kinds.push(ContainerKind::read(kind)?);
        }
        let images = name_patterns(entry.at("images"), IMPOSSIBLE, &|image| {
            !image.bytes().any(|byte| byte.is_ascii_whitespace())
        })?;
        let names = name_patterns(entry.at("containers"), IMPOSSIBLE, &|name| is_pattern_of_label(name))?;
        Ok(Self { images, names, kinds })
    }

    pub(crate) fn are_empty(&self) -> bool {
        self.images.are_empty() && self.names.are_empty() && self.kinds.is_empty()
    }

    pub(crate) fn depend_on_image(&self) -> bool {
        !self.images.are_empty()
    }

    /// Empty for all kinds.
    pub(crate) fn kinds(&self) -> &[ContainerKind] {
        &self.kinds
    }

    pub(crate) fn met_by(&self, container: &Container<'_>) -> Result<bool, Fault> {
        let (image, name) = (container.image()?, container.name()?);
        Ok(self.images.are_met_by(image)
            && self.names.are_met_by(name)
            && (self.kinds.is_empty() || self.kinds.contains(&container.kind)))
    }
}
