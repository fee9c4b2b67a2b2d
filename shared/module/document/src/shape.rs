//! What a policy reads of a document, declared as data.

/// The parts of a JSON document that are kept; everything else is skipped without a copy.
///
/// Arrays are transparent, as in the host's field masks: a shape applies to every element.
///
/// # Example: what a rule about external IPs reads of a Service
/// ```
/// use document::Shape;
///
/// const SERVICE: Shape = Shape::Fields(&[("spec", Shape::Fields(&[("externalIPs", Shape::ALL)]))]);
/// assert_eq!(SERVICE.masks(), ["spec.externalIPs"]);
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Shape<'s> {
    /// Of an object, the named fields.
    Fields(&'s [(&'s str, Shape<'s>)]),
    /// Of an object, all fields, and of each what the shape keeps; everything without one.
    Each(Option<&'s Shape<'s>>),
}

impl Shape<'_> {
    /// The value and everything below it.
    pub const ALL: Self = Shape::Each(None);

    /// The dotted paths of all leaves: the host's `field_masks`.
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
            // A mask has no way to say "any name".
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

/// What a shape keeps of a field of an object; `None` if it does not keep the field.
#[cfg(debug_assertions)]
pub(crate) fn field<'s>(shape: Shape<'s>, name: &str) -> Option<Shape<'s>> {
    match shape {
        Shape::Fields(fields) => Some(fields.get(position(fields, name.as_bytes())?)?.1),
        Shape::Each(each) => Some(each.copied().unwrap_or(shape)),
    }
}

/// The position of a field among those that a shape names.
pub(crate) fn position(fields: &[(&str, Shape<'_>)], name: &[u8]) -> Option<usize> {
    fields.iter().position(|(known, _)| same(known.as_bytes(), name))
}

/// Whether two names are the same.
///
/// Names of fields are short and compared all the time, for which a module calls a function that goes byte
/// by byte. Up to 16 bytes, two words that may overlap are enough.
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
