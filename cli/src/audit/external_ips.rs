//! Services that use external IPs: the second story of KEP-2200.

use std::io::{self, Write};

use rules::view;
use serde::Serialize;

use super::{Dump, Findings, counted};
use crate::failure::Failure;
use crate::text::one_line;

/// The Services that use the field.
#[derive(Debug, Serialize)]
pub(super) struct ExternalIps {
    services: Vec<Service>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Service {
    namespace: String,
    name: String,
    #[serde(rename = "externalIPs")]
    external_ips: Vec<String>,
}

/// Looks for Services with external IPs.
///
/// # Errors
/// A dump without Services, and a Service that cannot be read.
pub(super) fn find(dump: &Dump) -> Result<ExternalIps, Failure> {
    let mut services = Vec::new();
    dump.each_of_some("Service", "kubectl get services --all-namespaces", |namespace, name, object| {
        let texts = view::Service::of(object).external_ips().texts()?;
        if !texts.is_empty() {
            let external_ips = texts.into_iter().map(|(_, text)| text.to_owned()).collect();
            services.push(Service { namespace: namespace.to_owned(), name: name.to_owned(), external_ips });
        }
        Ok(())
    })?;
    Ok(ExternalIps { services })
}

impl Findings for ExternalIps {
    fn is_empty(&self) -> bool {
        self.services.is_empty()
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        for Service { namespace, name, external_ips } in &self.services {
            writeln!(out, "{}", one_line(&format!("{namespace}/{name}: {}", external_ips.join(", "))))?;
        }
        match self.services.len() {
            0 => writeln!(out, "No Service uses spec.externalIPs."),
            count => writeln!(out, "\n{} spec.externalIPs.", counted(count, "Service uses", "Services use")),
        }
    }
}
