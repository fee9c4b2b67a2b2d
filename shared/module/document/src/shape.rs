//! The parts of a document that a policy reads, declared as data.

/// The parts of a JSON document that are kept; everything else is skipped without a copy.
///
/// Arrays are transparent, as in the host's field masks: a shape applies to every element.
///
/// # Example
/// The field of a Service that a rule about external IPs reads:
/// ```
/// use document::Shape;
///
/// const SERVICE: Shape = Shape::Fields(&[("spec", Shape::Fields(&[("externalIPs", Shape::ALL)]))]);
/// assert_eq!(SERVICE.masks(), ["spec.externalIPs"]);
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Shape<'s> {
    /// The named fields of an object, sorted by the bytes of their names. Debug builds panic if
    /// they are not.
    Fields(&'s [(&'s str, Shape<'s>)]),
    /// All fields of an object, each reduced to the shape; the whole value if there is no shape.
    Each(Option<&'s Shape<'s>>),
}

impl Shape<'_> {
    /// The value and everything below it.
    pub const ALL: Self = Shape::Each(None);

    /// Returns the dotted paths of all leaves, which are the host's `field_masks`.
    ///
    /// [`Shape::ALL`] has none: a look-up without masks returns whole objects.
    #[must_use]
    pub fn masks(&self) -> Vec<String> {
        let mut masks = Vec::new();
        self.collect("", &mut masks);
        masks
    }

    fn collect(&self, prefix: &str, masks: &mut Vec<String>) {
        match self {
            Shape::Each(_) if prefix.is_empty() => {}
            // A mask cannot express "any name".
            Shape::Each(_) => masks.push(prefix.to_owned()),
            Shape::Fields(fields) => {
                for (name, shape) in *fields {
                    let mut path = prefix.to_owned();
                    if !prefix.is_empty() {
                        path.push('.');
                    }
                    path.push_str(name);
                    shape.collect(&path, masks);
                }
            }
        }
    }
}

/// Returns the shape of a field of an object; `None` if the field is not kept.
#[cfg(debug_assertions)]
pub(crate) fn field<'s>(shape: Shape<'s>, name: &str) -> Option<Shape<'s>> {
    match shape {
        Shape::Fields(fields) => fields.iter().find(|(known, _)| *known == name).map(|(_, shape)| *shape),
        Shape::Each(each) => Some(each.copied().unwrap_or(shape)),
    }
}

/// A search for the names of an object's fields among those that a shape names, which are sorted.
///
/// The host sorts the fields of an object, too, so that each search goes on where the last one
/// ended. The first letter decides for nearly all names.
#[derive(Debug, Default)]
pub(crate) struct Search {
    /// The first letter of the last name.
    letter: u8,
    /// The number of fields that begin with an earlier letter.
    passed: usize,
    /// The number of fields up to the last one that was found.
    found: usize,
    /// Whether a field was found before or at the last one.
    descended: bool,
}

impl Search {
    pub(crate) fn find<'s>(
        &mut self,
        fields: &'s [(&'s str, Shape<'s>)],
        name: &[u8],
    ) -> Option<&'s (&'s str, Shape<'s>)> {
        let letter = first(name);
        if letter < self.letter {
            self.passed = 0;
        }
        self.letter = letter;
        let mut at = self.passed;
        loop {
            let field = fields.get(at)?;
            let known = field.0.as_bytes();
            at = at.wrapping_add(1);
            if first(known) < letter {
                self.passed = at;
            } else if first(known) > letter {
                return None;
            } else if same(known, name) {
                self.descended |= at <= self.found;
                self.found = at;
                return Some(field);
            }
        }
    }

    /// Returns whether the names that were found ascend, so that none was found twice.
    pub(crate) fn is_ascending(&self) -> bool {
        !self.descended
    }
}

fn first(name: &[u8]) -> u8 {
    name.first().copied().unwrap_or_default()
}

#[inline]
pub(crate) fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && same_bytes(a, b)
}

/// Compares two names of the same length.
///
/// Names of fields are short and compared very often, and a module compares slices byte by byte. Up
/// to 32 bytes, comparing two words, which may overlap, is enough. Inlined, it would be prepared
/// for each name, but most differ in length.
#[inline(never)]
fn same_bytes(a: &[u8], b: &[u8]) -> bool {
    match a.len() {
        4..=8 => a.first_chunk::<4>() == b.first_chunk() && a.last_chunk::<4>() == b.last_chunk(),
        9..=16 => a.first_chunk::<8>() == b.first_chunk() && a.last_chunk::<8>() == b.last_chunk(),
        17..=32 => a.first_chunk::<16>() == b.first_chunk() && a.last_chunk::<16>() == b.last_chunk(),
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_fields_in_any_order_and_notices_repetitions() {
        let fields = ["", "a", "ab", "ac", "b", "c", "ca"].map(|name| (name, Shape::ALL));
        let names = ["", "a", "ab", "ac", "ad", "b", "bb", "ca", "d"];
        let (mut found, mut repeated) = (0, 0);
        for number in 0..names.len().pow(4) {
            let order: Vec<&str> =
                (0..4).map(|digit| names[number / names.len().pow(digit) % names.len()]).collect();
            let mut search = Search::default();
            let mut kept = Vec::new();
            for name in order {
                let expected = fields.iter().any(|(known, _)| *known == name);
                assert_eq!(search.find(&fields, name.as_bytes()).is_some(), expected, "{name} {number}");
                kept.extend(expected.then_some(name));
            }
            assert_eq!(search.is_ascending(), kept.is_sorted_by(|one, other| one < other), "{kept:?}");
            found += kept.len();
            repeated += usize::from(!search.is_ascending());
        }
        // Six of the names are known: 1,794 of the orders ascend.
        assert_eq!((found, repeated), (6 * 4 * 9_usize.pow(3), 9_usize.pow(4) - 1_794));
    }
}
