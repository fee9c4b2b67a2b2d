//! A live scan that cannot keep the objects that need look-ups. It has a process of its own: the
//! folder for temporary files is that of the process.

use std::collections::BTreeSet;
use std::process::Command;
use std::{env, vec};

use report::Level;
use scan::{Chunk, Files, Input, Kind, List, Options, Origin, Policy, Scan, Unreadable};
use serde_json::json;

/// The variable that is set in the process of its own.
const ALONE: &str = "PORTCULLIS_TEST_UNWRITABLE";

struct Live {
    texts: Vec<String>,
    left: vec::IntoIter<String>,
}

impl Input for Live {
    fn next(&mut self) -> Option<Result<Chunk, Unreadable>> {
        let text = self.left.next()?;
        Some(Ok(Chunk::live(Origin::file("services"), text, List::of("v1", "Service"))))
    }

    fn rewind(&mut self) {
        self.left = self.texts.clone().into_iter();
    }

    fn select(&mut self, _: &BTreeSet<Kind>) {
        self.left = Vec::new().into_iter();
    }

    fn is_live(&self) -> bool {
        true
    }
}

fn service(name: &str, ip: &str) -> String {
    let spec = json!({ "externalIPs": [ip], "ports": [{ "port": 80, "protocol": "TCP" }] });
    json!({ "metadata": { "name": name, "namespace": "shop" }, "spec": spec }).to_string()
}

#[test]
fn no_object_vanishes_without_a_folder_for_temporary_files() {
    if env::var_os(ALONE).is_none() {
        let name = "unwritable::no_object_vanishes_without_a_folder_for_temporary_files";
        let mut alone = Command::new(env::current_exe().unwrap());
        let done = alone.args(["--exact", name]).env(ALONE, "1").output().unwrap();
        let output = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success() && output.contains("1 passed"), "{output}");
        return;
    }
    tempfile::env::override_temp_dir("/nonexistent/folder".as_ref()).unwrap();
    let settings = json!({ "allow": [{ "cidrs": ["192.0.2.0/24"] }], "conflicts": "DenySamePort" });
    let scan = Scan::new(vec![Policy::of_id("external-ips", &settings).unwrap()], Options::default());
    let texts = vec![service("a", "192.0.2.1"), service("b", "198.51.100.1"), service("c", "192.0.2.2")];
    let mut live = Live { texts, left: Vec::new().into_iter() };
    let mut cluster = Files::default();
    cluster.add_text(Origin::file("cluster.yaml"), "{apiVersion: v1, kind: List, items: []}");
    let report = scan.run(&mut live, None, Some(&mut cluster), &mut ());
    let totals = report.totals.policies.first().unwrap();
    assert_eq!((report.totals.objects, totals.unknown, totals.denied), (3, 2, 1), "{totals:?}");
    let errors: Vec<_> = report.notices.iter().filter(|notice| notice.level == Level::Error).collect();
    let why = "a temporary file cannot be written to /nonexistent/folder: ";
    assert!(errors.iter().all(|error| error.message.starts_with(why)) && !errors.is_empty(), "{errors:?}");
    assert_eq!(report::exit(&report, report::FailOn::Deny).status(), 2);
}
