//! The guard of debug builds, which panics on a read of a field that the shape does not keep.
//!
//! Such a field would read as absent, and most rules admit an object without it. All tests run with
//! this guard, over every case and over generated objects. Modules are built without it.

use crate::document::{Document, Id};
use crate::shape::field;
use crate::{Node, Shape};

/// Panics unless the shape of the document keeps a field of the value at `id`.
#[track_caller]
pub(crate) fn keeps_field(document: &Document<'_>, id: Id, name: &str) {
    if let Some(shape) = shape_at(document, id)
        && field(shape, name).is_none()
    {
        refuse(&format!("{}.{name}", Node::new(document, id).path()));
    }
}

/// Panics unless the shape of the document keeps every field of the value at `id`.
#[track_caller]
pub(crate) fn keeps_all_fields(document: &Document<'_>, id: Id) {
    if let Some(Shape::Fields(_)) = shape_at(document, id) {
        refuse(&format!("every field of {}", Node::new(document, id).path()));
    }
}

/// Panics unless the fields of a shape and of all shapes below are sorted, each once.
pub(crate) fn is_sorted(shape: Shape<'_>) {
    match shape {
        Shape::Fields(fields) => {
            let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
            assert!(
                names.is_sorted_by(|one, other| one < other),
                "the fields of a shape are not sorted: {names:?}"
            );
            for (_, shape) in fields {
                is_sorted(*shape);
            }
        }
        Shape::Each(each) => each.into_iter().for_each(|shape| is_sorted(*shape)),
    }
}

/// Returns the shape that applies to a value or to an absent one.
fn shape_at<'d>(document: &'d Document<'_>, id: Id) -> Option<Shape<'d>> {
    if let Some(entry) = document.entry(id) {
        return Some(entry.shape);
    }
    let missing = document.missing_place(id)?;
    field(shape_at(document, missing.parent)?, missing.name)
}

#[track_caller]
#[expect(clippy::panic, reason = "a mistake in this repository, which tests must find")]
fn refuse(place: &str) -> ! {
    panic!("the shape of this document does not keep {place}; add it to the shape")
}

#[cfg(test)]
mod tests {
    use crate::{Document, Node, Origin, Shape};

    /// A view whose shape lacks fields that it reads.
    struct BrokenView<'d>(Node<'d>);

    impl<'d> BrokenView<'d> {
        const SHAPE: Shape<'static> = Shape::Fields(&[(
            "spec",
            Shape::Fields(&[
                ("containers", Shape::Fields(&[("name", Shape::ALL)])),
                ("nodeSelector", Shape::ALL),
                ("volumes", Shape::Each(Some(&Shape::Fields(&[("path", Shape::ALL)])))),
            ]),
        )]);

        fn spec(&self) -> Node<'d> {
            self.0.at("spec")
        }

        fn first(&self, list: &'static str) -> Node<'d> {
            self.spec().at(list).items().unwrap().next().unwrap()
        }
    }

    fn read(read: impl Fn(BrokenView<'_>)) {
        let object = br#"{"spec":{
            "containers":[{"name":"a"}],
            "volumes":[{"hostPath":{"path":"/"}}]
        },"status":7}"#;
        for text in [&object[..], br#"{"spec":{"containers":[{}],"volumes":[{}]}}"#] {
            let document = Document::parse(text, BrokenView::SHAPE, Origin::Lookup("Pod")).unwrap();
            read(BrokenView(document.root()));
        }
    }

    #[test]
    fn reads_fields_in_the_shape() {
        read(|view| {
            let _ = view.first("containers").at("name").text().unwrap();
            let _ = view.spec().at("nodeSelector").at("disk").text().unwrap();
            let _ = view.spec().at("nodeSelector").entry("disk").unwrap();
            let _ = view.spec().at("nodeSelector").fields().unwrap().count();
            let _ = view.first("volumes").fields().unwrap().count();
            let _ = view.first("volumes").at("hostPath").at("path").text().unwrap();
        });
    }

    #[test]
    #[should_panic(expected = "the shape of this document does not keep Pod.status; add it to the shape")]
    fn panics_on_a_field_of_the_root_outside_the_shape() {
        read(|view| {
            let _ = view.0.at("status");
        });
    }

    #[test]
    #[should_panic(expected = "does not keep Pod: spec.hostPID; add it to the shape")]
    fn panics_on_a_field_outside_the_shape() {
        read(|view| {
            let _ = view.spec().at("hostPID");
        });
    }

    #[test]
    #[should_panic(expected = "does not keep Pod: spec.containers[0].image; add it to the shape")]
    fn panics_on_an_entry_outside_the_shape() {
        read(|view| {
            let _ = view.first("containers").entry("image");
        });
    }

    #[test]
    #[should_panic(expected = "does not keep Pod: spec.volumes[0].hostPath.type; add it to the shape")]
    fn panics_on_a_field_outside_the_shape_of_each_field() {
        read(|view| {
            let _ = view.first("volumes").at("hostPath").at("type");
        });
    }

    #[test]
    #[should_panic(expected = "does not keep every field of Pod: spec; add it to the shape")]
    fn panics_on_iteration_if_the_shape_names_fields() {
        read(|view| drop(view.spec().fields()));
    }

    #[test]
    #[should_panic(expected = "the fields of a shape are not sorted")]
    fn panics_on_a_shape_that_is_not_sorted() {
        let unsorted = Shape::Fields(&[("b", Shape::ALL), ("a", Shape::ALL)]);
        let fields = [("c", Shape::Each(Some(&unsorted)))];
        let shape = Shape::Fields(&fields);
        let _ = Document::parse(b"{}", shape, Origin::Settings);
    }
}
