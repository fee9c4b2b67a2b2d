//! Every law over every case.

use cases::{laws, load_dir};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for entry in rules::CATALOG {
        let dir = tests::root().join("policies").join(entry.id).join("cases");
        let cases = match load_dir(&dir) {
            Ok(cases) => cases,
            Err(error) => {
                trials.push(Trial::test(entry.id, move || Err(Failed::from(error))));
                continue;
            }
        };
        for (sentence, law) in laws::ALL {
            let cases = cases.clone();
            trials.push(Trial::test(format!("{}: {sentence}", entry.id), move || {
                for case in &cases {
                    law(entry, case).map_err(|error| format!("{}: {error}", case.place()))?;
                }
                Ok(())
            }));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}
