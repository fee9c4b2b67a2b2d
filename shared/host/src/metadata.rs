//! The metadata in a module.

use wasmparser::{Parser, Payload};

/// The name of the custom section.
const SECTION: &str = "io.kubewarden.metadata";

/// The bytes of the first section with that name, as the host reads them.
pub(crate) fn read(wasm: &[u8]) -> Option<&[u8]> {
    let mut sections = Parser::new(0).parse_all(wasm).map_while(Result::ok);
    sections.find_map(|payload| match payload {
        Payload::CustomSection(section) if section.name() == SECTION => Some(section.data()),
        _ => None,
    })
}
