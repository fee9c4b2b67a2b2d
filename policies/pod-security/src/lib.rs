//! The module of [`rules::pod_security`].

guest::export!(rules::pod_security::PodSecurity);
