//! Sorting and looking up that is small in a module.

use std::cmp::Ordering;

/// Values to look others up in: few are compared one by one, many are sorted first.
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

    /// Takes the values.
    #[must_use]
    pub fn of(values: Vec<T>) -> Self {
        Self(if values.len() > Self::FEW { sorted(&values) } else { values })
    }

    /// The position of an equal value, the same for every equal one that is asked for.
    #[must_use]
    pub fn position(&self, value: &T) -> Option<usize> {
        if self.0.len() > Self::FEW {
            self.0.binary_search(value).ok()
        } else {
            self.0.iter().position(|known| known == value)
        }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Sorts, with one piece of code for all types.
///
/// `slice::sort` brings some 6 KB into a module for every type that it sorts. This is a heap sort of
/// positions whose comparison is called, not generated: slower, which a few names or addresses do not notice,
/// and still `n log n` for what an attacker sends.
#[must_use]
pub fn sorted<T: Ord + Copy>(items: &[T]) -> Vec<T> {
    let compare = |a: u32, b: u32| item(items, a).cmp(&item(items, b));
    let order = order(u32::try_from(items.len()).unwrap_or(u32::MAX), &compare);
    let mut sorted = Vec::with_capacity(items.len());
    sorted.extend(order.into_iter().filter_map(|at| item(items, at).copied()));
    sorted
}

fn item<T>(items: &[T], at: u32) -> Option<&T> {
    items.get(usize::try_from(at).ok()?)
}

/// The positions below `length` in the order of what lies there.
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
        fn sorting_is_what_the_standard_library_does(items: Vec<i16>) {
            let mut expected = items.clone();
            expected.sort_unstable();
            prop_assert_eq!(sorted(&items), expected);
        }

        #[test]
        fn few_and_many_values_are_found_alike(values in prop::collection::vec(0_u8..40, 0..30), wanted in 0_u8..40) {
            let lookup = Lookup::of(values.clone());
            prop_assert_eq!(lookup.len(), values.len());
            prop_assert_eq!(lookup.position(&wanted).is_some(), values.contains(&wanted));
        }
    }
}
