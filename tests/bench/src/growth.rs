//! The cost of a growing pod: the first container of `pod-create`, repeated.

use std::fmt::Write as _;
use std::sync::Arc;

use kubernetes::objects::Objects;
use serde_json::{Map, Value, json};

use crate::meter::Meter;
use crate::table::grouped;

/// The numbers of containers that are measured.
pub const CONTAINERS: [usize; 5] = [1, 5, 50, 100, 500];

/// The cost of pods of different sizes for a module.
#[derive(Clone, Debug)]
pub struct Growth {
    /// The id of the policy.
    pub module: String,
    /// Whether the containers have a security context; without one, they violate every level.
    pub containers: Containers,
    /// The instructions for each of [`CONTAINERS`].
    pub fuel: [u64; CONTAINERS.len()],
}

/// The security context of the containers of a growing pod.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Containers {
    /// As in `pod-create`.
    Compliant,
    /// Without a security context, in the containers and in the pod.
    Careless,
}

impl Growth {
    /// Measures a module.
    ///
    /// # Errors
    /// A module that does not answer, or a request without a pod.
    pub fn measure(
        id: &str,
        meter: &Meter,
        request: &Value,
        cluster: &Arc<Objects>,
    ) -> Result<Vec<Self>, String> {
        let mut all = Vec::new();
        for containers in [Containers::Compliant, Containers::Careless] {
            let mut fuel = [0; CONTAINERS.len()];
            for (count, fuel) in CONTAINERS.iter().zip(&mut fuel) {
                let pod = grown(request, *count, containers).ok_or("pod-create has no container")?;
                let payload = json!({ "request": pod, "settings": {} }).to_string().into_bytes();
                let evaluated = meter.validate(payload, cluster);
                *fuel = evaluated.map_err(|error| format!("{id} on {count} containers: {error}"))?.0.fuel;
            }
            all.push(Self { module: id.into(), containers, fuel });
        }
        Ok(all)
    }

    /// Returns the cost of an additional container between neighbours in [`CONTAINERS`].
    fn steps(&self) -> impl Iterator<Item = u64> {
        let points = || CONTAINERS.iter().zip(&self.fuel);
        points().zip(points().skip(1)).map(|((few, less), (many, more))| {
            let containers = u64::try_from(many.saturating_sub(*few)).unwrap_or(u64::MAX);
            more.saturating_sub(*less).checked_div(containers).unwrap_or_default()
        })
    }

    /// Returns a sentence if the last containers cost over a tenth more than the first ones.
    /// Numbers get longer, and growing memory is copied.
    #[must_use]
    pub fn more_than_linear(&self) -> Option<String> {
        let (first, last) = (self.steps().next()?, self.steps().last()?);
        let Self { module, containers, .. } = self;
        (last > first.saturating_add(first / 10)).then(|| {
            format!("{module}: the last containers ({containers:?}) cost {last} instructions each, the first {first}")
        })
    }
}

#[must_use]
pub(crate) fn table(growths: &[Growth]) -> String {
    let mut text = String::from("| module | containers |");
    for count in CONTAINERS {
        // Writing to a string does not fail.
        let _ = write!(text, " {count} |");
    }
    text.push_str(" each additional container, first to last |\n|---|---|");
    text.push_str(&"---:|".repeat(CONTAINERS.len()));
    text.push_str("---|\n");
    for growth in growths {
        let _ = write!(text, "| {} | {} |", growth.module, growth.containers.name());
        for fuel in growth.fuel {
            let _ = write!(text, " {} |", grouped(fuel));
        }
        let steps: Vec<String> = growth.steps().map(grouped).collect();
        let _ = writeln!(text, " {} |", steps.join(", "));
    }
    text
}

impl Containers {
    fn name(self) -> &'static str {
        match self {
            Containers::Compliant => "as in pod-create",
            Containers::Careless => "without a security context",
        }
    }
}

fn grown(request: &Value, count: usize, containers: Containers) -> Option<Value> {
    let mut request = request.clone();
    let spec = request.pointer_mut("/object/spec")?.as_object_mut()?;
    let mut container = spec.get("containers")?.get(0)?.as_object()?.clone();
    if containers == Containers::Careless {
        container.remove("securityContext");
        spec.remove("securityContext");
    }
    let named = |index| {
        let mut container: Map<String, Value> = container.clone();
        container.insert("name".into(), json!(format!("app-{index}")));
        Value::from(container)
    };
    spec.insert("containers".into(), (0..count).map(named).collect());
    Some(request)
}
