//! Every case evaluated by the module in the embedded host: the outcome and the bytes equal the
//! native ones.

use admission::PolicyEntry;
use libtest_mimic::{Failed, Trial};
use suite::cases::Case;
use tests::evaluate;

/// Returns a test for each case of a policy.
pub(crate) fn trials(entry: &'static PolicyEntry, cases: &[Case]) -> Vec<Trial> {
    let trial = |case: Case| {
        Trial::test(format!("{}: {}", entry.id, case.name), move || run(entry, &case)).with_kind("module")
    };
    cases.iter().cloned().map(trial).collect()
}

fn run(entry: &'static PolicyEntry, case: &Case) -> Result<(), Failed> {
    let module = tests::compiled(entry.id)?;
    let evaluated =
        evaluate::through(&module, entry, case).map_err(|error| format!("{}: {error}", case.place()))?;
    if evaluated.outcome != case.want {
        return Err(format!("{}\nwant {:#?}\ngot  {:#?}", case.place(), case.want, evaluated.outcome).into());
    }
    Ok(())
}
