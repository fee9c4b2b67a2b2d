//! A scan: policies and options, and who watches it.

use report::{Level, Notice, Report, Shard};

use crate::explanation::Explanation;
use crate::input::Input;
use crate::judge::Kept;
use crate::old::Old;
use crate::options::{Operation, Options};
use crate::policy::Policy;
use crate::run::Run;
use crate::tally::Tally;
use crate::unsettled::Rest;

/// Policies that judge objects.
#[derive(Debug)]
pub struct Scan {
    policies: Vec<Policy>,
    options: Options,
    kept: Kept,
}

/// Watches a scan, on the thread that runs it.
pub trait Observer {
    /// Receives how much was judged: objects, findings and bytes.
    fn progress(&mut self, _objects: u64, _findings: u64, _bytes: u64) {}

    /// Returns whether to stop: the report then says that it is not all.
    fn stop(&self) -> bool {
        false
    }

    /// Returns whether to explain why policies look at objects.
    fn wants_explanations(&self) -> bool {
        false
    }

    /// Receives why a policy looked at an object or did not, in the order of the input.
    fn explain(&mut self, _: &Explanation) {}
}

/// An observer that does nothing.
impl Observer for () {}

impl Scan {
    /// Creates a scan of policies, in the order in which the API server calls them.
    #[must_use]
    pub fn new(mut policies: Vec<Policy>, options: Options) -> Self {
        policies.sort_by_key(Policy::order);
        for policy in &mut policies {
            policy.reference.digest = policy.digest();
        }
        let kept = Kept::by(&policies);
        Self { policies, options, kept }
    }

    /// Returns the policies in the order in which they judge.
    #[must_use]
    pub fn policies(&self) -> &[Policy] {
        &self.policies
    }

    /// The parts of objects that the policies read.
    pub(crate) fn kept(&self) -> &Kept {
        &self.kept
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// Judges the objects of the input.
    ///
    /// With an old side, objects that it has are updates, and those that only it has are deletions.
    /// `cluster` has the objects for look-ups; without it, the input alone has them.
    pub fn run(
        &self,
        input: &mut dyn Input,
        old: Option<&Old>,
        cluster: Option<&mut dyn Input>,
        observer: &mut dyn Observer,
    ) -> Report {
        let cluster = cluster.map(|cluster| cluster as &mut dyn Input);
        let mut run = Run::new(self, input, old, cluster, observer);
        let mut rest = if run.may_gather() { run.gather() } else { Some(Rest::default()) };
        while let Some(pieces) = rest {
            rest = run.objects(pieces);
        }
        run.deletions();
        run.finish()
    }

    /// Adds what is to say before any object is judged.
    pub(crate) fn introduce(&self, has_old: bool, tally: &mut Tally) {
        for policy in &self.policies {
            for warning in &policy.warnings {
                let message = format!("policy {policy}: {warning}");
                tally.notice(Notice { level: Level::Warning, place: None, message });
            }
            if let Some(reason) = policy.unavailable() {
                let message = format!("policy {policy} judges nothing: {reason}");
                tally.notice(Notice { level: Level::Error, place: None, message });
            }
        }
        if self.options.operation == Operation::Update && !has_old {
            let message =
                "the objects are judged as updates without a change, so that policies tolerate the values \
                           that they tolerate when stored; give the state before the change with --old"
                    .to_owned();
            tally.notice(Notice { level: Level::Warning, place: None, message });
        }
    }

    /// Returns the shard that the scan is, with a digest of its policies and options.
    pub(crate) fn shard(&self) -> Option<Shard> {
        let share = self.options.share?;
        let policies: Vec<String> = self.policies.iter().map(Policy::question).collect();
        let question = [env!("CARGO_PKG_VERSION"), &self.options.question(), &policies.join("\n")];
        Some(Shard::new(share, &question))
    }
}
