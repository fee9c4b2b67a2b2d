//! Settings, declared as data.

use std::fmt;

use document::{Origin, Place};
use text::Step;

use crate::{Document, Fault, Node, Quoted, Shape, nearest};

/// One setting: its name, what it takes and what it means.
///
/// Unknown keys, wrong types and names that do not exist are refused by the declaration, with the path of the
/// setting. What a setting means is in [`Policy::DOCS`](crate::Policy::DOCS), which no module carries.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The key, in camelCase.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
}

impl Setting {
    /// A setting.
    #[must_use]
    pub const fn new(name: &'static str, kind: Kind) -> Self {
        Self { name, kind }
    }
}

/// What a setting takes. `null` always equals an absent key.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A string.
    Text,
    /// A boolean; `false` is the default.
    Flag,
    /// An integer. The policy that reads it finds other types: most modules read no integers and carry no code for it.
    Integer,
    /// One of the names; the first is the default.
    Choice(&'static [&'static str]),
    /// A list.
    List(&'static Kind),
    /// An object with these keys and no others.
    Object(&'static [Setting]),
    /// An object with any keys, all values strings.
    Texts,
}

/// What a setting takes, for a table: `list of strings`, or the names with bars between them.
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
        }
    }
}

/// All settings by path, in order: `allow`, `allow.cidrs`. A path below a list belongs to each of its elements.
#[must_use]
pub fn by_path(settings: &[Setting]) -> Vec<(String, Kind)> {
    fn collect(prefix: &str, settings: &[Setting], found: &mut Vec<(String, Kind)>) {
        for Setting { name, kind } in settings {
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

/// A setting that is not valid: its place, such as `allow[0].cidrs[1]` or `settings` as a whole, the
/// problem, and what to write instead.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SettingsError(Fault);

impl SettingsError {
    /// An error at a setting.
    #[must_use]
    #[cold]
    pub fn at(setting: Node<'_>, problem: &str) -> Self {
        Self(setting.fault(problem))
    }

    /// An error about a text at a setting, which the message repeats: `"10.0.0.0/33" is not a CIDR`.
    #[must_use]
    #[cold]
    pub fn about(setting: Node<'_>, text: &str, problem: &str) -> Self {
        Self(setting.fault(format!("{} {problem}", Quoted(text))))
    }

    /// The steps to the setting, from the settings as a whole.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        let Place { origin, steps } = self.0.place();
        match (origin, steps.split_first()) {
            // Settings that come with a request lie below its key.
            (Origin::Payload, Some((_, steps))) => steps,
            _ => steps,
        }
    }

    /// The problem, and what to write instead.
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

/// As a fault of a request, the setting is named below `settings`.
impl From<SettingsError> for Fault {
    fn from(SettingsError(fault): SettingsError) -> Self {
        fault
    }
}

/// An enumeration that is a setting.
///
/// Written with [`choices!`](crate::choices).
pub trait Choice: Copy + Default + 'static {
    /// The values, the default first.
    const VALUES: &'static [Self];
    /// Their names, as settings write them.
    const NAMES: &'static [&'static str];

    /// Reads the setting; the default where it is absent.
    ///
    /// # Errors
    /// When it is none of the names.
    fn read(setting: Node<'_>) -> Result<Self, SettingsError> {
        Ok(choice(setting, Self::NAMES)?
            .and_then(|index| Self::VALUES.get(index))
            .copied()
            .unwrap_or_default())
    }
}

/// The position of a setting's value among the names that it may have.
fn choice(setting: Node<'_>, names: &[&str]) -> Result<Option<usize>, SettingsError> {
    let Some(name) = setting.text()? else { return Ok(None) };
    match names.iter().position(|known| *known == name) {
        None => {
            let problem = advice("is no value of this setting", name, names);
            Err(SettingsError::about(setting, name, &problem))
        }
        index => Ok(index),
    }
}

/// A complaint about a name, with the nearest of the known ones or all of them.
///
/// # Example
/// ```
/// let advice = admission::advice("is no gate", "nort", &["north", "south"]);
/// assert_eq!(advice, "is no gate; did you mean north?");
/// ```
#[cold]
#[must_use]
pub fn advice(complaint: &str, name: &str, known: &[&str]) -> String {
    match nearest(name, known) {
        Some(near) => format!("{complaint}; did you mean {near}?"),
        None => format!("{complaint}; known are {}", Listed(known)),
    }
}

/// Declares enumerations that are settings; the first variant is the default.
///
/// # Example
/// ```
/// admission::choices! {
///     /// What becomes of values that are stored already.
///     pub enum ExistingValues {
///         /// They stay.
///         Tolerate,
///         /// They are judged like new ones.
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
        pub enum $name:ident {
            $(#[$first_docs:meta])* $first:ident,
            $($(#[$variant_docs:meta])* $variant:ident,)*
        }
    )*) => {$(
        $(#[$docs])*
        #[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
        pub enum $name {
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

/// Names with commas between them.
struct Listed<'a>(&'a [&'a str]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.0.iter().enumerate() {
            f.write_str(if index > 0 { ", " } else { "" })?;
            f.write_str(name)?;
        }
        Ok(())
    }
}

/// Holds settings against their declaration: unknown keys, wrong types, names that do not exist.
///
/// # Errors
/// The first thing that is wrong, with its path.
pub(crate) fn check(settings: Node<'_>, known: &[Setting]) -> Result<(), SettingsError> {
    settings.object()?;
    for (name, value) in settings.fields()? {
        let Some(setting) = known.iter().find(|setting| setting.name == name) else {
            let names: Vec<&str> = known.iter().map(|setting| setting.name).collect();
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
                    return Err(SettingsError::at(item, "null is no element of a list; remove it"));
                }
                check_kind(item, *of)?;
            }
        }
        Kind::Object(known) => check(value, known)?,
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

/// Parses settings that come alone, as `validate_settings` gets them.
pub(crate) fn parse(settings: &[u8]) -> Result<Document<'_>, SettingsError> {
    Ok(Document::parse(settings, Shape::ALL, Origin::Settings)?)
}
