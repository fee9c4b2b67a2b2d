//! The scan: pieces go to workers, and what these find comes back in the order of the input.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use report::{Level, Notice, Place, Report, Shard};
use serde_json::Value;

use crate::cluster::{Cluster, Collector, DEFINITION, Kind, NAMESPACE, owned};
use crate::explanation::Explanation;
use crate::input::{Chunk, Input};
use crate::judge::{Judge, Kept, Output};
use crate::old::{Old, Stored};
use crate::options::{Operation, Options};
use crate::policy::Policy;
use crate::subject::Identity;
use crate::tally::Tally;
use crate::unsettled::{Rest, Unsettled};

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

/// Pieces that go to a worker together, so that threads seldom wait for each other.
#[derive(Debug, Default)]
struct Batch {
    /// The number of the batch.
    number: u64,
    /// The number of the first piece.
    first: u64,
    pieces: Vec<Chunk>,
    bytes: usize,
}

/// The bytes of a batch that is complete. The first ones are smaller, so that every worker gets
/// pieces of a short input.
const COMPLETE: usize = 64 * 1024;
const FIRST_COMPLETE: u64 = 4 * 1024;

/// The stack of a worker: the depth of recursion is the nesting of an object, at most 128 levels.
const STACK: usize = 32 * 1024 * 1024;

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
        mut cluster: Option<&mut dyn Input>,
        observer: &mut dyn Observer,
    ) -> Report {
        let references = self.policies.iter().map(|policy| policy.reference.clone()).collect();
        let mut tally = Tally::new(references, self.shard());
        self.introduce(old.is_some(), &mut tally);
        let explains = observer.wants_explanations();
        // Most verdicts need no object of the cluster. The pieces of those that need objects of
        // kinds that were not collected are judged again.
        let mut kinds = BTreeSet::from([owned(NAMESPACE)]);
        let is_live = input.is_live();
        // A running cluster tells the plural and the scope of its kinds without their definitions.
        if !is_live {
            kinds.insert(owned(DEFINITION));
        }
        let definitions = old.map(Old::definitions).unwrap_or_default();
        let collector = |kinds: &BTreeSet<Kind>| Collector::new(kinds.clone(), definitions.clone());
        let gathers = !is_live && old.is_none() && cluster.is_none() && !explains && self.may_gather();
        let mut gathered = gathers.then(|| collector(&kinds));
        let mut is_gathering = gathers;
        let mut rest = Rest::default();
        let mut deletes = false;
        let mut stored = None;
        while !tally.is_interrupted() {
            let known = if is_gathering {
                // Another scan may have read the input.
                input.rewind();
                collector(&BTreeSet::new()).finish(false, &self.options)
            } else {
                match gathered.take().filter(|gathered| *gathered.kinds() == kinds) {
                    Some(gathered) => gathered.finish(false, &self.options),
                    None => self.collect(collector(&kinds), input, &mut cluster, &mut tally, observer),
                }
            };
            // The first collection has all definitions.
            if let (Some(old), None) = (old, &stored) {
                let (identified, notices) = Stored::of(old, &self.options, known.resources.clone());
                for notice in notices {
                    tally.notice(notice);
                }
                stored = Some(identified);
            }
            let judge = Judge {
                policies: &self.policies,
                options: &self.options,
                cluster: &known,
                old: stored.as_ref(),
                explains,
                kept: Some(&self.kept),
                gathering: gathered.as_ref(),
            };
            let lacking = if deletes {
                let lacking = judge.deletions(stored.iter().flat_map(Stored::iter), &mut tally, observer);
                if lacking.is_empty() {
                    break;
                }
                lacking
            } else {
                let mut found = Vec::new();
                let unsettled =
                    self.round(judge, std::mem::take(&mut rest), input, &mut found, &mut tally, observer);
                if let Some(gathered) = gathered.as_mut().filter(|_| is_gathering) {
                    gathered.begin_input();
                    end_collection(gathered, input, found, &mut tally);
                }
                is_gathering = false;
                let (lacking, left) = unsettled.into_rest();
                rest = left;
                deletes = lacking.is_empty();
                if deletes && stored.is_none() {
                    break;
                }
                lacking
            };
            kinds.extend(lacking);
        }
        for message in input.remarks() {
            tally.notice(Notice { level: Level::Note, place: None, message });
        }
        tally.finish()
    }

    /// Judges the pieces that a round reads, and returns those that have no verdict yet. `found`
    /// receives the objects that are collected on the way.
    fn round(
        &self,
        judge: Judge<'_>,
        rest: Rest,
        input: &mut dyn Input,
        found: &mut Vec<Value>,
        tally: &mut Tally,
        observer: &mut dyn Observer,
    ) -> Unsettled {
        let is_live = input.is_live();
        let Rest { mut source, numbers } = rest;
        let work = |number: u64, chunk: Chunk| {
            if numbers.as_ref().is_some_and(|numbers| !numbers.contains(&number)) {
                return None;
            }
            let mut output = judge.piece(&chunk);
            if is_live {
                crate::live::unplace(&mut output, &chunk);
            }
            let unsettled = (!output.lacking.is_empty()).then_some(chunk);
            Some((number, output, unsettled))
        };
        let mut unsettled = Unsettled::new(is_live);
        let source = source.as_deref_mut().unwrap_or(input);
        self.pieces(source, tally, observer, &work, &mut |judged, tally, observer| {
            let Some((number, mut output, chunk)) = judged else { return };
            found.append(&mut output.gathered);
            let Some(chunk) = chunk else { return merge(output, tally, observer) };
            if let Err((chunk, why)) = unsettled.add(number, chunk, &output.lacking) {
                merge(without_look_ups(judge, &chunk, output, &why), tally, observer);
                tally.notice(Notice { level: Level::Error, place: None, message: why });
            }
        });
        unsettled
    }

    /// Returns whether Namespaces and definitions can be collected while objects are judged, which
    /// reads the input once less. Then the pieces that depend on them are judged last.
    fn may_gather(&self) -> bool {
        !self.policies.iter().any(|policy| policy.webhook.reads_labels_of_namespaces())
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
    fn shard(&self) -> Option<Shard> {
        let share = self.options.share?;
        let policies: Vec<String> = self.policies.iter().map(Policy::question).collect();
        let question = [env!("CARGO_PKG_VERSION"), &self.options.question(), &policies.join("\n")];
        Some(Shard::new(share, &question))
    }

    /// Collects the objects of the kinds of a collector.
    fn collect(
        &self,
        mut collector: Collector,
        input: &mut dyn Input,
        cluster: &mut Option<&mut dyn Input>,
        tally: &mut Tally,
        observer: &mut dyn Observer,
    ) -> Cluster {
        let is_complete = cluster.is_some();
        if let Some(cluster) = cluster {
            self.collect_from(*cluster, &mut collector, tally, observer, true);
        }
        // The objects of the input are newer than those of the cluster.
        collector.begin_input();
        self.collect_from(input, &mut collector, tally, observer, false);
        collector.finish(is_complete, &self.options)
    }

    fn collect_from(
        &self,
        input: &mut dyn Input,
        collector: &mut Collector,
        tally: &mut Tally,
        observer: &mut dyn Observer,
        reports_problems: bool,
    ) {
        // The pieces may have been judged before, which read them to the end.
        input.rewind();
        let mut found = Vec::new();
        let selecting = &*collector;
        let work = |_: u64, chunk: Chunk| {
            if !selecting.may_have(&chunk) && !reports_problems {
                return (Vec::new(), None);
            }
            match crate::entry::read(&chunk) {
                Ok(read) => {
                    let objects = read.entries.into_iter().filter_map(|entry| selecting.select(entry));
                    (objects.collect::<Vec<_>>(), None)
                }
                Err(problem) => (Vec::new(), Some(crate::unreadable(&chunk, &problem))),
            }
        };
        let mut notices = Vec::new();
        input.select(selecting.kinds());
        self.pieces(input, tally, observer, &work, &mut |(objects, notice), _, _| {
            found.extend(objects);
            notices.extend(notice);
        });
        if reports_problems {
            for notice in notices {
                tally.notice(notice);
            }
        }
        end_collection(collector, input, found, tally);
    }

    /// Gives the pieces of an input to workers, and what these return to `merge`, in the order of
    /// the input. At most a few batches are in memory at once.
    fn pieces<T: Send>(
        &self,
        input: &mut dyn Input,
        tally: &mut Tally,
        observer: &mut dyn Observer,
        work: &(dyn Fn(u64, Chunk) -> T + Sync),
        merge: &mut dyn FnMut(T, &mut Tally, &mut dyn Observer),
    ) {
        let workers = self.options.workers.max(1);
        let (sender, receiver) = sync_channel::<Batch>(workers.saturating_mul(4));
        // The workers own it, so that nothing waits for them once all have ended.
        let receiver = Arc::new(Mutex::new(receiver));
        let (done, results) = channel();
        thread::scope(|scope| {
            for _ in 0..workers {
                let (receiver, done) = (Arc::clone(&receiver), done.clone());
                let run = move || {
                    while let Some(Batch { number, first, pieces, .. }) = next(&receiver) {
                        let results: Vec<T> =
                            (first..).zip(pieces).map(|(number, piece)| work(number, piece)).collect();
                        // The scan has ended if nobody receives.
                        if done.send((number, results)).is_err() {
                            break;
                        }
                    }
                };
                if let Err(error) = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run) {
                    let message = format!("a thread cannot be started: {error}");
                    tally.notice(Notice { level: Level::Error, place: None, message });
                }
            }
            drop((receiver, done));
            let mut ordered = Ordered { results, waiting: BTreeMap::new(), next: 0 };
            feed(input, sender, &mut ordered, tally, observer, merge);
        });
    }
}

impl Judge<'_> {
    /// Judges the deletions of the stored objects that the input does not have. Returns the kinds
    /// that have to be collected first, if there are any.
    fn deletions<'o>(
        &self,
        stored: impl Iterator<Item = (&'o Identity, Value, &'o Place)>,
        tally: &mut Tally,
        observer: &mut dyn Observer,
    ) -> BTreeSet<Kind> {
        let missing = stored.filter(|(identity, ..)| !tally.seen.contains(*identity));
        let gone: Vec<Output> = missing.map(|(_, object, place)| self.deletion(object, place)).collect();
        let lacking: BTreeSet<Kind> = gone.iter().flat_map(|output| output.lacking.iter().cloned()).collect();
        if lacking.is_empty() {
            for output in gone {
                merge(output, tally, observer);
            }
        }
        lacking
    }
}

fn merge(output: Output, tally: &mut Tally, observer: &mut dyn Observer) {
    output.explanations.iter().for_each(|explanation| observer.explain(explanation));
    tally.add(output);
    observer.progress(tally.objects(), tally.findings(), tally.bytes);
}

/// Adds the objects that were found in an input, and notes what the input says about its kinds.
fn end_collection(collector: &mut Collector, input: &mut dyn Input, found: Vec<Value>, tally: &mut Tally) {
    for object in found {
        collector.add(object);
    }
    for why in input.withheld().into_values() {
        tally.notice(Notice { level: Level::Warning, place: None, message: why });
    }
    collector.note(input);
    input.rewind();
}

/// Judges a piece that cannot be judged again later: verdicts that depend on objects of kinds that
/// were not collected are unknown.
fn without_look_ups(judge: Judge<'_>, chunk: &Chunk, first: Output, why: &str) -> Output {
    let mut output = first;
    let mut cluster = judge.cluster.clone();
    while !output.lacking.is_empty() {
        cluster = cluster.without(&output.lacking, why);
        let judge = Judge { cluster: &cluster, ..judge };
        output = judge.piece(chunk);
    }
    crate::live::unplace(&mut output, chunk);
    output
}

fn next(receiver: &Mutex<Receiver<Batch>>) -> Option<Batch> {
    receiver.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

/// Reads the input and merges the results as they come.
fn feed<T>(
    input: &mut dyn Input,
    sender: SyncSender<Batch>,
    ordered: &mut Ordered<T>,
    tally: &mut Tally,
    observer: &mut dyn Observer,
    merge: &mut dyn FnMut(T, &mut Tally, &mut dyn Observer),
) {
    let mut batch = Batch::default();
    while let Some(next) = input.next() {
        if observer.stop() {
            tally.interrupt();
            break;
        }
        match next {
            Err(unreadable) => tally.notice(crate::unreadable_input(&unreadable, input.is_live())),
            Ok(chunk) => {
                if let Some(complete) = batch.add(chunk)
                    && sender.send(complete).is_err()
                {
                    break;
                }
            }
        }
        while let Ok(result) = ordered.results.try_recv() {
            ordered.take(result, &mut |result| merge(result, tally, observer));
        }
    }
    // It fails if no worker could be started, of which there is a notice.
    let _ = sender.send(batch);
    // The workers end when there is nothing left to receive.
    drop(sender);
    while let Ok(result) = ordered.results.recv() {
        ordered.take(result, &mut |result| merge(result, tally, observer));
    }
}

impl Batch {
    /// Adds a piece; returns the batch if it is complete.
    fn add(&mut self, piece: Chunk) -> Option<Self> {
        self.bytes = self.bytes.saturating_add(piece.text.len());
        self.pieces.push(piece);
        let first = FIRST_COMPLETE.saturating_mul(self.number.saturating_add(1));
        if self.bytes < usize::try_from(first).unwrap_or(COMPLETE).min(COMPLETE) {
            return None;
        }
        let count = u64::try_from(self.pieces.len()).unwrap_or(u64::MAX);
        let next = Self {
            number: self.number.saturating_add(1),
            first: self.first.saturating_add(count),
            ..Self::default()
        };
        Some(std::mem::replace(self, next))
    }
}

/// The results of batches, in the order of their numbers.
struct Ordered<T> {
    results: Receiver<(u64, Vec<T>)>,
    waiting: BTreeMap<u64, Vec<T>>,
    next: u64,
}

impl<T> Ordered<T> {
    fn take(&mut self, (number, results): (u64, Vec<T>), merge: &mut dyn FnMut(T)) {
        self.waiting.insert(number, results);
        while let Some(results) = self.waiting.remove(&self.next) {
            self.next = self.next.saturating_add(1);
            results.into_iter().for_each(&mut *merge);
        }
    }
}
