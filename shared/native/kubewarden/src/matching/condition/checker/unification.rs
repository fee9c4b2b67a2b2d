//! Which types can stand for which, and what type variables are.
//!
//! Source: `checker/types.go` of cel-go. An attempt that fails leaves the variables as they were.

use std::rc::Rc;

use super::types::Type;

#[derive(Debug, Default)]
pub(super) struct Variables {
    values: Vec<Option<Type>>,
    /// The former values of variables that changed.
    log: Vec<(usize, Option<Type>)>,
}

enum Given {
    Fits,
    Differs,
    Contains,
}

impl Variables {
    pub(super) fn fresh(&mut self) -> Type {
        self.values.push(None);
        Type::Variable(self.values.len().saturating_sub(1))
    }

    /// Returns whether each type can stand for the one at its place.
    pub(super) fn are_assignable(&mut self, types: &[Type], targets: &[Type]) -> bool {
        let before = self.log.len();
        let fits = types.len() == targets.len()
            && types.iter().zip(targets).all(|(one, target)| self.fits(one, target));
        if !fits {
            while self.log.len() > before {
                if let Some((variable, value)) = self.log.pop()
                    && let Some(slot) = self.values.get_mut(variable)
                {
                    *slot = value;
                }
            }
        }
        fits
    }

    pub(super) fn is_assignable(&mut self, one: &Type, target: &Type) -> bool {
        self.are_assignable(std::slice::from_ref(one), std::slice::from_ref(target))
    }

    fn fits(&mut self, one: &Type, other: &Type) -> bool {
        if let Type::Variable(variable) = other {
            match self.give(*variable, one) {
                Given::Fits => return true,
                Given::Differs => return false,
                Given::Contains => {}
            }
        }
        if let Type::Variable(variable) = one {
            return matches!(self.give(*variable, other), Given::Fits);
        }
        match (one, other) {
            (Type::Dyn, _) | (_, Type::Dyn) | (Type::Meta(_), Type::Meta(_)) => true,
            (Type::Null, not_null) | (not_null, Type::Null) => is_nullable(not_null),
            (Type::List(one), Type::List(other)) | (Type::Optional(one), Type::Optional(other)) => {
                self.fits(one, other)
            }
            (Type::Map(key, value), Type::Map(other_key, other_value)) => {
                self.fits(key, other_key) && self.fits(value, other_value)
            }
            _ => one == other,
        }
    }

    fn give(&mut self, variable: usize, value: &Type) -> Given {
        if *value == Type::Variable(variable) {
            return Given::Fits;
        }
        let Some(known) = self.values.get(variable).cloned().flatten() else {
            if self.contains(value, variable) {
                return Given::Contains;
            }
            self.set(variable, value.clone());
            return Given::Fits;
        };
        if *value != known {
            if !self.fits(value, &known) {
                return Given::Differs;
            }
            let general = if is_as_general(value, &known) { value } else { &known };
            if !self.contains(general, variable) {
                self.set(variable, general.clone());
            }
        }
        Given::Fits
    }

    fn set(&mut self, variable: usize, value: Type) {
        if let Some(slot) = self.values.get_mut(variable) {
            let former = slot.replace(value);
            self.log.push((variable, former));
        }
    }

    fn contains(&self, within: &Type, variable: usize) -> bool {
        match within {
            Type::Variable(other) => {
                *other == variable || self.value(*other).is_some_and(|value| self.contains(value, variable))
            }
            Type::List(of) | Type::Optional(of) | Type::Meta(of) => self.contains(of, variable),
            Type::Map(key, value) => self.contains(key, variable) || self.contains(value, variable),
            _ => false,
        }
    }

    fn value(&self, variable: usize) -> Option<&Type> {
        self.values.get(variable)?.as_ref()
    }

    /// Returns a type with the values of its variables.
    pub(super) fn resolved(&self, of: &Type) -> Type {
        self.replaced(of, Type::clone)
    }

    /// Returns a type with the values of its variables. Those without a value are `dyn`.
    pub(super) fn settled(&self, of: &Type) -> Type {
        self.replaced(of, |_| Type::Dyn)
    }

    fn replaced(&self, of: &Type, unknown: fn(&Type) -> Type) -> Type {
        let inner = |of: &Type| self.replaced(of, unknown);
        match of {
            Type::Variable(variable) => self.value(*variable).map_or_else(|| unknown(of), inner),
            Type::List(item) => Type::list(inner(item)),
            Type::Map(key, value) => Type::map(inner(key), inner(value)),
            Type::Optional(value) => Type::optional(inner(value)),
            Type::Meta(one) => Type::Meta(Rc::new(inner(one))),
            other => other.clone(),
        }
    }

    /// Returns what is left of a number of parts after those of a type; `None` if it has more.
    pub(super) fn parts_left(&self, of: &Type, parts: usize) -> Option<usize> {
        let parts = parts.checked_sub(1)?;
        match of {
            Type::Variable(variable) => match self.value(*variable) {
                Some(value) => self.parts_left(value, parts),
                None => Some(parts),
            },
            Type::List(item) | Type::Optional(item) | Type::Meta(item) => self.parts_left(item, parts),
            Type::Map(key, value) => self.parts_left(value, self.parts_left(key, parts)?),
            _ => Some(parts),
        }
    }
}

fn is_nullable(of: &Type) -> bool {
    matches!(of, Type::Null | Type::Named(_) | Type::Optional(_) | Type::Duration | Type::Timestamp)
}

/// Returns whether a type is equal to another one or less specific.
fn is_as_general(one: &Type, other: &Type) -> bool {
    match (one, other) {
        (Type::Dyn | Type::Variable(_), _) | (Type::Meta(_), Type::Meta(_)) => true,
        (_, Type::Dyn | Type::Variable(_)) => false,
        (Type::List(one), Type::List(other)) | (Type::Optional(one), Type::Optional(other)) => {
            is_as_general(one, other)
        }
        (Type::Map(key, value), Type::Map(other_key, other_value)) => {
            is_as_general(key, other_key) && is_as_general(value, other_value)
        }
        _ => one == other,
    }
}

pub(super) fn more_general(one: Type, other: Type) -> Type {
    if is_as_general(&one, &other) { one } else { other }
}
