//! Metrics in the text format of Prometheus, for the textfile collector of the node exporter.
//!
//! Sources: `instrumenting/exposition_formats.md` of prometheus/docs and
//! `specs/om/open_metrics_spec.md` there. The text is valid in both formats: it has gauges alone,
//! whose names have no suffix that `OpenMetrics` reserves, and it ends with `# EOF`, which is a
//! comment in the older format. There is neither a time nor a duration, so that equal scans give
//! equal texts; the collector exports the time of the file as `node_textfile_mtime_seconds`.
//!
//! Labels are policies, their namespaces, those of objects, verdicts and states: the number of
//! series does not grow with the number of objects or messages.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::names::View;
use crate::{Exit, FailOn, Finding, Level, PolicyTotals, Report, Severity, exit};

/// The value of a label, or a gauge, is a number of objects or findings.
type Labels<'r> = Vec<(&'static str, &'r str)>;

/// Writes the metrics.
pub(super) fn write(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    let totals = &report.totals;
    let none = || Labels::new();
    let one = |value| [(none(), value)];
    family(out, "portcullis_scan_objects", "Objects that the scan read.", one(totals.objects))?;
    let help = "Objects that no policy looked at.";
    family(out, "portcullis_scan_unmatched_objects", help, one(totals.not_judged))?;
    let help = "Pairs of an object and a policy that judged it.";
    family(out, "portcullis_scan_evaluations", help, one(totals.evaluations))?;
    let help = "Whether the scan judged everything: 0 if it was interrupted, if input could not be read, if a verdict \
                is unknown, or if nothing was judged.";
    let is_complete = exit(report, FailOn::Deny) != Exit::NotJudged && report.shard.is_none();
    family(out, "portcullis_scan_complete", help, one(u64::from(is_complete)))?;
    let notices = LEVELS.map(|(name, level)| {
        let number = report.notices.iter().filter(|notice| notice.level == level).count();
        (vec![("level", name)], u64::try_from(number).unwrap_or(u64::MAX))
    });
    family(out, "portcullis_scan_notices", "Problems of the input, by level.", notices)?;
    write_policies(out, report)?;
    writeln!(out, "# EOF")
}

const LEVELS: [(&str, Level); 3] =
    [("error", Level::Error), ("warning", Level::Warning), ("note", Level::Note)];

/// A verdict: its name and its number of objects. Each object has one verdict of each policy.
type Verdict = (&'static str, fn(&PolicyTotals) -> u64);

const VERDICTS: [Verdict; 6] = [
    ("admitted", |totals| totals.admitted.saturating_sub(totals.mutated)),
    ("mutated", |totals| totals.mutated),
    ("denied", |totals| totals.denied),
    ("monitored", |totals| totals.monitored),
    ("unknown", |totals| totals.unknown),
    ("skipped", |totals| totals.skipped),
];

fn write_policies(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    let view = View::new(report);
    let labels = view.labels();
    let policies = labels.iter().zip(&report.policies).map(|(label, policy)| {
        let labels = vec![
            ("policy", label.as_str()),
            ("mode", if policy.protects { "protect" } else { "monitor" }),
            ("severity", policy.severity.map_or("", Severity::name)),
            ("category", policy.category.as_deref().unwrap_or_default()),
        ];
        (labels, 1)
    });
    family(out, "portcullis_policy", "Policies of the scan.", policies)?;
    let verdicts = labels.iter().zip(&report.totals.policies).flat_map(|(label, totals)| {
        VERDICTS.map(|(name, number)| (vec![("policy", label.as_str()), ("verdict", name)], number(totals)))
    });
    let help = "Objects by the verdict of a policy.";
    family(out, "portcullis_policy_objects", help, verdicts)?;
    let mut findings: BTreeMap<_, u64> = BTreeMap::new();
    for finding in &report.findings {
        let namespace = finding.object.namespace.as_deref().unwrap_or_default();
        let key = (view.label(finding), namespace, finding.status, state(finding));
        let count = findings.entry(key).or_default();
        *count = count.saturating_add(finding.objects());
    }
    let findings = findings.into_iter().map(|((policy, namespace, status, state), count)| {
        let labels =
            vec![("policy", policy), ("namespace", namespace), ("verdict", status.name()), ("state", state)];
        (labels, count)
    });
    let help = "Findings of a policy in the objects of a namespace, which is empty for those of the cluster.";
    family(out, "portcullis_findings", help, findings)
}

/// Whether a finding counts.
fn state(finding: &Finding) -> &'static str {
    if finding.excepted.is_some() {
        "excepted"
    } else if finding.is_known {
        "known"
    } else {
        "open"
    }
}

/// Writes a gauge with its values. Those with the same labels are added: a scan can have a policy
/// twice, and a duplicate series makes the whole file invalid.
fn family<'r>(
    out: &mut dyn Write,
    name: &str,
    help: &str,
    values: impl IntoIterator<Item = (Labels<'r>, u64)>,
) -> io::Result<()> {
    writeln!(out, "# HELP {name} {help}\n# TYPE {name} gauge")?;
    let mut series: Vec<(String, u64)> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for (labels, value) in values {
        let labels: Vec<String> =
            labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        let text = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let index = *known.entry(text.clone()).or_insert(series.len());
        match series.get_mut(index) {
            Some((_, sum)) => *sum = sum.saturating_add(value),
            None => series.push((text, value)),
        }
    }
    series.iter().try_for_each(|(labels, value)| writeln!(out, "{name}{labels} {value}"))
}

/// Returns the value of a label. Control characters cannot reach a terminal that shows the file.
fn escaped(value: &str) -> String {
    crate::one_line(value).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::format::tests::written;
    use crate::{Format, sample};

    /// Labels and value of a line.
    type Sample = (String, BTreeMap<String, String>, f64);

    /// A strict reader of what both formats have in common.
    fn read(text: &str) -> Vec<Sample> {
        let body = text.strip_suffix("# EOF\n").expect("the last line is # EOF");
        let (mut samples, mut family, mut families) = (Vec::new(), String::new(), BTreeSet::new());
        let mut lines = body.lines();
        while let Some(line) = lines.next() {
            if let Some(help) = line.strip_prefix("# HELP ") {
                let (name, help) = help.split_once(' ').unwrap();
                assert!(families.insert(name.to_owned()), "{name} twice");
                assert!(!help.contains(['\\', '"']) && help.ends_with('.'), "{help}");
                assert_eq!(lines.next().unwrap(), format!("# TYPE {name} gauge"));
                for suffix in ["_total", "_created", "_count", "_sum", "_bucket", "_info", "_gcount", "_gsum"]
                {
                    assert!(!name.ends_with(suffix), "{name}");
                }
                family = name.to_owned();
                continue;
            }
            let sample = sample(line);
            assert_eq!(sample.0, family, "{line}");
            samples.push(sample);
        }
        samples
    }

    fn is_name(name: &str) -> bool {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    fn sample(line: &str) -> Sample {
        let end = line.find(['{', ' ']).unwrap();
        let (name, mut rest) = line.split_at(end);
        assert!(is_name(name), "{line}");
        let mut labels = BTreeMap::new();
        if let Some(mut inner) = rest.strip_prefix('{') {
            loop {
                let (label, value) = inner.split_once("=\"").unwrap();
                assert!(is_name(label), "{line}");
                let mut text = String::new();
                let mut chars = value.char_indices();
                let end = loop {
                    match chars.next().expect("the value of a label ends") {
                        (at, '"') => break at,
                        (_, '\\') => match chars.next().unwrap().1 {
                            'n' => text.push('\n'),
                            c @ ('\\' | '"') => text.push(c),
                            other => panic!("\\{other} in {line}"),
                        },
                        (_, c) => text.push(c),
                    }
                };
                assert!(labels.insert(label.to_owned(), text).is_none(), "{label} twice in {line}");
                let (_, behind) = value.split_at(end);
                let Some(more) = behind.strip_prefix("\",") else {
                    rest = behind.strip_prefix("\"}").unwrap();
                    break;
                };
                inner = more;
            }
        }
        let value = rest.strip_prefix(' ').unwrap();
        assert!(value.bytes().all(|byte| byte.is_ascii_digit()), "{line}");
        (name.to_owned(), labels, value.parse().unwrap())
    }

    fn sum(samples: &[Sample], name: &str, label: (&str, &str)) -> f64 {
        let is_one =
            |(of, labels, _): &&Sample| of == name && labels.get(label.0).is_some_and(|v| v == label.1);
        samples.iter().filter(is_one).map(|(.., value)| value).sum()
    }

    #[test]
    fn the_text_is_valid_and_no_series_is_there_twice() {
        let mut twice = sample::clean();
        twice.policies.extend(twice.policies.clone());
        twice.totals.policies.extend(twice.totals.policies.clone());
        for report in [sample::report(), sample::clean(), Report::default(), twice] {
            let samples = read(&written(&report, Format::Prometheus));
            let series: BTreeSet<String> =
                samples.iter().map(|(name, labels, _)| format!("{name}{labels:?}")).collect();
            assert_eq!(series.len(), samples.len());
        }
    }

    #[test]
    #[expect(clippy::float_cmp, clippy::cast_precision_loss, reason = "small whole numbers")]
    fn values_are_those_of_the_report() {
        let report = sample::report();
        let samples = read(&written(&report, Format::Prometheus));
        let findings: u64 = report.findings.iter().map(Finding::objects).sum();
        let counted: f64 =
            samples.iter().filter(|(name, ..)| name == "portcullis_findings").map(|(.., value)| value).sum();
        assert_eq!(counted, findings as f64);
        for (label, totals) in View::new(&report).labels().iter().zip(&report.totals.policies) {
            let all = totals.admitted + totals.denied + totals.monitored + totals.unknown + totals.skipped;
            let label = ("policy", crate::one_line(label));
            assert_eq!(sum(&samples, "portcullis_policy_objects", (label.0, &label.1)), all as f64);
        }
        assert_eq!(sum(&samples, "portcullis_scan_notices", ("level", "error")), 1.0);
        let complete = |report: &Report| {
            let samples = read(&written(report, Format::Prometheus));
            samples.iter().any(|(name, _, value)| name == "portcullis_scan_complete" && *value == 1.0)
        };
        assert!(complete(&sample::clean()) && !complete(&report) && !complete(&Report::default()));
    }

    #[test]
    fn labels_are_escaped() {
        let mut report = sample::clean();
        let hostile = format!("a\"b\\c}} 1\n{}", sample::HOSTILE);
        report.policies[0].name.clone_from(&hostile);
        let samples = read(&written(&report, Format::Prometheus));
        let expected = crate::one_line(&hostile);
        assert!(samples.iter().any(|(_, labels, _)| labels.get("policy") == Some(&expected)));
    }
}
