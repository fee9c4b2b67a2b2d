//! Mutation preserves every byte of an object except for the changed values.

use std::fmt::Write as _;
use std::ops::Range;

use cluster_objects::Objects;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};
use tests::bounded;

use super::generate::LISTS;
use super::policy::{entry, own_level};

/// A JSON value and its position in the text.
#[derive(Debug)]
struct Raw {
    span: Range<usize>,
    inner: Inner,
}

#[derive(Debug)]
enum Inner {
    Scalar,
    Items(Vec<Raw>),
    Members(Vec<Member>),
}

#[derive(Debug)]
struct Member {
    /// The unescaped name.
    name: String,
    /// From the key to the end of the value.
    span: Range<usize>,
    value: Raw,
}

/// A parser for JSON without white space that records positions.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn next(&self) -> u8 {
        self.text.as_bytes()[self.at]
    }

    fn string(&mut self) -> Range<usize> {
        let start = self.at;
        assert_eq!(self.next(), b'"', "{}", &self.text[start..]);
        self.at += 1;
        while self.next() != b'"' {
            self.at += if self.next() == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
        start..self.at
    }

    /// Consumes a separator and returns whether another element follows.
    fn goes_on(&mut self, close: u8) -> bool {
        let goes_on = self.next() == b',';
        assert!(goes_on || self.next() == close, "{}", &self.text[self.at..]);
        self.at += 1;
        goes_on
    }

    fn value(&mut self) -> Raw {
        let start = self.at;
        let inner = match self.next() {
            b'{' | b'[' if b"}]".contains(&self.text.as_bytes()[start + 1]) => {
                self.at += 2;
                if self.text.as_bytes()[start] == b'{' {
                    Inner::Members(Vec::new())
                } else {
                    Inner::Items(Vec::new())
                }
            }
            b'{' => {
                let mut members = Vec::new();
                self.at += 1;
                loop {
                    let key = self.string();
                    assert_eq!(self.next(), b':');
                    self.at += 1;
                    let value = self.value();
                    let name = serde_json::from_str(&self.text[key.clone()]).unwrap();
                    members.push(Member { name, span: key.start..value.span.end, value });
                    if !self.goes_on(b'}') {
                        break Inner::Members(members);
                    }
                }
            }
            b'[' => {
                let mut items = Vec::new();
                self.at += 1;
                loop {
                    items.push(self.value());
                    if !self.goes_on(b']') {
                        break Inner::Items(items);
                    }
                }
            }
            b'"' => {
                self.string();
                Inner::Scalar
            }
            _ => {
                while !b",]}".contains(&self.next()) {
                    self.at += 1;
                }
                Inner::Scalar
            }
        };
        Raw { span: start..self.at, inner }
    }
}

fn read(text: &str) -> Raw {
    let mut reader = Reader { text, at: 0 };
    let raw = reader.value();
    assert_eq!(reader.at, text.len(), "{text}");
    raw
}

/// A difference between two texts.
#[derive(Debug)]
enum Change {
    /// A new member.
    Inserted(Range<usize>),
    /// A removed member.
    Removed(Range<usize>),
    /// A replaced value, with its old and new position.
    Replaced(Range<usize>, Range<usize>),
}

/// Collects the differences, each with its path.
fn compare(old: (&str, &Raw), new: (&str, &Raw), path: &str, found: &mut Vec<(String, Change)>) {
    if old.0[old.1.span.clone()] == new.0[new.1.span.clone()] {
        return;
    }
    match (&old.1.inner, &new.1.inner) {
        (Inner::Members(before), Inner::Members(after)) => {
            for member in before {
                let path = format!("{path}/{}", member.name);
                match after.iter().find(|other| other.name == member.name) {
                    Some(other) => compare((old.0, &member.value), (new.0, &other.value), &path, found),
                    None => found.push((path, Change::Removed(member.span.clone()))),
                }
            }
            for member in after.iter().filter(|one| before.iter().all(|other| other.name != one.name)) {
                found.push((format!("{path}/{}", member.name), Change::Inserted(member.span.clone())));
            }
        }
        (Inner::Items(before), Inner::Items(after)) if before.len() == after.len() => {
            for (index, (before, after)) in before.iter().zip(after).enumerate() {
                compare((old.0, before), (new.0, after), &format!("{path}/{index}"), found);
            }
        }
        _ => found.push((path.to_owned(), Change::Replaced(old.1.span.clone(), new.1.span.clone()))),
    }
}

/// Replaces spans of a text. An empty replacement also removes a comma.
fn without(text: &str, mut spans: Vec<(Range<usize>, String)>) -> String {
    let mut rest = text.to_owned();
    spans.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    for (span, instead) in spans {
        let (mut start, mut end) = (span.start, span.end);
        if instead.is_empty() {
            if rest.as_bytes()[start - 1] == b',' {
                start -= 1;
            } else if rest.as_bytes()[end] == b',' {
                end += 1;
            }
        }
        rest.replace_range(start..end, &instead);
    }
    rest
}

/// Whether the policy may make a change at a path.
fn may_change(path: &str, change: &Change, old: &str) -> bool {
    let steps: Vec<&str> = path.split('/').skip(1).collect();
    let was_unset = match change {
        Change::Inserted(_) => true,
        Change::Replaced(old_span, _) => ["null", "\"\""].contains(&&old[old_span.clone()]),
        Change::Removed(_) => false,
    };
    let rest = match steps.as_slice() {
        ["metadata", "annotations"]
        | ["metadata", "annotations", "try-skip-volume-selinux-label.crio.io"] => {
            return was_unset;
        }
        ["spec", "securityContext", rest @ ..] => {
            if rest == ["seLinuxChangePolicy"] {
                return was_unset;
            }
            rest
        }
        ["spec", list, _, "securityContext", rest @ ..] if LISTS.contains(list) => {
            // Empty options may be removed.
            if matches!(change, Change::Removed(_)) {
                return rest == ["seLinuxOptions"];
            }
            rest
        }
        _ => return false,
    };
    match rest {
        [] | ["seLinuxOptions"] | ["seLinuxOptions", "level" | "type"] => was_unset,
        _ => false,
    }
}

/// Compares two texts and returns the number of changes.
///
/// # Errors
/// A change that the policy may not make.
fn is_lossless(old: &str, new: &str) -> Result<usize, String> {
    let mut found = Vec::new();
    compare((old, &read(old)), (new, &read(new)), "", &mut found);
    let (mut gone, mut added) = (Vec::new(), Vec::new());
    for (path, change) in &found {
        if !may_change(path, change, old) {
            return Err(format!("{path} changed: {change:?} of {old} to {new}"));
        }
        match change {
            Change::Inserted(span) => added.push((span.clone(), String::new())),
            Change::Removed(span) => gone.push((span.clone(), String::new())),
            Change::Replaced(old_span, span) => added.push((span.clone(), old[old_span.clone()].to_owned())),
        }
    }
    let (before, after) = (without(old, gone), without(new, added));
    if before == after { Ok(found.len()) } else { Err(format!("{before} became {after}")) }
}

/// The mutated object; `None` without a mutation.
fn mutated(object: &str, settings: &Value) -> Option<String> {
    let payload = format!(
        r#"{{"request":{{"uid":"1","kind":{{"group":"","version":"v1","kind":"Pod"}},"resource":{{"group":"","version":"v1","resource":"pods"}},"operation":"CREATE","namespace":"shop","userInfo":{{"username":"dev"}},"object":{object}}},"settings":{settings}}}"#
    );
    let response = entry().evaluate(payload.as_bytes(), &Objects::unreachable("not needed"));
    assert!(response.accepted, "{:?} of {object}", response.message);
    response.mutated_object
}

/// Values that many JSON parsers do not preserve.
fn scalar() -> impl Strategy<Value = String> {
    select(vec![
        "1.50",
        "1e400",
        "-1E+400",
        "-0",
        "-0.0",
        "0.1e-9999",
        "123456789012345678901234567890",
        "1234567890123456789012345678901234567890.10",
        "9007199254740993",
        "18446744073709551616",
        "true",
        "false",
        "null",
        r#""""#,
        r#""\u0061\/\b\f\n\r\t\\\"""#,
        r#""\ud83d\ude80 🚀 \u00e9 é""#,
        r#""}]{[,:""#,
        r#""\u0000\u001f\u007f""#,
        "\"\u{2028}\u{feff}\u{10ffff}\"",
        r#""\\""#,
        r#""seLinuxOptions""#,
        "{}",
        "[]",
    ])
    .prop_map(str::to_owned)
}

/// Unknown keys; some resemble known ones.
const KEYS: [&str; 10] = [
    "future",
    r"\u0066oo",
    "sELinuxOptions",
    "selinuxoptions",
    r"level\u0000",
    "🚀",
    r"a\/b~1",
    r#"quo\"te"#,
    "",
    "securityContext ",
];

fn object_of(members: Vec<(Index, String)>) -> String {
    // Every key occurs once; duplicate keys are tested elsewhere.
    let mut keys: Vec<&str> = KEYS.to_vec();
    let mut text = String::from("{");
    for (index, value) in members {
        let key = keys.swap_remove(index.index(keys.len()));
        let comma = if text.len() > 1 { "," } else { "" };
        write!(text, r#"{comma}"{key}":{value}"#).unwrap();
    }
    text + "}"
}

fn anything() -> impl Strategy<Value = String> {
    scalar().prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec((any::<Index>(), inner), 0..4).prop_map(object_of),
        ]
    })
}

/// Unknown members to add around known ones.
type Extra = Vec<(Index, String, bool)>;

fn extra() -> impl Strategy<Value = Extra> {
    prop::collection::vec((any::<Index>(), anything(), any::<bool>()), 0..3)
}

/// An object of known members, with unknown ones before or after them.
fn object(known: &[(&str, String)], extra: Extra) -> String {
    let mut keys = KEYS.to_vec();
    let mut members: Vec<String> = known
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| format!(r#""{key}":{value}"#))
        .collect();
    for (index, value, in_front) in extra {
        let key = keys.swap_remove(index.index(keys.len()));
        let at = if in_front { 0 } else { members.len() };
        members.insert(at, format!(r#""{key}":{value}"#));
    }
    format!("{{{}}}", members.join(","))
}

/// A known key, plain or with an escape sequence.
fn key(key: &'static str) -> impl Strategy<Value = &'static str> {
    let escaped = match key {
        "securityContext" => r"security\u0043ontext",
        "seLinuxOptions" => r"\u0073eLinuxOptions",
        "level" => r"leve\u006c",
        "spec" => r"sp\u0065c",
        "containers" => r"\u0063ontainers",
        "annotations" => r"annotation\u0073",
        other => panic!("{other}"),
    };
    prop_oneof![4 => Just(key), 1 => Just(escaped)]
}

prop_compose! {
    /// Options, most without a level, or no options.
    fn options()(
        extra in extra(),
        sort in 0..7,
        level in key("level"),
        kind in any::<bool>(),
    ) -> String {
        let kind = if kind { r#""container_t""# } else { "" };
        let own = format!("{:?}", own_level());
        match sort {
            0 => String::new(),
            1 => "null".to_owned(),
            2 => "{}".to_owned(),
            3 => object(&[(level, "\"\"".to_owned()), ("type", kind.to_owned())], extra),
            4 => object(&[(level, "null".to_owned()), ("type", kind.to_owned())], extra),
            5 => object(&[("type", kind.to_owned()), (level, own)], extra),
            _ => object(&[("type", kind.to_owned())], extra),
        }
    }
}

prop_compose! {
    fn context()(
        options in options(), extra in extra(), name in key("seLinuxOptions"), sort in 0..4,
    ) -> String {
        match sort {
            0 => String::new(),
            1 if options.is_empty() => "null".to_owned(),
            _ => object(&[(name, options)], extra),
        }
    }
}

prop_compose! {
    fn container()(context in context(), extra in extra(), name in key("securityContext")) -> String {
        object(&[("name", r#""\u0061""#.to_owned()), (name, context)], extra)
    }
}

prop_compose! {
    fn pod()(
        of_pod in context(),
        containers in prop::collection::vec(container(), 0..4),
        more in prop::collection::vec(container(), 0..3),
        annotations in select(vec!["", "null", "{}", r#"{"a\u0062":"1.50"}"#]),
        [at_pod, at_spec, at_metadata] in [extra(), extra(), extra()],
        [spec, security, list, annotated] in
            [key("spec").boxed(), key("securityContext").boxed(), key("containers").boxed(), key("annotations").boxed()],
    ) -> String {
        let spec_of = object(
            &[
                (list, format!("[{}]", containers.join(","))),
                (security, of_pod),
                ("ephemeralContainers", if more.is_empty() { String::new() } else { format!("[{}]", more.join(",")) }),
            ],
            at_spec,
        );
        let metadata = object(
            &[("name", r#""a""#.to_owned()), ("namespace", r#""shop""#.to_owned()), (annotated, annotations.to_owned())],
            at_metadata,
        );
        let text = |text: &str| format!("{text:?}");
        let known = [("apiVersion", text("v1")), ("kind", text("Pod")), ("metadata", metadata), (spec, spec_of)];
        object(&known, at_pod)
    }
}

#[test]
fn the_comparison_detects_lost_bytes() {
    let old = r#"{"metadata":{"x":1.50},"spec":{"containers":[{"securityContext":{"seLinuxOptions":{}}}]}}"#;
    let new = r#"{"metadata":{"x":1.50},"spec":{"containers":[{"securityContext":{}}],"securityContext":{"seLinuxOptions":{"level":"s0:c1,c2"}}}}"#;
    assert_eq!(is_lossless(old, new), Ok(2));
    for (what, instead) in [
        ("1.50", "1.5"),
        (r#""x":1.50"#, ""),
        (r#""metadata""#, r#""metadat\u0061""#),
        (r#"{"x":1.50}"#, r#"{"x":1.50,"y":2}"#),
        (r#""securityContext":{}}]"#, r#""securityContext":null}]"#),
        (r#"[{"securityContext":{}}]"#, "[]"),
    ] {
        assert!(new.contains(what));
        is_lossless(old, &new.replacen(what, instead, 1)).unwrap_err();
    }
}

proptest! {
    #![proptest_config(bounded(750))]

    #[test]
    fn mutation_preserves_all_other_bytes(pod in pod(), adds: bool) {
        let volumes = if adds { json!({ "changePolicy": "Recursive", "crioTrySkip": true }) } else { json!({}) };
        let settings = json!({ "volumes": volumes });
        if let Some(new) = mutated(&pod, &settings) {
            let changed = is_lossless(&pod, &new);
            prop_assert!(changed.as_ref().is_ok_and(|changed| *changed > 0), "{:?}", changed);
            prop_assert_eq!(mutated(&new, &settings), None, "changed again: {}", new);
        }
    }
}

/// Values are preserved even with white space between tokens, which hosts do not send.
#[test]
fn mutation_preserves_values_with_white_space() {
    let pod = r#" {
        "apiVersion": "v1", "kind": "Pod" , "n": 1.50 , "m" : [ 1e400 , { "a" : "\u0041" } ] ,
        "metadata": { "name": "a" , "namespace": "shop" , "x": 123456789012345678901234567890 },
        "spec": { "containers" : [ { "name" : "a" , "y" : [ 1 , 2.0 ] } ] , "z" : -0.0 }
    } "#;
    let new = mutated(pod, &json!({})).unwrap();
    let squeezed = |text: &str| text.split_ascii_whitespace().collect::<String>();
    assert_eq!(is_lossless(&squeezed(pod), &squeezed(&new)), Ok(1));
}
