//! The module of [`rules::external_ips`].

guest::export!(rules::external_ips::ExternalIps);
