//! The functions, variables and fields of an expression.

use std::collections::BTreeSet;

use cel::common::ast::{
    CallExpr, EntryExpr, Expr, IdedEntryExpr, IdedExpr, LiteralValue, MapEntryExpr, MapExpr,
};
use kubernetes::completion::Literals;

use super::checker::signatures::is_evaluated;

pub(crate) const VARIABLES: [&str; 4] = ["namespaceObject", "object", "oldObject", "request"];

/// The names of types, which are values in CEL.
pub(crate) const TYPES: [&str; 11] =
    ["bool", "bytes", "double", "int", "list", "map", "null_type", "optional_type", "string", "type", "uint"];

#[derive(Debug)]
pub(crate) struct References {
    /// The first function or variable that this crate does not have.
    pub(crate) unknown: Option<String>,
    /// The first value that this crate gives in part, used in a way that could show the
    /// difference.
    pub(crate) unreadable: Option<String>,
    /// Whether it makes values of the types of Kubernetes.
    pub(crate) has_types: bool,
    pub(crate) has_sorts: bool,
    pub(crate) has_namespace: bool,
    /// The fields of the request that the expression can take; `None` if it can take the request
    /// as a whole.
    pub(crate) fields: Option<BTreeSet<String>>,
    /// The texts and integers that the expression consists of.
    pub(crate) literals: Literals,
}

impl References {
    /// Finds the references of an expression.
    pub(crate) fn of(expression: &IdedExpr) -> Self {
        let found = Self {
            unknown: None,
            unreadable: None,
            has_types: false,
            has_sorts: false,
            has_namespace: false,
            fields: Some(BTreeSet::new()),
            literals: Literals::default(),
        };
        let mut walk = Walk { found, bound: Vec::new() };
        walk.visit(expression);
        walk.found
    }
}

struct Walk<'e> {
    found: References,
    /// The variables of the surrounding macros.
    bound: Vec<&'e str>,
}

impl<'e> Walk<'e> {
    fn visit(&mut self, expression: &'e IdedExpr) {
        match &expression.expr {
            Expr::Literal(LiteralValue::String(text)) => {
                self.found.literals.texts.insert(text.to_string());
            }
            Expr::Literal(LiteralValue::Int(number)) => {
                self.found.literals.integers.insert(**number);
            }
            Expr::Unspecified | Expr::Literal(_) => {}
            Expr::Ident(name) => self.variable(name),
            Expr::Select(select) => {
                if self.is_request(&select.operand.expr) {
                    let fields = self.found.fields.as_mut();
                    fields.map(|fields| fields.insert(select.field.clone()));
                } else {
                    self.visit(&select.operand);
                }
            }
            Expr::Call(call) => {
                self.call(call);
                call.args.iter().for_each(|argument| self.visit(argument));
            }
            Expr::List(list) => list.elements.iter().for_each(|item| self.visit(item)),
            Expr::Map(map) => {
                if repeats_a_key(map) && self.found.unreadable.is_none() {
                    self.found.unreadable = Some("a map with a repeated key".to_owned());
                }
                map.entries.iter().for_each(|entry| self.entry(&entry.expr));
            }
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
        self.found.has_namespace |= name == "namespaceObject" && !self.bound.contains(&name);
        if !self.bound.contains(&name) && !VARIABLES.contains(&name) && !TYPES.contains(&name) {
            self.unknown(|| format!("the variable {name}"));
        }
    }

    fn call(&mut self, call: &'e CallExpr) {
        let (name, target) = (call.func_name.as_str(), call.target.as_deref());
        let is_format =
            matches!(target, Some(IdedExpr { expr: Expr::Ident(space), .. }) if space == "format");
        self.found.has_sorts |= matches!(name, "distinct" | "sort" | "@sortByAssociatedKeys");
        self.found.has_types |= is_format || matches!(name, "cidr" | "ip" | "quantity" | "semver" | "url");
        // `a.f()` is the function `a.f`, if there is one, or else `f` of the value `a`.
        if let Some(IdedExpr { expr: Expr::Ident(namespace), .. }) = target {
            let is_value =
                self.bound.contains(&namespace.as_str()) || VARIABLES.contains(&namespace.as_str());
            if !is_value {
                let qualified = format!("{namespace}.{name}");
                if !is_evaluated(&qualified) {
                    self.unknown(|| format!("the function {qualified}"));
                }
                return;
            }
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
        if name == "isSorted" && target.is_some_and(is_new_list) && self.found.unreadable.is_none() {
            self.found.unreadable = Some("the order of a list that a function made".to_owned());
        }
        if name == "validate" && self.found.unreadable.is_none() {
            self.found.unreadable = Some("the messages of validate".to_owned());
        }
        if !is_evaluated(name) {
            self.unknown(|| format!("the function {name}"));
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

/// Returns whether a list is the result of a function that keeps the types of its items. API
/// servers refuse to compare the items if their types are not declared.
fn is_new_list(list: &IdedExpr) -> bool {
    let Expr::Call(call) = &list.expr else { return false };
    let is_of_literal = |list: &IdedExpr| match &list.expr {
        Expr::List(_) => true,
        Expr::Call(call) => matches!(call.func_name.as_str(), "split" | "range"),
        _ => false,
    };
    matches!(call.func_name.as_str(), "distinct" | "flatten" | "reverse" | "slice")
        && !call.target.as_deref().is_some_and(is_of_literal)
}

/// Returns whether two keys of a map are the same literal: the last one counts for an API server.
fn repeats_a_key(map: &MapExpr) -> bool {
    let key = |entry: &IdedEntryExpr| match &entry.expr {
        EntryExpr::MapEntry(MapEntryExpr { key: IdedExpr { expr: Expr::Literal(key), .. }, .. }) => {
            Some(format!("{key:?}"))
        }
        _ => None,
    };
    let mut known = BTreeSet::new();
    map.entries.iter().filter_map(key).any(|key| !known.insert(key))
}
