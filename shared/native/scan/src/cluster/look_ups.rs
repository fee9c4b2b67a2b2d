//! The look-ups of one verdict, and their answers.

use std::any::TypeId;
use std::cell::RefCell;
use std::collections::BTreeSet;

use admission::{CanI, Get, KeptItems, List, Unreachable};
use kubernetes::objects::not_granted;

use super::{Cluster, Kind, rbac_kinds};
use crate::look_up::LookUp;
use crate::session::{NoAnswer, Question};

#[derive(Debug)]
pub(crate) struct LookUps<'c> {
    cluster: &'c Cluster,
    /// The kinds that the policy may look up. The policy server checks no kind of a question about
    /// permissions.
    granted: &'c [Kind],
    settings: &'c str,
    /// Why the first look-up without an answer has none.
    pub(crate) unanswered: RefCell<Option<String>>,
    /// The kinds that have to be collected.
    pub(crate) lacking: RefCell<BTreeSet<Kind>>,
    pub(crate) asked: RefCell<Vec<LookUp>>,
}

impl<'c> LookUps<'c> {
    pub(crate) fn new(cluster: &'c Cluster, granted: &'c [Kind], settings: &'c str) -> Self {
        Self {
            cluster,
            granted,
            settings,
            unanswered: RefCell::default(),
            lacking: RefCell::default(),
            asked: RefCell::default(),
        }
    }

    fn check_grant(&self, api_version: &str, kind: &str) -> Result<(), Unreachable> {
        let is_granted =
            self.granted.iter().any(|(version, granted)| version == api_version && granted == kind);
        if is_granted { Ok(()) } else { Err(not_granted(api_version, kind)) }
    }

    /// Fails if kinds have to be collected first, and notes them.
    fn require_collected(&self, kinds: impl IntoIterator<Item = Kind>) -> Result<(), Unreachable> {
        let mut is_lacking = false;
        for kind in kinds.into_iter().filter(|kind| self.cluster.lacks(kind)) {
            is_lacking = true;
            self.lacking.borrow_mut().insert(kind);
        }
        if is_lacking { Err(Unreachable("the objects are not collected yet".to_owned())) } else { Ok(()) }
    }

    /// Returns the answer of a recording, if there is one.
    fn replay(&self, question: &dyn Fn() -> Question) -> Option<Result<Vec<u8>, Unreachable>> {
        let session = self.cluster.session.as_ref()?;
        Some(session.answer(&question()).map_err(|no_answer| match no_answer {
            NoAnswer::Recorded(message) => Unreachable(format!("Callback evaluation failure: {message}")),
            NoAnswer::Unexpected(problem) => self.unanswered(problem),
        }))
    }

    fn unanswered(&self, why: String) -> Unreachable {
        self.unanswered.borrow_mut().get_or_insert_with(|| why.clone());
        Unreachable(why)
    }
}

fn is_absent(why: &str, wanted: &Get<'_>) -> bool {
    let Get { api_version, kind, name, .. } = wanted;
    why.contains(&format!("Cannot find {api_version}/{kind} named '{name}'"))
}

impl admission::Cluster for LookUps<'_> {
    fn get(&self, wanted: &Get<'_>) -> Result<Option<Vec<u8>>, Unreachable> {
        self.asked.borrow_mut().push(LookUp::get(wanted));
        self.check_grant(wanted.api_version, wanted.kind)?;
        match self.replay(&|| Question::get(wanted)) {
            // The words of the policy server for an object that does not exist.
            Some(Err(Unreachable(why))) if is_absent(&why, wanted) => return Ok(None),
            Some(answer) => return answer.map(Some),
            None => {}
        }
        self.require_collected([(wanted.api_version.to_owned(), wanted.kind.to_owned())])?;
        let Get { api_version, kind, namespace, name, shape } = *wanted;
        if let Some(why) = self.cluster.ambiguity(api_version, kind, namespace, Some(name), shape) {
            return Err(self.unanswered(why));
        }
        let found = admission::Cluster::get(&*self.cluster.objects, wanted)?;
        match self.cluster.misses(wanted.api_version, wanted.kind, wanted.name) {
            Some(why) if found.is_none() => Err(self.unanswered(why)),
            _ => Ok(found),
        }
    }

    fn list(&self, wanted: &List<'_>) -> Result<Vec<u8>, Unreachable> {
        self.asked.borrow_mut().push(LookUp::list(wanted));
        self.check_grant(wanted.api_version, wanted.kind)?;
        if let Some(answer) = self.replay(&|| Question::list(wanted)) {
            return answer;
        }
        self.require_collected([(wanted.api_version.to_owned(), wanted.kind.to_owned())])?;
        let List { api_version, kind, namespace, shape } = *wanted;
        let ambiguous = self.cluster.ambiguity(api_version, kind, namespace, None, shape);
        match ambiguous.or_else(|| self.cluster.misses_kind(wanted.api_version, wanted.kind)) {
            Some(why) => Err(self.unanswered(why)),
            None => admission::Cluster::list(&*self.cluster.objects, wanted),
        }
    }

    fn kept(&self, wanted: &List<'_>, items: TypeId) -> Option<KeptItems> {
        // Another policy may lack the grant.
        if self.cluster.session.is_some() || self.check_grant(wanted.api_version, wanted.kind).is_err() {
            return None;
        }
        let kept = self.cluster.memo.get(self.settings, wanted, items)?;
        self.asked.borrow_mut().push(LookUp::list(wanted));
        Some(kept)
    }

    fn keep(&self, wanted: &List<'_>, items: &dyn Fn() -> KeptItems) {
        // A recording has an answer for each question, and not one for all.
        if self.cluster.session.is_none() {
            self.cluster.memo.insert(self.settings, wanted, items());
        }
    }

    fn can_i(&self, wanted: &CanI<'_>) -> Result<Vec<u8>, Unreachable> {
        self.asked.borrow_mut().push(LookUp::can_i(wanted));
        if let Some(answer) = self.replay(&|| Question::can_i(wanted)) {
            return answer;
        }
        self.require_collected(rbac_kinds())?;
        match self.cluster.misses_permissions() {
            Some(why) => Err(self.unanswered(why)),
            None => admission::Cluster::can_i(&*self.cluster.objects, wanted),
        }
    }
}
