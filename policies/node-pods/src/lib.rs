//! The module of [`rules::node_pods`].

guest::export!(rules::node_pods::NodePods);
