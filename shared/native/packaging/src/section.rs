//! Metadata in a module: a custom section with JSON.

use std::ops::Range;

use wasm_encoder::{CustomSection, RawSection};
use wasmparser::{Encoding, Parser, Payload};

use crate::{Metadata, PROTOCOL_VERSION, PackagingError};

/// The name of the custom section that the host reads. Of several with this name, it reads the first.
pub const SECTION: &str = "io.kubewarden.metadata";

/// A module with its metadata: takes a core WebAssembly module and gives the same with the metadata as its
/// last section, in the place of older ones.
///
/// All other sections are copied as they are, so the same module and metadata give the same bytes.
///
/// # Errors
/// Bytes that are no core WebAssembly module.
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

/// The metadata of a module as it is in its section; `None` if it has none.
///
/// # Errors
/// Bytes that are no core WebAssembly module.
pub(crate) fn find(wasm: &[u8]) -> Result<Option<&[u8]>, PackagingError> {
    Ok(sections(wasm)?.into_iter().find(|part| part.name == Some(SECTION)).map(|part| part.content))
}

/// A section of a module.
struct Part<'a> {
    section: RawSection<'a>,
    /// The name, of a custom section.
    name: Option<&'a str>,
    /// The content behind the name, of a custom section.
    content: &'a [u8],
}

fn sections(wasm: &[u8]) -> Result<Vec<Part<'_>>, PackagingError> {
    let mut parts = Vec::new();
    for payload in Parser::new(0).parse_all(wasm) {
        let payload = payload.map_err(|error| no_module(&error.to_string()))?;
        if let Payload::Version { encoding: Encoding::Component, .. } = payload {
            return Err(no_module("it is a component"));
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

fn slice(wasm: &[u8], range: Range<u64>) -> Result<&[u8], PackagingError> {
    let (start, end) = (usize::try_from(range.start), usize::try_from(range.end));
    let bytes = start.ok().zip(end.ok()).and_then(|(start, end)| wasm.get(start..end));
    bytes.ok_or_else(|| no_module("a section ends behind the end of the file"))
}

fn no_module(why: &str) -> PackagingError {
    PackagingError::new("module", format!("expected a core WebAssembly module: {why}"))
}
