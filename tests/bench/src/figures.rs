//! The figures, their budgets and their tables.

use std::fmt::Write as _;
use std::iter;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use admission::PolicyEntry;
use kubernetes::objects::Objects;
use serde_json::{Value, json};

use crate::conflicts::{self, Conflicts};
use crate::growth::{self, Growth};
use crate::meter::{Meter, Usage};
use crate::table::{cells, grouped};

/// All figures of one run.
#[derive(Debug)]
pub struct Figures {
    /// The size of each module.
    pub sizes: Vec<SizeOf>,
    /// The cost of each request for each module.
    pub costs: Vec<Cost>,
    /// The cost of growing pods, for the modules that read containers.
    pub growths: Vec<Growth>,
    /// The cost of looking for conflicts between Services.
    pub conflicts: Vec<Conflicts>,
}

/// The size of a module.
#[derive(Clone, Debug)]
pub struct SizeOf {
    /// The id of the policy, or `floor`.
    pub module: String,
    /// The bytes of the module as built.
    pub bytes: usize,
    /// The bytes of the module with its metadata, as published.
    pub annotated: usize,
    /// The limit for the bytes as built.
    pub budget: Option<usize>,
}

/// The cost of a request.
#[derive(Clone, Debug)]
pub struct Cost {
    /// The id of the policy.
    pub module: String,
    /// The name of the request file.
    pub request: String,
    /// The cost of the module.
    pub usage: Usage,
    /// The cost of the floor.
    pub floor: Usage,
    /// The limit for the module.
    pub budget: Budget,
}

/// The cost that a request may have, relative to the floor. Except for changed objects, each budget
/// adds 12,000 instructions for registering operations, reading settings and writing an answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Budget {
    /// The floor, for a request that the policy evaluates.
    Evaluated,
    /// 1.2 times the floor, for a Service that the policy evaluates, of which it reads nearly all.
    Service,
    /// 1.3 times the floor, for a request that depends on two look-ups, whose answers the floor
    /// does not read, and is denied with four violations.
    LookedUp,
    /// 1.5 times the floor, for a request that the policy may change: the object is written again.
    Changed,
    /// 0.4 times the floor, for a request that does not match the policy.
    Passed,
}

impl Budget {
    fn instructions(self, floor: u64) -> u64 {
        let (tenths, constant) = match self {
            Budget::Evaluated => (10, 12_000),
            Budget::Service => (12, 12_000),
            Budget::LookedUp => (13, 12_000),
            Budget::Changed => (15, 0),
            Budget::Passed => (4, 12_000),
        };
        (floor.saturating_mul(tenths) / 10).saturating_add(constant)
    }
}

impl Figures {
    /// Measures the modules that `just modules` built, each on its own thread.
    ///
    /// # Errors
    /// A module that is not built or does not answer.
    ///
    /// # Panics
    /// If the measurement of a module panics.
    pub fn measure() -> Result<Self, String> {
        let wasm = read(&root().join("target/floor.wasm"))?;
        let bytes = wasm.len();
        let mut all = Self {
            sizes: vec![SizeOf { module: "floor".into(), bytes, annotated: bytes, budget: None }],
            costs: Vec::new(),
            growths: Vec::new(),
            conflicts: Vec::new(),
        };
        let floor = Meter::new(&wasm).map_err(|error| format!("floor: {error}"))?;
        let (requests, cluster) = (requests()?, cluster()?);
        let of_policy = |entry| Self::of_policy(entry, &floor, &requests, &cluster);
        thread::scope(|scope| {
            let measured: Vec<_> =
                rules::CATALOG.iter().map(|entry| scope.spawn(move || of_policy(entry))).collect();
            for figures in measured {
                let figures = figures.join().unwrap_or_else(|panic| resume_unwind(panic))?;
                all.sizes.extend(figures.sizes);
                all.costs.extend(figures.costs);
                all.growths.extend(figures.growths);
                all.conflicts.extend(figures.conflicts);
            }
            Ok(all)
        })
    }

    fn of_policy(
        entry: &'static PolicyEntry,
        floor: &Meter,
        requests: &[(String, Value)],
        cluster: &Arc<Objects>,
    ) -> Result<Self, String> {
        let wasm = read(&root().join("target/policies").join(format!("{}.wasm", entry.id)))?;
        let built = format!("target/wasm32-unknown-unknown/release/{}.wasm", entry.id.replace('-', "_"));
        let size = SizeOf {
            module: entry.id.into(),
            bytes: read(&root().join(built))?.len(),
            annotated: wasm.len(),
            budget: Some(size_budget(entry.id)),
        };
        let meter = Meter::new(&wasm).map_err(|error| format!("{}: {error}", entry.id))?;
        let (mut costs, mut growths) = (Vec::new(), Vec::new());
        for (suffix, settings) in iter::once(("", json!({}))).chain(further_settings(entry.id)) {
            for (name, request) in requests {
                let payload = json!({ "request": request, "settings": settings }).to_string().into_bytes();
                let run = |meter: &Meter| meter.validate(payload.clone(), cluster).map(|(usage, _)| usage);
                costs.push(Cost {
                    module: format!("{}{suffix}", entry.id),
                    request: name.clone(),
                    usage: run(&meter).map_err(|error| format!("{} on {name}: {error}", entry.id))?,
                    floor: run(floor).map_err(|error| format!("floor on {name}: {error}"))?,
                    budget: budget_of(entry, request, suffix),
                });
                if name == "pod-create" && suffix.is_empty() && reads_containers(entry.id) {
                    growths.extend(Growth::measure(entry.id, &meter, request, cluster)?);
                }
            }
        }
        let finds_conflicts = entry.id == "external-ips";
        let conflicts = if finds_conflicts { Conflicts::measure(&meter)? } else { Vec::new() };
        Ok(Self { sizes: vec![size], costs, growths, conflicts })
    }

    /// Returns one sentence for each figure that exceeds its budget.
    #[must_use]
    pub fn over_budget(&self) -> Vec<String> {
        let sizes = self.sizes.iter().filter_map(|SizeOf { module, bytes, budget, .. }| {
            let budget = (*budget)?;
            (*bytes > budget).then(|| format!("{module} has {bytes} bytes; its budget is {budget}"))
        });
        let all: usize = self.sizes.iter().filter(|size| size.budget.is_some()).map(|size| size.bytes).sum();
        let all = (all > ALL_MODULES)
            .then(|| format!("the modules have {all} bytes in all; their budget is {ALL_MODULES}"));
        let costs = self.costs.iter().filter_map(|cost| {
            let (fuel, most) = (cost.usage.fuel, cost.budget.instructions(cost.floor.fuel));
            let Cost { module, request, .. } = cost;
            (fuel > most)
                .then(|| format!("{module} takes {fuel} instructions for {request}; its budget is {most}"))
        });
        let growths = self.growths.iter().filter_map(Growth::more_than_linear);
        let conflicts = self.conflicts.iter().filter_map(Conflicts::over_budget);
        sizes.chain(all).chain(costs).chain(growths).chain(conflicts).collect()
    }

    /// Returns one sentence for each figure that is more than 3 % above a committed table.
    ///
    /// # Errors
    /// A table without one of the figures.
    pub fn grown(&self, table: &str) -> Result<Vec<String>, String> {
        let committed = |key: &[&str], column: usize| {
            let row =
                table.lines().map(cells).find(|cells| key.iter().zip(cells).all(|(key, cell)| key == cell));
            let figure = row.as_ref().and_then(|cells| cells.get(column)).map(|cell| cell.replace(',', ""));
            figure
                .and_then(|figure| figure.parse::<u64>().ok())
                .ok_or_else(|| format!("the table has no figure for {}; run ./justw bless", key.join(", ")))
        };
        let mut grown = Vec::new();
        let mut compare = |what: String, now: u64, before: u64| {
            if now > before.saturating_add(before.saturating_mul(3) / 100) {
                grown.push(format!("{what}: {now}, more than 3 % above {before} in the table"));
            }
        };
        for size in &self.sizes {
            let before = committed(&[&size.module], 1)?;
            compare(
                format!("bytes of {}", size.module),
                u64::try_from(size.bytes).unwrap_or(u64::MAX),
                before,
            );
        }
        for cost in &self.costs {
            let before = committed(&[&cost.module, &cost.request], 2)?;
            compare(format!("{} on {}", cost.module, cost.request), cost.usage.fuel, before);
        }
        Ok(grown)
    }

    /// Returns the tables, for people and for [`grown`](Self::grown).
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = String::from("| module | bytes | budget | with metadata |\n|---|---:|---:|---:|\n");
        for SizeOf { module, bytes, annotated, budget } in &self.sizes {
            let budget =
                budget.map_or_else(String::new, |budget| grouped(u64::try_from(budget).unwrap_or(u64::MAX)));
            let bytes = grouped(u64::try_from(*bytes).unwrap_or(u64::MAX));
            let annotated = grouped(u64::try_from(*annotated).unwrap_or(u64::MAX));
            // Writing to a string does not fail.
            let _ = writeln!(text, "| {module} | {bytes} | {budget} | {annotated} |");
        }
        text.push_str("\n| module | request | instructions | floor | ratio | budget | memory, KiB |\n");
        text.push_str("|---|---|---:|---:|---:|---:|---:|\n");
        for Cost { module, request, usage, floor, budget } in &self.costs {
            let hundredths = usage.fuel.saturating_mul(100).checked_div(floor.fuel).unwrap_or_default();
            let _ = writeln!(
                text,
                "| {module} | {request} | {} | {} | {}.{:02} | {} | {} |",
                grouped(usage.fuel),
                grouped(floor.fuel),
                hundredths / 100,
                hundredths % 100,
                grouped(budget.instructions(floor.fuel)),
                usage.memory / 1024,
            );
        }
        text.push('\n');
        text.push_str(&growth::table(&self.growths));
        text.push('\n');
        text.push_str(&conflicts::table(&self.conflicts));
        text
    }
}

const KB: usize = 1000;

/// The size that all modules may have together, in bytes.
const ALL_MODULES: usize = 720 * KB;

/// Returns the limit for the bytes of a module: 200 KB for the two policies with the most rules,
/// 125 KB for the others. The metadata does not count, because its size depends on the texts of the
/// policy.
fn size_budget(id: &str) -> usize {
    if reads_containers(id) { 200 * KB } else { 125 * KB }
}

fn reads_containers(id: &str) -> bool {
    matches!(id, "pod-security" | "selinux")
}

fn budget_of(entry: &PolicyEntry, request: &Value, suffix: &str) -> Budget {
    let kind = |name: &str| request.pointer(&format!("/kind/{name}")).and_then(Value::as_str);
    let covered =
        entry.scope.0.iter().any(|rule| Some(rule.kind) == kind("kind") && Some(rule.group) == kind("group"));
    // Two policies evaluate only node users.
    let by_a_node = request
        .pointer("/userInfo/username")
        .and_then(Value::as_str)
        .is_some_and(|user| user.starts_with("system:node:"));
    let about_nodes = matches!(entry.id, "node-labels" | "node-pods");
    match (covered, about_nodes) {
        (false, _) => Budget::Passed,
        (true, true) => {
            if by_a_node && entry.id == "node-pods" {
                Budget::LookedUp
            } else if by_a_node {
                Budget::Evaluated
            } else {
                Budget::Passed
            }
        }
        // By default, it adds missing levels to pods.
        (true, false) if entry.id == "selinux" && suffix.is_empty() => Budget::Changed,
        (true, false) if kind("kind") == Some("Service") => Budget::Service,
        (true, false) => Budget::Evaluated,
    }
}

/// Returns settings to measure in addition to the defaults, with their name in the table.
fn further_settings(id: &str) -> Option<(&'static str, Value)> {
    (id == "selinux").then(|| (", mode: Validate", json!({ "mode": "Validate" })))
}

/// Returns the payload of a request file, and the objects that look-ups find.
///
/// # Errors
/// A file that is missing or not JSON.
pub fn payload(request: &str, settings: &Value) -> Result<(Vec<u8>, Arc<Objects>), String> {
    let request = requests()?.into_iter().find(|(name, _)| name == request);
    let (_, request) = request.ok_or("tests/bench/requests has no such request")?;
    Ok((json!({ "request": request, "settings": settings }).to_string().into_bytes(), cluster()?))
}

/// Reads the objects that look-ups find.
fn cluster() -> Result<Arc<Objects>, String> {
    let file = root().join("tests/bench/cluster.json");
    let objects = serde_json::from_slice(&read(&file)?).map_err(|error| error.to_string());
    let objects =
        objects.and_then(|objects| Objects::from_values(objects).map_err(|error| error.to_string()));
    objects.map(Arc::new).map_err(|error| format!("{}: {error}", file.display()))
}

/// Reads the request files, by name and without nulls, which the host omits.
fn requests() -> Result<Vec<(String, Value)>, String> {
    let dir = root().join("tests/bench/requests");
    let entries = std::fs::read_dir(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    files
        .iter()
        .map(|file| {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let mut request: Value = serde_json::from_slice(&read(file)?)
                .map_err(|error| format!("{}: {error}", file.display()))?;
            if let Value::Object(fields) = &mut request {
                fields.retain(|_, value| !value.is_null());
            }
            Ok((name, request))
        })
        .collect()
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let is_built = path.extension().is_some_and(|extension| extension == "wasm");
    let remedy = if is_built { "; build it with scripts/modules floor" } else { "" };
    std::fs::read(path).map_err(|error| format!("{}: {error}{remedy}", path.display()))
}

/// Returns the root of the repository.
#[must_use]
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}
