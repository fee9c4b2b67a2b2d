use super::*;
use crate::matching::condition::nesting;
use crate::matching::table::rows;

/// Checks an expression with a stack that suffices for the parser.
fn check(expression: &str) -> Result<(), Refusal> {
    nesting::parse(expression, || super::check(expression)).unwrap()
}

#[test]
fn an_expression_is_refused_with_the_place_if_an_api_server_refuses_it() {
    let of_two_lines = ("true &&\n 1 < 'a'", "line 2, column 4: < does not take (int, string)");
    for (expression, want) in rows(include_str!("tests.txt")).chain([of_two_lines]) {
        match check(expression) {
            Ok(()) => assert_eq!(want, "accepted", "{expression}"),
            Err(Refusal::Refused(problem)) => assert!(problem.contains(want), "{expression}: {problem}"),
            Err(unknown) => panic!("{expression}: {unknown:?}"),
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
