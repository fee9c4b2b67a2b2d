//! The items that policies read from lists, kept for the objects that are evaluated next.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use admission::{KeptItems, List};

/// The items that policies read from the lists of one cluster, which must not change meanwhile.
///
/// Without them, a policy that compares an object with all others reads the list of all for each
/// object, so that the time grows with the square of their number.
#[derive(Debug, Default)]
pub struct Memo(Mutex<BTreeMap<Key, KeptItems>>);

/// The type of the items, the settings, and the API version, kind and namespace of the list.
type Key = (TypeId, String, String, String, Option<String>);

impl Memo {
    /// Returns the items that a policy with these settings read from a list.
    #[must_use]
    pub fn get(&self, settings: &str, list: &List<'_>, items: TypeId) -> Option<KeptItems> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(&key(settings, list, items)).cloned()
    }

    /// Keeps the items that a policy with these settings read from a list.
    pub fn insert(&self, settings: &str, list: &List<'_>, items: KeptItems) {
        let key = key(settings, list, (*items).type_id());
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, items);
    }
}

fn key(settings: &str, list: &List<'_>, items: TypeId) -> Key {
    let List { api_version, kind, namespace, .. } = list;
    (items, settings.to_owned(), (*api_version).to_owned(), (*kind).to_owned(), namespace.map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::Arc;

    use admission::{Cluster, Get, Shape, Unreachable};

    use super::*;

    #[derive(Default)]
    struct Counting {
        lists: Cell<usize>,
        memo: Memo,
    }

    impl Cluster for Counting {
        fn get(&self, _: &Get<'_>) -> Result<Option<Vec<u8>>, Unreachable> {
            Ok(None)
        }

        fn list(&self, wanted: &List<'_>) -> Result<Vec<u8>, Unreachable> {
            self.lists.set(self.lists.get() + 1);
            let name = if wanted.kind == "Odd" { "7" } else { r#""a""# };
            Ok(format!(r#"{{"items":[{{"metadata":{{"name":{name}}}}}]}}"#).into_bytes())
        }

        fn kept(&self, list: &List<'_>, items: TypeId) -> Option<KeptItems> {
            self.memo.get("{}", list, items)
        }

        fn keep(&self, list: &List<'_>, items: &dyn Fn() -> KeptItems) {
            self.memo.insert("{}", list, items());
        }
    }

    #[test]
    fn a_list_is_read_once_unless_it_cannot_be_read() {
        let cluster = Counting::default();
        for (kind, lists) in [("Namespace", [1, 1]), ("Odd", [2, 3])] {
            let list = List { api_version: "v1", kind, namespace: None, shape: Shape::ALL };
            for expected in lists {
                let names = list.collect(&cluster, &mut |item| {
                    Ok(item.at("metadata").at("name").text()?.map(str::to_owned))
                });
                assert_eq!(
                    names.map(|names| names.to_vec()).ok(),
                    (kind != "Odd").then(|| vec!["a".to_owned()])
                );
                assert_eq!(cluster.lists.get(), expected);
            }
        }
    }

    #[test]
    fn items_belong_to_their_settings_their_list_and_their_type() {
        let list = |kind, namespace| List { api_version: "v1", kind, namespace, shape: Shape::ALL };
        let memo = Memo::default();
        memo.insert("{}", &list("Service", None), Arc::new(vec![1_u8]));
        let get = |settings, list: List<'_>, items| memo.get(settings, &list, items).is_some();
        let bytes = TypeId::of::<Vec<u8>>();
        assert!(get("{}", list("Service", None), bytes));
        assert!(!get(r#"{"a":1}"#, list("Service", None), bytes));
        assert!(!get("{}", list("Pod", None), bytes));
        assert!(!get("{}", list("Service", Some("a")), bytes));
        assert!(!get("{}", list("Service", None), TypeId::of::<Vec<u16>>()));
    }
}
