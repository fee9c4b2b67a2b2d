//! The functions of this crate, exported to JavaScript.
//!
//! An argument of the wrong type throws an exception. TypeScript rules this out at compile time.
//! All other errors are returned as a [`TextProblem`](crate::TextProblem).

#[cfg(feature = "whole")]
pub mod whole;

use tsify::{Ts, Tsify as _};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::{
    CellDetail, Completions, ExpectedOutcomes, Marks, Matrix, OutcomeChanges, Policies, TextName, Version,
    Workspace,
};

/// Returns every policy with its settings and samples.
///
/// # Errors
/// Fails if the result cannot be converted to a JavaScript object, which is not known to happen.
#[wasm_bindgen]
pub fn policies() -> Result<Ts<Policies>, JsError> {
    Ok(crate::policies().into_ts()?)
}

/// Evaluates workspaces, each of which differs little from the one before.
#[wasm_bindgen(js_name = Playground)]
#[derive(Debug, Default)]
pub struct BrowserPlayground(crate::Playground);

#[wasm_bindgen(js_class = Playground)]
impl BrowserPlayground {
    /// Creates a playground that knows no workspace.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Evaluates every object of a workspace by every policy.
    ///
    /// # Errors
    /// Fails if `workspace` has the wrong type.
    pub fn evaluate(&mut self, workspace: &Ts<Workspace>) -> Result<Ts<Matrix>, JsError> {
        Ok(self.0.evaluate(workspace.to_rust()?).into_ts()?)
    }

    /// Returns the details of a cell of the last workspace. They are empty if there is no such
    /// cell.
    ///
    /// # Errors
    /// Fails if the result cannot be converted to a JavaScript object, which is not known to
    /// happen.
    pub fn cell(&self, object: u32, policy: u32) -> Result<Ts<CellDetail>, JsError> {
        Ok(self.0.cell(object, policy).into_ts()?)
    }

    /// Returns the places to underline in lines of a text of the last workspace: of the objects, or
    /// of the stored ones.
    ///
    /// # Errors
    /// Fails if `text` has the wrong type.
    pub fn marks(&self, text: &Ts<TextName>, first: u32, last: u32) -> Result<Ts<Marks>, JsError> {
        Ok(Marks { marks: self.0.marks(text.to_rust()?, first, last) }.into_ts()?)
    }

    /// Returns the outcomes of the last workspace that are not the expected ones.
    ///
    /// # Errors
    /// Fails if `expected` has the wrong type.
    pub fn compare(&self, expected: &Ts<ExpectedOutcomes>) -> Result<Ts<OutcomeChanges>, JsError> {
        let changes = self.0.compare(&expected.to_rust()?.expected);
        Ok(OutcomeChanges { changes }.into_ts()?)
    }
}

/// Returns the keys and values that can be written at a path of the settings of a policy. Lists
/// have no step in the path.
///
/// # Errors
/// Fails if the result cannot be converted to a JavaScript object, which is not known to happen.
#[wasm_bindgen(js_name = settingsCompletions)]
#[expect(clippy::needless_pass_by_value, reason = "wasm-bindgen passes no slices of strings")]
pub fn settings_completions(policy: &str, path: Vec<String>) -> Result<Ts<Completions>, JsError> {
    Ok(crate::settings_completions(policy, &path).into_ts()?)
}

/// Returns the fields that can be written at a path of an object. Lists have no step in the path.
///
/// # Errors
/// Fails if the result cannot be converted to a JavaScript object, which is not known to happen.
#[wasm_bindgen(js_name = objectCompletions)]
#[expect(clippy::needless_pass_by_value, reason = "wasm-bindgen passes no slices of strings")]
pub fn object_completions(
    api_version: &str,
    kind: &str,
    path: Vec<String>,
) -> Result<Ts<Completions>, JsError> {
    Ok(crate::object_completions(api_version, kind, &path).into_ts()?)
}

/// Returns the versions of the playground.
///
/// # Errors
/// Fails if the result cannot be converted to a JavaScript object, which is not known to happen.
#[wasm_bindgen]
pub fn version() -> Result<Ts<Version>, JsError> {
    Ok(crate::version().into_ts()?)
}
