//! Adding, replacing and reading metadata in modules.
#![expect(clippy::string_slice, reason = "a test may stop at the first surprise")]

use proptest::prelude::*;
use wasm_encoder::{
    CodeSection, CustomSection, ExportKind, ExportSection, Function, FunctionSection, Module, TypeSection,
};
use wasmparser::{Parser, Payload};

use super::GOOD;
use crate::packaging::{Metadata, SECTION, annotate};

fn metadata() -> Metadata {
    Metadata::from_yaml(GOOD).unwrap()
}

/// A module with code, and custom sections before and after it.
fn module(before: &[(String, Vec<u8>)], after: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut module = Module::new();
    let custom = |module: &mut Module, sections: &[(String, Vec<u8>)]| {
        for (name, data) in sections {
            module.section(&CustomSection { name: name.into(), data: data.into() });
        }
    };
    custom(&mut module, before);
    let mut types = TypeSection::new();
    types.ty().function([], []);
    let mut functions = FunctionSection::new();
    functions.function(0);
    let mut exports = ExportSection::new();
    exports.export("wapc_init", ExportKind::Func, 0);
    let mut code = CodeSection::new();
    let mut function = Function::new([]);
    function.instructions().end();
    code.function(&function);
    module.section(&types).section(&functions).section(&exports).section(&code);
    custom(&mut module, after);
    module.finish()
}

/// The names of the custom sections of a module, in order.
fn customs(wasm: &[u8]) -> Vec<String> {
    let payloads = Parser::new(0).parse_all(wasm).map(Result::unwrap);
    let names = payloads.filter_map(|payload| match payload {
        Payload::CustomSection(section) => Some(section.name().to_owned()),
        _ => None,
    });
    names.collect()
}

#[test]
fn reads_the_metadata_of_an_annotated_module() {
    let plain = module(&[], &[("name".into(), b"\0\x02\x01a".to_vec())]);
    assert_eq!(Metadata::read(&plain), Ok(None));
    let annotated = annotate(&plain, &metadata()).unwrap();
    let read = Metadata::read(&annotated).unwrap().unwrap();
    assert_eq!(read, Metadata { protocol_version: Some("v1".into()), ..metadata() });
    assert!(annotated.starts_with(&plain), "all else is unchanged, and the new section is the last");
    wasmparser::validate(&annotated).unwrap();
}

#[test]
fn replaces_older_sections() {
    let old = (SECTION.to_owned(), b"{}".to_vec());
    let wasm = module(&[old.clone(), ("producers".into(), Vec::new())], &[old.clone(), old]);
    let annotated = annotate(&wasm, &metadata()).unwrap();
    assert_eq!(customs(&annotated), ["producers", SECTION]);
    assert_eq!(annotate(&annotated, &metadata()).unwrap(), annotated);
}

#[test]
fn writes_camel_case_json_for_the_host() {
    let annotated = annotate(&module(&[], &[]), &metadata()).unwrap();
    let text = String::from_utf8_lossy(&annotated);
    let json = &text[text.find(SECTION).unwrap() + SECTION.len()..];
    assert!(
        json.starts_with(
            r#"{"protocolVersion":"v1","rules":[{"apiGroups":[""],"apiVersions":["v1"],"resources":["services"],"operations":["CREATE","UPDATE"]}],"mutating":false,"backgroundAudit":true,"executionMode":"kubewarden-wapc","policyType":"kubernetes","contextAwareResources":[{"apiVersion":"v1","kind":"Namespace"}"#
        ),
        "{json}"
    );
}

#[test]
fn reads_metadata_of_other_tools_as_the_host_does() {
    let read = |json: &str| Metadata::read(&module(&[(SECTION.into(), json.into())], &[]));
    let lenient = read(
        r#"{"rules":[],"mutating":true,"annotations":null,"hostCapabilities":null,"later":1,"executionMode":"opa"}"#,
    );
    assert!(lenient.unwrap().unwrap().mutating);
    assert_eq!(read("{}").unwrap_err().to_string(), "metadata: missing field `rules`");
    assert_eq!(read("[").unwrap_err().to_string(), "metadata: EOF while parsing a list at line 1 column 1");
}

#[test]
fn refuses_bytes_that_are_not_a_core_module() {
    let component = wasm_encoder::Component::new().finish();
    let mut cut = module(&[], &[]);
    cut.pop();
    for bad in [&b""[..], b"\0asm", b"{}", &component, &cut] {
        let message = annotate(bad, &metadata()).unwrap_err().to_string();
        assert!(message.starts_with("module: expected a core WebAssembly module: "), "{message}");
        assert!(Metadata::read(bad).is_err());
    }
}

fn sections() -> impl Strategy<Value = Vec<(String, Vec<u8>)>> {
    let name = prop_oneof![Just(SECTION.to_owned()), "[a-z.]{0,12}"];
    prop::collection::vec((name, prop::collection::vec(any::<u8>(), 0..200)), 0..4)
}

proptest! {
    #[test]
    fn annotating_keeps_all_other_sections_and_is_idempotent(before in sections(), after in sections()) {
        let wasm = module(&before, &after);
        let annotated = annotate(&wasm, &metadata()).unwrap();
        let others = |names: Vec<String>| names.into_iter().filter(|name| name != SECTION).collect::<Vec<_>>();
        prop_assert_eq!(others(customs(&annotated)), others(customs(&wasm)));
        prop_assert_eq!(customs(&annotated).into_iter().filter(|name| name == SECTION).count(), 1);
        prop_assert_eq!(&annotate(&annotated, &metadata()).unwrap(), &annotated);
        prop_assert!(wasmparser::validate(&annotated).is_ok());
    }

    #[test]
    fn never_panics(bytes in prop::collection::vec(any::<u8>(), 0..64), text in "\\PC{0,64}") {
        let with_magic = [b"\0asm\x01\0\0\0", bytes.as_slice()].concat();
        for wasm in [&bytes, &with_magic] {
            let _ = (annotate(wasm, &metadata()), Metadata::read(wasm));
        }
        let _ = Metadata::from_yaml(&text);
    }
}
