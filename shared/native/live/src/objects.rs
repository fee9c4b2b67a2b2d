//! Objects of a running cluster as the input of a scan.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::mem;
use std::sync::Arc;
use std::vec;

use kubernetes::kinds::{Kinds, Resource};
use scan::{Chunk, Input, Kind, List, Operation, Origin, Policy, Unreadable};

use crate::connection::Connection;
use crate::discovery::Discovery;
use crate::error::Error;
use crate::pages::{Listing, Page, Pages};
use crate::plan;

/// The objects that policies evaluate, by pages.
#[derive(Debug)]
pub struct Objects<'c> {
    plan: Vec<Listing>,
    reader: Reader<'c>,
}

/// The objects that policies look up: all of the kinds that are selected.
#[derive(Debug)]
pub struct LookUps<'c> {
    discovery: &'c Discovery,
    /// The only namespace whose objects are evaluated.
    namespace: Option<String>,
    reader: Reader<'c>,
    withheld: BTreeMap<Kind, String>,
}

impl<'c> Objects<'c> {
    /// Finds the objects that the rules of policies fit, those of one namespace alone if there is
    /// one.
    #[must_use]
    pub fn new(
        connection: &'c Connection,
        discovery: &Discovery,
        policies: &[Policy],
        operation: Operation,
        namespace: Option<&str>,
    ) -> Self {
        let plan = plan::plan(discovery, policies, operation, namespace);
        let mut reader = Reader::new(connection);
        reader.queue = plan.iter().cloned().collect();
        reader.unreadable = groups(discovery, policies);
        Self { plan, reader }
    }
}

fn groups(discovery: &Discovery, policies: &[Policy]) -> VecDeque<String> {
    let concerns = |group: &str| policies.iter().any(|policy| policy.webhook.names_group(group));
    let sentence = |(group, why): &(String, String)| {
        format!("the kinds of the API group {group} are not known, so its objects are not evaluated: {why}")
    };
    discovery.unreadable().iter().filter(|(group, _)| concerns(group)).map(sentence).collect()
}

impl Input for Objects<'_> {
    fn next(&mut self) -> Option<Result<Chunk, Unreadable>> {
        self.reader.next(&mut |listing, error, _| Refused::Problem(refusal(listing, error)))
    }

    fn rewind(&mut self) {
        self.reader.open = None;
        self.reader.queue = self.plan.iter().cloned().collect();
    }

    /// Objects for look-ups come from [`LookUps`].
    fn select(&mut self, _: &BTreeSet<Kind>) {
        self.reader.open = None;
        self.reader.queue.clear();
    }

    fn is_live(&self) -> bool {
        true
    }

    fn remarks(&self) -> Vec<String> {
        self.reader.remarks.clone()
    }
}

impl<'c> LookUps<'c> {
    /// Prepares to read what is selected.
    #[must_use]
    pub fn new(connection: &'c Connection, discovery: &'c Discovery, namespace: Option<&str>) -> Self {
        let namespace = namespace.map(str::to_owned);
        Self { discovery, namespace, reader: Reader::new(connection), withheld: BTreeMap::new() }
    }
}

impl Input for LookUps<'_> {
    fn next(&mut self) -> Option<Result<Chunk, Unreadable>> {
        let Self { namespace, reader, withheld, .. } = self;
        reader.next(&mut |listing, error, unread| {
            let why = refusal(listing, error);
            // Objects that were not read may exist: nothing tells that one is absent.
            for unread in unread {
                withheld.entry(kind_of(&unread)).or_insert_with(|| why.clone());
            }
            let kind = kind_of(listing);
            let is_first = !withheld.contains_key(&kind);
            withheld.entry(kind).or_insert_with(|| why.clone());
            if error.status() != Some(403) {
                return Refused::Problem(why);
            }
            // Without the object as well, it is unknown to what needs it.
            if !is_first {
                return Refused::Instead(None);
            }
            // The right can be limited to the namespace that is evaluated.
            let narrower = namespace.clone().and_then(|only| match listing.resource.is_namespaced {
                Some(true) => Some(Listing { namespace: Some(only), ..listing.clone() }),
                _ if plan::is_namespaces(&listing.resource) => {
                    Some(Listing { name: Some(only), ..listing.clone() })
                }
                _ => None,
            });
            Refused::Instead(narrower)
        })
    }

    fn rewind(&mut self) {
        self.reader.open = None;
        self.reader.queue.clear();
        self.withheld.clear();
    }

    fn select(&mut self, kinds: &BTreeSet<Kind>) {
        self.reader.queue.clear();
        for (version, kind) in kinds {
            if let Some(resource) = self.discovery.find(version, kind) {
                let all = Listing { resource: resource.clone(), namespace: None, name: None };
                self.reader.queue.push_back(all);
            } else {
                // A policy cannot tell the kind of a server that is down from one without objects.
                let why = self.discovery.absence(version, kind);
                self.withheld.insert((version.clone(), kind.clone()), why);
            }
        }
    }

    fn withheld(&self) -> BTreeMap<Kind, String> {
        self.withheld.clone()
    }

    fn kinds(&self) -> Kinds {
        self.discovery.kinds()
    }

    fn is_live(&self) -> bool {
        true
    }
}

fn kind_of(listing: &Listing) -> Kind {
    (listing.resource.api_version(), listing.resource.kind.to_string())
}

pub(crate) fn refusal(listing: &Listing, error: &Error) -> String {
    let Resource { group, plural, .. } = &listing.resource;
    match error.status() {
        Some(403) => format!(
            "the right to {} is missing, so these objects are unknown; grant {{apiGroups: [\"{group}\"], \
             resources: [{plural}], verbs: [list]}}",
            listing.right()
        ),
        Some(410) => format!(
            "the list of {plural} expired before its end, so the rest of these objects is unknown; scan again"
        ),
        _ => format!("{error}; the objects that are not read are unknown"),
    }
}

/// The consequence of a list that cannot be read.
enum Refused {
    Problem(String),
    /// Nothing to say, and another list to read.
    Instead(Option<Listing>),
}

/// Reads lists, one page at a time.
#[derive(Debug)]
struct Reader<'c> {
    connection: &'c Connection,
    queue: VecDeque<Listing>,
    /// Sentences that are given out before the objects.
    unreadable: VecDeque<String>,
    /// Sentences about lists that were read.
    remarks: Vec<String>,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    listing: Listing,
    origin: Arc<Origin>,
    list: Arc<List>,
    pages: Pages,
    items: vec::IntoIter<String>,
}

impl Open {
    fn new(listing: Listing) -> Self {
        let Resource { kind, plural, .. } = &listing.resource;
        Self {
            origin: Origin::file(plural.to_string()),
            list: List::of(&listing.resource.api_version(), kind),
            pages: Pages::of(&listing),
            items: Vec::new().into_iter(),
            listing,
        }
    }
}

impl<'c> Reader<'c> {
    fn new(connection: &'c Connection) -> Self {
        Self {
            connection,
            queue: VecDeque::new(),
            unreadable: VecDeque::new(),
            remarks: Vec::new(),
            open: None,
        }
    }

    /// Returns the next object. `refused` receives a list that failed and those that are no longer
    /// read for the same reason.
    fn next(
        &mut self,
        refused: &mut dyn FnMut(&Listing, &Error, VecDeque<Listing>) -> Refused,
    ) -> Option<Result<Chunk, Unreadable>> {
        loop {
            if let Some(problem) = self.unreadable.pop_front() {
                return Some(Err(Unreadable::new(Origin::file(""), problem)));
            }
            let open = match &mut self.open {
                Some(open) => open,
                None => self.open.insert(Open::new(self.queue.pop_front()?)),
            };
            if let Some(item) = open.items.next() {
                return Some(Ok(Chunk::live(Arc::clone(&open.origin), item, Arc::clone(&open.list))));
            }
            let problem = match open.pages.next(self.connection) {
                Some(Ok(Page { items, is_later })) => {
                    open.items = items.into_iter();
                    if is_later {
                        self.remarks.push(format!(
                            "the list of {} took longer than the server keeps its state, so the rest is of a later \
                             one; each object that existed all the time was read once",
                            open.listing.resource.plural
                        ));
                    }
                    continue;
                }
                Some(Err(error)) => {
                    // Without a connection, the other lists would fail as well.
                    let is_end = error.status().is_none_or(|status| status == 401);
                    let unread = if is_end { mem::take(&mut self.queue) } else { VecDeque::new() };
                    let refused = refused(&open.listing, &error, unread);
                    self.open = None;
                    match refused {
                        Refused::Problem(problem) => problem,
                        Refused::Instead(listing) => {
                            if let Some(listing) = listing {
                                self.queue.push_front(listing);
                            }
                            continue;
                        }
                    }
                }
                None => {
                    self.open = None;
                    continue;
                }
            };
            return Some(Err(Unreadable::new(Origin::file(""), problem)));
        }
    }
}
