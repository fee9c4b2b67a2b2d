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
    /// The named fields of an object.
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
        Shape::Fields(fields) => Some(fields.get(position(fields, name.as_bytes())?)?.1),
        Shape::Each(each) => Some(each.copied().unwrap_or(shape)),
    }
}

/// Returns the position of a field among those that a shape names.
pub(crate) fn position(fields: &[(&str, Shape<'_>)], name: &[u8]) -> Option<usize> {
    fields.iter().position(|(known, _)| same(known.as_bytes(), name))
}

/// Returns whether two names are equal.
///
/// Names of fields are short and compared very often, and a module compares slices byte by byte. Up
/// to 16 bytes, comparing two words, which may overlap, is enough.
pub(crate) fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    match a.len() {
        4..=8 => a.first_chunk::<4>() == b.first_chunk() && a.last_chunk::<4>() == b.last_chunk(),
        9..=16 => a.first_chunk::<8>() == b.first_chunk() && a.last_chunk::<8>() == b.last_chunk(),
        _ => a == b,
    }
}
