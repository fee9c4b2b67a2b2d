//! Judges every case with the module in the embedded host: the outcome and the bytes equal the
//! native ones.

use std::sync::Arc;

use harness::{Case, judge, load_dir};
use libtest_mimic::{Arguments, Failed, Trial};
use wapc_host::{Host, Module};

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    let host = Arc::new(Host::new());
    for entry in rules::CATALOG {
        let dir = tests::root().join("policies").join(entry.id).join("cases");
        let loaded = load(&host, entry).and_then(|module| Ok((module, load_dir(&dir)?)));
        match loaded {
            Ok((module, cases)) => trials.extend(cases.into_iter().map(|case| {
                let module = Arc::clone(&module);
                Trial::test(format!("{}: {}", entry.id, case.name), move || run(&module, entry, &case))
            })),
            Err(error) => trials.push(Trial::test(entry.id, move || Err(Failed::from(error)))),
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn load(
    host: &Result<Host, wapc_host::HostError>,
    entry: &'static admission::PolicyEntry,
) -> Result<Arc<Module>, String> {
    let host = host.as_ref().map_err(ToString::to_string)?;
    host.load(&tests::module(entry.id)?).map(Arc::new).map_err(|error| format!("{}: {error}", entry.id))
}

fn run(module: &Module, entry: &'static admission::PolicyEntry, case: &Case) -> Result<(), Failed> {
    let judged = judge::through(module, entry, case).map_err(|error| format!("{}: {error}", case.place()))?;
    if judged.outcome != case.want {
        return Err(format!("{}\nwant {:#?}\ngot  {:#?}", case.place(), case.want, judged.outcome).into());
    }
    Ok(())
}
