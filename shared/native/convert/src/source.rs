//! The systems whose policies can be converted.

use crate::{
    Conversion, Document, InputError, external_ips, gatekeeper, kubewarden_policies, kyverno, psa, psp, scc,
};

/// A system whose policies can be converted.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// The name, as `portcullis convert` takes it.
    pub name: &'static str,
    /// Whether a document with an `apiVersion` and a `kind` belongs to the source.
    recognises: fn(api_version: &str, kind: &str) -> bool,
    convert: fn(&[Document]) -> Result<Vec<Conversion>, InputError>,
}

/// All sources.
pub const SOURCES: &[Source] = &[
    Source { name: "external-ips", recognises: external_ips::recognises, convert: external_ips::convert },
    Source { name: "gatekeeper", recognises: gatekeeper::recognises, convert: gatekeeper::convert },
    Source {
        name: "kubewarden",
        recognises: kubewarden_policies::recognises,
        convert: kubewarden_policies::convert,
    },
    Source { name: "kyverno", recognises: kyverno::recognises, convert: kyverno::convert },
    Source { name: "psa", recognises: psa::recognises, convert: psa::convert },
    Source { name: "psp", recognises: psp::recognises, convert: psp::convert },
    Source { name: "scc", recognises: scc::recognises, convert: scc::convert },
];

impl Source {
    /// Returns the source that a document belongs to; for a list, that of its first item.
    ///
    /// ```
    /// use convert::{Document, Source};
    /// use serde_json::json;
    ///
    /// let value = json!({ "apiVersion": "kyverno.io/v1", "kind": "ClusterPolicy" });
    /// let document = Document { name: "policy.yaml".to_owned(), value };
    /// assert_eq!(Source::of(&document).unwrap().name, "kyverno");
    /// ```
    #[must_use]
    pub fn of(document: &Document) -> Option<&'static Self> {
        let value = document.value.pointer("/items/0").unwrap_or(&document.value);
        let text = |key| value.get(key).and_then(|value| value.as_str()).unwrap_or_default();
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        SOURCES.iter().find(|source| (source.recognises)(api_version, kind))
    }

    /// Converts documents, without further configuration of the source.
    ///
    /// # Errors
    /// The first document that the source would not accept.
    pub fn convert(&self, documents: &[Document]) -> Result<Vec<Conversion>, InputError> {
        (self.convert)(documents)
    }
}
