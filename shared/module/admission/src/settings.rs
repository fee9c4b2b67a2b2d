//! Settings, declared as data.

use std::fmt;

use document::{Origin, Place};
use text::Step;

use crate::{Document, Fault, Node, Quoted, Shape, nearest};

/// A setting: its name and its type.
///
/// The declaration rejects unknown keys, wrong types and invalid names, with the path of the
/// setting. [`Policy::DOCS`](crate::Policy::DOCS) has the description of the setting, which no
/// module carries.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The key, in camelCase.
    pub name: &'static str,
    /// The type of its values.
    pub kind: Kind,
}

impl Setting {
    /// Creates a setting.
    #[must_use]
    pub const fn new(name: &'static str, kind: Kind) -> Self {
        Self { name, kind }
    }

    fn is_former(&self) -> bool {
        matches!(self.kind, Kind::Former(_))
    }
}

/// The type of a setting. `null` always equals an absent key.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A string.
    Text,
    /// A boolean; `false` is the default.
    Flag,
    /// An integer. The policy that reads it rejects other types: most modules read no integers and
    /// carry no code for them.
    Integer,
    /// One of these names, the first of which is the default.
    Choice(&'static [&'static str]),
    /// A list of values of this type.
    List(&'static Kind),
    /// An object with these keys and no others.
    Object(&'static [Setting]),
    /// An object with arbitrary keys, whose values are strings.
    Texts,
    /// A key of an earlier form. Every value is an error with this text, which names the new form;
    /// tables and forms do not list the key.
    Former(&'static str),
}

/// Displays the type for a table: `list of strings`, or the valid names separated by bars.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Text => f.write_str("string"),
            Kind::Flag => f.write_str("`false` | `true`"),
            Kind::Integer => f.write_str("integer"),
            Kind::Choice(names) => names.iter().enumerate().try_for_each(|(index, name)| {
                let bar = if index > 0 { " | " } else { "" };
                write!(f, "{bar}`{name}`")
            }),
            Kind::List(Kind::Object(_)) => f.write_str("list of objects"),
            Kind::List(of @ Kind::Choice(_)) => write!(f, "list of {of}"),
            Kind::List(_) => f.write_str("list of strings"),
            Kind::Object(_) => f.write_str("object"),
            Kind::Texts => f.write_str("object of strings"),
            Kind::Former(problem) => f.write_str(problem),
        }
    }
}

/// Returns all settings by path, in order: `allow`, `allow.cidrs`. A path below a list applies to
/// each of its elements. Keys of earlier forms are left out.
#[must_use]
pub fn by_path(settings: &[Setting]) -> Vec<(String, Kind)> {
    fn collect(prefix: &str, settings: &[Setting], found: &mut Vec<(String, Kind)>) {
        for Setting { name, kind } in settings.iter().filter(|setting| !setting.is_former()) {
            let path = format!("{prefix}{name}");
            found.push((path.clone(), *kind));
            if let Kind::Object(fields) | Kind::List(Kind::Object(fields)) = kind {
                collect(&format!("{path}."), fields, found);
            }
        }
    }
    let mut found = Vec::new();
    collect("", settings, &mut found);
    found
}

/// A setting that is not valid: its place, such as `allow[0].cidrs[1]`, or `settings` for the
/// settings as a whole, the problem, and the remedy.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SettingsError(Fault);

impl SettingsError {
    /// Creates an error at a setting.
    #[must_use]
    #[cold]
    pub fn at(setting: Node<'_>, problem: &str) -> Self {
        Self(setting.fault(problem))
    }

    /// Creates an error about a text at a setting, which the message repeats:
    /// `"10.0.0.0/33" is not a CIDR`.
    #[must_use]
    #[cold]
    pub fn about(setting: Node<'_>, text: &str, problem: &str) -> Self {
        Self(setting.fault([&Quoted(text).to_string(), " ", problem].concat()))
    }

    /// Returns the steps from the settings as a whole to the setting.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        let Place { origin, steps } = self.0.place();
        match (origin, steps.split_first()) {
            // Settings that come with a request are below its key.
            (Origin::Payload, Some((_, steps))) => steps,
            _ => steps,
        }
    }

    /// Returns the problem and the remedy.
    #[must_use]
    pub fn problem(&self) -> &str {
        self.0.problem()
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Place::write(f, &Origin::Settings, self.steps())?;
        f.write_str(": ")?;
        f.write_str(self.problem())
    }
}

impl std::error::Error for SettingsError {}

impl From<Fault> for SettingsError {
    fn from(fault: Fault) -> Self {
        Self(fault)
    }
}

/// In a fault of a request, the path of the setting starts with `settings`.
impl From<SettingsError> for Fault {
    fn from(SettingsError(fault): SettingsError) -> Self {
        fault
    }
}

/// An enumeration that is the type of a setting.
///
/// Declare it with [`choices!`](crate::choices).
pub trait Choice: Copy + Default + 'static {
    /// The values, the default first.
    const VALUES: &'static [Self];
    /// The names of the values, as settings write them.
    const NAMES: &'static [&'static str];

    /// Reads the setting; returns the default if it is absent.
    ///
    /// # Errors
    /// Returns an error if the value is not one of the names.
    fn read(setting: Node<'_>) -> Result<Self, SettingsError> {
        Ok(choice(setting, Self::NAMES)?
            .and_then(|index| Self::VALUES.get(index))
            .copied()
            .unwrap_or_default())
    }
}

/// Returns the position of a setting's value among the valid names.
fn choice(setting: Node<'_>, names: &[&str]) -> Result<Option<usize>, SettingsError> {
    let Some(name) = setting.text()? else { return Ok(None) };
    match names.iter().position(|known| *known == name) {
        None => {
            let problem = advice("is not a valid value", name, names);
            Err(SettingsError::about(setting, name, &problem))
        }
        index => Ok(index),
    }
}

/// Returns a complaint about a name, with the nearest of the valid names, or all of them if none is
/// near.
///
/// # Example
/// ```
/// let gates = ["north", "south"];
/// let advice = |name| admission::advice("is not a gate", name, &gates);
/// assert_eq!(advice("nort"), "is not a gate; did you mean north?");
/// assert_eq!(advice("moat"), "is not a gate; expected one of north, south");
/// ```
#[cold]
#[must_use]
pub fn advice(complaint: &str, name: &str, known: &[&str]) -> String {
    match nearest(name, known) {
        Some(near) => [complaint, "; did you mean ", near, "?"].concat(),
        None => [complaint, "; expected one of ", &known.join(", ")].concat(),
    }
}

/// Declares enumerations that are types of settings; the first variant is the default.
///
/// # Example
/// ```
/// admission::choices! {
///     /// The handling of values that are stored already.
///     pub enum ExistingValues {
///         /// They are tolerated.
///         Tolerate,
///         /// They are evaluated like new ones.
///         Recheck,
///     }
/// }
/// use admission::Choice;
/// assert_eq!(ExistingValues::NAMES, ["Tolerate", "Recheck"]);
/// assert!(matches!(ExistingValues::default(), ExistingValues::Tolerate));
/// ```
#[macro_export]
macro_rules! choices {
    ($(
        $(#[$docs:meta])*
        $visibility:vis enum $name:ident {
            $(#[$first_docs:meta])* $first:ident,
            $($(#[$variant_docs:meta])* $variant:ident,)*
        }
    )*) => {$(
        $(#[$docs])*
        #[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
        $visibility enum $name {
            #[default]
            $(#[$first_docs])* $first,
            $($(#[$variant_docs])* $variant,)*
        }

        impl $crate::Choice for $name {
            const VALUES: &'static [Self] = &[Self::$first, $(Self::$variant),*];
            const NAMES: &'static [&'static str] = &[stringify!($first), $(stringify!($variant)),*];
        }
    )*};
}

/// Checks settings against their declaration: unknown keys, wrong types and invalid names.
pub(crate) fn check(settings: Node<'_>, known: &[Setting]) -> Result<(), SettingsError> {
    settings.object()?;
    for (name, value) in settings.fields()? {
        let Some(setting) = known.iter().find(|setting| setting.name == name) else {
            let names = known.iter().filter(|setting| !setting.is_former());
            let names: Vec<&str> = names.map(|setting| setting.name).collect();
            return Err(SettingsError::at(value, &advice("unknown key", name, &names)));
        };
        if value.is_present()? {
            check_kind(value, setting.kind)?;
        }
    }
    Ok(())
}

fn check_kind(value: Node<'_>, kind: Kind) -> Result<(), SettingsError> {
    match kind {
        Kind::Text => {
            value.text()?;
        }
        Kind::Flag => {
            value.boolean()?;
        }
        Kind::Integer => {}
        Kind::Choice(names) => {
            choice(value, names)?;
        }
        Kind::List(of) => {
            for item in value.items()? {
                if !item.is_present()? {
                    return Err(SettingsError::at(item, "null is not a valid list element; remove it"));
                }
                check_kind(item, *of)?;
            }
        }
        Kind::Object(known) => check(value, known)?,
        Kind::Former(problem) => return Err(SettingsError::at(value, problem)),
        Kind::Texts => {
            for (_, text) in value.fields()? {
                if text.text()?.is_none() {
                    return Err(text.fault("expected a string, found null").into());
                }
            }
        }
    }
    Ok(())
}

/// Parses settings alone, as `validate_settings` receives them.
pub(crate) fn parse(settings: &[u8]) -> Result<Document<'_>, SettingsError> {
    Ok(Document::parse(settings, Shape::ALL, Origin::Settings)?)
}
