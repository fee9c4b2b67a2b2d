//! The module of [`rules::node_labels`].

guest::export!(rules::node_labels::NodeLabels);
