//! Expressions, some of which have a part of the wrong type.

use tests::random::Random;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Strings,
    Ints,
    Map,
    Dyn,
    Duration,
    Timestamp,
    Optional,
    Quantity,
    Address,
    Null,
}

use Kind::{
    Address, Bool, Bytes, Double, Duration, Dyn, Int, Ints, Map, Null, Optional, Quantity, String as Text,
    Strings, Timestamp, Uint,
};

const KINDS: [Kind; 16] = [
    Bool, Int, Uint, Double, Text, Bytes, Strings, Ints, Map, Dyn, Duration, Timestamp, Optional, Quantity,
    Address, Null,
];

/// Parts without parts, by type.
fn leaves(kind: Kind) -> &'static [&'static str] {
    match kind {
        Bool => &["true", "false", "request.dryRun", "has(object.spec)", "has(request.namespace)"],
        Int => &["1", "-2", "0x1F", "size(object.spec)", "'abc'.size()", "{}.size()"],
        Uint => &["1u", "uint(2)"],
        Double => &["1.5", "1e3", "double('1.5')"],
        Text => &[
            "'a'",
            "'x/y'",
            "request.operation",
            "request.userInfo.username",
            "request.kind.kind",
            "request.?name.orValue('')",
            "namespaceObject.metadata.name",
        ],
        Bytes => &["b'a'", "bytes('a')"],
        Strings => {
            &["['a', 'b']", "request.userInfo.groups", "[]", "'a,b'.split(',')", "['a', request.name]"]
        }
        Ints => &["[1, 2]", "[]", "lists.range(3)", "[[1], []][0]"],
        Map => &["{'a': 1}", "{}", "{'a': 1, 'b': 2}", "namespaceObject.metadata.labels"],
        Dyn => &[
            "object",
            "oldObject.spec",
            "object.metadata.labels",
            "object.spec.containers[0].name",
            "request.options",
            "dyn(1)",
        ],
        Duration => &["duration('1h')", "duration('1.5s')"],
        Timestamp => &["timestamp('2026-01-31T12:00:00Z')", "timestamp(0)"],
        Optional => {
            &["optional.of(1)", "optional.none()", "object.?spec.host", "{'a': 1}[?'b']", "[1].first()"]
        }
        Quantity => &["quantity('1Gi')", "quantity('500m')"],
        Address => &["ip('10.0.0.1')", "cidr('10.0.0.0/8').ip()"],
        Null => &["null"],
    }
}

/// Parts with parts, by type: a letter stands for a part of a type.
const BRANCHES: &[(Kind, &str)] = &[
    (
        Bool,
        "B && B; B || B; !B; I == I; S == S; D != D; Y == S; Y == I; Y != N; I < I; I < F; \
         U >= I; S <= S; S in L; S in M; I in J; Y in L; S in Y; L == L; M == M; T > T; \
         P < P; O == O; Q == Q; S.startsWith(S); S.contains(S); S.matches('^[a-z]+$'); \
         S.matches('('); L.all(x, x == S); J.exists(x, x > I); \
         L.exists_one(x, x.startsWith(S)); M.all(k, v, k == S && v == I); \
         Y.exists(x, x.name == S); Y.all(i, x, i == I); J.all(i, x, i < x); O.hasValue(); \
         Q.isLessThan(Q); A.isLoopback(); J.isSorted(); sets.contains(L, L); isQuantity(S); \
         B ? B : B; A == A; bool(S); has({'a': B}.a); type(I) == int; type(Y) == type(S); \
         cidr('10.0.0.0/8').containsIP(A); semver('1.2.3').isGreaterThan(semver('1.0.0')); \
         authorizer.group(S).resource(S).check(S).allowed(); \
         format.uuid().validate(S).hasValue(); Y == M; Y == L; B == B; isIP(S); \
         url(S).getHost() == S; [S, S].all(x, x in L)",
    ),
    (
        Int,
        "I + I; I * I; I % I; -I; size(L); M.size(); S.indexOf(S); J[I]; int(S); int(F); \
         J.sum(); J.max(); J.min(); O.orValue(I); O.value(); B ? I : I; T.getHours(); P.getSeconds(); \
         L.indexOf(S); Q.asInteger(); A.family(); M['a']; sign(Q); Q.compareTo(Q)",
    ),
    (Uint, "U + U; uint(I); U / U; B ? U : U"),
    (Double, "F + F; double(I); -F; F / F; Q.asApproximateFloat()"),
    (
        Text,
        "S + S; string(I); S.lowerAscii(); S.replace(S, S); L[I]; L.join(S); B ? S : S; \
         '%s'.format([Y]); '%d %s'.format([I, S]); '%s'.format([S, I]); S.substring(I); \
         S.charAt(I); string(Q); string(A); strings.quote(S); S.find('[0-9]+'); Y + S; \
         string(T); S.trim()",
    ),
    (Bytes, "X + X; bytes(S)"),
    (
        Strings,
        "L + L; L.filter(x, x == S); J.map(x, string(x)); S.split(S); L.sort(); [S, S]; \
         [S, Y]; [S, I]; L.distinct(); L.reverse(); L.sortBy(x, x); \
         J.transformList(i, x, S); M.map(k, k); S.findAll('a'); L.slice(I, I); \
         [L, L].flatten(); [?O, S]",
    ),
    (
        Ints,
        "J + J; J.map(x, x + I); J.map(x, x > I, x); L.map(x, size(x)); [I, I]; [I, F]; \
         J.filter(x, B); L.transformList(i, x, i); Y.map(x, I); [I, dyn(I)]; \
         J.sortBy(x, -x); optional.unwrap([O, O])",
    ),
    (
        Map,
        "{S: I}; {'a': I, 'b': I}; {'a': I, 'b': S}; {'a': Y, 'b': I}; \
         L.transformMap(i, x, x); L.transformMapEntry(i, x, {x: i}); \
         M.transformMap(k, v, v + I); B ? M : M; {?'a': O}; J.transformMapEntry(i, x, x)",
    ),
    (Dyn, "Y.name; Y[S]; Y[I]; dyn(I); Y.?a.orValue(Y); M.a; O.a; S.a; Y[0].b; request.foo"),
    (Duration, "P + P; T - T; duration(S); P - P; -P"),
    (Timestamp, "T + P; T - P; timestamp(S); timestamp(I)"),
    (
        Optional,
        "optional.of(I); O.or(O); O.optMap(x, x + I); O.optFlatMap(x, optional.of(x)); \
         M[?S]; J[?I]; optional.ofNonZeroValue(I); Y.?name; Y[?S]; J.last(); M.?a",
    ),
    (Quantity, "Q.add(Q); Q.sub(I); quantity(S)"),
    (Address, "ip(S); cidr(S).masked().ip()"),
    (Null, "null"),
];

fn branches(of: Kind) -> Vec<&'static str> {
    BRANCHES.iter().filter(|(kind, _)| *kind == of).flat_map(|(_, parts)| parts.split("; ")).collect()
}

fn kind(letter: char) -> Option<Kind> {
    Some(match letter {
        'B' => Bool,
        'I' => Int,
        'U' => Uint,
        'F' => Double,
        'S' => Text,
        'X' => Bytes,
        'L' => Strings,
        'J' => Ints,
        'M' => Map,
        'Y' | 'D' => Dyn,
        'P' => Duration,
        'T' => Timestamp,
        'O' => Optional,
        'Q' => Quantity,
        'A' => Address,
        'N' => Null,
        _ => return None,
    })
}

#[derive(Clone, Copy, PartialEq)]
pub enum Purpose {
    /// About every second one is refused.
    Refusal,
    /// Most have a value that does not depend on the cluster.
    Value,
}

pub fn expression(random: &mut Random, purpose: Purpose) -> String {
    let kind = if purpose == Purpose::Refusal && random.below(40) == 0 { *random.pick(&KINDS) } else { Bool };
    part(random, kind, purpose, 4)
}

fn part(random: &mut Random, wanted: Kind, purpose: Purpose, levels: usize) -> String {
    let is_wrong = purpose == Purpose::Refusal && random.below(30) == 0;
    let wanted = if is_wrong { *random.pick(&KINDS) } else { wanted };
    if levels == 0 || random.below(4) == 0 {
        return match random.below(60) {
            0 if purpose == Purpose::Refusal => (*random.pick(&[
                "params.x",
                "Object.spec",
                "x",
                "variables.a",
                "authorizer",
                "request",
                "int",
            ]))
            .to_owned(),
            // It is null: nearly every expression with it is an error.
            one => {
                let leaf = *random.pick(leaves(wanted));
                let is_null = purpose == Purpose::Value && leaf.starts_with("namespaceObject") && one > 3;
                if is_null { *random.pick(&leaves(wanted)[..2]) } else { leaf }.to_owned()
            }
        };
    }
    let mut templates = branches(wanted);
    if purpose == Purpose::Value {
        templates.retain(|template| !template.contains("authorizer") && !template.contains("request.foo"));
    }
    let template = *random.pick(&templates);
    let mut found = String::new();
    let mut is_text = false;
    let mut before = ' ';
    let mut letters = template.chars().peekable();
    while let Some(one) = letters.next() {
        is_text ^= one == '\'';
        let after = letters.peek().copied().unwrap_or(' ');
        // Letters of functions are within words.
        let is_alone = !before.is_alphanumeric() && !after.is_alphanumeric() && !is_text;
        match kind(one).filter(|_| is_alone) {
            Some(kind) => {
                let inner = part(random, kind, purpose, levels.saturating_sub(1));
                let is_simple = inner.chars().all(|one| one.is_alphanumeric() || "._'".contains(one));
                let brackets = if is_simple { ["", ""] } else { ["(", ")"] };
                found.extend([brackets[0], &inner, brackets[1]]);
            }
            None => found.push(one),
        }
        before = one;
    }
    found
}
