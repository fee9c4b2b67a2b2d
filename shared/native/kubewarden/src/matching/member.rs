/// The verdict of a member.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum MemberVerdict {
    /// The member admits the object as it is.
    Admitted,
    /// The member denies the object, changes it, or is an error, with the message. Changes are not
    /// allowed in a group.
    Denied(String),
    /// The verdict is not known, with the reason.
    Unknown(String),
}

/// The verdict of a group.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum GroupVerdict {
    /// The expression is true.
    Admitted,
    /// The expression is false. The members that were asked and denied, with their messages.
    Denied(Vec<(String, String)>),
    /// The verdict depends on a member whose verdict is not known, with the name of the member and
    /// the reason.
    Unknown(String),
}
