//! What is found of an object, and what becomes of it in either mode.

use admission::{Edits, Fault, Json, Node, ObjectWriter, Verdict, Violation, Violations};

use super::settings::Mode;
use crate::summary::summary;

/// The most changes of one object. An object with more to change is denied, as each is looked for among the others.
const MOST_CHANGES: usize = 1_000;

/// What is refused, what is missing, and what is said.
#[derive(Debug, Default)]
pub(super) struct Findings<'d> {
    pub(super) violations: Violations<'d>,
    missing: Vec<Missing<'d>>,
    /// Whether a level is missing.
    pub(super) lacks_level: bool,
    /// Changes that nothing depends on.
    additions: Vec<(Node<'d>, String)>,
    warnings: Vec<String>,
    annotations: Vec<(&'static str, String)>,
    /// Why something could not be judged.
    errors: Vec<String>,
}

/// What is missing at a place, and what it gets there.
#[derive(Debug)]
struct Missing<'d> {
    at: Node<'d>,
    value: String,
    /// Why it has to be there; `None` where it may be missing.
    demand: Option<String>,
}

impl<'d> Findings<'d> {
    /// Adds a value that is missing; a guard demands it for the reason, if there is one.
    pub(super) fn miss(&mut self, at: Node<'d>, value: String, demand: Option<String>) {
        self.missing.push(Missing { at, value, demand });
    }

    /// Adds a value that an object gets and need not have.
    pub(super) fn add(&mut self, at: Node<'d>, value: &str) {
        self.additions.push((at, value.to_owned()));
    }

    /// Adds a warning about some names.
    pub(super) fn warn(&mut self, what: &str, names: &[&str]) {
        self.warnings.push(summary(what, names, 0));
    }

    /// The same, unless there are none.
    pub(super) fn warn_of(&mut self, what: &str, names: &[&str]) {
        if !names.is_empty() {
            self.warn(what, names);
        }
    }

    /// Adds an annotation for the audit log about some names.
    pub(super) fn annotate(&mut self, key: &'static str, what: &str, names: &[&str]) {
        self.annotations.push((key, summary(what, names, 0)));
    }

    /// Adds what could not be looked up, once.
    pub(super) fn could_not(&mut self, fault: &Fault) {
        let error = fault.to_string();
        if !self.errors.contains(&error) {
            self.warnings.push(["selinux could not look up: ", &fault.place().to_string()].concat());
            self.errors.push(error);
        }
    }

    /// What becomes of the object. What is denied is told why, and nothing besides.
    ///
    /// # Errors
    /// A place that cannot be changed.
    pub(super) fn verdict(mut self, mode: Mode) -> Result<Verdict<'d>, Fault> {
        let changes = self.missing.len().saturating_add(self.additions.len());
        let mut edits = Edits::default();
        let mut defaulted = ObjectWriter::new();
        if mode == Mode::Validate {
            for Missing { at, value, demand } in self.missing {
                if let Some(demand) = demand {
                    let remedy = ["set it to ", &value].concat();
                    self.violations.push(Violation::required(at, demand, remedy));
                }
            }
        } else if changes > MOST_CHANGES
            && let Some(Missing { at, .. }) = self.missing.first()
        {
            let rule = "more than 1000 places lack something";
            let remedy = "set it for the pod instead of its containers";
            self.violations.push(Violation::forbidden(*at, rule, remedy));
        } else if self.violations.is_empty() {
            let missing = self.missing.into_iter().map(|missing| (missing.at, missing.value));
            for (at, value) in missing.chain(self.additions) {
                edits.set(&at, value.as_str())?;
                defaulted = defaulted.text(&at.path(), &value);
            }
        }
        let is_denied = !self.violations.is_empty();
        let mut verdict = if is_denied || mode == Mode::Validate {
            Verdict::from(self.violations)
        } else if changes > 0 {
            Verdict::from(edits).annotate("defaulted", Json::from(defaulted).into_text())
        } else {
            Verdict::admit()
        };
        if !is_denied {
            for warning in self.warnings {
                verdict = verdict.warn(warning);
            }
            for (key, value) in self.annotations {
                verdict = verdict.annotate(key, value);
            }
        }
        if self.errors.is_empty() {
            Ok(verdict)
        } else {
            Ok(verdict.annotate("error", self.errors.join("; ")))
        }
    }
}
