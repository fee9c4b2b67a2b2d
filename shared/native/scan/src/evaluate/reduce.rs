//! A strict reading of the text of an object, which keeps what policies read.

use std::borrow::Cow;

use document::{Members, Walk};
use kubernetes::fields::{Type, fields_of};

use super::kept::Kept;
use crate::exceptions::KEY as EXCEPTION;
use crate::pods;

/// Returns the text of an object, reduced to what is kept of it; `None` if a scan may have to say
/// something about the text. It has nothing to say if
///
/// * the text is a JSON object without unknown fields and duplicate keys,
/// * no key is that of an exception, and
/// * a pod or workload has containers.
///
/// The text is read once, and nothing else is built. The caller builds the object of a text that is
/// not reduced, which reports each problem with its place.
pub(super) fn reduce(text: &str, api_version: &str, kind: &str, kept: &Kept) -> Option<String> {
    // A surrogate is an error unless it is one of a pair, which the walk does not check in values.
    if text.contains("\\u") && ["\\ud", "\\uD"].iter().any(|surrogate| text.contains(surrogate)) {
        return None;
    }
    let mut containers = pods::pod_spec(api_version, kind);
    if let Some(path) = &mut containers {
        path.push("containers");
    }
    let of = fields_of(api_version, kind).map_or(Type::Any, Type::Object);
    let mut reading =
        Reading { walk: Walk::of(text), reduced: String::new(), keys: Vec::new(), has_containers: false };
    if reading.walk.members().ok()? != Members::Fields {
        return None;
    }
    reading.object(of, kept, containers.as_deref())?;
    reading.walk.end().ok()?;
    (reading.has_containers || containers.is_none()).then_some(reading.reduced)
}

struct Reading<'t> {
    walk: Walk<'t>,
    reduced: String,
    /// The keys of the objects that are being read, the outermost first.
    keys: Vec<Cow<'t, [u8]>>,
    has_containers: bool,
}

impl Reading<'_> {
    /// Reads a value of a type. `containers` is the path from it to the containers of the pod, if
    /// the value is on the way to them.
    fn value(&mut self, of: Type, kept: &Kept, containers: Option<&[&str]>) -> Option<()> {
        match (self.walk.members().ok()?, of) {
            (Members::Fields, Type::Object(_) | Type::Map(_) | Type::Any) => {
                self.object(of, kept, containers)
            }
            (Members::Elements, Type::List(_) | Type::Any) => self.list(of, kept, containers),
            (Members::None, _) => self.scalar(of, kept),
            _ => None,
        }
    }

    fn scalar(&mut self, of: Type, kept: &Kept) -> Option<()> {
        let text = self.walk.skip().ok()?;
        if !fits(of, text) {
            return None;
        }
        if text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) && !is_in_range(text) {
            return None;
        }
        self.keep(kept, text);
        Some(())
    }

    fn list(&mut self, of: Type, kept: &Kept, containers: Option<&[&str]>) -> Option<()> {
        let of = if let Type::List(of) = of { *of } else { Type::Any };
        self.walk.enter().ok()?;
        self.keep(kept, "[");
        let mut is_first = true;
        while self.walk.next(Members::Elements, is_first).ok()?.is_some() {
            if is_first {
                self.has_containers |= containers.is_some_and(<[_]>::is_empty);
            } else {
                self.keep(kept, ",");
            }
            is_first = false;
            self.value(of, kept, None)?;
        }
        self.keep(kept, "]");
        Some(())
    }

    fn object(&mut self, of: Type, kept: &Kept, containers: Option<&[&str]>) -> Option<()> {
        let first = self.keys.len();
        let (mut is_first, mut is_ascending, mut separator) = (true, true, "{");
        let mut next_field = 0;
        self.walk.enter().ok()?;
        while let Some(key) = self.walk.next(Members::Fields, is_first).ok()? {
            is_first = false;
            let text = key.text();
            let name = key.into_name();
            if name.starts_with(EXCEPTION.as_bytes()) {
                return None;
            }
            let of = match of {
                Type::Object(fields) => fields.get_next(&name, &mut next_field)?,
                Type::Map(of) => *of,
                _ => Type::Any,
            };
            let next = containers.and_then(<[_]>::split_first);
            let containers = next.and_then(|(next, rest)| (next.as_bytes() == &*name).then_some(rest));
            let kept = kept.field(&name);
            if kept.is_something() {
                self.reduced.push_str(separator);
                self.reduced.push_str(text);
                separator = ",";
            }
            is_ascending &= self.keys.get(first..).and_then(<[_]>::last).is_none_or(|last| *last < name);
            self.keys.push(name);
            self.value(of, kept, containers)?;
        }
        if separator == "{" {
            self.keep(kept, separator);
        }
        self.keep(kept, "}");
        let keys = self.keys.get_mut(first..).unwrap_or_default();
        if !is_ascending {
            keys.sort_unstable();
            if !keys.is_sorted_by(|one, other| one < other) {
                return None;
            }
        }
        self.keys.truncate(first);
        Some(())
    }

    fn keep(&mut self, kept: &Kept, text: &str) {
        if kept.is_something() {
            self.reduced.push_str(text);
        }
    }
}

/// Returns whether the text of a scalar surely has a type.
fn fits(of: Type, text: &str) -> bool {
    // A string without escapes, whose form is known from its text.
    let string = || text.strip_prefix('"')?.strip_suffix('"').filter(|text| !text.contains('\\'));
    let is_number = || text.starts_with(|one: char| one == '-' || one.is_ascii_digit());
    match of {
        _ if text == "null" => true,
        Type::Any => true,
        Type::Text => text.starts_with('"'),
        Type::Boolean => text == "true" || text == "false",
        Type::Int32 => text.parse::<i32>().is_ok(),
        Type::Int64 => text.parse::<i64>().is_ok(),
        Type::Number => is_number(),
        Type::IntOrText => text.starts_with('"') || text.parse::<i32>().is_ok(),
        Type::Quantity if is_number() => true,
        Type::Quantity | Type::Time | Type::MicroTime | Type::Bytes => {
            string().is_some_and(|text| of.accepts_text(text))
        }
        Type::Object(_) | Type::Map(_) | Type::List(_) => false,
    }
}

/// Returns whether a number is in the range in which `serde_json` reads numbers: it reports others
/// as errors. Most numbers are too short to be outside of it.
fn is_in_range(text: &str) -> bool {
    const SHORT: usize = 18;
    text.len() <= SHORT && text.bytes().all(|byte| byte.is_ascii_digit())
        || serde_json::from_str::<f64>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use document::Shape;
    use serde_json::Value;

    use super::*;
    use crate::policy::Policy;

    fn kept() -> Kept {
        let policies = ["pod-security", "selinux"].map(|id| Policy::of_id(id, &Value::Null).unwrap());
        Kept::by(&policies)
    }

    fn reduced(fields: &str) -> Option<String> {
        reduce(&format!(r#"{{"apiVersion":"v1","kind":"Pod",{fields}}}"#), "v1", "Pod", &kept())
    }

    const SPEC: &str = r#""spec":{"containers":[{"name":"a"}]}"#;

    #[test]
    fn the_rest_of_an_object_is_what_policies_read() {
        let text = "{\n  \"kind\" : \"Pod\", \"metadata\": {\"managedFields\": [{\"fieldsV1\": {\"k:{\\\"a\\\"}\": {}}}], \"name\": \"a\"},\n \
                    \"spec\": {\"containers\": [ {\"args\": [\"1\"], \"name\": \"a\", \"securityContext\": {}}, {} ], \
                    \"hostPID\": null, \"restartPolicy\": \"Never\", \"volumes\": [null, {\"emptyDir\": {\"medium\": \"\"}}]},\n \
                    \"status\": {\"phase\": \"Running\"}}";
        assert_eq!(
            reduce(text, "v1", "Pod", &kept()).unwrap(),
            "{\"kind\" :\"Pod\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"containers\":[{\"name\":\"a\",\
             \"securityContext\":{}},{}],\"hostPID\":null,\"volumes\":[null,{\"emptyDir\":{\"medium\":\"\"}}]}}"
        );
    }

    #[test]
    fn ordinary_objects_are_reduced() {
        let managed = r#""metadata":{"name":"a","labels":{"b":"c","a":"c"},"managedFields":[{"fieldsV1":{"k:{\"a\"}":{}}}]}"#;
        assert!(reduced(&format!("{managed},{SPEC}")).is_some());
        assert!(reduced(&format!(r#""metadata":{{"ownerReferences":[{{"name":"a"}}]}},{SPEC}"#)).is_some());
        assert!(
            reduced(&format!(r#"{SPEC},"status":{{"conditions":[{{"lastProbeTime":null}}]}}"#)).is_some()
        );
        assert!(reduced(r#""spec":{"containers":[{"name":"\u00e9"}],"hostPID":null}"#).is_some());
        let other = reduce(r#"{"data":{"a":"","b":"1.5e3"},"kind":"ConfigMap"}"#, "v1", "ConfigMap", &kept());
        assert_eq!(other.as_deref(), Some(r#"{"kind":"ConfigMap"}"#));
        let whole = r#"{"a": [{"b": 1}, -2.5], "c": {}}"#;
        assert_eq!(
            reduce(whole, "a/v1", "B", &Kept::Whole).as_deref(),
            Some(r#"{"a":[{"b":1},-2.5],"c":{}}"#)
        );
    }

    #[test]
    fn a_workload_has_containers_in_its_template() {
        let text = |containers: &str| {
            format!(
                r#"{{"spec":{{"template":{{"metadata":{{"creationTimestamp":null}},"spec":{{"containers":{containers}}}}}}}}}"#
            )
        };
        let reduced = |containers: &str| reduce(&text(containers), "apps/v1", "Deployment", &kept());
        assert_eq!(
            reduced(r#"[{"name":"a"}]"#).as_deref(),
            Some(&*text(r#"[{"name":"a"}]"#).replace(r#""creationTimestamp":null"#, ""))
        );
        assert_eq!((reduced("[]"), reduced("{}"), reduced("7")), (None, None, None));
        assert_eq!(reduce(r#"{"spec":{"containers":[{}]}}"#, "apps/v1", "Deployment", &kept()), None);
    }

    #[test]
    fn objects_that_need_a_remark_are_not_reduced() {
        let tab = "\"spec\":{\"containers\":[{\"name\":\"a\tb\"}]}";
        for fields in include_str!("reduce.txt").lines().chain([tab]) {
            assert_eq!(reduced(fields), None, "{fields}");
        }
        let other = |text: &str| reduce(text, "v1", "ConfigMap", &Kept::Whole);
        assert_eq!(other(r#"{"kind":"ConfigMap"} {}"#), None);
        assert_eq!(other("[]"), None);
        assert_eq!(other(&format!(r#"{{"data":{}}}"#, "1".repeat(310))), None);
        assert_eq!(other(&format!(r#"{{"data":{}{}}}"#, "[".repeat(200), "]".repeat(200))), None);
    }

    /// A reduced text is one that `serde_json` reads, too.
    #[test]
    fn a_text_that_serde_json_refuses_is_not_reduced() {
        const PARTS: [&str; 12] = ["{", "}", "[", "]", ",", ":", "\"a\"", "\"b\"", "1", " ", "null", "-"];
        const NOTHING: Shape<'static> = Shape::Fields(&[]);
        let mut read = 0;
        for number in 0..PARTS.len().pow(5) {
            let parts = (0..5).map(|digit| PARTS[number / PARTS.len().pow(digit) % PARTS.len()]);
            let text = format!("{{\"c\":{}}}", parts.collect::<String>());
            for kept in [Kept::Whole, Kept::of(NOTHING)] {
                if reduce(&text, "", "", &kept).is_some() {
                    assert!(serde_json::from_str::<Value>(&text).is_ok(), "{text}");
                    read += 1;
                }
            }
        }
        assert!(read > 300, "{read}");
    }
}
