//! The findings of a review, and the verdict that follows from them in either mode.

use admission::bounds::ANNOTATION;
use admission::{Change, Edits, Fault, Json, Node, Remedy, Verdict, Violation, Violations};

use crate::selinux::rule;
use crate::selinux::settings::{Mode, OnLookupFailure};
use crate::summary::summary;

/// The maximum number of changes to one object. Each edit is searched for among the others, so more
/// would take too long.
const MOST_CHANGES: usize = 1_000;

#[derive(Debug, Default)]
pub(super) struct Findings<'d> {
    pub(super) violations: Violations<'d>,
    missing: Vec<Missing<'d>>,
    pub(super) lacks_level: bool,
    /// Values that are added to the object and that no guard requires.
    additions: Vec<(Node<'d>, String)>,
    warnings: Vec<String>,
    annotations: Vec<(&'static str, String)>,
    on_lookup_failure: OnLookupFailure,
    errors: Vec<String>,
}

#[derive(Debug)]
struct Missing<'d> {
    field: &'static str,
    at: Node<'d>,
    value: String,
    /// The rule that requires the value; `None` if it is optional.
    rule: Option<String>,
}

impl<'d> Findings<'d> {
    pub(super) fn new(on_lookup_failure: OnLookupFailure) -> Self {
        Self { on_lookup_failure, ..Self::default() }
    }

    /// Adds a missing value. [`Mode::Validate`] denies the object by the rule, if there is one.
    pub(super) fn missing(&mut self, field: &'static str, at: Node<'d>, value: String, rule: Option<String>) {
        self.missing.push(Missing { field, at, value, rule });
    }

    /// Adds a value that [`Mode::Mutate`] writes and that [`Mode::Validate`] does not require.
    pub(super) fn add(&mut self, at: Node<'d>, value: &str) {
        self.additions.push((at, value.to_owned()));
    }

    pub(super) fn warn(&mut self, warning: &str, names: &[&str]) {
        self.warnings.push(summary(warning, names, 0));
    }

    /// Adds a warning that lists names, if there are any.
    pub(super) fn warn_of(&mut self, warning: &str, names: &[&str]) {
        if !names.is_empty() {
            self.warn(warning, names);
        }
    }

    pub(super) fn annotate(&mut self, key: &'static str, what: &str, names: &[&str]) {
        self.annotations.push((key, summary(what, names, 0)));
    }

    /// Adds a failed look-up as a warning, once, or returns it unless the settings tolerate it.
    pub(super) fn tolerate(&mut self, fault: Fault) -> Result<(), Fault> {
        if self.on_lookup_failure != OnLookupFailure::Warn {
            return Err(fault);
        }
        let error = fault.to_string();
        if !self.errors.contains(&error) {
            self.warnings.push(["selinux could not look up: ", &fault.place().to_string()].concat());
            self.errors.push(error);
        }
        Ok(())
    }

    /// The verdict. A denial carries no warnings and no changes.
    pub(super) fn verdict(mut self, mode: Mode) -> Result<Verdict<'d>, Fault> {
        let changes = self.missing.len().saturating_add(self.additions.len());
        let mut edits = Edits::default();
        let mut defaulted = Vec::new();
        if mode == Mode::Validate {
            for Missing { field, at, value, rule } in self.missing {
                if let Some(rule) = rule {
                    let remedy = Remedy::from(Change::SetText(value.into()));
                    self.violations.push(Violation::required(rule::of_field(field), at, rule, remedy));
                }
            }
        } else if changes > MOST_CHANGES
            && let Some(Missing { field, at, .. }) = self.missing.first()
        {
            let rule = "more than 1000 values are missing";
            let remedy = "set them for the pod instead of its containers";
            self.violations.push(Violation::forbidden(rule::of_field(field), *at, rule, remedy));
        } else if self.violations.is_empty() {
            let missing = self.missing.into_iter().map(|missing| (missing.at, missing.value));
            for (at, value) in missing.chain(self.additions) {
                edits.set(&at, value.as_str())?;
                defaulted.push((at.path(), value));
            }
        }
        let is_denied = !self.violations.is_empty();
        let mut verdict = if is_denied || mode == Mode::Validate {
            Verdict::from(self.violations)
        } else if changes > 0 {
            Verdict::from(edits)
                .annotate("defaulted", Json::object_within(ANNOTATION, &defaulted).into_text())
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

#[cfg(test)]
mod tests {
    use admission::{Decision, Outcome, evaluate};

    use crate::no_cluster::NoCluster;
    use crate::selinux::Selinux;

    /// Evaluates a pod whose containers each lack a level.
    fn evaluate_containers(count: usize) -> Decision {
        let container = r#"{"name":"a","securityContext":{"seLinuxOptions":{"type":"container_t"}}}"#;
        let payload = [
            r#"{"settings":{},"request":{"operation":"CREATE","kind":{"group":"","version":"v1","kind":"Pod"},"#,
            r#""namespace":"shop","object":{"spec":{"containers":["#,
            &vec![container; count].join(","),
            "]}}}}",
        ];
        evaluate::<Selinux, _>(payload.concat().as_bytes(), &NoCluster, |outcome| Outcome::from(outcome))
            .decision
    }

    #[test]
    fn adds_at_most_a_thousand_values() {
        assert!(matches!(evaluate_containers(1000), Decision::Mutated(_)));
        let Decision::Denied(findings) = evaluate_containers(1001) else {
            panic!("a thousand and one are added")
        };
        assert_eq!(
            findings.to_string(),
            "spec.containers[0].securityContext.seLinuxOptions.level: Forbidden: \
             more than 1000 values are missing; set them for the pod instead of its containers",
        );
    }
}
