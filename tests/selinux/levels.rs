//! Different spellings of a level are equal.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use rules::selinux::pool::Pool;
use serde_json::{Value, json};
use tests::bounded;

use super::policy::{Verdict, judge};

/// The categories of a level as the policy writes it.
pub fn categories(level: &str) -> Vec<u16> {
    let list = level.strip_prefix("s0:").unwrap();
    list.split(',').map(|category| category.strip_prefix('c').unwrap().parse().unwrap()).collect()
}

fn settings(per_level: u8, mode: &str) -> Value {
    json!({ "mode": mode, "allocation": { "categories": { "perLevel": per_level } } })
}

/// Namespaces, with the number of categories per level and the categories of their level. Some
/// levels have consecutive categories, which can be spelled as ranges.
static OWNERS: LazyLock<Vec<(String, u8, BTreeSet<u16>)>> = LazyLock::new(|| {
    let mut owners = Vec::new();
    for per_level in [2, 3] {
        let pool = Pool { per_level, ..Pool::default() };
        let levels = (0..4_000).map(|number| {
            let name = format!("tenant-{number}");
            let level = pool.level(&format!("namespace:{name}")).text();
            (name, per_level, categories(&level).into_iter().collect::<BTreeSet<u16>>())
        });
        let (neighbours, others): (Vec<_>, Vec<_>) =
            levels.partition(|(_, _, set)| set.iter().any(|category| set.contains(&(category + 1))));
        assert!(neighbours.len() > 4, "{neighbours:?}");
        owners.extend(neighbours.into_iter().take(10));
        owners.extend(others.into_iter().take(10));
    }
    owners
});

prop_compose! {
    /// A spelling of a set: items in any order, some repeated, consecutive ones as ranges.
    fn spelled(set: BTreeSet<u16>)(
        draws in prop::collection::vec((any::<Index>(), any::<bool>()), 0..8),
        order in Just(set.iter().copied().collect::<Vec<u16>>()).prop_shuffle(),
        set in Just(set),
    ) -> String {
        let mut items: Vec<u16> = order;
        let mut ranges = Vec::new();
        for (index, as_range) in draws {
            let from = *index.get(&items);
            let mut to = from;
            while set.contains(&(to + 1)) {
                to += 1;
            }
            if as_range && from < to {
                ranges.push(format!("c{from}.c{to}"));
                items.retain(|item| !(from..=to).contains(item) || ranges.len() % 2 == 0);
                if items.is_empty() {
                    break;
                }
            } else {
                items.push(from);
            }
        }
        let singles = items.into_iter().map(|item| format!("c{item}"));
        let (mut list, half) = (ranges.clone(), ranges.len() / 2);
        list.splice(half..half, singles);
        format!("s0:{}", list.join(","))
    }
}

prop_compose! {
    /// A Namespace and a spelling of its level.
    fn owned()(owner in select(OWNERS.clone()))(
        spelling in spelled(owner.2.clone()), owner in Just(owner),
    ) -> (String, u8, BTreeSet<u16>, String) {
        (owner.0, owner.1, owner.2, spelling)
    }
}

/// A pod that sets a level for itself or for its only container.
fn pod(namespace: &str, level: &str, of_container: bool) -> Value {
    let context = json!({ "seLinuxOptions": { "level": level } });
    let spec = if of_container {
        json!({ "containers": [{ "name": "c", "securityContext": context }] })
    } else {
        json!({ "securityContext": context, "containers": [{ "name": "c" }] })
    };
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": "a", "namespace": namespace },
        "spec": spec,
    })
}

/// Levels with another meaning but a similar spelling.
fn others(set: &BTreeSet<u16>, strange: u16, at: Index) -> Vec<String> {
    let text = |set: &BTreeSet<u16>| set.iter().map(|c| format!("c{c}")).collect::<Vec<_>>().join(",");
    let mut less = set.clone();
    let gone = *at.get(&set.iter().copied().collect::<Vec<_>>());
    less.remove(&gone);
    let (mut more, mut other) = (set.clone(), less.clone());
    let strange = (0..1024).map(|step| (strange + step) % 1024).find(|new| !set.contains(new)).unwrap();
    more.insert(strange);
    other.insert(strange);
    let first = set.first().unwrap();
    vec![
        format!("s0:{}", text(&less)),
        format!("s0:{}", text(&more)),
        format!("s0:{}", text(&other)),
        format!("s0-s0:{}", text(set)),
        format!("s0-s0:{}", text(&other)),
        format!("s0:c{first}-s0:{}", text(set)),
        format!("s0:{},", text(set)),
        format!("s0:{} ", text(set)),
        format!("s0:0{}", text(set)),
        format!("s1:{}", text(set)),
        format!("S0:{}", text(set)),
        format!("s0:{}", text(set).replace('c', "C")),
        format!("s0:{}", text(set).replace('c', "c0")),
        format!("s0:c0.c{}", set.last().unwrap().max(&9)),
        "s0:c0.c1023".to_owned(),
        "s0".to_owned(),
        "s0-s0".to_owned(),
    ]
}

proptest! {
    #![proptest_config(bounded(375))]

    #[test]
    fn a_pod_with_any_spelling_of_its_level_is_not_changed(
        (namespace, per_level, _, spelling) in owned(), of_container: bool,
    ) {
        for mode in ["Mutate", "Validate"] {
            let verdict = judge(&pod(&namespace, &spelling, of_container), &settings(per_level, mode));
            prop_assert_eq!(verdict, Verdict::Admitted, "{} in {} {}", spelling, namespace, mode);
        }
    }

    #[test]
    fn containers_with_different_spellings_run_at_the_same_level(
        (namespace, per_level, set, spelling) in owned(), reverse: bool,
    ) {
        let mut pod = pod(&namespace, &spelling, true);
        let mut other: Vec<String> = set.iter().map(|category| format!("c{category}")).collect();
        if reverse {
            other.reverse();
        }
        let level = format!("s0:{}", other.join(","));
        pod["spec"]["initContainers"] =
            json!([{ "name": "i", "securityContext": { "seLinuxOptions": { "level": level } } }]);
        prop_assert_eq!(judge(&pod, &settings(per_level, "Validate")), Verdict::Admitted);
    }

    #[test]
    fn a_pod_with_any_other_level_is_denied(
        (namespace, per_level, set, _) in owned(), strange in 0_u16..1024, at: Index, of_container: bool,
    ) {
        for level in others(&set, strange, at) {
            for mode in ["Mutate", "Validate"] {
                let verdict = judge(&pod(&namespace, &level, of_container), &settings(per_level, mode));
                prop_assert_eq!(verdict, Verdict::Denied, "{} in {} {}", level, namespace, mode);
            }
        }
    }

    #[test]
    fn a_pod_with_the_level_of_another_namespace_is_denied(
        (_, per_level, set, spelling) in owned(), victim: Index, of_container: bool,
    ) {
        let others = OWNERS.iter().filter(|other| other.1 == per_level && other.2 != set);
        let victim = victim.get(&others.collect::<Vec<_>>()).to_owned();
        let verdict = judge(&pod(&victim.0, &spelling, of_container), &settings(per_level, "Mutate"));
        prop_assert_eq!(verdict, Verdict::Denied, "{} in {}", spelling, victim.0);
    }
}
