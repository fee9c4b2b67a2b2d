//! Services that use external IPs, as text.

use std::io::{self, Write};

use audit::external_ips::{ExternalIpFindings, ServiceWithExternalIps};

use super::counted;
use crate::terminal::one_line;

/// Writes a line for each Service, and their number.
///
/// # Errors
/// The output cannot be written.
pub(super) fn write(out: &mut dyn Write, findings: &ExternalIpFindings) -> io::Result<()> {
    for ServiceWithExternalIps { namespace, name, external_ips } in &findings.services {
        writeln!(out, "{}", one_line(&format!("{namespace}/{name}: {}", external_ips.join(", "))))?;
    }
    match findings.services.len() {
        0 => writeln!(out, "No Service uses spec.externalIPs."),
        count => writeln!(out, "\n{} spec.externalIPs.", counted(count, "Service uses", "Services use")),
    }
}
