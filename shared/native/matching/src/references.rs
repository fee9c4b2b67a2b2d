//! The functions, variables and fields of an expression.

use std::collections::BTreeSet;

use cel::common::ast::{EntryExpr, Expr, IdedExpr, LiteralValue};
use text::nearest;

use crate::functions::refuses_literal;

/// The variables of match conditions.
pub(crate) const VARIABLES: [&str; 3] = ["object", "oldObject", "request"];

/// The names of types, which are values in CEL.
const TYPES: [&str; 12] = [
    "bool",
    "bytes",
    "double",
    "int",
    "list",
    "map",
    "null_type",
    "optional_type",
    "string",
    "timestamp",
    "type",
    "uint",
];

/// The fields of `request` (`buildRequestType` in `pkg/admission/plugin/cel/compile.go` of
/// k8s.io/apiserver), with their fields.
const REQUEST: [(&str, &[&str]); 12] = [
    ("dryRun", &[]),
    ("kind", &["group", "kind", "version"]),
    ("name", &[]),
    ("namespace", &[]),
    ("operation", &[]),
    ("options", &[]),
    ("requestKind", &["group", "kind", "version"]),
    ("requestResource", &["group", "resource", "version"]),
    ("requestSubResource", &[]),
    ("resource", &["group", "resource", "version"]),
    ("subResource", &[]),
    ("userInfo", &["extra", "groups", "uid", "username"]),
];

/// References that an API server does not compile, or that this crate cannot evaluate.
#[derive(Debug)]
pub(crate) struct References {
    /// The first function or variable that this crate does not have.
    pub(crate) unknown: Option<String>,
    /// The first thing for which API servers refuse an expression: a field that a request does not
    /// have, or a text that is not a duration or a timestamp.
    pub(crate) refused: Option<String>,
    /// The first value that this crate gives in part, used in a way that could show the difference.
    pub(crate) unreadable: Option<String>,
    /// The fields of the request that the expression can take; `None` if it can take the request as
    /// a whole.
    pub(crate) fields: Option<BTreeSet<String>>,
}

impl References {
    /// Finds the references of an expression. `has_function` knows the names of functions, those
    /// in a namespace with it.
    pub(crate) fn of(expression: &IdedExpr, has_function: &dyn Fn(&str) -> bool) -> Self {
        let found = Self { unknown: None, refused: None, unreadable: None, fields: Some(BTreeSet::new()) };
        let mut walk = Walk { found, bound: Vec::new(), has_function };
        walk.visit(expression);
        walk.found
    }
}

struct Walk<'e> {
    found: References,
    /// The variables of the surrounding macros.
    bound: Vec<&'e str>,
    has_function: &'e dyn Fn(&str) -> bool,
}

impl<'e> Walk<'e> {
    fn visit(&mut self, expression: &'e IdedExpr) {
        match &expression.expr {
            Expr::Unspecified | Expr::Literal(_) => {}
            Expr::Ident(name) => self.variable(name),
            Expr::Select(select) => {
                self.field(&select.operand.expr, &select.field);
                if self.is_request(&select.operand.expr) {
                    let fields = self.found.fields.as_mut();
                    fields.map(|fields| fields.insert(select.field.clone()));
                } else {
                    self.visit(&select.operand);
                }
            }
            Expr::Call(call) => {
                self.call(&call.func_name, call.target.as_deref(), &call.args);
                call.args.iter().for_each(|argument| self.visit(argument));
            }
            Expr::List(list) => list.elements.iter().for_each(|item| self.visit(item)),
            Expr::Map(map) => map.entries.iter().for_each(|entry| self.entry(&entry.expr)),
            Expr::Struct(of_type) => {
                self.unknown(|| format!("the type {}", of_type.type_name));
                of_type.entries.iter().for_each(|entry| self.entry(&entry.expr));
            }
            Expr::Comprehension(fold) => {
                self.visit(&fold.iter_range);
                self.visit(&fold.accu_init);
                let outside = self.bound.len();
                self.bound.extend([fold.iter_var.as_str(), fold.accu_var.as_str()]);
                self.bound.extend(fold.iter_var2.as_deref());
                self.visit(&fold.loop_cond);
                self.visit(&fold.loop_step);
                self.visit(&fold.result);
                self.bound.truncate(outside);
            }
        }
    }

    fn entry(&mut self, entry: &'e EntryExpr) {
        match entry {
            EntryExpr::StructField(field) => self.visit(&field.value),
            EntryExpr::MapEntry(entry) => {
                self.visit(&entry.key);
                self.visit(&entry.value);
            }
        }
    }

    fn variable(&mut self, name: &str) {
        if name == "request" && !self.bound.contains(&name) {
            self.found.fields = None;
        }
        if !self.bound.contains(&name) && !VARIABLES.contains(&name) && !TYPES.contains(&name) {
            self.unknown(|| format!("the variable {name}"));
        }
    }

    fn call(&mut self, name: &str, target: Option<&'e IdedExpr>, args: &[IdedExpr]) {
        // `a.f()` is the function `a.f`, if there is one, or else `f` of the value `a`.
        if let Some(IdedExpr { expr: Expr::Ident(namespace), .. }) = target {
            let is_value =
                self.bound.contains(&namespace.as_str()) || VARIABLES.contains(&namespace.as_str());
            if !is_value {
                let qualified = format!("{namespace}.{name}");
                if !(self.has_function)(&qualified) {
                    self.unknown(|| format!("the function {qualified}"));
                }
                return;
            }
        }
        if let (None, [IdedExpr { expr: Expr::Literal(LiteralValue::String(text)), .. }]) = (target, args)
            && refuses_literal(name, text.inner())
            && self.found.refused.is_none()
        {
            self.found.refused = Some(format!("{name} refuses this text; {}", example(name)));
        }
        // The innermost one is named: it is the root of the others.
        match target.map(|target| &target.expr) {
            // Whether there are messages is known; the messages of an API server are not.
            Some(Expr::Call(checked)) if name == "hasValue" && checked.func_name == "validate" => {
                checked.target.iter().for_each(|format| self.visit(format));
                checked.args.iter().for_each(|text| self.visit(text));
            }
            _ => target.into_iter().for_each(|target| self.visit(target)),
        }
        if name == "validate" && self.found.unreadable.is_none() {
            self.found.unreadable = Some("the messages of validate".to_owned());
        }
        if !(self.has_function)(name) {
            self.unknown(|| format!("the function {name}"));
        }
    }

    /// Checks a field of `request`, and of its fields.
    fn field(&mut self, operand: &Expr, field: &str) {
        let names: Vec<&str> = if self.is_request(operand) {
            REQUEST.iter().map(|(name, _)| *name).collect()
        } else if let Expr::Select(outer) = operand
            && self.is_request(&outer.operand.expr)
        {
            let fields = REQUEST.iter().find(|(name, _)| *name == outer.field);
            fields.map(|(_, fields)| fields.to_vec()).unwrap_or_default()
        } else {
            return;
        };
        if self.found.refused.is_none() && !names.is_empty() && !names.contains(&field) {
            let hint = match nearest(field, &names) {
                Some(near) => format!("write {near}"),
                None => format!("use one of {}", names.join(", ")),
            };
            self.found.refused = Some(format!("{field} is not a field of the request; {hint}"));
        }
    }

    fn is_request(&self, expression: &Expr) -> bool {
        matches!(expression, Expr::Ident(name) if name == "request") && !self.bound.contains(&"request")
    }

    fn unknown(&mut self, what: impl FnOnce() -> String) {
        // It may be the request, as `.request` is.
        self.found.fields = None;
        if self.found.unknown.is_none() {
            self.found.unknown = Some(what());
        }
    }
}

fn example(function: &str) -> &'static str {
    match function {
        "duration" => "write one such as 1h30m",
        _ => "write one such as 2026-01-31T12:00:00Z",
    }
}
