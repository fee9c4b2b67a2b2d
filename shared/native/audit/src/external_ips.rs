//! Services that use external IPs: the second user story of KEP-2200.

use rules::view;
use serde::Serialize;

use crate::{AuditError, Dump};

/// The command that creates a suitable dump.
const COMMAND: &str = "kubectl get services --all-namespaces";

/// The findings of the audit.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ExternalIpFindings {
    /// The Services that use `spec.externalIPs`, ordered by namespace and name.
    pub services: Vec<ServiceWithExternalIps>,
}

/// A Service that uses `spec.externalIPs`.
#[derive(Clone, Debug, Serialize)]
pub struct ServiceWithExternalIps {
    /// The namespace of the Service.
    pub namespace: String,
    /// The name of the Service.
    pub name: String,
    /// The addresses, in the order of the field.
    #[serde(rename = "externalIPs")]
    pub external_ips: Vec<String>,
}

impl ExternalIpFindings {
    /// Whether the audit found nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.services.is_empty()
    }
}

/// Finds the Services that use `spec.externalIPs`.
///
/// # Errors
/// A dump without Services, and a Service that cannot be read.
pub fn find(dump: &Dump) -> Result<ExternalIpFindings, AuditError> {
    let mut services = Vec::new();
    dump.visit_some("Service", COMMAND, |service, root| {
        let addresses = view::Service::of(root).external_ips().texts()?;
        if !addresses.is_empty() {
            services.push(ServiceWithExternalIps {
                namespace: service.namespace.clone(),
                name: service.name.clone(),
                external_ips: addresses.into_iter().map(|(_, address)| address.to_owned()).collect(),
            });
        }
        Ok(())
    })?;
    Ok(ExternalIpFindings { services })
}
