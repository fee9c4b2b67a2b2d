//! The Namespace of a request, asked for once and only when something depends on it.

use admission::{Cluster, Fault, Get, LookupAnswer, Quoted, Shape};

use crate::view::Namespace;

/// The Namespace of a request, and what was answered so far.
pub struct NamespaceLookup<'a> {
    /// Its name.
    pub name: Option<&'a str>,
    cluster: &'a dyn Cluster,
    shape: Shape<'static>,
    answer: Option<Result<LookupAnswer<'a>, Fault>>,
}

impl std::fmt::Debug for NamespaceLookup<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NamespaceLookup").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<'a> NamespaceLookup<'a> {
    /// The Namespace with a name, of which a shape is read.
    #[must_use]
    pub fn new(name: Option<&'a str>, cluster: &'a dyn Cluster, shape: Shape<'static>) -> Self {
        Self { name, cluster, shape, answer: None }
    }

    /// Reads the Namespace.
    ///
    /// # Errors
    /// When it cannot be looked up or is not there, and what `read` cannot read.
    pub fn namespace<T>(&mut self, read: &dyn Fn(Namespace<'_>) -> Result<T, Fault>) -> Result<T, Fault> {
        let mut found = None;
        self.read(&mut |namespace| {
            found = Some(read(namespace)?);
            Ok(())
        })?;
        found.ok_or_else(|| Fault::in_lookup("Namespace".to_owned(), "not read"))
    }

    /// The part that is not to be in a module once for each type.
    fn read(&mut self, read: &mut dyn FnMut(Namespace<'_>) -> Result<(), Fault>) -> Result<(), Fault> {
        let answer = match self.answer.take() {
            Some(answer) => answer,
            None => self.ask(),
        };
        let document = self.answer.insert(answer).as_ref().map_err(Clone::clone)?.document()?;
        let root = document.root();
        if !root.object()? {
            return Err(root.fault("expected an object, found nothing"));
        }
        read(Namespace::of(root))
    }

    fn ask(&self) -> Result<LookupAnswer<'a>, Fault> {
        let Some(name) = self.name else {
            return Err(Fault::in_payload(&["request", "namespace"], "expected a string, found nothing"));
        };
        let get = Get { api_version: "v1", kind: "Namespace", namespace: None, name, shape: self.shape };
        get.ask(self.cluster)?.ok_or_else(|| {
            let mut place = "Namespace ".to_owned();
            place.push_str(&Quoted(name).to_string());
            Fault::in_lookup(place, "not found")
        })
    }
}
