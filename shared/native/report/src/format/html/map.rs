//! The map of namespaces and policies.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::{Page, namespace_name};
use crate::escape::markup;

/// The number of namespaces that are shown at once.
const ROWS: usize = 50;

const SHADES: u32 = 5;

/// Writes the number of objects that were not admitted cleanly, by namespace and policy, the worst
/// namespace first. Colours repeat what the numbers say.
pub(super) fn write(out: &mut dyn Write, page: &Page<'_>) -> io::Result<()> {
    let by_namespace = &page.view.report.totals.by_namespace;
    let max = by_namespace.values().flat_map(BTreeMap::values).copied().max().unwrap_or_default();
    if max == 0 {
        return Ok(());
    }
    let mut rows: Vec<(&str, &BTreeMap<usize, u64>, u64)> = by_namespace
        .iter()
        .map(|(name, numbers)| {
            (name.as_str(), numbers, numbers.values().fold(0, |sum: u64, number| sum.saturating_add(*number)))
        })
        .collect();
    rows.sort_by_key(|(_, _, sum)| std::cmp::Reverse(*sum));
    let (first, rest) = rows.split_at_checked(ROWS).unwrap_or((&rows, &[]));
    writeln!(
        out,
        "<section id=\"map\" aria-labelledby=\"map-heading\">\n\
         <h2 id=\"map-heading\">Namespaces and policies</h2>\n\
         <p class=\"soft\">Objects that were not admitted without findings</p>"
    )?;
    write_table(out, page, first, max, "Objects with findings by namespace and policy")?;
    if !rest.is_empty() {
        writeln!(out, "<details><summary>{} more namespaces</summary>", rest.len())?;
        write_table(out, page, rest, max, "Further namespaces")?;
        writeln!(out, "</details>")?;
    }
    writeln!(out, "</section>")
}

fn write_table(
    out: &mut dyn Write,
    page: &Page<'_>,
    rows: &[(&str, &BTreeMap<usize, u64>, u64)],
    max: u64,
    label: &str,
) -> io::Result<()> {
    write!(
        out,
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{label}\">\n\
         <table>\n<thead><tr><th scope=\"col\">Namespace</th>"
    )?;
    for policy in page.view.labels() {
        write!(out, r#"<th scope="col">{}</th>"#, markup(policy))?;
    }
    writeln!(out, "</tr></thead>\n<tbody>")?;
    for (namespace, numbers, _) in rows {
        write!(out, r#"<tr><th scope="row">{}</th>"#, namespace_name(namespace))?;
        let index = page.namespaces.get(namespace).copied().unwrap_or_default();
        for policy in 0..page.view.labels().len() {
            match numbers.get(&policy).copied().unwrap_or_default() {
                0 => write!(out, "<td>0</td>")?,
                number => write!(
                    out,
                    r##"<td class="h{}"><a href="#findings" data-n="{index}" data-p="{policy}">{number}</a></td>"##,
                    shade(number, max)
                )?,
            }
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody>\n</table>\n</div>")
}

/// The shade of a number, on a logarithmic scale: 1 for the least, 5 for `max`.
fn shade(number: u64, max: u64) -> u32 {
    let steps = max.ilog2() + 1;
    let step = number.max(1).ilog2() + 1;
    step.saturating_mul(SHADES).div_ceil(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shades_grow_with_the_numbers() {
        assert_eq!([1, 2, 9, 100, 1000].map(|number| shade(number, 1000)), [1, 1, 2, 4, 5]);
        assert_eq!(shade(1, 1), 5);
        assert_eq!(shade(u64::MAX, u64::MAX), 5);
    }
}
