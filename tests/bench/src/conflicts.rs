//! The cost of `conflicts: DenySamePort`: many other Services, and Services of many ports.

use std::fmt::Write as _;
use std::sync::Arc;

use kubernetes::objects::Objects;
use serde_json::{Value, json};

use crate::meter::{Meter, Usage};
use crate::table::grouped;

/// The memory that an instance may have, in bytes.
const MEMORY: usize = 64 << 20;

/// The cost of a check that grows.
#[derive(Clone, Debug)]
pub struct Conflicts {
    /// The check.
    pub check: Check,
    /// The cost for each of [`Check::counts`].
    pub usage: [Usage; 3],
}

/// A check of a Service with an external IP.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Check {
    /// The creation of a Service where so many others of three ports use its address.
    Services,
    /// The creation of a Service of so many ports where another one uses them all.
    Ports,
    /// An update of a Service of so many ports that changes none of them.
    Unchanged,
}

impl Check {
    const ALL: [Self; 3] = [Check::Services, Check::Ports, Check::Unchanged];

    /// Returns the numbers of Services or ports that are measured.
    #[must_use]
    pub fn counts(self) -> [usize; 3] {
        match self {
            Check::Services => [1_000, 10_000, 100_000],
            Check::Ports => [1_000, 10_000, 65_535],
            Check::Unchanged => [1_000, 10_000, 30_000],
        }
    }

    fn name(self) -> &'static str {
        match self {
            Check::Services => "other Services of three ports",
            Check::Ports => "ports of a new Service, and of another one at its address",
            Check::Unchanged => "ports that an update does not change",
        }
    }

    fn input(self, count: usize) -> (Value, Vec<Value>) {
        match self {
            Check::Services => {
                let others = (0..count).map(|index| service(&format!("other-{index}"), 81, 3)).collect();
                (request(&service("web", 80, 1), None), others)
            }
            Check::Ports => (request(&service("web", 1, count), None), vec![service("other", 1, count)]),
            Check::Unchanged => {
                let web = service("web", 1, count);
                (request(&web, Some(&web)), Vec::new())
            }
        }
    }
}

impl Conflicts {
    /// Measures the module of `external-ips`.
    ///
    /// # Errors
    /// A module that does not answer.
    pub fn measure(meter: &Meter) -> Result<Vec<Self>, String> {
        let settings = json!({ "conflicts": "DenySamePort", "allow": [{ "cidrs": ["192.0.2.0/24"] }] });
        let mut all = Vec::new();
        for check in Check::ALL {
            let mut usage = [Usage { fuel: 0, memory: 0 }; 3];
            for (count, usage) in check.counts().into_iter().zip(&mut usage) {
                let failed = |error: &dyn std::fmt::Display| format!("{count} {}: {error}", check.name());
                let (request, others) = check.input(count);
                let others = Objects::from_values(others).map_err(|error| failed(&error))?;
                let payload = json!({ "request": request, "settings": settings }).to_string().into_bytes();
                let evaluated = meter.validate(payload, &Arc::new(others));
                *usage = evaluated.map_err(|error| failed(&error))?.0;
            }
            all.push(Self { check, usage });
        }
        Ok(all)
    }

    fn each(&self) -> impl Iterator<Item = u64> {
        self.check.counts().into_iter().zip(self.usage).map(|(count, usage)| {
            usage.fuel.checked_div(u64::try_from(count).unwrap_or(u64::MAX)).unwrap_or_default()
        })
    }

    /// Returns a sentence if the largest check costs over half more for each Service or port than
    /// the smallest one, or if its memory exceeds that of an instance. Tables of ports are sorted
    /// and searched, which costs a logarithm.
    #[must_use]
    pub fn over_budget(&self) -> Option<String> {
        let (first, last) = (self.each().next()?, self.each().last()?);
        let memory = self.usage.last()?.memory;
        let name = self.check.name();
        if last > first.saturating_add(first / 2) {
            Some(format!("{name}: each of the most costs {last} instructions, of the fewest {first}"))
        } else {
            (memory > MEMORY).then(|| format!("{name}: {memory} bytes of memory; an instance has {MEMORY}"))
        }
    }
}

#[must_use]
pub(crate) fn table(all: &[Conflicts]) -> String {
    let mut text = String::from(
        "| external-ips, conflicts: DenySamePort | number | instructions | for each | memory, KiB |\n\
         |---|---:|---:|---:|---:|\n",
    );
    for conflicts in all {
        let Conflicts { check, usage } = conflicts;
        for ((count, usage), each) in check.counts().into_iter().zip(usage).zip(conflicts.each()) {
            let count = u64::try_from(count).unwrap_or(u64::MAX);
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} |",
                check.name(),
                grouped(count),
                grouped(usage.fuel),
                grouped(each),
                usage.memory / 1024,
            );
        }
    }
    text
}

/// Returns a Service with the given number of ports from the first one on, as the host returns it.
fn service(name: &str, first: usize, ports: usize) -> Value {
    let port = |port: usize| json!({ "name": format!("p{port}"), "port": port, "protocol": "TCP", "targetPort": port });
    let mut service = json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": { "app": name },
            "name": name,
            "namespace": "shop",
            "resourceVersion": "1234567",
            "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
        },
        "spec": { "clusterIP": "10.96.0.10", "clusterIPs": ["10.96.0.10"], "externalIPs": ["192.0.2.1"], "ports": [] },
        "status": { "loadBalancer": {} },
    });
    // The macro would serialize them.
    if let Some(of_service) = service.pointer_mut("/spec/ports") {
        *of_service = (first..).take(ports).map(port).collect();
    }
    service
}

fn request(object: &Value, old: Option<&Value>) -> Value {
    json!({
        "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
        "kind": { "group": "", "version": "v1", "kind": "Service" },
        "resource": { "group": "", "version": "v1", "resource": "services" },
        "name": "web",
        "namespace": "shop",
        "operation": if old.is_some() { "UPDATE" } else { "CREATE" },
        "userInfo": { "username": "alice" },
        "object": object,
        "oldObject": old,
    })
}
