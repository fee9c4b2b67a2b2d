//! The metadata in a module: a custom section with JSON.

use std::ops::Range;

use wasm_encoder::{CustomSection, RawSection};
use wasmparser::{Encoding, Parser, Payload};

use crate::packaging::{Metadata, PROTOCOL_VERSION, PackagingError};

/// The name of the custom section that the host reads. If several have this name, it reads the
/// first.
pub const SECTION: &str = "io.kubewarden.metadata";

/// Adds metadata to a core WebAssembly module as its last section and removes older metadata.
///
/// All other sections are copied unchanged, so that the same module and metadata give the same
/// bytes.
///
/// # Errors
/// Bytes that are not a core WebAssembly module.
pub fn annotate(wasm: &[u8], metadata: &Metadata) -> Result<Vec<u8>, PackagingError> {
    let metadata = Metadata { protocol_version: Some(PROTOCOL_VERSION.to_owned()), ..metadata.clone() };
    let json =
        serde_json::to_vec(&metadata).map_err(|error| PackagingError::new("metadata", error.to_string()))?;
    let mut module = wasm_encoder::Module::new();
    for part in sections(wasm)? {
        if part.name != Some(SECTION) {
            module.section(&part.section);
        }
    }
    module.section(&CustomSection { name: SECTION.into(), data: json.into() });
    Ok(module.finish())
}

/// The content of the metadata section; `None` for a module without metadata.
pub(crate) fn find(wasm: &[u8]) -> Result<Option<&[u8]>, PackagingError> {
    Ok(sections(wasm)?.into_iter().find(|part| part.name == Some(SECTION)).map(|part| part.content))
}

const MAGIC: &[u8] = b"\0asm";

struct Part<'a> {
    section: RawSection<'a>,
    /// The name of a custom section.
    name: Option<&'a str>,
    /// The content of a custom section, after its name.
    content: &'a [u8],
}

fn sections(wasm: &[u8]) -> Result<Vec<Part<'_>>, PackagingError> {
    // The parser's own message about other files has several lines.
    if !wasm.starts_with(MAGIC) {
        let problem = if wasm.is_empty() { "the file is empty" } else { "the file has another format" };
        return Err(not_a_module(problem));
    }
    let mut parts = Vec::new();
    for payload in Parser::new(0).parse_all(wasm) {
        let payload = payload.map_err(|error| not_a_module(&error.to_string()))?;
        if let Payload::Version { encoding: Encoding::Component, .. } = payload {
            return Err(not_a_module("it is a component"));
        }
        let Some((id, range)) = payload.as_section() else { continue };
        let (name, content) = match &payload {
            Payload::CustomSection(custom) => (Some(custom.name()), custom.data()),
            _ => (None, &[][..]),
        };
        parts.push(Part { section: RawSection { id, data: slice(wasm, range)? }, name, content });
    }
    Ok(parts)
}

fn slice(wasm: &[u8], range: Range<usize>) -> Result<&[u8], PackagingError> {
    wasm.get(range).ok_or_else(|| not_a_module("a section extends beyond the end of the file"))
}

fn not_a_module(problem: &str) -> PackagingError {
    PackagingError::new("module", format!("expected a core WebAssembly module: {problem}"))
}
