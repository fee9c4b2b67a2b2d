//! Requests to two servers in turn.

use std::time::{Duration, Instant};

use bench_scan::{Call, Server};

/// The requests that each latency is taken from, after those that are not measured.
const REQUESTS: usize = 400;
const WARM_UP: usize = 50;

/// The rate is that of several connections, in short rounds, so that what else runs on the machine
/// slows down both servers.
const CONNECTIONS: usize = 4;
const ROUNDS: usize = 5;
const ROUND: usize = 50;

#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub(crate) median: Duration,
    pub(crate) slow: Duration,
    pub(crate) rate: u128,
}

pub(crate) fn measure(servers: &[Server; 2], calls: &[Vec<Call>; 2]) -> Result<[Figures; 2], String> {
    let mut figures = latencies(servers, calls)?;
    let mut times = [Duration::ZERO; 2];
    for _ in 0..ROUNDS {
        for ((server, calls), time) in servers.iter().zip(calls).zip(&mut times) {
            *time += round(server, calls)?;
        }
    }
    let requests = [ROUNDS, ROUND, CONNECTIONS]
        .iter()
        .fold(1_u128, |product, factor| product.saturating_mul(u128::try_from(*factor).unwrap_or(u128::MAX)));
    for (figures, time) in figures.iter_mut().zip(times) {
        figures.rate = requests.saturating_mul(1_000_000).checked_div(time.as_micros()).unwrap_or_default();
    }
    Ok(figures)
}

fn latencies(servers: &[Server; 2], calls: &[Vec<Call>; 2]) -> Result<[Figures; 2], String> {
    let [one, other] = servers;
    let mut clients = [one.client()?, other.client()?];
    let mut times = [Vec::new(), Vec::new()];
    for number in 0..REQUESTS.saturating_add(WARM_UP) {
        for ((client, calls), times) in clients.iter_mut().zip(calls).zip(&mut times) {
            let Some(call) = calls.iter().cycle().nth(number) else { continue };
            let time = client.ask(call)?;
            if number >= WARM_UP {
                times.push(time);
            }
        }
    }
    Ok(times.map(|mut times| {
        times.sort();
        let at = |percent: usize| {
            times.get(times.len().saturating_mul(percent) / 100).copied().unwrap_or_default()
        };
        Figures { median: at(50), slow: at(99), rate: 0 }
    }))
}

/// Returns the time of a round of requests on several connections.
fn round(server: &Server, calls: &[Call]) -> Result<Duration, String> {
    let mut clients = (0..CONNECTIONS).map(|_| server.client()).collect::<Result<Vec<_>, _>>()?;
    let start = Instant::now();
    std::thread::scope(|scope| {
        let threads = clients.iter_mut().map(|client| {
            scope.spawn(|| calls.iter().cycle().take(ROUND).try_for_each(|call| client.ask(call).map(drop)))
        });
        // All are started before the first is waited for.
        let threads: Vec<_> = threads.collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a client panicked")?)
    })?;
    Ok(start.elapsed())
}
