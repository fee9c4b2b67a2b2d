use serde_json::{Value, json};

use crate::matching::condition::{Condition, Variables};

/// The value, or how the condition is too costly.
fn evaluate(expression: &str, request: &Value) -> Result<bool, &'static str> {
    let condition = Condition::compile("c", expression).unwrap();
    condition.holds(&Variables::of(request)).map_err(|error| match error.problem.as_str() {
        problem if !problem.contains("cost") => "another error",
        _ if error.is_unknown => "may cost",
        _ => "costs",
    })
}

fn nested(levels: usize, macro_name: &str, inside: &str) -> String {
    let list = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
    let outer = |inside, level| format!("{list}.{macro_name}(x{level}, {inside})");
    (0..levels).rev().fold(inside.to_owned(), outer)
}

/// A server evaluates five levels, and stops six and more.
#[test]
fn a_condition_that_costs_too_much_is_an_error() {
    let request = json!({ "operation": "CREATE", "object": { "a": "x".repeat(5000) } });
    for levels in 1..=6 {
        for (name, inside) in [("all", "x0 > 0"), ("exists", "x0 > 10")] {
            let want = match levels {
                1..=5 => Ok(name == "all"),
                _ => Err("costs"),
            };
            assert_eq!(evaluate(&nested(levels, name, inside), &request), want, "{levels} {name}");
        }
    }
    for (expression, want) in [
        // The other side may decide before the costly one begins.
        (format!("true || {}", nested(7, "all", "x0 > 0")), Ok(true)),
        // No operator absorbs it.
        (format!("{} || true", nested(7, "all", "x0 > 0")), Err("costs")),
        (format!("{} && false", nested(7, "all", "x0 > 0")), Err("costs")),
        (format!("[1].exists(x, {} || x == 1)", nested(7, "all", "x0 > 0")), Err("costs")),
        // Long texts that are made of short ones.
        (
            "[object.a].map(x, x.replace('x', x)).exists(x, x.replace('x', x) == '')".to_owned(),
            Err("may cost"),
        ),
        (
            format!(
                "{}.size() == 0",
                (0..20).fold("object.a".to_owned(), |text, _| format!("[{text}].map(x, x + x)[0]"))
            ),
            Err("may cost"),
        ),
        ("lists.range(9000000000).size() == 0".to_owned(), Err("may cost")),
        (
            format!(
                "{}.size() == 0",
                (0..30).fold("[1]".to_owned(), |list, _| format!("{list}.map(x, [x, x]).flatten()"))
            ),
            Err("may cost"),
        ),
    ] {
        assert_eq!(evaluate(&expression, &request), want, "{expression}");
    }
}

/// A bound below and one above, around the cost on a server.
#[test]
fn the_cost_of_an_api_server_is_between_the_bounds() {
    let request = json!({ "object": { "name": "web", "list": ["a", "b"] } });
    for (expression, cost) in [
        ("true", 0),
        ("[1, 2, 3].all(x, x > 0)", 16),
        ("object.name == 'web'", 3),
        ("object.name.matches('^[a-z]+$')", 4),
        ("object.list.exists(x, x == 'b')", 15),
    ] {
        let cost_here = Condition::compile("c", expression).unwrap().cost(&Variables::of(&request));
        assert!((cost_here.least..=cost_here.most).contains(&cost), "{expression}: {cost_here:?}");
    }
}

#[test]
fn many_conditions_have_less_each() {
    let request = json!({ "operation": "CREATE", "object": {} });
    for (conditions, want) in [(1, Ok(true)), (10, Ok(true)), (64, Err(true))] {
        let mut condition = Condition::compile("c", &nested(4, "all", "x0 > 0")).unwrap();
        condition.share(conditions);
        let value = condition.holds(&Variables::of(&request)).map_err(|error| error.problem.contains("cost"));
        assert_eq!(value, want, "{conditions}");
    }
}

#[test]
fn usual_conditions_are_within_the_budget() {
    let containers: Vec<Value> = (0..20)
        .map(|at| json!({ "name": at.to_string(), "image": "registry.example.com/a/b:v1", "env": [{ "name": "A" }] }))
        .collect();
    let request = json!({
        "operation": "CREATE", "userInfo": { "groups": vec!["g"; 50] },
        "object": { "spec": { "containers": containers }, "metadata": { "annotations": { "a": "x".repeat(4000) } } },
    });
    for expression in [
        "object.spec.containers.all(c, c.image.startsWith('registry.example.com/'))",
        "object.spec.containers.all(c, c.image.matches('^registry[.]example[.]com/.+:v[0-9]+$'))",
        "!('system:nodes' in request.userInfo.groups)",
        "object.spec.containers.all(c, c.env.exists(e, e.name == 'A'))",
        "object.metadata.annotations.all(k, k + 'b' != 'c')",
    ] {
        assert_eq!(evaluate(expression, &request), Ok(true), "{expression}");
    }
    let large = json!({ "operation": "CREATE", "object": { "data": { "a": "x".repeat(1_000_000) } } });
    for expression in [
        "request.operation.upperAscii() == 'CREATE'",
        "object.data.a.startsWith('x') && object.data.a != 'y'",
    ] {
        assert_eq!(evaluate(expression, &large), Ok(true), "{expression}");
    }
}
