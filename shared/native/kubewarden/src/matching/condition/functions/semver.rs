use std::cmp::Ordering;
use std::sync::LazyLock;

use cel::common::types::{CelBool, CelInt, CelString, Type};
use cel::{DeclarationError, Env, ExecutionError, add_member_overload, add_overload};
use semver::Version;

use super::{Of, Opaque, failed};

impl Opaque for Version {
    fn of_type() -> &'static Type {
        static TYPE: LazyLock<Type> = LazyLock::new(|| Type::new_opaque_type("kubernetes.Semver"));
        &TYPE
    }

    /// Versions that differ in their build alone are equal.
    fn is_equal(&self, other: &Self) -> bool {
        self.cmp_precedence(other) == Ordering::Equal
    }
}

pub(super) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    add_overload!(env, fn semver: (CelString) -> Result<Of<Version>>)?;
    add_overload!(env, fn semver_of: (CelString, CelBool) -> Result<Of<Version>>, name = "semver")?;
    add_overload!(env, fn is_semver: (CelString) -> CelBool)?;
    add_overload!(env, fn is_semver_of: (CelString, CelBool) -> CelBool, name = "isSemver")?;
    add_member_overload!(env, fn is_greater_than: (Of<Version>, Of<Version>) -> CelBool, id = "semver_is_greater_than")?;
    add_member_overload!(env, fn is_less_than: (Of<Version>, Of<Version>) -> CelBool, id = "semver_is_less_than")?;
    add_member_overload!(env, fn compare_to: (Of<Version>, Of<Version>) -> CelInt, id = "semver_compare_to")?;
    add_member_overload!(env, fn major: (Of<Version>) -> Result<CelInt>, id = "semver_major")?;
    add_member_overload!(env, fn minor: (Of<Version>) -> Result<CelInt>, id = "semver_minor")?;
    add_member_overload!(env, fn patch: (Of<Version>) -> Result<CelInt>, id = "semver_patch")
}

fn semver(text: &CelString<'_>) -> Result<Of<Version>, ExecutionError> {
    Version::parse(text.inner()).map(Of).map_err(|_| failed("semver", "not a semantic version"))
}

/// Reads a version, after `v` and leading zeros are removed and missing numbers are added if the
/// second argument is true.
fn semver_of(text: &CelString<'_>, normalizes: &CelBool) -> Result<Of<Version>, ExecutionError> {
    if !*normalizes.inner() {
        return semver(text);
    }
    let read = normalize(text.inner()).ok_or_else(|| failed("semver", "not a semantic version"))?;
    semver(&CelString::from(read))
}

fn normalize(text: &str) -> Option<String> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<String> = text.splitn(3, '.').map(without_zeros).collect();
    if parts.len() < 3 && parts.last()?.contains(['+', '-']) {
        return None;
    }
    parts.resize(3, "0".to_owned());
    Some(parts.join("."))
}

fn without_zeros(part: &str) -> String {
    if part.len() < 2 {
        return part.to_owned();
    }
    let stripped = part.trim_start_matches('0');
    if stripped.starts_with(|first: char| first.is_ascii_digit()) {
        stripped.to_owned()
    } else {
        format!("0{stripped}")
    }
}

fn is_semver(text: &CelString<'_>) -> CelBool {
    CelBool::from(semver(text).is_ok())
}

fn is_semver_of(text: &CelString<'_>, normalizes: &CelBool) -> CelBool {
    CelBool::from(semver_of(text, normalizes).is_ok())
}

fn is_greater_than(left: &Of<Version>, right: &Of<Version>) -> CelBool {
    CelBool::from(left.0.cmp_precedence(&right.0) == Ordering::Greater)
}

fn is_less_than(left: &Of<Version>, right: &Of<Version>) -> CelBool {
    CelBool::from(left.0.cmp_precedence(&right.0) == Ordering::Less)
}

fn compare_to(left: &Of<Version>, right: &Of<Version>) -> CelInt {
    CelInt::from(left.0.cmp_precedence(&right.0) as i64)
}

fn number(number: u64) -> Result<CelInt, ExecutionError> {
    i64::try_from(number).map(CelInt::from).map_err(|_| failed("semver", super::NOT_KNOWN))
}

fn major(version: &Of<Version>) -> Result<CelInt, ExecutionError> {
    number(version.0.major)
}

fn minor(version: &Of<Version>) -> Result<CelInt, ExecutionError> {
    number(version.0.minor)
}

fn patch(version: &Of<Version>) -> Result<CelInt, ExecutionError> {
    number(version.0.patch)
}
