//! The run of test files.

mod list;
mod listed;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use kubernetes::kinds::Kinds;
use manifest::{Cursor, Source};
use regex::Regex;
use scan::{Answer, Asked, Pods, Policy, Request};
use serde_json::Value;

use crate::case::{self, Case, Reader};
use crate::compare::{Difference, Named, compare};
use crate::files::{FileState, Files};
use crate::got::{Got, Verdict};
use crate::policies::{Modules, Policies, Settings};
use crate::results::{CaseResult, FileResult, Results, Status};
use crate::{Coverage, Mistake, bless, discover};

/// The options of a run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The policies of files that name none.
    pub policies: Vec<String>,
    /// The names of the cases that run; `None` for all.
    pub filter: Option<Regex>,
    /// Whether files may run programs that print objects.
    pub allows_commands: bool,
    /// Whether cases that fail are rewritten to want what happens.
    pub blesses: bool,
    /// Whether to measure what the cases cover.
    pub measures_coverage: bool,
    /// The percentage of coverage that fails the run if it is not reached.
    pub coverage_threshold: Option<u8>,
}

impl Options {
    fn measures(&self) -> bool {
        self.measures_coverage || self.coverage_threshold.is_some()
    }
}

/// A run, and the files that it depends on.
#[derive(Debug)]
pub struct Run {
    /// The results.
    pub results: Results,
    /// The files and directories that were read, with their state before that.
    pub read: BTreeMap<PathBuf, FileState>,
    /// The new texts of the test files whose cases were blessed, for the caller to write.
    pub blessed: BTreeMap<PathBuf, String>,
}

/// Runs the test files that paths name: files, and directories that contain some.
#[must_use]
pub fn run(paths: &[String], options: &Options, modules: &dyn Modules) -> Run {
    let files = Files::default();
    for path in paths {
        files.note(Path::new(path));
    }
    let (found, mistakes) = discover::find(paths, &files);
    let mut results = Results { mistakes, ..Results::default() };
    let coverage = RefCell::new(Coverage { threshold: options.coverage_threshold, ..Coverage::default() });
    let blessed = RefCell::default();
    for path in found {
        let runner =
            Runner { path: &path, options, modules, files: &files, coverage: &coverage, blessed: &blessed };
        results.files.push(runner.file());
    }
    results.coverage = options.measures().then(|| coverage.into_inner());
    Run { results, read: files.into_read(), blessed: blessed.into_inner() }
}

/// The keys of a test file with its own policies.
const KEYS: [&str; 4] = ["policies", "modules", "defaults", "cases"];

fn is_of_kyverno(document: &Value) -> bool {
    let text = |key: &str| document.get(key).and_then(Value::as_str).unwrap_or_default();
    text("apiVersion").starts_with("cli.kyverno.io/") && text("kind") == "Test"
}

/// Runs the case with an index, and returns how it differs from what it wants.
type RunCase<'r> = dyn FnMut(&Cursor<'_>, usize) -> Result<Vec<Difference>, Mistake> + 'r;

struct Runner<'r> {
    path: &'r Path,
    options: &'r Options,
    modules: &'r dyn Modules,
    files: &'r Files,
    coverage: &'r RefCell<Coverage>,
    blessed: &'r RefCell<BTreeMap<PathBuf, String>>,
}

impl Runner<'_> {
    fn file(&self) -> FileResult {
        let name = self.path.display().to_string();
        let mut result = FileResult { name: name.clone(), ..FileResult::default() };
        let text = match self.files.text(self.path) {
            Ok(text) => text,
            Err(problem) => {
                let problem = problem.strip_prefix(&format!("{name}: ")).unwrap_or(&problem).to_owned();
                result.mistakes.push(Mistake::new(&name, None, problem));
                return result;
            }
        };
        let documents = match manifest::own_documents(&text) {
            Ok(documents) => documents,
            Err(problem) => {
                result.mistakes.push(Mistake::new(&name, problem.at, problem.message()));
                return result;
            }
        };
        let source = Source::new(name.clone(), text);
        match documents.as_slice() {
            [value @ Value::Array(_)] => self.list(&Cursor::new(&source, value), &mut result),
            [value @ Value::Object(_)] if is_of_kyverno(value) => {
                let problem = "is a test of Kyverno, which kyverno test runs; convert its policies, and write a test \
                               file for the manifests, as portcullis test --init does";
                result.mistakes.push(Mistake::new(&name, None, problem));
            }
            [value @ Value::Object(_)] => self.envelope(&Cursor::new(&source, value), &mut result),
            _ => {
                let problem = "expected one list of cases, or one object with policies and cases";
                result.mistakes.push(Mistake::new(&name, None, problem));
            }
        }
        result
    }

    /// Runs the cases of a list: each asks the only policy, whatever its rules are.
    fn list(&self, at: &Cursor<'_>, result: &mut FileResult) {
        let listed = self.policies(None, result);
        if listed.len() > 1 {
            let problem =
                "a list of cases is about one policy; pass one --policy, or write policies and cases";
            result.mistakes.push(Mistake::new(&result.name, None, problem));
            return;
        }
        let mut policies = Policies::new(listed, self.modules, BTreeMap::new());
        result.policies = policies.names().into_iter().map(str::to_owned).collect();
        let Some(policy) = result.policies.first().cloned() else { return };
        let items = at.items().unwrap_or_default();
        let origin = policies.origin(&policy);
        self.coverage.borrow_mut().register(&policy, &origin, None);
        self.cases(&items, result, &mut |case, index| {
            let (verdict, differences) = list::case(case, index, &policy, &mut policies)?;
            self.coverage.borrow_mut().evaluated(&policy, &origin, &verdict);
            Ok(differences)
        });
    }

    fn envelope(&self, at: &Cursor<'_>, result: &mut FileResult) {
        if let Err(mistake) = at.check_keys(&KEYS) {
            result.mistakes.push(mistake);
        }
        let dir = self.path.parent().unwrap_or(Path::new(""));
        let mut policies = self.policies_of_envelope(at, dir, result);
        result.policies = policies.names().into_iter().map(str::to_owned).collect();
        self.register(&mut policies);
        let defaults = at.get("defaults");
        if let Some(Err(mistake)) = defaults.as_ref().map(|defaults| defaults.check_keys(&case::DEFAULTS)) {
            result.mistakes.push(mistake);
        }
        let items = match at.get("cases").map(|cases| cases.items()) {
            Some(Ok(items)) => items,
            Some(Err(mistake)) => {
                result.mistakes.push(mistake);
                return;
            }
            None => Vec::new(),
        };
        let mut reached = BTreeSet::new();
        let mut unusable = BTreeMap::new();
        self.cases(&items, result, &mut |case, _| {
            let reader = Reader {
                case: case.clone(),
                defaults: defaults.clone(),
                dir,
                files: self.files,
                allows_commands: self.options.allows_commands,
            };
            let read = reader.read(&policies)?;
            let loaded = policies.with(&read.settings).map_err(|problem| case.mistake(problem))?;
            for policy in &loaded {
                if let Some(problem) = policy.problem() {
                    unusable.insert(policy.reference.name.clone(), problem.to_owned());
                }
            }
            let got = self.evaluate(&read, &loaded, &policies);
            let is_reached = |(_, got): &(&String, &Got)| !matches!(got.verdict, Verdict::Skipped(..));
            reached.extend(got.iter().filter(is_reached).map(|(name, _)| name.clone()));
            Ok(differences(&read, &loaded, &got))
        });
        for (name, problem) in &unusable {
            let message = format!("policy {name} cannot be loaded: {problem}");
            result.mistakes.push(Mistake::new(&result.name, None, message));
        }
        let is_broken =
            |result: &FileResult| result.cases.iter().any(|case| matches!(case.status, Status::Broken(_)));
        // A case that cannot be read may be the one that reaches the policy.
        if self.options.filter.is_none() && !is_broken(result) && !result.cases.is_empty() {
            let is_missed = |name: &&String| !reached.contains(*name) && !unusable.contains_key(*name);
            result.not_reached = result.policies.iter().filter(is_missed).cloned().collect();
        }
    }

    /// Reads `policies` and `modules`.
    fn policies_of_envelope(&self, at: &Cursor<'_>, dir: &Path, result: &mut FileResult) -> Policies<'_> {
        let modules = match at.get("modules").map(|at| listed::modules(&at, dir)).transpose() {
            Ok(modules) => modules.unwrap_or_default(),
            Err(mistake) => {
                result.mistakes.push(mistake);
                BTreeMap::new()
            }
        };
        for file in modules.values() {
            self.files.note(file);
        }
        let listed = self.policies(at.get("policies").as_ref(), result);
        let policies = Policies::new(listed, self.modules, modules);
        for (name, one) in at.get("modules").and_then(|at| at.entries().ok()).unwrap_or_default() {
            if !policies.has_module(name) {
                result.mistakes.push(one.mistake(policies.unknown(name)));
            }
        }
        policies
    }

    /// Notes the policies of a file and their parts, so that they count if no case reaches them.
    fn register(&self, policies: &mut Policies<'_>) {
        if !self.options.measures() {
            return;
        }
        // A policy that cannot be loaded is reported by the cases.
        let loaded = policies.with(&Settings::new()).unwrap_or_default();
        let kinds = Kinds::default();
        let mut coverage = self.coverage.borrow_mut();
        for name in policies.names() {
            let policy = loaded.iter().find(|policy| policy.reference.name == name);
            let parts = policy.map(|policy| policy.webhook.observe(&kinds, &Value::Null, None));
            coverage.register(name, &policies.origin(name), parts);
        }
    }

    /// Asks the policies about the requests of a case.
    fn evaluate(&self, case: &Case, loaded: &[Rc<Policy>], policies: &Policies<'_>) -> BTreeMap<String, Got> {
        let mut all: BTreeMap<String, Got> = BTreeMap::new();
        let mut add = |policy: &Policy, got: Got| match all.get_mut(&policy.reference.name) {
            Some(known) => known.add(got),
            None => {
                all.insert(policy.reference.name.clone(), got);
            }
        };
        // A policy that rejects its settings evaluates nothing.
        let mut usable = Vec::new();
        for policy in loaded {
            match policy.settings_error() {
                Some(problem) => add(policy, Got::new(Verdict::SettingsError(problem))),
                None => usable.push(Rc::clone(policy)),
            }
        }
        let pods = if case.pods { Pods::Auto } else { Pods::Off };
        let mut receive = |answer: &Answer, asked: Asked<'_>| {
            let Some(policy) = usable.get(answer.policy) else { return };
            let got = Got::of(answer, asked);
            self.cover(policy, policies, case, asked.request, &got);
            add(policy, got);
        };
        for request in &case.requests {
            let of = if case.is_received { Request::new } else { Request::of_files };
            let mut request = of(request.clone());
            scan::ask_with_pods(&usable, &mut request, pods, &case.user, &case.cluster, &mut receive);
        }
        all
    }

    /// Notes what a request shows of a policy.
    fn cover(&self, policy: &Policy, policies: &Policies<'_>, case: &Case, request: &Value, got: &Got) {
        let name = &policy.reference.name;
        let origin = policies.origin(name);
        let namespace = request.get("namespace").and_then(Value::as_str).unwrap_or_default();
        let labels = case.cluster.namespace(namespace);
        let observation = policy.webhook.observe(case.cluster.kinds(), request, labels);
        let mut coverage = self.coverage.borrow_mut();
        coverage.observe(name, &origin, &observation);
        coverage.evaluated(name, &origin, &got.verdict);
    }

    fn cases(&self, items: &[Cursor<'_>], result: &mut FileResult, run: &mut RunCase<'_>) {
        if items.is_empty() {
            let problem = "has no case, so it tests nothing; write at least one";
            result.mistakes.push(Mistake::new(&result.name, None, problem));
        }
        let mut names = BTreeSet::new();
        let (mut edits, mut failed) = (Vec::new(), Vec::new());
        let lines: Vec<&str> =
            items.first().map(|case| case.source.text.lines().collect()).unwrap_or_default();
        for (index, case) in items.iter().enumerate() {
            let name = case.get("name").map(|name| name.text());
            let (name, problem) = match name {
                Some(Ok(name)) if names.insert(name) => (name.to_owned(), None),
                Some(Ok(name)) => (
                    name.to_owned(),
                    Some(case.mistake("another case has the same name; choose another one")),
                ),
                Some(Err(mistake)) => (number(index), Some(mistake)),
                None => {
                    let keys = case.check_keys(&case::keys()).err();
                    let problem = keys.unwrap_or_else(|| {
                        case.mistake("has no name; name the behaviour that the case shows")
                    });
                    (number(index), Some(problem))
                }
            };
            if self.options.filter.as_ref().is_some_and(|filter| !filter.is_match(&name)) {
                continue;
            }
            let status = match problem.map_or_else(|| run(case, index), Err) {
                Ok(differences) if differences.is_empty() => Status::Passed,
                Ok(differences) if self.options.blesses => match bless::edit(case, &lines, &differences) {
                    Ok(edit) => {
                        edits.push((index, edit));
                        failed.push((result.cases.len(), differences));
                        Status::Passed
                    }
                    Err(mistake) => Status::Broken(mistake),
                },
                Ok(differences) => Status::Failed(differences),
                Err(mistake) => Status::Broken(mistake),
            };
            result.cases.push(CaseResult { name, line: case.position().map(|at| at.line), status });
        }
        let Some(case) = items.first().filter(|_| !edits.is_empty()) else { return };
        let list = case.steps.get(..case.steps.len().saturating_sub(1)).unwrap_or_default();
        match bless::apply(case.source, list, &edits) {
            Ok(text) => {
                result.blessed = edits.len();
                self.blessed.borrow_mut().insert(self.path.to_path_buf(), text);
            }
            Err(mistake) => {
                result.mistakes.push(mistake);
                for (index, differences) in failed {
                    if let Some(case) = result.cases.get_mut(index) {
                        case.status = Status::Failed(differences);
                    }
                }
            }
        }
    }
}

fn number(index: usize) -> String {
    format!("case {}", index + 1)
}

/// Compares what policies did with what the case wants.
fn differences(case: &Case, policies: &[Rc<Policy>], got: &BTreeMap<String, Got>) -> Vec<Difference> {
    let is_one = case.requests.len() == 1;
    let difference = |policy: &Rc<Policy>| {
        let name = &policy.reference.name;
        let named = match (case.wants.by_policy.get(name), &case.wants.others) {
            (Some(want), _) => Named::Yes(want),
            (None, Some(want)) => Named::ByStar(want),
            (None, None) => Named::No,
        };
        match got.get(name) {
            Some(got) => compare(name, named, got, is_one),
            None => Some(Difference::not_asked(name, named)),
        }
    };
    let mut differences: Vec<Difference> = policies.iter().filter_map(difference).collect();
    let left = case.session.as_ref().map_or(0, |session| session.left());
    if left > 0 {
        differences.push(Difference::of_case(
            "# every exchange of the session is replayed",
            format!("# {left} of them are left, because no policy asks so much"),
        ));
    }
    differences
}
