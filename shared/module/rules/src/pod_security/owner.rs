//! The owner of an object that a controller creates, for `existingViolations: TolerateOwned`.
//!
//! The owner was admitted with its violations, or it is older than the policy. Only its controller
//! creates objects from its template alone: a user could add the same violation to another image.

use admission::{Cluster, Fault, Get, LookupAnswer, Operation, Request};

use crate::conditions::{Creator, creator};
use crate::view::Pod;

pub(super) struct Owner<'a> {
    creator: Creator<'a>,
    answer: LookupAnswer<'a>,
}

impl<'a> Owner<'a> {
    /// Looks up the owner for which a controller creates an object. Returns `None` if there is no
    /// such owner any more.
    pub(super) fn look_up(
        request: &Request<'a>,
        object: Pod<'a>,
        namespace: Option<&'a str>,
        cluster: &dyn Cluster,
    ) -> Result<Option<Self>, Fault> {
        if request.operation != Operation::Create {
            return Ok(None);
        }
        let Some(creator) = creator(object.metadata(), request.username()?, false)? else { return Ok(None) };
        let Creator { api_version, kind, name, .. } = creator;
        let shape = Pod::FIELDS_FOR_POD_SECURITY_OF_OWNERS;
        let answer = Get { api_version, kind, namespace, name, shape }.ask(cluster)?;
        Ok(answer.map(|answer| Self { creator, answer }))
    }

    /// Passes the pod template of the owner to `read`, unless another object has its name now.
    pub(super) fn template(&self, read: &mut dyn FnMut(Pod<'_>) -> Result<(), Fault>) -> Result<(), Fault> {
        let document = self.answer.document()?;
        let owner = document.root();
        if Pod::of(owner).metadata().uid().text()? == Some(self.creator.uid) {
            read(Pod::in_object(owner, self.creator.kind))?;
        }
        Ok(())
    }
}
