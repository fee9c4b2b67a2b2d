//! Reports about requests that the caller makes, for programs that evaluate while somebody types.

use std::sync::Arc;

use report::{Level, Notice, Report};
use text::Step;

use crate::cluster::Cluster;
use crate::document::Placed;
use crate::input::{Chunk, Origin};
use crate::locate::Locator;
use crate::options::Pods;
use crate::scan::Scan;
use crate::spot::{Rendered, START, Spot};
use crate::tally::Tally;
use crate::verdict::Request;

/// A request about an entry of a document.
#[derive(Debug)]
pub struct EntryRequest<'d> {
    /// The document.
    pub placed: &'d Placed,
    /// The number of the entry.
    pub entry: usize,
    /// The steps from the entry to the object: none, or those of a review.
    pub steps: Vec<Step>,
    /// The `AdmissionRequest`, or the reason why there is none.
    pub request: Result<Request, String>,
    /// Whether workloads are evaluated as their pods, too.
    pub pods: Pods,
}

impl Scan {
    /// Evaluates requests, and reports about them as about the entries of a file with this name,
    /// with further notices.
    #[must_use]
    pub fn report(
        &self,
        name: &str,
        requests: Vec<EntryRequest<'_>>,
        cluster: &Cluster,
        notices: Vec<Notice>,
    ) -> Report {
        let references = self.policies().iter().map(|policy| policy.reference.clone()).collect();
        let mut tally = Tally::new(references);
        self.introduce(true, &mut tally);
        for notice in notices {
            tally.notice(notice);
        }
        let origin = Origin::file(name);
        let walk = crate::run::walk(self, cluster, None, false);
        for EntryRequest { placed, entry, steps, request, pods } in requests {
            let (at, text) = (placed.at, placed.document.text.clone());
            let chunk = Chunk { origin: Arc::clone(&origin), text, at, list: None, is_envelope: false };
            if let Some(problem) = &placed.document.problem {
                let at = Some(placed.position(problem.at.unwrap_or(START)));
                let problem = problem.clone().at(at);
                tally.notice(chunk.unreadable(&problem));
            }
            let Some(entry) = placed.document.entries.get(entry) else { continue };
            let request = match request {
                Ok(request) => request,
                Err(message) => {
                    let place = Some(chunk.place_of(placed.place(entry, &[]).map(|(place, _)| place.start)));
                    tally.notice(Notice { level: Level::Error, place, message });
                    continue;
                }
            };
            let steps = entry.steps.iter().cloned().chain(steps).collect();
            let spot = Spot { document: entry.document, steps, rendered: Rendered::default() };
            tally.add(walk.request(request, pods, &spot, &Locator::new(&chunk)));
        }
        tally.finish()
    }
}
