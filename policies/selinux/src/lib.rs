//! The module of [`rules::selinux`].

guest::export!(rules::selinux::Selinux);
