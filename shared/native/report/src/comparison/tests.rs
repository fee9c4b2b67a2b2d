use super::*;
use crate::sample;

fn report(policies: &[(&str, &str)], findings: Vec<Finding>) -> Report {
    let mut report = Report { findings, ..Report::default() };
    report.policies = policies
        .iter()
        .map(|(name, kind)| PolicyRef { kind: (*kind).to_owned(), ..sample::policy(name, None) })
        .collect();
    report.totals.evaluations = 1;
    report
}

fn with(status: Status) -> Vec<Finding> {
    vec![Finding { status, ..sample::finding() }]
}

const ONE: &[(&str, &str)] = &[("a", "ClusterAdmissionPolicy")];

#[test]
fn equal_reports_do_not_differ() {
    let report = report(ONE, with(Status::Denied));
    let comparison = Comparison::of(&report, &report);
    assert_eq!(comparison.totals, ComparisonTotals { stayed: 1, ..ComparisonTotals::default() });
    assert_eq!(comparison.exit(FailOn::Deny), Exit::Clean);
}

#[test]
fn verdicts_and_findings_change_with_the_status() {
    use Exit::{Clean, Failed, NotEvaluated};
    use Status::{Denied, Monitored, Unknown, Warned};
    let table = [
        (None, Some(Denied), "admitted denied", (1, 0), Failed),
        (Some(Denied), None, "denied admitted", (0, 1), Clean),
        (Some(Monitored), Some(Denied), "monitored denied", (1, 1), Failed),
        (Some(Denied), Some(Monitored), "denied monitored", (1, 1), Clean),
        (None, Some(Warned), "admitted warned", (1, 0), Clean),
        (None, Some(Unknown), "admitted unknown", (1, 0), NotEvaluated),
        (Some(Unknown), None, "unknown admitted", (0, 1), NotEvaluated),
    ];
    for (before, after, wanted, numbers, exit) in table {
        let report = |status: Option<Status>| report(ONE, status.map(with).unwrap_or_default());
        let comparison = Comparison::of(&report(before), &report(after));
        let verdicts: Vec<String> = comparison
            .verdicts
            .iter()
            .map(|change| format!("{} {}", change.before.name(), change.after.name()))
            .collect();
        assert_eq!(verdicts, [wanted]);
        assert_eq!((comparison.totals.new, comparison.totals.gone), numbers, "{wanted}");
        assert_eq!(comparison.exit(FailOn::Deny), exit, "{wanted}");
        assert_eq!(comparison.exit(FailOn::Never), Clean);
    }
}

#[test]
fn policies_are_paired_by_name_and_first_by_kind() {
    let sides = |before, after| {
        let comparison = Comparison::of(&report(before, Vec::new()), &report(after, Vec::new()));
        let kind = |policy: &Option<PolicyRef>| policy.as_ref().map(|policy| policy.kind.clone());
        let kinds = comparison.policies.iter().map(|pair| (kind(&pair.before), kind(&pair.after)));
        kinds.collect::<Vec<_>>()
    };
    let some = |kind: &str| Some(kind.to_owned());
    assert_eq!(sides(&[("a", "")], &[("a", "Group")]), [(some(""), some("Group"))]);
    assert_eq!(sides(&[("a", "X")], &[("b", "Y")]), [(None, some("Y")), (some("X"), None)]);
    assert_eq!(
        sides(&[("a", "X"), ("a", "Y")], &[("a", "Y"), ("a", "X")]),
        [(some("Y"), some("Y")), (some("X"), some("X"))]
    );
    assert_eq!(sides(&[("a", "X")], &[("a", "Z"), ("a", "X")]), [(None, some("Z")), (some("X"), some("X"))]);
}

#[test]
fn a_finding_of_a_pair_is_the_same_whatever_the_kind_and_the_order() {
    let before = report(&[("a", "")], with(Status::Denied));
    let moved = vec![Finding { policy: 1, ..sample::finding() }];
    let after = report(&[("b", ""), ("a", "ClusterAdmissionPolicy")], moved);
    assert_eq!(
        Comparison::of(&before, &after).totals,
        ComparisonTotals { stayed: 1, ..ComparisonTotals::default() }
    );
}

#[test]
fn a_policy_on_one_side_has_no_verdict_on_the_other() {
    let after = report(ONE, with(Status::Denied));
    let comparison = Comparison::of(&report(&[("b", "")], Vec::new()), &after);
    let change = comparison.verdicts.first().unwrap();
    assert_eq!((change.before, change.after), (Verdict::NoPolicy, Verdict::Found(Status::Denied)));
}

#[test]
fn a_policy_that_could_not_be_loaded_admits_nothing() {
    let denied = report(ONE, with(Status::Denied));
    let mut unloaded = report(ONE, Vec::new());
    unloaded.totals.policies = vec![crate::PolicyTotals { unknown: 1, ..Default::default() }];
    let comparison = Comparison::of(&unloaded, &denied);
    let before: Vec<Verdict> = comparison.verdicts.iter().map(|change| change.before).collect();
    assert_eq!(before, [Verdict::Found(Status::Unknown)]);
}

#[test]
fn only_the_further_findings_of_an_owner_are_new() {
    let folded = |names: &[&str]| {
        let others = names.iter().map(|name| (*name).to_owned()).collect();
        report(ONE, vec![Finding { others, ..sample::finding() }])
    };
    let comparison = Comparison::of(&folded(&["a"]), &folded(&["a", "b", "c", "d"]));
    let others: Vec<usize> = comparison.new.iter().map(|finding| finding.others.len()).collect();
    assert_eq!((others, comparison.totals.new, comparison.totals.gone), (vec![2], 3, 0));
}

#[test]
fn what_was_not_evaluated_outweighs_new_denials() {
    let (clean, denied) = (report(ONE, Vec::new()), report(ONE, with(Status::Denied)));
    let notice = Notice { level: Level::Error, place: None, message: "not YAML".to_owned() };
    let unread = |report: &Report| Report { notices: vec![notice.clone()], ..report.clone() };
    let partial = Report { is_partial: true, ..clean.clone() };
    let mut nothing = clean.clone();
    nothing.totals.evaluations = 0;
    let exit = |before: &Report, after: &Report| Comparison::of(before, after).exit(FailOn::Deny);
    assert_eq!(exit(&clean, &denied), Exit::Failed);
    assert_eq!(exit(&nothing, &denied), Exit::Failed);
    assert_eq!(exit(&unread(&clean), &denied), Exit::NotEvaluated);
    assert_eq!(exit(&clean, &unread(&denied)), Exit::NotEvaluated);
    assert_eq!(exit(&partial, &denied), Exit::NotEvaluated);
    assert_eq!(exit(&denied, &nothing), Exit::NotEvaluated);
    let messages = |before: &Report, after: &Report| {
        let notices = Comparison::of(before, after).notices;
        notices.into_iter().map(|notice| notice.message).collect::<Vec<_>>()
    };
    assert_eq!(messages(&unread(&clean), &unread(&denied)), ["not YAML"]);
    assert_eq!(messages(&unread(&clean), &denied), ["before: not YAML"]);
    assert_eq!(messages(&clean, &unread(&denied)), ["after: not YAML"]);
}

#[test]
fn what_stays_unknown_over_time_is_no_worse() {
    let unknown = Finding { status: Status::Unknown, ..sample::finding() };
    let error = |message: &str| Notice { level: Level::Error, place: None, message: message.to_owned() };
    let of = |findings: &[Finding], notices: &[Notice]| Report {
        findings: findings.to_vec(),
        notices: notices.to_vec(),
        ..sample::clean()
    };
    let since = |before: &Report, after: &Report| {
        let comparison = Comparison::since(before, after);
        (comparison.exit(FailOn::Warn), comparison.totals.stayed)
    };
    let before = of(std::slice::from_ref(&unknown), &[error("a")]);
    assert_eq!(since(&before, &before), (Exit::Clean, 1));
    assert_eq!(Comparison::of(&before, &before).exit(FailOn::Warn), Exit::NotEvaluated);
    let more = of(&[unknown.clone(), sample::finding()], &[]);
    assert_eq!(since(&before, &more), (Exit::Failed, 1));
    assert_eq!(since(&more, &before), (Exit::NotEvaluated, 1), "an error is new");
    assert_eq!(since(&sample::clean(), &of(&[unknown], &[])), (Exit::NotEvaluated, 0));
    for partial in [[true, false], [false, true]] {
        let [before, after] = partial.map(|is_partial| Report { is_partial, ..sample::clean() });
        assert_eq!(since(&before, &after).0, Exit::NotEvaluated);
    }
    assert_eq!(since(&sample::clean(), &Report::default()).0, Exit::NotEvaluated, "nothing was evaluated");
}
