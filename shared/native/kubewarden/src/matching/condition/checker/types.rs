use std::fmt;
use std::rc::Rc;

#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Type {
    /// A type that is known only when the expression is evaluated.
    Dyn,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Duration,
    Timestamp,
    Named(&'static str),
    /// A type that is not yet known.
    Variable(usize),
    List(Rc<Self>),
    Map(Rc<Self>, Rc<Self>),
    Optional(Rc<Self>),
    Meta(Rc<Self>),
}

impl Type {
    pub(super) fn list(item: Self) -> Self {
        Self::List(Rc::new(item))
    }

    pub(super) fn map(key: Self, value: Self) -> Self {
        Self::Map(Rc::new(key), Rc::new(value))
    }

    pub(super) fn optional(value: Self) -> Self {
        Self::Optional(Rc::new(value))
    }

    /// Returns the type of the value of an optional value, and any other type unchanged.
    pub(super) fn without_optional(&self) -> &Self {
        match self {
            Self::Optional(value) => value,
            other => other,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dyn | Self::Variable(_) => f.write_str("dyn"),
            Self::Null => f.write_str("null"),
            Self::Bool => f.write_str("bool"),
            Self::Int => f.write_str("int"),
            Self::Uint => f.write_str("uint"),
            Self::Double => f.write_str("double"),
            Self::String => f.write_str("string"),
            Self::Bytes => f.write_str("bytes"),
            Self::Duration => f.write_str("duration"),
            Self::Timestamp => f.write_str("timestamp"),
            Self::Named(name) => f.write_str(name),
            Self::List(item) => write!(f, "list({item})"),
            Self::Map(key, value) => write!(f, "map({key}, {value})"),
            Self::Optional(value) => write!(f, "optional({value})"),
            Self::Meta(of) => write!(f, "type({of})"),
        }
    }
}
