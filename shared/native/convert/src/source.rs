//! The systems whose policies can be converted.

use crate::{Conversion, Document, InputError, gatekeeper, kubewarden_policies, kyverno, psa};

/// A system whose policies can be converted.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// The name, as `portcullis convert` takes it.
    pub name: &'static str,
    /// The content of the documents, for messages.
    pub expected: &'static str,
    /// Whether a document with an `apiVersion` and a `kind` belongs to the source.
    recognises: fn(api_version: &str, kind: &str) -> bool,
    convert: fn(&[Document]) -> Result<Vec<Conversion>, InputError>,
}

/// All sources.
pub const SOURCES: &[Source] = &[Source::GATEKEEPER, Source::KUBEWARDEN, Source::KYVERNO, Source::PSA];

impl Source {
    /// Constraints of Gatekeeper's library.
    pub const GATEKEEPER: Self = Self {
        name: "gatekeeper",
        expected: "constraints of Gatekeeper",
        recognises: gatekeeper::recognises,
        convert: gatekeeper::convert,
    };
    /// Policies with Kubewarden's official modules for single controls.
    pub const KUBEWARDEN: Self = Self {
        name: "kubewarden",
        expected: "policies of Kubewarden",
        recognises: kubewarden_policies::recognises,
        convert: kubewarden_policies::convert,
    };
    /// Policies of Kyverno.
    pub const KYVERNO: Self = Self {
        name: "kyverno",
        expected: "Kyverno policies",
        recognises: kyverno::recognises,
        convert: kyverno::convert,
    };
    /// The configuration of the admission plugin `PodSecurity`.
    pub const PSA: Self = Self {
        name: "psa",
        expected: "a PodSecurityConfiguration or an AdmissionConfiguration",
        recognises: psa::recognises,
        convert: psa::convert,
    };

    /// Returns the source that a document belongs to.
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
        let text = |key| document.value.get(key).and_then(|value| value.as_str()).unwrap_or_default();
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        SOURCES.iter().find(|source| (source.recognises)(api_version, kind))
    }

    /// Divides documents into those that the source would accept, and the reasons why it would not
    /// accept the others. Each is converted alone for this.
    #[must_use]
    pub fn accepted(&self, documents: Vec<Document>) -> (Vec<Document>, Vec<InputError>) {
        let (mut accepted, mut refused) = (Vec::new(), Vec::new());
        for document in documents {
            match self.convert(std::slice::from_ref(&document)) {
                Ok(_) => accepted.push(document),
                Err(error) => refused.push(error),
            }
        }
        (accepted, refused)
    }

    /// Converts documents, without further configuration of the source.
    ///
    /// # Errors
    /// The first document that the source would not accept.
    pub fn convert(&self, documents: &[Document]) -> Result<Vec<Conversion>, InputError> {
        (self.convert)(documents)
    }
}
