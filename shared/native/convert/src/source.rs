//! The systems whose policies can be converted.

use crate::{
    Conversion, Document, InputError, external_ips, gatekeeper, kubewarden_policies, kyverno, psa, psp, scc,
};

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
pub const SOURCES: &[Source] = &[
    Source::EXTERNAL_IPS,
    Source::GATEKEEPER,
    Source::KUBEWARDEN,
    Source::KYVERNO,
    Source::PSA,
    Source::PSP,
    Source::SCC,
];

impl Source {
    /// Restrictions on the external IPs of Services.
    pub const EXTERNAL_IPS: Self = Self {
        name: "external-ips",
        expected: "restrictions on external IPs",
        recognises: external_ips::recognises,
        convert: external_ips::convert,
    };
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
    /// `PodSecurityPolicy` objects.
    pub const PSP: Self = Self {
        name: "psp",
        expected: "PodSecurityPolicies",
        recognises: psp::recognises,
        convert: psp::convert,
    };
    /// `SecurityContextConstraints` of `OpenShift`.
    pub const SCC: Self = Self {
        name: "scc",
        expected: "SecurityContextConstraints",
        recognises: scc::recognises,
        convert: scc::convert,
    };

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
