//! Compares the answers of this project and of Kubernetes on generated cases.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde::Serialize;
use serde_json::json;

/// The most differing cases of a subject that are shown.
const SHOWN: usize = 3;

/// The most steps in which a differing case becomes smaller.
const STEPS: usize = 1_000;

/// The cases to generate.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub seed: u64,
    pub cases: u64,
}

/// The comparison of a case.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Outcome {
    Equal,
    /// A case on which the sides differ for a reason with a name.
    Named(&'static str),
    Different(String),
}

/// The comparisons of a subject.
#[derive(Debug, Default)]
pub struct Row {
    cases: u64,
    equal: u64,
    named: BTreeMap<&'static str, u64>,
    different: u64,
    /// The first cases that differ, as small as they become.
    shown: Vec<String>,
}

impl Row {
    /// Compares both sides on cases that are written by hand, and on generated ones.
    ///
    /// # Errors
    /// A side that does not answer.
    pub fn compare<S: Strategy>(
        plan: Plan,
        written: Vec<S::Value>,
        strategy: &S,
        mut ask: impl FnMut(&S::Value) -> Result<Outcome, String>,
    ) -> Result<Self, String>
    where
        S::Value: Serialize,
    {
        let mut row = Self::default();
        for case in written {
            if let Some(how) = row.count(ask(&case)?) {
                row.show(case, &how);
            }
        }
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&plan.seed.to_le_bytes());
        let random = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        let mut runner = TestRunner::new_with_rng(Config::default(), random);
        for _ in 0..plan.cases {
            let mut tree = strategy.new_tree(&mut runner).map_err(|reason| reason.to_string())?;
            if let Some(how) = row.count(ask(&tree.current())?) {
                let (case, how) = smallest(&mut tree, how, &mut ask)?;
                row.show(case, &how);
            }
        }
        Ok(row)
    }

    /// Counts a case. Returns how it differs if it is one of the first that do.
    pub fn count(&mut self, outcome: Outcome) -> Option<String> {
        self.cases += 1;
        match outcome {
            Outcome::Equal => self.equal += 1,
            Outcome::Named(reason) => *self.named.entry(reason).or_default() += 1,
            Outcome::Different(how) => {
                self.different += 1;
                return (self.shown.len() < SHOWN).then_some(how);
            }
        }
        None
    }

    /// Shows a case that differs.
    pub fn show(&mut self, case: impl Serialize, how: &str) {
        self.shown.push(format!("{how}\n{}", json!(case)));
    }

    /// Returns the first cases that differ, or `None` if there are none.
    #[must_use]
    pub fn difference(&self) -> Option<String> {
        (self.different > 0).then(|| self.shown.join("\n\n"))
    }

    /// Returns a sentence and the first cases that differ if more cases than those differ, or are
    /// not equal.
    #[must_use]
    pub fn growth(&self, [different, unequal]: &[u64; 2]) -> Option<String> {
        let now = [self.different, self.different + self.known()];
        let shown = || {
            let [now_different, now_unequal] = now;
            format!(
                "{now_different} cases differ, {different} did; {now_unequal} are not equal, {unequal} were\n{}",
                self.shown.join("\n\n")
            )
        };
        (now[0] > *different || now[1] > *unequal).then(shown)
    }

    /// Returns the number of cases that differ for a reason with a name.
    fn known(&self) -> u64 {
        self.named.values().sum()
    }
}

/// Returns the numbers of all subjects as Markdown.
#[must_use]
pub fn table(rows: &[(&str, Plan, Row)]) -> String {
    let mut text = String::from(
        "| subject | Kubernetes | seed | cases | equal | different for a known reason | different |\n\
         |---|---|---:|---:|---:|---:|---:|\n",
    );
    let version = version();
    for (subject, Plan { seed, .. }, row) in rows {
        let Row { cases, equal, different, .. } = row;
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| {subject} | {version} | {seed} | {cases} | {equal} | {} | {different} |",
            row.known()
        );
    }
    for (subject, _, row) in rows {
        for (reason, number) in &row.named {
            let _ = write!(text, "\n* {subject}, {number}: {reason}");
        }
    }
    text
}

/// Returns the version of Kubernetes that answers.
fn version() -> &'static str {
    const MODULES: &str = include_str!("kubernetes/go.mod");
    let mut lines = MODULES.lines().filter_map(|line| line.trim().strip_prefix("k8s.io/kubernetes v"));
    lines.next().unwrap_or_default()
}

/// Makes a differing case as small as it becomes.
fn smallest<T: ValueTree>(
    tree: &mut T,
    how: String,
    ask: &mut impl FnMut(&T::Value) -> Result<Outcome, String>,
) -> Result<(T::Value, String), String> {
    let mut smallest = (tree.current(), how);
    let mut can_change = tree.simplify();
    for _ in 0..STEPS {
        if !can_change {
            break;
        }
        can_change = match ask(&tree.current())? {
            Outcome::Different(how) => {
                smallest = (tree.current(), how);
                tree.simplify()
            }
            Outcome::Equal | Outcome::Named(_) => tree.complicate(),
        };
    }
    Ok(smallest)
}
