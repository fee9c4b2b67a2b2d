//! The ids of the rules of a policy.

/// Defines the ids of rules as constants, and the list `ALL` of the ids with the names for people.
macro_rules! rule_ids {
    ($($constant:ident = $id:literal: $name:literal,)*) => {
        $(pub(crate) const $constant: &str = $id;)*

        pub(crate) const ALL: &[(&str, &str)] = &[$(($id, $name)),*];
    };
}

pub(crate) use rule_ids;
