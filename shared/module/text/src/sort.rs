//! Sorting and look-up tables with a small code size.

use std::cmp::Ordering;

/// A set of values to search: up to eight values are compared one by one, more are sorted first.
///
/// # Example
/// ```
/// use text::Lookup;
///
/// let stored = Lookup::of(vec!["192.0.2.2", "192.0.2.1"]);
/// assert!(stored.position(&"192.0.2.1").is_some());
/// assert!(stored.position(&"192.0.2.3").is_none());
/// ```
#[derive(Debug)]
pub struct Lookup<T>(Vec<T>);

impl<T: Ord + Copy> Lookup<T> {
    const FEW: usize = 8;

    /// Creates a look-up table of the values.
    #[must_use]
    pub fn of(values: Vec<T>) -> Self {
        Self(if values.len() > Self::FEW { sorted(&values) } else { values })
    }

    /// Returns the position of a value that equals `value`, which is the same for every equal
    /// argument.
    #[must_use]
    pub fn position(&self, value: &T) -> Option<usize> {
        if self.0.len() > Self::FEW {
            self.0.binary_search(value).ok()
        } else {
            self.0.iter().position(|known| known == value)
        }
    }

    /// Returns the values, each at its [`position`](Self::position).
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.0
    }

    /// Returns the number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Returns the items in ascending order. All types share the same code.
///
/// `slice::sort` adds some 6 KB to a module for every type that it sorts. This is a heap sort of
/// positions that calls its comparison through a pointer. It is slower, which does not matter for a
/// few names or addresses, and still takes `n log n` steps for input from an attacker. Items that
/// are sorted already, as ports and labels often are, take `n` steps.
#[must_use]
pub fn sorted<T: Ord + Copy>(items: &[T]) -> Vec<T> {
    if items.is_sorted() {
        return items.to_vec();
    }
    let compare = |a: u32, b: u32| item(items, a).cmp(&item(items, b));
    let order = order(u32::try_from(items.len()).unwrap_or(u32::MAX), &compare);
    let mut sorted = Vec::with_capacity(items.len());
    sorted.extend(order.into_iter().filter_map(|at| item(items, at).copied()));
    sorted
}

/// Returns a name that occurs twice, if there is one.
#[must_use]
#[inline(never)]
pub fn duplicate<'t>(names: &[&'t str]) -> Option<&'t str> {
    let name = |at: u32| item(names, at).copied().unwrap_or_default();
    let length = u32::try_from(names.len()).unwrap_or(u32::MAX);
    let order = order(length, &|one, other| name(one).cmp(name(other)));
    let mut neighbours = order.iter().zip(order.iter().skip(1));
    neighbours.find(|(one, next)| name(**one) == name(**next)).map(|(one, _)| name(*one))
}

fn item<T>(items: &[T], at: u32) -> Option<&T> {
    items.get(usize::try_from(at).ok()?)
}

/// Returns the positions below `length`, ordered by the items at them.
fn order(length: u32, compare: &dyn Fn(u32, u32) -> Ordering) -> Vec<u32> {
    let mut heap: Vec<u32> = (0..length).collect();
    let length = heap.len();
    for root in (0..length / 2).rev() {
        sift_down(&mut heap, root, length, compare);
    }
    for end in (1..length).rev() {
        heap.swap(0, end);
        sift_down(&mut heap, 0, end, compare);
    }
    heap
}

/// Restores the order of a heap whose root may be too small.
fn sift_down(heap: &mut [u32], mut root: usize, end: usize, compare: &dyn Fn(u32, u32) -> Ordering) {
    loop {
        let left = root.saturating_mul(2).saturating_add(1);
        let right = left.saturating_add(1);
        let less = |a: usize, b: usize| match (heap.get(a), heap.get(b)) {
            (Some(a), Some(b)) => compare(*a, *b) == Ordering::Less,
            _ => false,
        };
        if left >= end {
            return;
        }
        let child = if right < end && less(left, right) { right } else { left };
        if !less(root, child) {
            return;
        }
        heap.swap(root, child);
        root = child;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sorts_like_the_standard_library(items: Vec<i16>) {
            let mut expected = items.clone();
            expected.sort_unstable();
            prop_assert_eq!(sorted(&items), expected);
        }

        #[test]
        fn finds_few_and_many_values(values in prop::collection::vec(0_u8..40, 0..30), wanted in 0_u8..40) {
            let lookup = Lookup::of(values.clone());
            prop_assert_eq!(lookup.len(), values.len());
            prop_assert_eq!(lookup.position(&wanted).is_some(), values.contains(&wanted));
        }
    }
}
