//! The functions of match conditions with the types that they take and return.
//!
//! Sources: `pkg/cel/environment/base.go` and `pkg/cel/library` of k8s.io/apiserver 1.37, which
//! offers new expressions what 1.36 knows, and `common/stdlib` and `ext` of cel-go. The order of
//! the overloads of a function is theirs: the first one that fits gives variables their types.

use std::rc::Rc;

use super::types::Type;
use super::unification::Variables;

#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    Dyn,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Duration,
    Timestamp,
    Named(&'static str),
    A,
    B,
    /// One type after the other of [`Signature::each`].
    Each,
    List(&'static Self),
    Map(&'static Self, &'static Self),
    Optional(&'static Self),
    Type(&'static Self),
}

use Shape::{
    A, B, Bool, Bytes, Double, Duration, Dyn, Each, Int, List, Map, Named, Optional, String, Timestamp, Uint,
};

#[derive(Debug)]
pub(super) struct Signature {
    names: &'static [&'static str],
    is_method: bool,
    each: &'static [Shape],
    args: &'static [Shape],
    result: Shape,
}

/// An overload of a function for one call.
#[derive(Debug)]
pub(super) struct Overload {
    pub(super) args: Vec<Type>,
    pub(super) result: Type,
}

impl Signature {
    fn is_of_authorizer(&self) -> bool {
        let is_of_authorizer =
            |shape: &Shape| matches!(shape, Named(name) if name.starts_with("kubernetes.authorization."));
        self.args.iter().any(is_of_authorizer)
    }

    /// Returns the overloads, with new type variables.
    pub(super) fn overloads(&self, variables: &mut Variables) -> Vec<Overload> {
        let each = if self.each.is_empty() { &[Dyn] } else { self.each };
        let overload = |each: &Shape| {
            let parameters = [variables.fresh(), variables.fresh()];
            let args = self.args.iter().map(|shape| shape.instance(&parameters, *each)).collect();
            Overload { args, result: self.result.instance(&parameters, *each) }
        };
        each.iter().map(overload).collect()
    }
}

impl Shape {
    pub(super) fn plain(self) -> Type {
        self.instance(&[Type::Dyn, Type::Dyn], Dyn)
    }

    fn instance(self, parameters: &[Type; 2], each: Self) -> Type {
        let of = |shape: &Self| shape.instance(parameters, each);
        let [first, second] = parameters;
        match self {
            Dyn => Type::Dyn,
            Bool => Type::Bool,
            Int => Type::Int,
            Uint => Type::Uint,
            Double => Type::Double,
            String => Type::String,
            Bytes => Type::Bytes,
            Duration => Type::Duration,
            Timestamp => Type::Timestamp,
            Named(name) => Type::Named(name),
            A => first.clone(),
            B => second.clone(),
            Each => each.instance(parameters, Dyn),
            List(item) => Type::list(of(item)),
            Map(key, value) => Type::map(of(key), of(value)),
            Optional(value) => Type::optional(of(value)),
            Self::Type(one) => Type::Meta(Rc::new(of(one))),
        }
    }
}

/// The functions that the parser and `rewrite` of this crate insert.
const INSERTED: [&str; 5] = ["@insert", "@merge", "@not_strictly_false", "@pairs", "_?._"];

/// Returns whether conditions with the function or operator are evaluated here: API servers have
/// it, and it is not about the authorizer.
pub(crate) fn is_evaluated(name: &str) -> bool {
    let is_evaluated = |one: &Signature| one.names.contains(&name) && !one.is_of_authorizer();
    INSERTED.contains(&name) || SIGNATURES.iter().any(is_evaluated)
}

/// All names, some of them several times.
#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    SIGNATURES.iter().flat_map(|one| one.names).copied()
}

pub(super) fn is_declared(name: &str) -> bool {
    SIGNATURES.iter().any(|one| one.names.contains(&name))
}

pub(super) fn signatures(name: &str, is_method: bool) -> impl Iterator<Item = &'static Signature> {
    SIGNATURES.iter().filter(move |one| one.is_method == is_method && one.names.contains(&name))
}

const fn function(names: &'static [&'static str], args: &'static [Shape], result: Shape) -> Signature {
    Signature { names, is_method: false, each: &[], args, result }
}

const fn method(names: &'static [&'static str], args: &'static [Shape], result: Shape) -> Signature {
    Signature { names, is_method: true, each: &[], args, result }
}

const fn functions(
    each: &'static [Shape],
    names: &'static [&'static str],
    args: &'static [Shape],
    result: Shape,
) -> Signature {
    Signature { names, is_method: false, each, args, result }
}

const fn methods(
    each: &'static [Shape],
    names: &'static [&'static str],
    args: &'static [Shape],
    result: Shape,
) -> Signature {
    Signature { names, is_method: true, each, args, result }
}

const AUTHORIZER: Shape = Named("kubernetes.authorization.Authorizer");
const PATH_CHECK: Shape = Named("kubernetes.authorization.PathCheck");
const GROUP_CHECK: Shape = Named("kubernetes.authorization.GroupCheck");
const RESOURCE_CHECK: Shape = Named("kubernetes.authorization.ResourceCheck");
const DECISION: Shape = Named("kubernetes.authorization.Decision");
const QUANTITY: Shape = Named("kubernetes.Quantity");
const SEMVER: Shape = Named("kubernetes.Semver");
const FORMAT: Shape = Named("kubernetes.NamedFormat");
const URL: Shape = Named("kubernetes.URL");
const IP: Shape = Named("net.IP");
const CIDR: Shape = Named("net.CIDR");

const LIST_A: Shape = List(&A);
const MAP_A_B: Shape = Map(&A, &B);
const STRINGS: Shape = List(&String);

const ORDER: &[&str] = &["_<_", "_<=_", "_>_", "_>=_"];

/// The types that the functions of lists order.
const ORDERED: &[Shape] = &[Int, Uint, Double, Bool, Duration, Timestamp, String, Bytes];

const PARTS_OF_TIME: &[&str] = &["getHours", "getMilliseconds", "getMinutes", "getSeconds"];
const PARTS_OF_DATE: &[&str] =
    &["getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getFullYear", "getMonth"];

const SIGNATURES: &[Signature] = &[
    // Operators.
    function(&["!_"], &[Bool], Bool),
    function(&["_&&_", "_||_"], &[Bool, Bool], Bool),
    function(&["_?_:_"], &[Bool, A, A], A),
    function(&["_==_", "_!=_"], &[A, A], Bool),
    functions(&[Double, Int], &["-_"], &[Each], Each),
    functions(&[Int, Uint], &["_%_"], &[Each, Each], Each),
    functions(&[Double, Int, Uint], &["_*_"], &[Each, Each], Each),
    functions(&[Double, Int, Uint], &["_/_"], &[Each, Each], Each),
    functions(&[Bytes, Double, Duration], &["_+_"], &[Each, Each], Each),
    function(&["_+_"], &[Duration, Timestamp], Timestamp),
    function(&["_+_"], &[Timestamp, Duration], Timestamp),
    functions(&[Int, LIST_A, String, Uint], &["_+_"], &[Each, Each], Each),
    functions(&[Double, Duration, Int], &["_-_"], &[Each, Each], Each),
    function(&["_-_"], &[Timestamp, Duration], Timestamp),
    function(&["_-_"], &[Timestamp, Timestamp], Duration),
    function(&["_-_"], &[Uint, Uint], Uint),
    function(ORDER, &[Bool, Bool], Bool),
    functions(&[Int, Double, Uint], ORDER, &[Int, Each], Bool),
    functions(&[Uint, Double, Int], ORDER, &[Uint, Each], Bool),
    functions(&[Double, Int, Uint], ORDER, &[Double, Each], Bool),
    functions(&[String, Bytes, Timestamp, Duration], ORDER, &[Each, Each], Bool),
    function(&["@in"], &[A, LIST_A], Bool),
    function(&["@in"], &[A, MAP_A_B], Bool),
    function(&["_[_]"], &[LIST_A, Int], A),
    function(&["_[_]"], &[MAP_A_B, A], B),
    function(&["_[_]"], &[Optional(&LIST_A), Int], Optional(&A)),
    function(&["_[_]"], &[Optional(&MAP_A_B), A], Optional(&B)),
    function(&["_[?_]"], &[LIST_A, Int], Optional(&A)),
    function(&["_[?_]"], &[Optional(&LIST_A), Int], Optional(&A)),
    function(&["_[?_]"], &[MAP_A_B, A], Optional(&B)),
    function(&["_[?_]"], &[Optional(&MAP_A_B), A], Optional(&B)),
    // The standard library.
    functions(&[Bool, String], &["bool"], &[Each], Bool),
    functions(&[Bytes, String], &["bytes"], &[Each], Bytes),
    functions(&[Double, Int, String, Uint], &["double"], &[Each], Double),
    functions(&[Duration, Int, String], &["duration"], &[Each], Duration),
    function(&["dyn"], &[A], Dyn),
    functions(&[Int, Double, Duration, String, Timestamp, Uint], &["int"], &[Each], Int),
    functions(
        &[String, Bool, Bytes, Double, Duration, Int, Timestamp, Uint, IP, CIDR],
        &["string"],
        &[Each],
        String,
    ),
    functions(&[Timestamp, Int, String], &["timestamp"], &[Each], Timestamp),
    function(&["type"], &[A], Shape::Type(&A)),
    functions(&[Uint, Double, Int, String], &["uint"], &[Each], Uint),
    functions(&[Bytes, LIST_A, MAP_A_B, String], &["size"], &[Each], Int),
    methods(&[Bytes, LIST_A, MAP_A_B, String], &["size"], &[Each], Int),
    method(&["contains", "endsWith", "startsWith", "matches"], &[String, String], Bool),
    function(&["matches"], &[String, String], Bool),
    method(PARTS_OF_DATE, &[Timestamp], Int),
    method(PARTS_OF_DATE, &[Timestamp, String], Int),
    method(PARTS_OF_TIME, &[Timestamp], Int),
    method(PARTS_OF_TIME, &[Timestamp, String], Int),
    method(PARTS_OF_TIME, &[Duration], Int),
    // Optional values.
    function(&["optional.none"], &[], Optional(&A)),
    function(&["optional.of", "optional.ofNonZeroValue"], &[A], Optional(&A)),
    function(&["optional.unwrap"], &[List(&Optional(&A))], LIST_A),
    method(&["unwrapOpt"], &[List(&Optional(&A))], LIST_A),
    method(&["hasValue"], &[Optional(&A)], Bool),
    method(&["value"], &[Optional(&A)], A),
    method(&["or"], &[Optional(&A), Optional(&A)], Optional(&A)),
    method(&["orValue"], &[Optional(&A), A], A),
    method(&["first", "last"], &[LIST_A], Optional(&A)),
    // Strings.
    method(&["charAt"], &[String, Int], String),
    method(&["format"], &[String, List(&Dyn)], String),
    method(&["indexOf", "lastIndexOf"], &[LIST_A, A], Int),
    method(&["indexOf", "lastIndexOf"], &[String, String], Int),
    method(&["indexOf", "lastIndexOf"], &[String, String, Int], Int),
    method(&["join"], &[STRINGS], String),
    method(&["join"], &[STRINGS, String], String),
    method(&["lowerAscii", "trim", "upperAscii"], &[String], String),
    method(&["replace"], &[String, String, String], String),
    method(&["replace"], &[String, String, String, Int], String),
    method(&["split"], &[String, String], STRINGS),
    method(&["split"], &[String, String, Int], STRINGS),
    function(&["strings.quote"], &[String], String),
    method(&["substring"], &[String, Int], String),
    method(&["substring"], &[String, Int, Int], String),
    method(&["find"], &[String, String], String),
    method(&["findAll"], &[String, String], STRINGS),
    method(&["findAll"], &[String, String, Int], STRINGS),
    // Lists and maps.
    method(&["distinct", "reverse"], &[LIST_A], LIST_A),
    method(&["flatten"], &[List(&LIST_A)], LIST_A),
    method(&["flatten"], &[List(&Dyn), Int], List(&Dyn)),
    function(&["lists.range"], &[Int], List(&Int)),
    method(&["slice"], &[LIST_A, Int, Int], LIST_A),
    methods(ORDERED, &["isSorted"], &[List(&Each)], Bool),
    methods(ORDERED, &["max", "min"], &[List(&Each)], Each),
    methods(ORDERED, &["sort"], &[List(&Each)], List(&Each)),
    methods(ORDERED, &["@sortByAssociatedKeys"], &[LIST_A, List(&Each)], LIST_A),
    methods(&[Int, Uint, Double, Duration], &["sum"], &[List(&Each)], Each),
    function(&["cel.@mapInsert"], &[MAP_A_B, A, B], MAP_A_B),
    function(&["cel.@mapInsert"], &[MAP_A_B, MAP_A_B], MAP_A_B),
    function(&["sets.contains", "sets.equivalent", "sets.intersects"], &[LIST_A, LIST_A], Bool),
    // Addresses.
    function(&["cidr"], &[String], CIDR),
    function(&["ip"], &[String], IP),
    function(&["ip.isCanonical", "isCIDR", "isIP", "isQuantity", "isURL"], &[String], Bool),
    methods(&[String, CIDR], &["containsCIDR"], &[CIDR, Each], Bool),
    methods(&[String, IP], &["containsIP"], &[CIDR, Each], Bool),
    method(&["family"], &[IP], Int),
    method(&["ip"], &[CIDR], IP),
    method(
        &["isGlobalUnicast", "isLinkLocalMulticast", "isLinkLocalUnicast", "isLoopback", "isUnspecified"],
        &[IP],
        Bool,
    ),
    method(&["masked"], &[CIDR], CIDR),
    method(&["prefixLength"], &[CIDR], Int),
    function(&["url"], &[String], URL),
    method(&["getEscapedPath", "getHost", "getHostname", "getPort", "getScheme"], &[URL], String),
    method(&["getQuery"], &[URL], Map(&String, &STRINGS)),
    // Quantities and versions.
    function(&["quantity"], &[String], QUANTITY),
    methods(&[QUANTITY, Int], &["add", "sub"], &[QUANTITY, Each], QUANTITY),
    method(&["asApproximateFloat"], &[QUANTITY], Double),
    method(&["asInteger"], &[QUANTITY], Int),
    methods(&[QUANTITY, SEMVER], &["compareTo"], &[Each, Each], Int),
    methods(&[QUANTITY, SEMVER], &["isGreaterThan", "isLessThan"], &[Each, Each], Bool),
    method(&["isInteger"], &[QUANTITY], Bool),
    function(&["sign"], &[QUANTITY], Int),
    function(&["isSemver"], &[String], Bool),
    function(&["isSemver"], &[String, Bool], Bool),
    function(&["semver"], &[String], SEMVER),
    function(&["semver"], &[String, Bool], SEMVER),
    method(&["major", "minor", "patch"], &[SEMVER], Int),
    // Formats.
    function(
        &[
            "format.byte",
            "format.date",
            "format.datetime",
            "format.dns1035Label",
            "format.dns1035LabelPrefix",
            "format.dns1123Label",
            "format.dns1123LabelPrefix",
            "format.dns1123Subdomain",
            "format.dns1123SubdomainPrefix",
            "format.labelValue",
            "format.qualifiedName",
            "format.uri",
            "format.uuid",
        ],
        &[],
        FORMAT,
    ),
    function(&["format.named"], &[String], Optional(&FORMAT)),
    method(&["validate"], &[FORMAT, String], Optional(&STRINGS)),
    // The authorizer.
    method(&["allowed", "errored"], &[DECISION], Bool),
    method(&["check"], &[PATH_CHECK, String], DECISION),
    method(&["check"], &[RESOURCE_CHECK, String], DECISION),
    method(&["error", "reason"], &[DECISION], String),
    method(
        &["fieldSelector", "labelSelector", "name", "namespace", "subresource"],
        &[RESOURCE_CHECK, String],
        RESOURCE_CHECK,
    ),
    method(&["group"], &[AUTHORIZER, String], GROUP_CHECK),
    method(&["path"], &[AUTHORIZER, String], PATH_CHECK),
    method(&["resource"], &[GROUP_CHECK, String], RESOURCE_CHECK),
    method(&["serviceAccount"], &[AUTHORIZER, String, String], AUTHORIZER),
];
