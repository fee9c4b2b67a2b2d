use super::*;

fn names(list: &str) -> Result<Vec<String>, String> {
    let shape = Shape::Fields(&[("name", Shape::ALL)]);
    let mut names = Vec::new();
    Document::each_item(list.as_bytes(), shape, Origin::Lookup("list"), &mut |item| {
        item.object()?;
        names.push(item.at("name").text()?.unwrap_or("none").to_owned());
        Ok(())
    })
    .map(|()| names)
    .map_err(|fault| fault.to_string())
}

#[test]
fn reads_a_list_item_by_item() {
    assert_eq!(names(r#"{"items":[]}"#).unwrap(), Vec::<String>::new());
    let list = r#" {"a":[1], "items":[{"name":"\u0041","x":{}},{},null,{"name":"b"}],"z":null} "#;
    assert_eq!(names(list).unwrap(), ["A", "none", "none", "b"]);
    for (list, fault) in [
        ("[]", "list: expected an object, found an array"),
        ("{}", "list: items: expected an array, found nothing"),
        (r#"{"items":null}"#, "list: items: expected an array, found nothing"),
        (r#"{"items":{}}"#, "list: items: expected an array, found an object"),
        (r#"{"items":[],"items":[]}"#, r#"list: duplicate key "items""#),
        (r#"{"items":[],"item\u0073":[]}"#, r#"list: duplicate key "items""#),
        (r#"{"items":[{},7]}"#, "list: items[1]: expected an object, found a number"),
        (r#"{"items":[{"name":"a","name":"b"}]}"#, r#"list: items[0]: duplicate key "name""#),
        (
            r#"{"items":[{}"#,
            "list: not JSON: expected a comma or the end of the object or array at line 1 column 13",
        ),
        (r#"{"items":[]} 1"#, "list: not JSON: expected the end at line 1 column 14"),
    ] {
        assert_eq!(names(list).unwrap_err(), fault, "{list}");
    }
}

#[test]
fn keeps_one_item_at_a_time() {
    let items = vec![r#"{"name":"a"}"#; MAX_VALUES + 1].join(",");
    assert_eq!(names(&format!(r#"{{"items":[{items}]}}"#)).unwrap().len(), MAX_VALUES + 1);
}

const SHAPE: Shape<'static> = Shape::Fields(&[
    ("metadata", Shape::Fields(&[("labels", Shape::ALL)])),
    ("spec", Shape::Fields(&[("hosts", Shape::Fields(&[("name", Shape::ALL)])), ("type", Shape::ALL)])),
]);

fn parse(text: &str) -> Result<Document<'_>, Fault> {
    Document::parse(text.as_bytes(), SHAPE, Origin::Lookup("thing"))
}

fn is_same(one: &str, other: &str) -> bool {
    let text = format!(r#"{{"one":{one},"other":{other}}}"#);
    let document = Document::parse(text.as_bytes(), Shape::ALL, Origin::Settings).unwrap();
    let (one, other) = (document.root().at("one"), document.root().at("other"));
    let same = one.is_same(&other);
    assert_eq!(other.is_same(&one), same, "{text}");
    same
}

#[test]
fn values_are_the_same_by_content() {
    for (one, other) in [
        ("null", "null"),
        ("true", "true"),
        ("7", "7"),
        (r#""x""#, r#""\u0078""#),
        ("[]", "[]"),
        ("[null,{}]", "[null,{}]"),
        (r#"{"a":1,"b":[2,{"c":"d"}]}"#, r#"{"a":1,"b":[2,{"c":"d"}]}"#),
        (r#"{"a":1,"b":null}"#, r#"{"a":1}"#),
    ] {
        assert!(is_same(one, other), "{one} {other}");
    }
    let document = Document::parse(br#"{"null":null}"#, Shape::ALL, Origin::Settings).unwrap();
    let at = |name| document.root().at(name);
    assert!(at("null").is_same(&at("absent")) && at("absent").is_same(&at("another")));
    for (one, other) in [
        ("null", "false"),
        ("true", "false"),
        ("7", "8"),
        ("7", r#""7""#),
        (r#""x""#, r#""y""#),
        ("[]", "{}"),
        ("[]", "[null]"),
        ("[1]", "[1,2]"),
        ("[1]", "[2]"),
        (r#"{"a":1}"#, r#"{"b":1}"#),
        (r#"{"a":1}"#, r#"{"a":2}"#),
        (r#"{"a":1}"#, r#"{"a":1,"b":1}"#),
        // Neither the value of such a number nor another order of fields is compared.
        ("1.5", "1.5"),
        (r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#),
    ] {
        assert!(!is_same(one, other), "{one} {other}");
    }
}

#[test]
fn keeps_the_values_that_the_shape_names() {
    let document = parse(r#"{"spec":{"type":"a","other":[{}]},"status":{"spec":{"type":"b"}}}"#).unwrap();
    let root = document.root();
    assert_eq!(root.at("spec").at("type").text(), Ok(Some("a")));
    assert_eq!(document.entries.len(), 3, "the root, spec and spec.type");
}

#[test]
fn null_equals_absent() {
    let document = parse(r#"{"spec":null,"metadata":{"labels":null}}"#).unwrap();
    let root = document.root();
    assert_eq!(root.at("spec").at("type").text(), Ok(None));
    assert_eq!(root.at("metadata").at("labels").fields().unwrap().count(), 0);
    assert_eq!(root.at("metadata").at("labels").entry("a").unwrap().map(|node| node.path()), None);
}

#[test]
fn a_read_below_another_type_is_a_fault_at_the_ancestor() {
    for (text, fault) in [
        (r#"{"spec":"x"}"#, "thing: spec: expected an object, found a string"),
        (r#"{"spec":[]}"#, "thing: spec: expected an object, found an array"),
        (r#"{"spec":{"type":1.5}}"#, "thing: spec.type: expected a string, found a number"),
        (r#"{"spec":{"type":{}}}"#, "thing: spec.type: expected a string, found an object"),
        (r#"{"spec":{"type":true}}"#, "thing: spec.type: expected a string, found a boolean"),
        ("7", "thing: expected an object, found a number"),
    ] {
        let document = parse(text).unwrap();
        assert_eq!(document.root().at("spec").at("type").text().unwrap_err().to_string(), fault);
    }
}

#[test]
fn writes_paths_like_kubectl_explain() {
    let text = r#"{"metadata":{"labels":{"team":1,"a/b":2,"odd key\u000a":3,"":4}},"spec":{"hosts":[{},{"name":5}]}}"#;
    let document = parse(text).unwrap();
    let labels = document.root().at("metadata").at("labels");
    let paths: Vec<String> = labels.fields().unwrap().map(|(_, node)| node.path()).collect();
    assert_eq!(
        paths,
        [
            "thing: metadata.labels.team",
            "thing: metadata.labels[a/b]",
            r#"thing: metadata.labels["odd key\n"]"#,
            r#"thing: metadata.labels[""]"#,
        ],
    );
    let hosts = document.root().at("spec").at("hosts");
    let names: Vec<String> = hosts.items().unwrap().map(|host| host.at("name").path()).collect();
    assert_eq!(names, ["thing: spec.hosts[0].name", "thing: spec.hosts[1].name"]);
}

#[test]
fn rejects_duplicate_keys_that_are_kept() {
    for (text, fault) in [
        (r#"{"spec":{"type":"a","type":"b"}}"#, r#"thing: spec: duplicate key "type""#),
        (r#"{"spec":{},"status":1,"spec":null}"#, r#"thing: duplicate key "spec""#),
        (
            r#"{"metadata":{"labels":{"b":"1","a":"2","\u0062":"3"}}}"#,
            r#"thing: metadata.labels: duplicate key "b""#,
        ),
    ] {
        assert_eq!(parse(text).unwrap_err().to_string(), fault);
    }
    assert!(
        parse(r#"{"spec":{"other":1,"other":2}}"#).is_ok(),
        "duplicate keys in skipped values are ignored"
    );
    assert!(parse(r#"{"metadata":{"labels":{"b":"1","a":"2","":"3"}}}"#).is_ok());
}

#[test]
fn unescapes_keys_and_values() {
    let document = parse(r#"{"\u0073pec":{"type":"caf\u00e9 \ud83d\ude00"}}"#).unwrap();
    assert_eq!(document.root().at("spec").at("type").text(), Ok(Some("café 😀")));
    assert_eq!(
        parse(r#"{"spec":{"type":"\ud83d"}}"#).unwrap_err().to_string(),
        "thing: not JSON: expected a pair of surrogates at line 1 column 25",
    );
}

#[test]
fn strings_that_are_not_utf8_are_faults_where_they_are_read() {
    let value = b"{\"spec\":{\"type\":\"\xff\"}}";
    let document = Document::parse(value, SHAPE, Origin::Lookup("thing")).unwrap();
    assert_eq!(
        document.root().at("spec").at("type").text().unwrap_err().to_string(),
        "thing: spec.type: expected a string, found bytes that are not UTF-8",
    );
    let key = b"{\"metadata\":{\"labels\":{\"\xff\":1}}}";
    assert!(Document::parse(key, SHAPE, Origin::Lookup("thing")).is_err());
}

#[test]
fn rejects_more_values_than_fit_into_an_instance() {
    let labels = |count: usize| format!(r#"{{"metadata":{{"labels":[{}0]}}}}"#, "0,".repeat(count - 1));
    assert!(parse(&labels(MAX_VALUES - 3)).is_ok());
    let fault = parse(&labels(MAX_VALUES - 2)).unwrap_err().to_string();
    assert!(fault.starts_with("thing: too large: expected at most 524288 values"), "{fault}");
}

#[test]
fn debug_output_omits_the_content() {
    let document = parse(r#"{"spec":{"type":"hunter2"}}"#).unwrap();
    let shown = format!("{document:?} {:?}", document.root().at("spec").at("type"));
    assert!(!shown.contains("hunter2"), "{shown}");
}
