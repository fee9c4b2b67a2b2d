//! The threads of a scan: pieces go to workers, and what these find comes back in the order of the
//! input.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use report::{Level, Notice};

use crate::input::{Chunk, Input};
use crate::observer::Observer;
use crate::tally::Tally;

/// Pieces that go to a worker together, so that threads seldom wait for each other.
#[derive(Debug, Default)]
struct Batch {
    number: u64,
    first: u64,
    pieces: Vec<Chunk>,
    bytes: usize,
}

/// The bytes of a batch that is complete. The first ones are smaller, so that every worker gets
/// pieces of a short input.
const COMPLETE: usize = 64 * 1024;
const FIRST_COMPLETE: u64 = 4 * 1024;

/// The time between two looks at whether the scan is stopped, while workers have the last pieces.
const PAUSE: Duration = Duration::from_millis(50);

/// The stack of a worker: the depth of recursion is the nesting of an object, at most 128 levels.
const STACK: usize = 32 * 1024 * 1024;

/// Gives the pieces of an input to workers, and what these return to `merge`, in the order of
/// the input. At most a few batches are in memory at once.
pub(crate) fn run<T: Send>(
    workers: usize,
    input: &mut dyn Input,
    tally: &mut Tally,
    observer: &mut dyn Observer,
    work: &(dyn Fn(u64, Chunk) -> T + Sync),
    merge: &mut dyn FnMut(T, &mut Tally, &mut dyn Observer),
) {
    let workers = workers.max(1);
    let (sender, receiver) = sync_channel::<Batch>(workers.saturating_mul(4));
    // The workers own it, so that nothing waits for them once all have ended.
    let receiver = Arc::new(Mutex::new(receiver));
    let (done, results) = channel();
    let is_stopped = &AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..workers {
            let (receiver, done) = (Arc::clone(&receiver), done.clone());
            let run = move || {
                while let Some(Batch { number, first, pieces, .. }) = next(&receiver) {
                    let pieces = (first..).zip(pieces).take_while(|_| !is_stopped.load(Ordering::Relaxed));
                    let results: Vec<T> = pieces.map(|(number, piece)| work(number, piece)).collect();
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
        feed(input, sender, is_stopped, &mut ordered, tally, observer, merge);
    });
}

fn next(receiver: &Mutex<Receiver<Batch>>) -> Option<Batch> {
    receiver.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

fn feed<T>(
    input: &mut dyn Input,
    sender: SyncSender<Batch>,
    is_stopped: &AtomicBool,
    ordered: &mut Ordered<T>,
    tally: &mut Tally,
    observer: &mut dyn Observer,
    merge: &mut dyn FnMut(T, &mut Tally, &mut dyn Observer),
) {
    let mut batch = Batch::default();
    while let Some(next) = input.next() {
        if observer.stop() {
            is_stopped.store(true, Ordering::Relaxed);
            tally.interrupt();
            break;
        }
        match next {
            Err(unreadable) => {
                let notice = unreadable.notice();
                tally.notice(Notice { place: notice.place.filter(|_| !input.is_live()), ..notice });
            }
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
    loop {
        match ordered.results.recv_timeout(PAUSE) {
            Ok(result) => ordered.take(result, &mut |result| merge(result, tally, observer)),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) if observer.stop() => {
                is_stopped.store(true, Ordering::Relaxed);
                tally.interrupt();
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

impl Batch {
    fn add(&mut self, piece: Chunk) -> Option<Self> {
        self.bytes += piece.text.len();
        self.pieces.push(piece);
        let first = FIRST_COMPLETE.saturating_mul(self.number + 1);
        if self.bytes < usize::try_from(first).unwrap_or(COMPLETE).min(COMPLETE) {
            return None;
        }
        let count = u64::try_from(self.pieces.len()).unwrap_or(u64::MAX);
        let next = Self { number: self.number + 1, first: self.first + count, ..Self::default() };
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
            self.next += 1;
            results.into_iter().for_each(&mut *merge);
        }
    }
}
