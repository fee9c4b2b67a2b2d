//! The Namespace of a request, asked for once and only when something depends on it.

use admission::{Answer, Cluster, Fault, Get, Node, Quoted};

use crate::view::Namespace;

/// The Namespace, and what was answered so far.
pub(super) struct Surroundings<'a> {
    /// Its name.
    pub(super) name: Option<&'a str>,
    cluster: &'a dyn Cluster,
    answer: Option<Answer<'a>>,
}

impl<'a> Surroundings<'a> {
    pub(super) fn new(name: Option<&'a str>, cluster: &'a dyn Cluster) -> Self {
        Self { name, cluster, answer: None }
    }

    /// Reads the labels of the Namespace.
    ///
    /// # Errors
    /// When the Namespace cannot be looked up or is not there, and what `read` cannot read.
    pub(super) fn labels<T>(&mut self, read: &dyn Fn(Node<'_>) -> Result<T, Fault>) -> Result<T, Fault> {
        let Some(name) = self.name else {
            return Err(Fault::new("request.namespace", "expected a string, found nothing"));
        };
        let answer = if let Some(answer) = self.answer.take() {
            answer
        } else {
            let shape = Namespace::LABELLED;
            let get = Get { api_version: "v1", kind: "Namespace", namespace: None, name, shape };
            get.ask(self.cluster)?.ok_or_else(|| {
                let mut place = "Namespace ".to_owned();
                place.push_str(&Quoted(name).to_string());
                Fault::new(place, "not found")
            })?
        };
        let answer = self.answer.insert(answer);
        let document = answer.document()?;
        let root = document.root();
        if !root.object()? {
            return Err(root.fault("expected an object, found nothing"));
        }
        read(Namespace::of(root).metadata().labels())
    }
}
