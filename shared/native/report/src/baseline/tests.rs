use std::collections::BTreeSet;

use super::*;
use crate::{Exit, FailOn, exit, sample};

/// Only the files of the report exist.
const GONE: &dyn Fn(&str) -> bool = &|_| false;

/// A report with two equal findings and one more.
fn report() -> Report {
    let other = Finding { rule: "hostPID".to_owned(), ..sample::finding() };
    let mut report = sample::clean();
    report.findings = vec![sample::finding(), other, sample::finding()];
    report
}

#[test]
fn a_baseline_makes_its_report_clean() {
    let mut report = report();
    let baseline = Baseline::of(&report);
    assert_eq!(exit(&report, FailOn::Warn), Exit::Failed);
    assert_eq!(baseline.apply(&mut report, GONE, GONE), Applied { known: 3, moved: 0, gone: 0 });
    assert_eq!(exit(&report, FailOn::Warn), Exit::Clean);
}

#[test]
fn a_further_finding_with_the_same_fingerprint_is_new() {
    let mut report = report();
    let baseline = Baseline::of(&report);
    report.findings.push(sample::finding());
    assert_eq!(baseline.apply(&mut report, GONE, GONE).known, 3);
    let known: Vec<bool> = report.findings.iter().map(|finding| finding.is_known).collect();
    assert_eq!(known, [true, true, true, false]);
}

#[test]
fn an_object_that_moves_is_known_and_its_copies_are_new() {
    let at = |file: &str| {
        let mut finding = sample::finding();
        finding.place.as_mut().unwrap().file = file.to_owned();
        finding
    };
    let report =
        |files: &[&str]| Report { findings: files.iter().copied().map(at).collect(), ..sample::clean() };
    for (before, now, want) in [
        (&["dev.yaml"][..], &["dev.yaml", "prod.yaml"][..], &["dev.yaml"][..]),
        (&["dev.yaml"], &["prod.yaml"], &["prod.yaml"]),
        (&["dev.yaml"], &["a.yaml", "prod.yaml"], &["a.yaml"]),
        (&["a.yaml", "b.yaml"], &["b.yaml", "b.yaml", "c.yaml"], &["b.yaml", "c.yaml"]),
    ] {
        let mut now = report(now);
        let applied = Baseline::of(&report(before)).apply(&mut now, GONE, GONE);
        let known = now.findings.iter().filter(|finding| finding.is_known).map(Finding::file);
        assert_eq!(known.collect::<Vec<_>>(), want);
        assert_eq!(applied.gone, (before.len() - want.len()) as u64);
    }
}

#[test]
fn another_value_is_new() {
    let mut report = Report { findings: vec![sample::finding()], ..sample::clean() };
    let baseline = Baseline::of(&report);
    report.findings = vec![Finding { value_digest: Some("another".to_owned()), ..sample::finding() }];
    let applied = baseline.apply(&mut report, GONE, GONE);
    assert_eq!((applied.known, applied.gone), (0, 1));
}

#[test]
fn further_pods_of_an_owner_are_known() {
    let owner = crate::OwnerRef {
        api_version: "apps/v1".to_owned(),
        kind: "Deployment".to_owned(),
        name: "web".to_owned(),
    };
    let pod = |name: &str| {
        let mut finding = sample::finding();
        finding.object.owner = Some(owner.clone());
        finding.object.name = name.to_owned();
        finding
    };
    let report = |findings| Report { findings, ..sample::clean() };
    let baseline = Baseline::of(&report(vec![pod("a"), pod("b"), pod("b")]));
    let mut scaled = report(vec![pod("c"), pod("d"), pod("d"), pod("d"), pod("e")]);
    assert_eq!(baseline.apply(&mut scaled, GONE, GONE), Applied { known: 4, moved: 0, gone: 0 });
    let Applied { known, gone, .. } = baseline.apply(&mut report(vec![pod("c"), pod("d")]), GONE, GONE);
    assert_eq!((known, gone), (2, 1));
}

#[test]
fn findings_that_no_longer_occur_are_counted() {
    let mut report = report();
    let baseline = Baseline::of(&report);
    report.findings.truncate(1);
    let Applied { known, gone, .. } = baseline.apply(&mut report, GONE, GONE);
    assert_eq!((known, gone), (1, 2));
    assert_eq!(Baseline::of(&report).write().lines().count(), 2);
}

#[test]
fn unknown_and_excepted_findings_take_no_part() {
    for finding in [
        Finding { status: Status::Unknown, ..sample::finding() },
        Finding { excepted: Some("planned".to_owned()), ..sample::finding() },
    ] {
        let mut report = Report { findings: vec![finding.clone()], ..sample::clean() };
        assert_eq!(Baseline::of(&report), Baseline::default());
        let denied = Finding { status: Status::Denied, excepted: None, ..finding };
        let baseline = Baseline::of(&Report { findings: vec![denied], ..report.clone() });
        assert_eq!(baseline.apply(&mut report, GONE, GONE).known, 0);
    }
}

#[test]
fn a_written_baseline_is_read_back() {
    let baseline = Baseline::of(&sample::report());
    let text = baseline.write();
    assert_eq!(Baseline::read(&text), Ok(baseline));
    assert_eq!(Baseline::read(&text.replace('\n', "\r\n\n")).unwrap().write(), text);
    let lines: Vec<&str> = text.lines().skip(1).collect();
    assert!(lines.is_sorted() && lines.len() > 3, "{lines:?}");
}

#[test]
fn what_is_not_a_baseline_is_refused() {
    let text = Baseline::of(&sample::report()).write();
    let line = text.lines().nth(1).unwrap();
    let cases = [
        (String::new(), "not a baseline: the first line has no version; write the baseline again"),
        ("[]".to_owned(), "not a baseline: the first line has no version; write the baseline again"),
        (
            text.replace(r#""version":3"#, r#""version":1"#),
            "the baseline has version 1, this program knows 3; write the baseline again",
        ),
        (format!("{text}{line}\n"), "is listed twice"),
        (format!("{text}{{}}\n"), "is not an entry of a baseline: missing field `policy`"),
        (text.replace("count", "cuont"), "line 2 is not an entry of a baseline: unknown field `cuont`"),
    ];
    for (text, wanted) in cases {
        let error = Baseline::read(&text).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
}

/// A scan of a namespace or of files says nothing about the rest of a cluster.
#[test]
fn entries_of_another_namespace_are_kept() {
    let of = |namespace: Option<&str>, name: &str| {
        let mut finding = Finding { place: None, ..sample::finding() };
        finding.object.namespace = namespace.map(str::to_owned);
        finding.object.name = name.to_owned();
        finding
    };
    let whole = [of(Some("shop"), "a"), of(Some("other"), "b"), of(None, "c")];
    let report = |findings: &[Finding], namespace: Option<&str>| Report {
        findings: findings.to_vec(),
        namespace: namespace.map(str::to_owned),
        files: BTreeSet::new(),
        ..sample::clean()
    };
    let baseline = Baseline::of(&report(&whole, None));
    for (namespace, files, gone) in [(None, vec![], 3), (Some("shop"), vec![], 1), (None, vec!["a.yaml"], 0)]
    {
        let files = files.into_iter().map(str::to_owned).collect();
        let mut now = Report { files, ..report(&[], namespace) };
        assert_eq!(baseline.apply(&mut now, GONE, GONE).gone, gone, "{namespace:?}");
        let mut kept = Baseline::of(&now);
        kept.keep(baseline.clone(), &now, GONE);
        assert_eq!(kept.entries.len() as u64, 3 - gone, "{namespace:?}");
    }
}
