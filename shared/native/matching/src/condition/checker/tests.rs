use super::*;
use crate::condition::nesting;

/// Checks an expression with a stack that suffices for the parser.
fn check(expression: &str) -> Result<(), Refusal> {
    nesting::parse(expression, || super::check(expression)).unwrap()
}

/// Expressions that an API server 1.36 compiles.
const ACCEPTED: &[&str] = &[
    "true",
    "object.spec.hostNetwork == true && request.operation in ['CREATE', 'UPDATE']",
    "object == null || request == null || request.userInfo == null || null == optional.of(1)",
    ".object == null && type(.int) == type && type(null) == null_type && type(1) == net.IP",
    "type(object.t) == google.protobuf.Timestamp && google.protobuf.NullValue.NULL_VALUE == 0",
    "namespaceObject.metadata.labels == {'a': 'b'} && namespaceObject.metadata.UID == ''",
    "authorizer.group('').resource('pods').check('get').allowed()",
    "authorizer.requestResource.check('get').allowed()",
    // Numbers of several types are compared, and not equal.
    "1 < 1.0 && 1u <= 1 && 1.0 > 1u",
    "1 == 1 == true && !!true && --1 == 1 && -9223372036854775808 < 0",
    // Empty literals take the type of their place.
    "[[], [1]].size() == 2 && [[1], []].size() == 2 && {} == {'a': 1} && [].map(x, x) == [1]",
    "object.list.all(x, x.name == 'a') && {'a': 1}.all(k, k == 'a') && [].all(x, x)",
    "[1].all(object, object == 1) && [1].all(lists, lists.range(1) == [0])",
    "[1].all(.object, object == null && .object == null) && [1].sortBy(.x, 1) == [1]",
    "[1].map(x, x > 0, string(x)) == ['1'] && [1].filter(x, x > 0) == [1] && [1].exists_one(x, x == 1)",
    "[1].all(i, x, i == x) && {'a': 1}.exists(k, v, k == 'a' && v == 1) && [1].existsOne(i, x, x == 1)",
    "['a'].transformList(i, x, i > 0, x) == [] && ['a'].transformMap(i, x, x) == {0: 'a'}",
    "['a'].transformMapEntry(i, x, {x: i}) == {'a': 0}",
    "[2, 1].sortBy(x, -x) == [2, 1] && object.sortBy(x, x.name) == []",
    "object.?a.b.c.hasValue() && object.?a.orValue(1) == 1 && request.?name.orValue('') == ''",
    "optional.of({'a': 1}).a == optional.of(1) && optional.of({'a': 1})['a'] == optional.none()",
    "[?optional.of(1)] == [1] && {?'a': optional.none()} == {'a': 1} && [1][?0] == optional.of(1)",
    "object.?a.optMap(x, x + 1).orValue(0) == 1 && optional.of(1).optFlatMap(x, optional.of('a')) == optional.of('b')",
    "has(object.a.b) && has(request.namespace) && has({'a': 1}.a) && has(has(object.a))",
    "'%d %s'.format([1, 'a']) == '' && '%s'.format([[1, 'a']]) == '' && '%.3f%%'.format([1.0]) == ''",
    "quantity('1').isGreaterThan(quantity('2')) && sign(quantity('1')) == 1 && semver('1.0.0').major() == 1",
    "ip('x') == ip('y') && cidr('x').containsIP('y') && url('x').getHost() == ''",
    "object.a.matches('^[a-z]+(/[a-z]+)?$') && object.a.matches(object.b) && object.a.find('a' + '(') == ''",
    "int('1') == 1 && string(int('1')) == '1' && [2, 1].min() == 1 && [duration('1s')].sum() == duration('1s')",
    "object[1.5] == 1 && object[request] == 1 && object[true] == 1 && [int][0] == int",
    "'%s'.format([[?object.a]]) == '' && [?optional.of(object.a)] == [1]",
    "1 / 0 == 1 || [1][5] == 1",
    "sets.contains([1], []) && [1, 1].distinct().reverse() == [1] && [[1]].flatten() == [1]",
];

/// Expressions that an API server 1.36 refuses, with the place and the reason.
const REFUSED: &[(&str, &str)] = &[
    ("object", "column 1: a condition is a bool, and this is a value of any type; compare it"),
    ("object.spec.hostNetwork", "column 12: a condition is a bool, and this is a value of any type"),
    ("true ? 1 : 2", "column 6: a condition is a bool, and this is int"),
    ("request.userInfo.groups != 'a'", "column 25: != does not take (list(string), string)"),
    ("1 == 1u", "column 3: == does not take (int, uint)"),
    ("1 + 1.0 == 2.0", "column 3: + does not take (int, double)"),
    ("true &&\n 1 < 'a'", "line 2, column 4: < does not take (int, string)"),
    ("-'a' == 1", "column 1: - does not take (string)"),
    ("!1", "column 1: ! does not take (int)"),
    ("true && 1", "column 6: && has a part that is int, not bool"),
    ("'a' in 'abc'", "column 5: in does not take (string, string)"),
    ("request['name'] == 'a'", "column 8: [] does not take (kubernetes.AdmissionRequest, string)"),
    ("true ? 1 : 'a'", "column 6: ? : does not take (bool, int, string)"),
    ("null == 1", "== does not take (null, int)"),
    ("null == [1]", "== does not take (null, list(int))"),
    ("size(1) == 1", "column 5: size does not take (int)"),
    ("bool(1)", "bool does not take (int)"),
    ("quantity('1').sign() == 1", "sign does not take (kubernetes.Quantity)"),
    ("'a'.size == 1", "column 4: string has no fields, and so no size"),
    ("optional.of(1).a == 1", "optional(int) has no fields"),
    ("[authorizer].all(authorizer, authorizer.requestResource == null)", "Authorizer has no fields"),
    ("params.x == 1", "column 1: params is not a variable of match conditions"),
    ("variables.x == 1 || true", "variables is not a variable"),
    ("objet.spec == 1", "column 1: objet is not a variable of match conditions; write object"),
    (
        "request.operation == 'CREATE' || Object.spec.x",
        "Object is not a variable of match conditions; write object",
    ),
    ("type(object) == timestamp", "timestamp is not a variable"),
    ("Object{}.x == 1", "column 7: Object is not a type"),
    ("request.foo == ''", "column 8: foo is not a field of the request; use one of dryRun, kind"),
    ("request.?foo.orValue('') == ''", "foo is not a field of the request"),
    ("namespaceObject.metadata.uid == ''", "uid is not a field of kubernetes.NamespaceMetadata; write UID"),
    ("'a'.reverse() == 'a'", "reverse does not take (string)"),
    ("math.greatest(1, 2) == 2", "math is not a variable"),
    ("cel.bind(x, 1, x == 1)", "x is not a variable"),
    ("object.f() == 1", "column 9: match conditions have no function f"),
    ("_in_(1, [1])", "match conditions have no function _in_"),
    ("[1, 'a'] == [1]", "column 5: this entry is string, and the ones before it are int"),
    ("[object.a, 1] == [1]", "column 12: this entry is int, and the ones before it are dyn"),
    ("{'a': 1, 'b': 'c'}.size() == 2", "column 15: this entry is string, and the ones before it are int"),
    ("{'a': 1, 2: 1}.size() == 2", "column 10: this entry is int, and the ones before it are string"),
    ("type(1) in [int, string]", "this entry is type(string), and the ones before it are type(int)"),
    ("[?1] == [1]", "column 3: an entry with ? is an optional value, and this one is int"),
    ("{?'a': 1} == {'a': 1}", "an entry with ? is an optional value, and this one is int"),
    ("[?object.a] == [1]", "column 9: the type of an entry with ? is known"),
    ("object[int] == 1", "column 8: this value is neither a key nor a position"),
    ("{int: 1}[int] == 1", "this value is neither a key nor a position"),
    ("object[dyn(null)] == 1", "this value is neither a key nor a position"),
    ("object.a[?duration('1s')].hasValue()", "this value is neither a key nor a position"),
    ("matches('a', '(')", "column 14: the pattern of "),
    // API servers take the text for a pattern, too.
    ("matches('(', 'a')", "column 9: the pattern of "),
    ("object.a.matches('(?=a)')", "column 18: the pattern of "),
    ("object.a.matches('a{1001}')", "the pattern of matches is refused: invalid repeat count"),
    ("object.a.find('(') == ''", "the pattern of "),
    ("int('a') == 1", "column 4: int does not convert this value"),
    ("true ? true : int(string('a')) == 1", "int does not convert this value"),
    ("bool('yes')", "bool does not convert this value"),
    ("uint(-1) == 1u", "uint does not convert this value"),
    ("timestamp(99999999999999) == timestamp(0)", "timestamp does not convert this value"),
    (
        "duration('1d') > duration('1h')",
        "column 9: duration does not convert this value; write one such as 1h30m",
    ),
    ("'%s'.format([1, 'a']) == ''", "column 12: the text of format has fewer clauses than arguments"),
    ("'%s'.format([]) == ''", "the text of format has more clauses than arguments"),
    ("'%d'.format(['a']) == ''", "column 14: %d of format does not take string"),
    ("'%s'.format([{'a': optional.of(1)}]) == ''", "%s of format does not take optional(int)"),
    ("'%z'.format([1]) == ''", "the text of format has an unknown clause"),
    ("'%'.format([1]) == ''", "the text of format ends with %"),
    ("'%.s'.format([1]) == ''", "the text of format has a precision that is not a number"),
    ("'%.3'.format([1]) == ''", "the text of format has a precision that is not a number"),
    ("has(object)", "column 4: has() takes a field, such as has(object.spec)"),
    ("has(object[?'a'])", "has() takes a field"),
    ("1.all(x, true)", "a macro goes through a list or a map, and this is int"),
    ("[1].all(x, x)", "column 12: && has a part that is int, not bool"),
    ("[1].all(i, i, true)", "the two variables have the same name i"),
    ("[1].all(1, true)", "column 9: the variable of a macro is a name"),
    ("[1].map(__result__, true) == [true]", "the name __result__ is reserved"),
    ("optional.of(1).optMap(.x, 1).hasValue()", "column 24: the variable of a macro is a name"),
    ("[1].all(.x, x == 1)", "column 13: x is not a variable"),
    ("[1].existsOne(x, x == 1)", "x is not a variable"),
    ("[1].transformMapEntry(i, x, [x]) == {}", "transformMapEntry does not take (map(dyn, dyn), list(int))"),
    ("'a'.sortBy(x, x) == []", "column 1: sortBy sorts a list"),
    ("[[1]].sortBy(x, x) == []", "sortBy does not take (list(list(int)), list(list(int)))"),
    ("[{'a': 1}].isSorted()", "isSorted does not take (list(map(string, int)))"),
    ("object.`foo` == 1", "is not a CEL expression"),
    ("package == 1", "is not a CEL expression"),
    ("9223372036854775808 == 1", "is not a CEL expression"),
    ("", "is not a CEL expression"),
];

#[test]
fn what_an_api_server_compiles_is_accepted() {
    for expression in ACCEPTED {
        assert_eq!(check(expression), Ok(()), "{expression}");
    }
}

#[test]
fn what_an_api_server_refuses_is_refused_with_the_place() {
    for (expression, want) in REFUSED {
        match check(expression) {
            Err(Refusal::Refused(problem)) => {
                assert!(problem.contains(want), "{expression}: {problem}");
            }
            other => panic!("{expression}: {other:?}"),
        }
    }
}

#[test]
fn what_is_not_known_is_neither_accepted_nor_refused() {
    let doubling = (0..20).fold("[1]".to_owned(), |list, _| format!("{list}.map(x, {{x: x}})"));
    for expression in [
        "google.protobuf.Int64Value{value: 1} == 1",
        "kubernetes.AdmissionRequest{name: 'a'}.name == 'a'",
        r"object.a.matches('\\p{Old_Italic}')",
        &format!("{doubling} == []"),
        &format!("1{} == 1", " + 1".repeat(100)),
        &format!("1{} == 1", " + 1".repeat(5000)),
    ] {
        assert!(matches!(check(expression), Err(Refusal::Unknown(_))), "{expression}");
    }
}

#[test]
fn the_length_is_limited() {
    let long = |length: usize| format!("{}true", " ".repeat(length - 4));
    assert_eq!(check(&long(MOST_CHARACTERS)), Ok(()));
    assert!(matches!(check(&long(MOST_CHARACTERS + 1)), Err(Refusal::Refused(_))));
}
