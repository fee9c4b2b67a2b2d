//! `format.named`, the formats themselves and `validate`.
//!
//! Sources: `pkg/cel/library/format.go` of k8s.io/apiserver at 24a394e51, `pkg/api/validation` and
//! `pkg/util/validation` of k8s.io/apimachinery, `pkg/validation/strfmt` of k8s.io/kube-openapi,
//! and `patterns.go` of govalidator. The messages of an API server are not here: a condition whose
//! value could depend on them is unknown (`References::unreadable`).

use std::sync::LazyLock;

use cel::common::types::{CelList, CelOptional, CelString, Type};
use cel::{DeclarationError, Env, ExecutionError, add_member_overload, add_overload};
use regex::Regex;

use super::time::read_date;
use super::url::{self, Problem};
use super::{NOT_KNOWN, Of, Opaque, failed};

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Format {
    Byte,
    Date,
    Datetime,
    Dns1035Label,
    Dns1035LabelPrefix,
    Dns1123Label,
    Dns1123LabelPrefix,
    Dns1123Subdomain,
    Dns1123SubdomainPrefix,
    LabelValue,
    QualifiedName,
    Uri,
    Uuid,
}

impl Opaque for Format {
    fn of_type() -> &'static Type {
        static TYPE: LazyLock<Type> = LazyLock::new(|| Type::new_opaque_type("kubernetes.NamedFormat"));
        &TYPE
    }

    fn is_equal(&self, other: &Self) -> bool {
        self == other
    }
}

/// Declares a function for every format, and the search by name.
macro_rules! formats {
    ($env:expr, $($function:ident $name:literal $format:ident;)*) => {
        $(
            fn $function() -> Of<Format> {
                Of(Format::$format)
            }

            add_overload!($env, fn $function: () -> Of<Format>, name = concat!("format.", $name))?;
        )*

        fn named(name: &CelString<'_>) -> CelOptional<'static> {
            match name.inner() {
                $($name => CelOptional::of(Box::new(Of(Format::$format))),)*
                _ => CelOptional::none(),
            }
        }

        add_overload!($env, fn named: (CelString) -> CelOptional, name = "format.named")?;
    };
}

pub(super) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    formats! { env,
        byte "byte" Byte;
        date "date" Date;
        datetime "datetime" Datetime;
        dns_1035_label "dns1035Label" Dns1035Label;
        dns_1035_label_prefix "dns1035LabelPrefix" Dns1035LabelPrefix;
        dns_1123_label "dns1123Label" Dns1123Label;
        dns_1123_label_prefix "dns1123LabelPrefix" Dns1123LabelPrefix;
        dns_1123_subdomain "dns1123Subdomain" Dns1123Subdomain;
        dns_1123_subdomain_prefix "dns1123SubdomainPrefix" Dns1123SubdomainPrefix;
        label_value "labelValue" LabelValue;
        qualified_name "qualifiedName" QualifiedName;
        uri "uri" Uri;
        uuid "uuid" Uuid;
    }
    add_member_overload!(env, fn validate: (Of<Format>, CelString) -> Result<CelOptional>)
}

/// Nothing for a valid text, else the messages, which are left out.
fn validate(format: &Of<Format>, text: &CelString<'_>) -> Result<CelOptional<'static>, ExecutionError> {
    match is_valid(format.0, text.inner()) {
        Some(true) => Ok(CelOptional::none()),
        Some(false) => Ok(CelOptional::of(Box::new(CelList::from(Vec::new())))),
        None => Err(failed("validate", NOT_KNOWN)),
    }
}

/// A pattern for a whole text. Patterns are constants, and tests use each of them.
fn is_match(pattern: &'static LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

macro_rules! pattern {
    ($name:ident, $pattern:expr) => {
        static $name: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new($pattern).ok());
    };
}

pattern!(LABEL_1123, "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$");
pattern!(LABEL_1035, "^[a-z]([-a-z0-9]*[a-z0-9])?$");
pattern!(SUBDOMAIN, r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$");
pattern!(NAME, "^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$");
pattern!(UUID, "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$");
pattern!(BASE64, "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$");
pattern!(TIME, r"^([0-9]{2}):([0-9]{2}):([0-9]{2})([^0-9][0-9]+)?(z|[+-][0-9]{2}:[0-9]{2})$");

fn is_valid(format: Format, text: &str) -> Option<bool> {
    Some(match format {
        Format::Byte => is_match(&BASE64, text),
        Format::Date => read_date(text).is_some(),
        Format::Datetime => return is_datetime(text),
        Format::Dns1035Label => is_short(text, 63) && is_match(&LABEL_1035, text),
        Format::Dns1035LabelPrefix => return is_valid(Format::Dns1035Label, &complete(text)),
        Format::Dns1123Label => is_short(text, 63) && is_match(&LABEL_1123, text),
        Format::Dns1123LabelPrefix => return is_valid(Format::Dns1123Label, &complete(text)),
        Format::Dns1123Subdomain => is_short(text, 253) && is_match(&SUBDOMAIN, text),
        Format::Dns1123SubdomainPrefix => return is_valid(Format::Dns1123Subdomain, &complete(text)),
        Format::LabelValue => text.is_empty() || is_name(text),
        Format::QualifiedName => match text.split_once('/') {
            Some((prefix, name)) => is_valid(Format::Dns1123Subdomain, prefix)? && is_name(name),
            None => is_name(text),
        },
        Format::Uri => match url::check(text) {
            Ok(()) => true,
            Err(Problem::Malformed) => false,
            Err(Problem::NotKnown) => return None,
        },
        Format::Uuid => is_match(&UUID, text),
    })
}

fn is_short(text: &str, longest: usize) -> bool {
    text.len() <= longest
}

fn is_name(text: &str) -> bool {
    is_short(text, 63) && is_match(&NAME, text)
}

/// Replaces a dash at the end of a prefix, and the character before it, as API servers do.
fn complete(prefix: &str) -> String {
    let mut before = prefix.strip_suffix('-').unwrap_or_default().chars();
    match before.next_back() {
        Some(_) => format!("{}a", before.as_str()),
        None => prefix.to_owned(),
    }
}

/// A date and a time around a `T`; what follows a second `T` is ignored. The pattern of API servers
/// allows any character before the fraction; whether each version does is not known.
fn is_datetime(text: &str) -> Option<bool> {
    let text = text.to_lowercase();
    let mut parts = text.split('t');
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else { return Some(false) };
    let found = TIME.as_ref().and_then(|pattern| pattern.captures(time));
    let Some(found) = found.filter(|_| read_date(date).is_some()) else { return Some(false) };
    let part = |at| found.get(at).map_or("", |part| part.as_str());
    if !part(4).is_empty() && !part(4).starts_with('.') {
        return None;
    }
    Some(part(1) <= "23" && part(2) <= "59" && part(3) <= "59")
}
