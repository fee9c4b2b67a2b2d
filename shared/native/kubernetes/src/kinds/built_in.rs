//! The kinds of Kubernetes, from a table.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::kinds::resource::{Origin, Resource};

pub(crate) static BUILT_IN: LazyLock<Vec<Resource>> = LazyLock::new(|| read(include_str!("kinds.txt")));

/// The kinds of Kubernetes, by group and kind: those of all versions.
pub(crate) static BY_KIND: LazyLock<BTreeMap<(&str, &str), Vec<&Resource>>> = LazyLock::new(|| {
    let mut by_kind = BTreeMap::<_, Vec<_>>::new();
    for resource in BUILT_IN.iter() {
        by_kind.entry((&*resource.group, &*resource.kind)).or_default().push(resource);
    }
    by_kind
});

/// Reads the table. A test checks that every line is a resource.
fn read(table: &'static str) -> Vec<Resource> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let resource = |line: &'static str| {
        let mut columns = line.split(' ');
        let api_version = columns.next()?;
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Some(Resource {
            group: group.into(),
            version: version.into(),
            kind: columns.next()?.into(),
            plural: columns.next()?.into(),
            is_namespaced: Some(columns.next()? == "Namespaced"),
            origin: if columns.next()? == "served" { Origin::BuiltIn } else { Origin::Removed },
            subresources: columns.next()?.split(',').filter(|name| *name != "-").map(Cow::Borrowed).collect(),
        })
    };
    lines.filter_map(resource).collect()
}
