//! `url`, `isURL` and the parts of URLs.
//!
//! Sources: `pkg/cel/library/urls.go` of k8s.io/apiserver at 24a394e51, and `net/url` of Go, whose
//! grammar is wider than that of browsers. Hosts that versions of Go read in different ways are not
//! known: escaped ones, and brackets without an IPv6 address.

use std::collections::HashMap;
use std::net::Ipv6Addr;
use std::sync::LazyLock;

use cel::common::types::{CelBool, CelList, CelMap, CelMapKey as Key, CelString, Type};
use cel::common::value::Val;
use cel::{DeclarationError, Env, ExecutionError, add_member_overload, add_overload};

use super::{NOT_KNOWN, Of, Opaque, failed};

/// The parts of a URL as `getEscapedPath` and the like return them. Equal parts make equal texts.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
struct Url {
    scheme: String,
    /// The rest of a URL without a slash after the scheme, such as `mailto:a@example.com`.
    opaque: String,
    user: String,
    host: String,
    path: String,
    has_query: bool,
    query: String,
    fragment: String,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Problem {
    Malformed,
    NotKnown,
}

/// A part of a URL, each with characters of its own.
#[derive(Clone, Copy)]
enum Part {
    Path,
    Fragment,
}

impl Opaque for Url {
    fn of_type() -> &'static Type {
        static TYPE: LazyLock<Type> = LazyLock::new(|| Type::new_opaque_type("kubernetes.URL"));
        &TYPE
    }

    fn is_equal(&self, other: &Self) -> bool {
        self == other
    }
}

pub(super) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    add_overload!(env, fn url: (CelString) -> Result<Of<Url>>)?;
    add_overload!(env, fn is_url: (CelString) -> Result<CelBool>, name = "isURL")?;
    add_member_overload!(env, fn get_scheme: (Of<Url>) -> CelString)?;
    add_member_overload!(env, fn get_host: (Of<Url>) -> CelString)?;
    add_member_overload!(env, fn get_hostname: (Of<Url>) -> CelString)?;
    add_member_overload!(env, fn get_port: (Of<Url>) -> CelString)?;
    add_member_overload!(env, fn get_escaped_path: (Of<Url>) -> CelString)?;
    add_member_overload!(env, fn get_query: (Of<Url>) -> Result<CelMap>)
}

/// Checks a URL with a scheme, or an absolute path, as `ParseRequestURI` does: a fragment belongs
/// to the part before it.
pub(super) fn check(text: &str) -> Result<(), Problem> {
    read(text).map(|_| ())
}

fn url(text: &CelString<'_>) -> Result<Of<Url>, ExecutionError> {
    let of_problem = |problem| match problem {
        Problem::Malformed => failed("url", "not a URL"),
        Problem::NotKnown => failed("url", NOT_KNOWN),
    };
    check(text.inner()).map_err(of_problem)?;
    let (before, fragment) = text.inner().split_once('#').unwrap_or((text.inner(), ""));
    // Only `ParseRequestURI` requires a scheme or a slash.
    let mut url = read(before).map_err(of_problem)?;
    url.fragment = escaped(fragment, Part::Fragment).map_err(of_problem)?;
    Ok(Of(url))
}

fn is_url(text: &CelString<'_>) -> Result<CelBool, ExecutionError> {
    match check(text.inner()) {
        Ok(()) => Ok(CelBool::from(true)),
        Err(Problem::Malformed) => Ok(CelBool::from(false)),
        Err(Problem::NotKnown) => Err(failed("isURL", NOT_KNOWN)),
    }
}

fn read(text: &str) -> Result<Url, Problem> {
    if text.is_empty() || text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err(Problem::Malformed);
    }
    if text == "*" {
        return Ok(Url { path: "*".to_owned(), ..Url::default() });
    }
    let (scheme, rest) = split_scheme(text)?;
    let (rest, query) = match rest.split_once('?') {
        Some((rest, query)) => (rest, Some(query)),
        None => (rest, None),
    };
    let mut url = Url {
        scheme: scheme.to_ascii_lowercase(),
        has_query: query.is_some(),
        query: query.unwrap_or_default().to_owned(),
        ..Url::default()
    };
    if !rest.starts_with('/') {
        // A relative path is not a URL here.
        if scheme.is_empty() {
            return Err(Problem::Malformed);
        }
        rest.clone_into(&mut url.opaque);
        return Ok(url);
    }
    let path = match rest.strip_prefix("//").filter(|_| !scheme.is_empty()) {
        Some(rest) => {
            let end = rest.find('/').unwrap_or(rest.len());
            let (authority, path) = rest.split_at(end);
            let host = match authority.rsplit_once('@') {
                Some((user, host)) => {
                    check_host(host)?;
                    check_user(user)?;
                    user.clone_into(&mut url.user);
                    host
                }
                None => authority,
            };
            check_host(host)?;
            host.clone_into(&mut url.host);
            path
        }
        None => rest,
    };
    url.path = escaped(path, Part::Path)?;
    Ok(url)
}

/// Splits the scheme off; it is empty if there is none.
fn split_scheme(text: &str) -> Result<(&str, &str), Problem> {
    let is_inner = |one: char| one.is_ascii_alphanumeric() || matches!(one, '+' | '-' | '.');
    match text.find(|one| !is_inner(one)) {
        Some(0) if text.starts_with(':') => Err(Problem::Malformed),
        Some(end) if text.starts_with(|first: char| first.is_ascii_alphabetic()) => {
            let (scheme, rest) = text.split_at(end);
            Ok(rest.strip_prefix(':').map_or(("", text), |rest| (scheme, rest)))
        }
        _ => Ok(("", text)),
    }
}

fn check_user(user: &str) -> Result<(), Problem> {
    let is_allowed = |one: char| one.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(one);
    if user.chars().all(is_allowed) { unescape(user, false).map(|_| ()) } else { Err(Problem::Malformed) }
}

fn check_host(host: &str) -> Result<(), Problem> {
    if let Some(bracketed) = host.strip_prefix('[') {
        let (address, port) = bracketed.rsplit_once(']').ok_or(Problem::Malformed)?;
        if !is_port(port) {
            return Err(Problem::Malformed);
        }
        return address.parse::<Ipv6Addr>().map(|_| ()).map_err(|_| Problem::NotKnown);
    }
    let name = match host.rfind(':') {
        Some(at) => {
            let (name, port) = host.split_at(at);
            if !is_port(port) {
                return Err(Problem::Malformed);
            }
            name
        }
        None => host,
    };
    let is_allowed =
        |one: char| one.is_ascii_alphanumeric() || "!$&'()*+,;=<>\"-_.~".contains(one) || !one.is_ascii();
    if name.contains(['%', ':', '[', ']']) {
        return Err(Problem::NotKnown);
    }
    if name.chars().all(is_allowed) { Ok(()) } else { Err(Problem::Malformed) }
}

/// Whether a text is empty, or a colon with digits, if any.
fn is_port(text: &str) -> bool {
    text.is_empty()
        || text.strip_prefix(':').is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns the bytes of a text with `%XX`, and with `+` for a space in queries.
fn unescape(text: &str, plus_is_space: bool) -> Result<Vec<u8>, Problem> {
    let mut found = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        found.push(match byte {
            b'%' => {
                let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
                let (high, low) = (digit(bytes.next()), digit(bytes.next()));
                let (Some(high), Some(low)) = (high, low) else { return Err(Problem::Malformed) };
                u8::try_from(high.saturating_mul(16).saturating_add(low)).map_err(|_| Problem::Malformed)?
            }
            b'+' if plus_is_space => b' ',
            byte => byte,
        });
    }
    Ok(found)
}

/// Returns a part as it is if all its characters may be there, else unescaped and escaped again.
fn escaped(text: &str, part: Part) -> Result<String, Problem> {
    let bytes = unescape(text, false)?;
    let stays = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || b"-_.~$&+,/:;=@".contains(&byte)
            || matches!((part, byte), (Part::Fragment, b'?' | b'!' | b'(' | b')' | b'*'))
    };
    if text.bytes().all(|byte| stays(byte) || b"!'()*[]%".contains(&byte)) {
        return Ok(text.to_owned());
    }
    let escape = |byte| if stays(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    Ok(bytes.into_iter().map(escape).collect())
}

fn get_scheme(url: &Of<Url>) -> CelString<'static> {
    CelString::from(url.0.scheme.clone())
}

fn get_host(url: &Of<Url>) -> CelString<'static> {
    CelString::from(url.0.host.clone())
}

fn split_port(host: &str) -> (&str, &str) {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (name, port),
        _ => (host, ""),
    }
}

fn get_hostname(url: &Of<Url>) -> CelString<'static> {
    let (name, _) = split_port(&url.0.host);
    let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    CelString::from(name.to_owned())
}

fn get_port(url: &Of<Url>) -> CelString<'static> {
    CelString::from(split_port(&url.0.host).1.to_owned())
}

fn get_escaped_path(url: &Of<Url>) -> CelString<'static> {
    CelString::from(url.0.path.clone())
}

/// The values of every key. Pairs with a semicolon or a malformed escape are left out.
fn get_query(url: &Of<Url>) -> Result<CelMap<'static>, ExecutionError> {
    let mut found: HashMap<String, Vec<Box<dyn Val>>> = HashMap::new();
    for pair in url.0.query.split('&').filter(|pair| !pair.is_empty() && !pair.contains(';')) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (Ok(key), Ok(value)) = (unescape(key, true), unescape(value, true)) else { continue };
        let text = |bytes| String::from_utf8(bytes).map_err(|_| failed("getQuery", NOT_KNOWN));
        found.entry(text(key)?).or_default().push(Box::new(CelString::from(text(value)?)));
    }
    let entries = found.into_iter();
    let entries =
        entries.map(|(key, values)| (Key::from(key), Box::new(CelList::from(values)) as Box<dyn Val>));
    Ok(CelMap::from(entries.collect::<HashMap<_, _>>()))
}
