//! A scan that runs: rounds over the input until each verdict has the objects that it depends on.

use std::collections::BTreeSet;

use kubernetes::kinds::Kinds;
use report::{Level, Notice, Report};
use serde_json::Value;

use crate::cluster::{Cluster, Collector, DEFINITION, Kind, NAMESPACE, owned};
use crate::evaluate::{Output, Walk};
use crate::input::{Chunk, Input};
use crate::observer::Observer;
use crate::old::{Old, Stored};
use crate::scan::Scan;
use crate::tally::Tally;
use crate::unsettled::{Rest, Unsettled};
use crate::workers;

impl Scan {
    /// Evaluates the objects of the input.
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
}

/// A scan that runs.
///
/// Most verdicts need no object of the cluster. The pieces of those that need objects of kinds that
/// were not collected are evaluated again.
struct Run<'r> {
    scan: &'r Scan,
    input: &'r mut dyn Input,
    /// The objects for look-ups; without it, the input alone has them.
    cluster: Option<&'r mut dyn Input>,
    old: Option<&'r Old>,
    observer: &'r mut dyn Observer,
    explains: bool,
    tally: Tally,
    /// The kinds whose objects verdicts depend on, as far as that is known.
    kinds: BTreeSet<Kind>,
    /// The objects and kinds that are collected.
    known: Cluster,
    /// The old side, once the definitions are collected.
    stored: Option<Stored<'r>>,
}

impl<'r> Run<'r> {
    fn new(
        scan: &'r Scan,
        input: &'r mut dyn Input,
        old: Option<&'r Old>,
        cluster: Option<&'r mut dyn Input>,
        observer: &'r mut dyn Observer,
    ) -> Self {
        let references = scan.policies().iter().map(|policy| policy.reference.clone()).collect();
        let mut tally = Tally::new(references);
        scan.introduce(old.is_some(), &mut tally);
        let mut kinds = BTreeSet::from([owned(NAMESPACE)]);
        // A running cluster tells the plural and the scope of its kinds without their definitions.
        if !input.is_live() {
            kinds.insert(owned(DEFINITION));
        }
        let explains = observer.wants_explanations();
        let known = nothing(scan);
        Self { scan, input, cluster, old, observer, explains, tally, kinds, known, stored: None }
    }

    /// Returns whether Namespaces and definitions can be collected while objects are evaluated,
    /// which reads the input once less. Then the pieces that depend on them are evaluated last.
    fn may_gather(&self) -> bool {
        let is_alone = self.old.is_none() && self.cluster.is_none() && !self.input.is_live();
        let needs_labels =
            |scan: &Scan| scan.policies().iter().any(|policy| policy.webhook.reads_labels_of_namespaces());
        is_alone && !self.explains && !needs_labels(self.scan)
    }

    /// Evaluates all objects, and collects Namespaces and definitions on the way. Returns the
    /// pieces to evaluate again, if there are any.
    fn gather(&mut self) -> Option<Rest> {
        // Another scan may have read the input.
        self.input.rewind();
        let mut collector = self.collector();
        let (unsettled, found) = self.round(Rest::default(), Some(&collector));
        collector.begin_input();
        end_collection(&mut collector, self.input, found, &mut self.tally);
        self.known = collector.finish(false, self.scan.options());
        self.rest(unsettled)
    }

    fn objects(&mut self, pieces: Rest) -> Option<Rest> {
        self.collect();
        let (unsettled, _) = self.round(pieces, None);
        self.rest(unsettled)
    }

    fn deletions(&mut self) {
        while self.old.is_some() && !self.tally.is_interrupted() {
            self.collect();
            let Self { tally, observer, .. } = self;
            let Some(stored) = &self.stored else { return };
            let walk = walk(self.scan, &self.known, Some(stored), self.explains);
            let missing = stored.iter().filter(|(seen, ..)| !tally.seen.contains(seen));
            let gone: Vec<Output> = missing.map(|(_, object, place)| walk.deletion(object, place)).collect();
            let lacking: BTreeSet<Kind> =
                gone.iter().flat_map(|output| output.lacking.iter().cloned()).collect();
            if lacking.is_empty() {
                for output in gone {
                    merge(output, tally, *observer);
                }
                return;
            }
            self.kinds.extend(lacking);
        }
    }

    fn finish(mut self) -> Report {
        for message in self.input.remarks().into_iter().chain(self.known.remarks) {
            self.tally.notice(Notice { level: Level::Note, place: None, message });
        }
        self.tally.finish()
    }

    /// Evaluates the objects of pieces; with a collector, collects objects on the way. Returns the
    /// pieces that have no verdict yet, and the objects that were found.
    fn round(&mut self, pieces: Rest, collector: Option<&Collector>) -> (Unsettled, Vec<Value>) {
        let is_live = self.input.is_live();
        let walk = walk(self.scan, &self.known, self.stored.as_ref(), self.explains);
        let walk = Walk { gathering: collector, is_live, ..walk };
        let Rest { mut source, numbers } = pieces;
        let work = |number: u64, chunk: Chunk| {
            if numbers.as_ref().is_some_and(|numbers| !numbers.contains(&number)) {
                return None;
            }
            let mut output = walk.piece(&chunk);
            if is_live {
                crate::live::unplace(&mut output, &chunk);
            }
            let unsettled = (!output.lacking.is_empty()).then_some(chunk);
            Some((number, output, unsettled))
        };
        let mut found = Vec::new();
        let mut unsettled = Unsettled::new(is_live);
        let source = source.as_deref_mut().unwrap_or(self.input);
        let workers = self.scan.options().workers;
        workers::run(
            workers,
            source,
            &mut self.tally,
            self.observer,
            &work,
            &mut |evaluated, tally, observer| {
                let Some((number, mut output, chunk)) = evaluated else { return };
                found.append(&mut output.gathered);
                let Some(chunk) = chunk else { return merge(output, tally, observer) };
                if let Err((chunk, why)) = unsettled.add(number, chunk, &output.lacking) {
                    merge(without_look_ups(walk, &chunk, output, &why), tally, observer);
                    tally.notice(Notice { level: Level::Error, place: None, message: why });
                }
            },
        );
        (unsettled, found)
    }

    /// Notes the kinds that verdicts lack, and returns the pieces to evaluate again.
    fn rest(&mut self, unsettled: Unsettled) -> Option<Rest> {
        let (lacking, rest) = unsettled.into_rest();
        let is_over = lacking.is_empty() || self.tally.is_interrupted();
        self.kinds.extend(lacking);
        (!is_over).then_some(rest)
    }

    fn collector(&self) -> Collector {
        let definitions = self.old.map(Old::definitions).unwrap_or_default();
        Collector::new(self.kinds.clone(), definitions)
    }

    /// Collects the objects of the kinds that verdicts depend on, if there are more kinds than
    /// before.
    fn collect(&mut self) {
        if self.known.has_collected(&self.kinds) {
            return;
        }
        // The objects of before go before the same ones take memory again.
        self.known = nothing(self.scan);
        let mut collector = self.collector();
        let Self { scan, input, cluster, observer, tally, .. } = self;
        let workers = scan.options().workers;
        if let Some(cluster) = cluster {
            collect_from(*cluster, &mut collector, tally, *observer, workers, true);
        }
        // The objects of the input are newer than those of the cluster.
        collector.begin_input();
        collect_from(*input, &mut collector, tally, *observer, workers, false);
        self.known = collector.finish(cluster.is_some(), scan.options());
        // The first collection has all definitions.
        if let (Some(old), None) = (self.old, &self.stored) {
            let (stored, notices) = Stored::of(old, *input, scan.options(), self.known.resources.clone());
            for notice in notices {
                tally.notice(notice);
            }
            self.stored = Some(stored);
        }
    }
}

fn nothing(scan: &Scan) -> Cluster {
    Collector::new(BTreeSet::new(), Kinds::default()).finish(false, scan.options())
}

/// Returns a walk that evaluates, with or without explanations.
pub(crate) fn walk<'j>(
    scan: &'j Scan,
    cluster: &'j Cluster,
    old: Option<&'j Stored<'j>>,
    explains: bool,
) -> Walk<'j> {
    let (policies, options, kept) = (scan.policies(), scan.options(), scan.kept());
    Walk { policies, options, cluster, old, explains, kept, gathering: None, is_live: false }
}

const NO_CLUSTER: &str = "the files of the cluster have no Kubernetes object, so every look-up would find nothing; write them with \
     kubectl get --output=yaml";

fn collect_from(
    input: &mut dyn Input,
    collector: &mut Collector,
    tally: &mut Tally,
    observer: &mut dyn Observer,
    workers: usize,
    reports_problems: bool,
) {
    // The pieces may have been evaluated before, which read them to the end.
    input.rewind();
    let mut found = Vec::new();
    let selecting = &*collector;
    let work = |_: u64, chunk: Chunk| {
        if !selecting.may_have(&chunk) && !reports_problems {
            return (Vec::new(), Vec::new(), true);
        }
        match crate::entry::read(&chunk) {
            Ok(read) => {
                let has_objects =
                    read.entries.is_empty() || read.entries.iter().any(crate::entry::Entry::is_object);
                // It can be one that a policy looks up.
                let level = if selecting.may_have(&chunk) { Level::Error } else { Level::Warning };
                let lost = if reports_problems {
                    [read.lost(&chunk, level), read.misspelt(&chunk)].concat()
                } else {
                    Vec::new()
                };
                let objects = read.entries.into_iter().filter_map(|entry| selecting.select(entry));
                (objects.collect::<Vec<_>>(), lost, has_objects)
            }
            Err(problem) => (Vec::new(), vec![chunk.unreadable(&problem)], false),
        }
    };
    let mut notices = Vec::new();
    // A running cluster may have none of the selected kinds.
    let mut is_of_a_cluster = input.size().is_none();
    let problems = tally.notices();
    input.select(selecting.kinds());
    workers::run(workers, input, tally, observer, &work, &mut |(objects, lost, has_objects), _, _| {
        found.extend(objects);
        notices.extend(lost);
        is_of_a_cluster |= has_objects;
    });
    if reports_problems {
        let is_unreadable = notices.iter().any(|notice| notice.level == Level::Error);
        if !is_of_a_cluster && !is_unreadable && tally.notices() == problems {
            let message = NO_CLUSTER.to_owned();
            notices.push(Notice { level: Level::Error, place: None, message });
        }
        for notice in notices {
            tally.notice(notice);
        }
    }
    end_collection(collector, input, found, tally);
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

/// Evaluates a piece that cannot be evaluated again later: verdicts that depend on objects of kinds
/// that were not collected are unknown.
fn without_look_ups(walk: Walk<'_>, chunk: &Chunk, first: Output, why: &str) -> Output {
    let mut output = first;
    let mut cluster = walk.cluster.clone();
    while !output.lacking.is_empty() {
        cluster = cluster.without(&output.lacking, why);
        let walk = Walk { cluster: &cluster, ..walk };
        output = walk.piece(chunk);
    }
    crate::live::unplace(&mut output, chunk);
    output
}
