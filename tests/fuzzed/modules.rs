//! The same inputs, evaluated by the modules in the embedded host: the responses are the same, byte
//! by byte.

use std::cell::Cell;

use admission::{CanI, Cluster, Decision, Get, List, PolicyEntry, Unreachable};
use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use wapc_host::Module;

use super::mutate::Mutator;
use super::seeds;

/// The number of changed payloads, and of changed settings, for each module.
const INPUTS: usize = 200;

/// Returns a test for each module.
pub fn trials() -> impl Iterator<Item = Trial> {
    rules::CATALOG.iter().map(|entry| {
        Trial::test(format!("module {}", entry.id), move || compare(entry).map_err(Failed::from))
    })
}

fn compare(entry: &PolicyEntry) -> Result<(), String> {
    let module = tests::compiled(entry.id)?;
    let payloads = inputs("payload", |input| matches(entry, input))?;
    let mut looked_up = 0_usize;
    for payload in &payloads {
        looked_up += usize::from(validate(&module, entry, payload)?);
    }
    let settings = inputs("settings", |_| true)?;
    for settings in &settings {
        validate_settings(&module, entry, settings)?;
    }
    println!(
        "module {}: {} payloads, {looked_up} of which ask the cluster, and {} settings, evaluated as natively",
        entry.id,
        payloads.len(),
        settings.len(),
    );
    Ok(())
}

/// Returns the seeds that fit and changed copies of them.
fn inputs(target: &str, fits: impl Fn(&[u8]) -> bool) -> Result<Vec<Vec<u8>>, String> {
    let mut seeds = seeds(target)?;
    seeds.retain(|seed| fits(seed));
    let mut mutator = Mutator::new(&seeds);
    let changed: Vec<_> = (0..INPUTS).map(|_| mutator.input()).collect();
    if seeds.is_empty() { Err(format!("no seeds of {target}")) } else { Ok([seeds, changed].concat()) }
}

/// Whether a request matches a policy.
fn matches(entry: &PolicyEntry, payload: &[u8]) -> bool {
    !matches!((entry.evaluate)(payload, &Silent::default()).decision, Decision::NotMatched)
}

/// Compares the responses to a payload; returns whether the policy asks the cluster.
pub fn validate(module: &Module, entry: &PolicyEntry, payload: &[u8]) -> Result<bool, String> {
    let cluster = Silent::default();
    let native = entry.respond(payload, &cluster).to_json();
    let answer = module.call("validate", payload).map_err(|failure| failure.to_string())?;
    let asked = cluster.0.get();
    // The host words the message of a failed look-up.
    let same = if asked { accepted(&native) == accepted(&answer) } else { native == answer };
    let text = String::from_utf8_lossy;
    let (native, answer, payload) = (text(&native), text(&answer), text(payload));
    if same { Ok(asked) } else { Err(format!("{native} natively, {answer} by the module: {payload}")) }
}

fn validate_settings(module: &Module, entry: &PolicyEntry, settings: &[u8]) -> Result<(), String> {
    let native = (entry.check_settings)(settings).map_err(|error| error.to_string());
    let answer = module.call("validate_settings", settings).map_err(|failure| failure.to_string())?;
    let answer: Value = serde_json::from_slice(&answer).map_err(|error| error.to_string())?;
    let message = answer.get("message").and_then(Value::as_str).map(str::to_owned);
    let same = answer.get("valid") == Some(&native.is_ok().into()) && message == native.clone().err();
    let settings = String::from_utf8_lossy(settings);
    if same { Ok(()) } else { Err(format!("{native:?} natively, {answer} by the module: {settings}")) }
}

fn accepted(response: &[u8]) -> Option<bool> {
    serde_json::from_slice::<Value>(response).ok()?.get("accepted")?.as_bool()
}

/// A cluster that does not answer and records whether it was asked.
#[derive(Default)]
struct Silent(Cell<bool>);

impl Silent {
    fn refuse<T>(&self) -> Result<T, Unreachable> {
        self.0.set(true);
        Err(Unreachable("not granted".to_owned()))
    }
}

impl Cluster for Silent {
    fn get(&self, _: &Get<'_>) -> Result<Option<Vec<u8>>, Unreachable> {
        self.refuse()
    }

    fn list(&self, _: &List<'_>) -> Result<Vec<u8>, Unreachable> {
        self.refuse()
    }

    fn can_i(&self, _: &CanI<'_>) -> Result<Vec<u8>, Unreachable> {
        self.refuse()
    }
}
