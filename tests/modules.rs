//! Every case judged by the module in the embedded host: the outcome and the bytes equal the native
//! ones.

use std::sync::{Arc, LazyLock};

use admission::PolicyEntry;
use harness::{Case, judge};
use libtest_mimic::{Failed, Trial};
use wapc_host::{Host, Module};

/// Returns a test for each case of a policy. The first one compiles the module.
pub(crate) fn trials(entry: &'static PolicyEntry, cases: &[Case]) -> Vec<Trial> {
    let module = Arc::new(LazyLock::new(move || load(entry)));
    let trial = |case: Case| {
        let module = Arc::clone(&module);
        Trial::test(format!("{}: {}", entry.id, case.name), move || run(&module, entry, &case))
            .with_kind("module")
    };
    cases.iter().cloned().map(trial).collect()
}

fn load(entry: &PolicyEntry) -> Result<Module, String> {
    let host = Host::new().map_err(|error| error.to_string())?;
    host.load(&tests::module(entry.id)?).map_err(|error| format!("{}: {error}", entry.id))
}

fn run(module: &Result<Module, String>, entry: &'static PolicyEntry, case: &Case) -> Result<(), Failed> {
    let module = module.as_ref()?;
    let judged = judge::through(module, entry, case).map_err(|error| format!("{}: {error}", case.place()))?;
    if judged.outcome != case.want {
        return Err(format!("{}\nwant {:#?}\ngot  {:#?}", case.place(), case.want, judged.outcome).into());
    }
    Ok(())
}
