//! The types of the parts of an expression.
//!
//! Source: `checker/checker.go` of cel-go. The first problem ends the check: API servers refuse an
//! expression with one.

use std::collections::BTreeMap;

use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, ListExpr, LiteralValue, MapExpr, operators};
use text::nearest;

use super::problem::{Problem, refused, unknown};
use super::types::Type;
use super::unification::{Variables, more_general};
use super::{declarations, macros, signatures};

/// The most parts of a type. Types can double with every macro; API servers have no limit.
const MOST_PARTS: usize = 256;

/// The most levels of an expression, which the interpreter follows with its stack. API servers have
/// 250.
const MOST_LEVELS: usize = 96;

/// The types of the parts of an expression, by the identifiers of its nodes.
pub(super) struct Types {
    of: BTreeMap<u64, Type>,
    variables: Variables,
}

impl Types {
    pub(super) fn get(&self, part: &IdedExpr) -> Type {
        self.of.get(&part.id).map_or(Type::Dyn, |of| self.variables.settled(of))
    }
}

pub(super) fn check(expression: &IdedExpr) -> Result<Types, Problem> {
    let mut checker = Checker::default();
    checker.check(expression)?;
    Ok(Types { of: checker.types, variables: checker.variables })
}

#[derive(Default)]
pub(super) struct Checker<'e> {
    types: BTreeMap<u64, Type>,
    pub(super) variables: Variables,
    /// The variables of the surrounding macros.
    scope: Vec<(&'e str, Type)>,
    levels: usize,
}

impl<'e> Checker<'e> {
    pub(super) fn check(&mut self, part: &'e IdedExpr) -> Result<Type, Problem> {
        if self.levels >= MOST_LEVELS {
            return Err(unknown(part, "the expression is nested too deeply to be checked here"));
        }
        self.levels = self.levels.saturating_add(1);
        let found = self.type_of(part)?;
        self.levels = self.levels.saturating_sub(1);
        if self.variables.parts_left(&found, MOST_PARTS).is_none() {
            return Err(unknown(part, "its type is too large to be checked here"));
        }
        self.types.insert(part.id, found.clone());
        Ok(found)
    }

    fn type_of(&mut self, part: &'e IdedExpr) -> Result<Type, Problem> {
        match &part.expr {
            Expr::Literal(literal) => Ok(of_literal(literal)),
            Expr::Ident(name) => self.variable(part, name),
            Expr::Select(select) => {
                if let Some(of) = self.qualified(part) {
                    return Ok(of);
                }
                self.field(part, &select.operand, &select.field)
            }
            Expr::Call(call) => macros::check(self, part, call).unwrap_or_else(|| self.call(part, call)),
            Expr::List(list) => self.list(list),
            Expr::Map(map) => self.map(map),
            Expr::Struct(of) => Err(if of.type_name.contains('.') {
                unknown(part, &format!("a value of the type {} cannot be checked here", of.type_name))
            } else {
                refused(part, format!("{} is not a type", of.type_name))
            }),
            Expr::Unspecified | Expr::Comprehension(_) => Err(unknown(part, "a part cannot be checked here")),
        }
    }

    pub(super) fn known(&self, part: &IdedExpr) -> Type {
        self.types.get(&part.id).cloned().unwrap_or(Type::Dyn)
    }

    pub(super) fn check_with(
        &mut self,
        variables: &[(&'e str, Type)],
        part: &'e IdedExpr,
    ) -> Result<Type, Problem> {
        let outside = self.scope.len();
        self.scope.extend_from_slice(variables);
        let found = self.check(part);
        self.scope.truncate(outside);
        found
    }

    /// A name that begins with a dot is never one of a macro.
    fn local(&self, name: &str) -> Option<Type> {
        if name.starts_with('.') {
            return None;
        }
        self.scope.iter().rev().find(|(known, _)| *known == name).map(|(_, of)| of.clone())
    }

    fn variable(&self, part: &IdedExpr, name: &str) -> Result<Type, Problem> {
        let found = self.local(name).or_else(|| declarations::global(name.strip_prefix('.').unwrap_or(name)));
        found.ok_or_else(|| {
            let hint = match nearest(name, &declarations::names()) {
                Some(near) => format!("; write {near}"),
                None => String::new(),
            };
            refused(part, format!("{name} is not a variable of match conditions{hint}"))
        })
    }

    /// Returns the type of a name with dots, such as `authorizer.requestResource`.
    fn qualified(&self, part: &IdedExpr) -> Option<Type> {
        let segments = segments(part)?;
        let root = *segments.first()?;
        if self.local(root).is_some() {
            return None;
        }
        let name = segments.join(".");
        declarations::global(name.strip_prefix('.').unwrap_or(&name))
    }

    pub(super) fn field(
        &mut self,
        part: &IdedExpr,
        operand: &'e IdedExpr,
        name: &str,
    ) -> Result<Type, Problem> {
        let of = self.check(operand)?;
        let of = self.variables.resolved(&of);
        let no_fields = |of: &Type| Err(refused(part, format!("{of} has no fields, and so no {name}")));
        let found = match of.without_optional() {
            Type::Map(_, value) => value.as_ref().clone(),
            Type::Dyn => Type::Dyn,
            variable @ Type::Variable(_) => {
                self.variables.is_assignable(&Type::Dyn, variable);
                Type::Dyn
            }
            Type::Named(object) => match declarations::fields(object) {
                Some(fields) => match fields.iter().find(|(known, _)| *known == name) {
                    Some((_, shape)) => shape.plain(),
                    None => return Err(refused(part, no_field(object, name, fields))),
                },
                None => return no_fields(&of),
            },
            _ => return no_fields(&of),
        };
        Ok(if matches!(of, Type::Optional(_)) { Type::optional(found) } else { found })
    }

    fn call(&mut self, part: &'e IdedExpr, call: &'e CallExpr) -> Result<Type, Problem> {
        if call.func_name == operators::OPT_SELECT {
            return self.optional_field(part, call);
        }
        let args = call.args.iter().map(|argument| self.check(argument)).collect::<Result<Vec<_>, _>>()?;
        let Some(target) = &call.target else {
            let name = call.func_name.strip_prefix('.').unwrap_or(&call.func_name);
            return self.resolve(part, name, None, args);
        };
        // `a.f()` is the function `a.f`, if there is one, or else the method `f` of `a`.
        if let Expr::Ident(namespace) = &target.expr {
            let name = format!("{}.{}", namespace.strip_prefix('.').unwrap_or(namespace), call.func_name);
            if signatures::is_declared(&name) {
                return self.resolve(part, &name, None, args);
            }
        }
        let of = self.check(target)?;
        self.resolve(part, &call.func_name, Some(of), args)
    }

    fn optional_field(&mut self, part: &'e IdedExpr, call: &'e CallExpr) -> Result<Type, Problem> {
        match call.args.as_slice() {
            [operand, IdedExpr { expr: Expr::Literal(LiteralValue::String(name)), .. }] => {
                let found = self.field(part, operand, name.inner())?;
                Ok(if matches!(found, Type::Optional(_)) && self.is_optional(operand) {
                    found
                } else {
                    Type::optional(found)
                })
            }
            _ => Err(refused(part, "a field after .? is a name".to_owned())),
        }
    }

    fn is_optional(&self, operand: &IdedExpr) -> bool {
        matches!(self.variables.resolved(&self.known(operand)), Type::Optional(_))
    }

    pub(super) fn resolve(
        &mut self,
        part: &IdedExpr,
        name: &str,
        target: Option<Type>,
        args: Vec<Type>,
    ) -> Result<Type, Problem> {
        let is_method = target.is_some();
        let args: Vec<Type> = target.into_iter().chain(args).collect();
        if matches!(name, operators::LOGICAL_AND | operators::LOGICAL_OR) {
            let other = args.iter().find(|argument| !self.variables.is_assignable(argument, &Type::Bool));
            return match other {
                Some(other) => {
                    let other = self.variables.settled(other);
                    Err(refused(part, format!("{} has a part that is {other}, not bool", sign(name))))
                }
                None => Ok(Type::Bool),
            };
        }
        let mut result: Option<Type> = None;
        for signature in signatures::signatures(name, is_method) {
            for overload in signature.overloads(&mut self.variables) {
                if !self.variables.are_assignable(&args, &overload.args) {
                    continue;
                }
                let found = self.variables.resolved(&overload.result);
                result = Some(match result {
                    None => found,
                    Some(first) if first == Type::Dyn || first == found => first,
                    Some(_) => Type::Dyn,
                });
            }
        }
        result.ok_or_else(|| {
            if !signatures::is_declared(name) {
                return refused(part, format!("match conditions have no function {name}"));
            }
            let args: Vec<String> =
                args.iter().map(|argument| self.variables.settled(argument).to_string()).collect();
            refused(part, format!("{} does not take ({})", sign(name), args.join(", ")))
        })
    }

    fn list(&mut self, list: &'e ListExpr) -> Result<Type, Problem> {
        let mut of = None;
        for (at, item) in list.elements.iter().enumerate() {
            let found = self.check(item)?;
            let found = self.entry(item, found, list.optional_indices.contains(&at))?;
            of = Some(self.join(of, found));
        }
        Ok(Type::list(of.unwrap_or_else(|| self.variables.fresh())))
    }

    fn map(&mut self, map: &'e MapExpr) -> Result<Type, Problem> {
        let (mut keys, mut values) = (None, None);
        for entry in &map.entries {
            let EntryExpr::MapEntry(entry) = &entry.expr else { continue };
            let key = self.check(&entry.key)?;
            keys = Some(self.join(keys, key));
            let value = self.check(&entry.value)?;
            let value = self.entry(&entry.value, value, entry.optional)?;
            values = Some(self.join(values, value));
        }
        let mut or_fresh = |of: Option<Type>| of.unwrap_or_else(|| self.variables.fresh());
        Ok(Type::map(or_fresh(keys), or_fresh(values)))
    }

    /// Returns the type of the value of an entry of a list or a map.
    fn entry(&self, part: &IdedExpr, of: Type, is_optional: bool) -> Result<Type, Problem> {
        match &of {
            _ if !is_optional => Ok(of),
            Type::Optional(value) => Ok(value.as_ref().clone()),
            Type::Dyn => Ok(of),
            _ => {
                let of = self.variables.settled(&of);
                Err(refused(part, format!("an entry with ? is an optional value, and this one is {of}")))
            }
        }
    }

    /// Returns the common type of the entries of a list or a map. Whether they may have several
    /// types depends on the place of the list, which the check of literals knows.
    fn join(&mut self, others: Option<Type>, of: Type) -> Type {
        match others {
            None => of,
            Some(others) if self.variables.is_assignable(&others, &of) => more_general(others, of),
            Some(_) => Type::Dyn,
        }
    }
}

/// The problem of a list or a map with entries of several types.
pub(super) fn mixed(part: &IdedExpr, others: &Type, of: &Type) -> Problem {
    refused(part, format!("this entry is {of}, and the ones before it are {others}"))
}

fn of_literal(literal: &LiteralValue) -> Type {
    match literal {
        LiteralValue::Boolean(_) => Type::Bool,
        LiteralValue::Bytes(_) => Type::Bytes,
        LiteralValue::Double(_) => Type::Double,
        LiteralValue::Int(_) => Type::Int,
        LiteralValue::Null => Type::Null,
        LiteralValue::String(_) => Type::String,
        LiteralValue::UInt(_) => Type::Uint,
    }
}

pub(super) fn is_type(part: &IdedExpr) -> bool {
    let name = segments(part).map(|segments| segments.join("."));
    name.is_some_and(|name| matches!(declarations::global(&name), Some(Type::Meta(_))))
}

/// Returns the names of `a.b.c`; `None` if it is something else, or longer than a declared name.
fn segments(part: &IdedExpr) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    let mut part = part;
    while names.len() < declarations::MOST_SEGMENTS {
        match &part.expr {
            Expr::Ident(name) => {
                names.push(name.as_str());
                names.reverse();
                return Some(names);
            }
            Expr::Select(select) if !select.test => {
                names.push(select.field.as_str());
                part = &select.operand;
            }
            _ => return None,
        }
    }
    None
}

/// Returns how an operator is written, and any other name unchanged.
fn sign(name: &str) -> &str {
    match name {
        operators::CONDITIONAL => "? :",
        operators::IN => "in",
        operators::INDEX => "[]",
        operators::OPT_INDEX => "[?]",
        "cel.@mapInsert" => "transformMapEntry",
        "@sortByAssociatedKeys" => "sortBy",
        _ if name.chars().all(|one| one == '_' || one.is_ascii_punctuation()) => name.trim_matches('_'),
        _ => name,
    }
}

fn no_field(object: &str, name: &str, fields: &[(&str, signatures::Shape)]) -> String {
    let names: Vec<&str> = fields.iter().map(|(known, _)| *known).collect();
    let hint = match nearest(name, &names) {
        Some(near) => format!("write {near}"),
        None => format!("use one of {}", names.join(", ")),
    };
    match object {
        "kubernetes.AdmissionRequest" => format!("{name} is not a field of the request; {hint}"),
        _ => format!("{name} is not a field of {object}; {hint}"),
    }
}
