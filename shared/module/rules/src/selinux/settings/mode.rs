use admission::choices;

choices! {
    /// How a pod with incomplete SELinux options is handled.
    pub enum Mode {
        /// The pod is completed.
        Mutate,
        /// The pod is denied.
        Validate,
    }
}
