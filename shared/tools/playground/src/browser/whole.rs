//! The exports of the whole engine.

use tsify::{Ts, Tsify as _};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

use super::BrowserPlayground;
use crate::{CaseOptions, CaseText, Commands, Examples, Fix, Imported, OpenedCase, ReportFormat, Workspace};

#[wasm_bindgen(js_class = Playground)]
impl BrowserPlayground {
    /// Returns what fixes the violations of some controls of a cell of the last workspace; without
    /// controls, those of all. Nothing is changed.
    ///
    /// # Errors
    /// Fails if the result cannot be converted to a JavaScript object, which is not known to
    /// happen.
    #[expect(clippy::needless_pass_by_value, reason = "wasm-bindgen passes no slices of strings")]
    pub fn fix(&self, object: u32, policy: u32, controls: Vec<String>) -> Result<Ts<Fix>, JsError> {
        Ok(self.0.fix(object, policy, &controls).into_ts()?)
    }

    /// Returns the manifest that deploys a policy of the last workspace. Empty if its settings are
    /// not valid.
    #[must_use]
    pub fn deployment(&self, policy: u32) -> String {
        self.0.deployment(policy)
    }

    /// Writes the last workspace as a test file of `portcullis test`.
    ///
    /// # Errors
    /// Fails if `options` has the wrong type.
    #[wasm_bindgen(js_name = caseText)]
    pub fn case_text(&self, options: &Ts<CaseOptions>) -> Result<Ts<CaseText>, JsError> {
        Ok(self.0.case_text(&options.to_rust()?).into_ts()?)
    }

    /// Returns a report about the last workspace, as `portcullis scan` writes it.
    ///
    /// # Errors
    /// Fails if `format` has the wrong type.
    pub fn report(&self, format: &Ts<ReportFormat>) -> Result<String, JsError> {
        Ok(self.0.report(format.to_rust()?))
    }

    /// Returns the commands that give the verdicts of the last workspace: one for all, and one for
    /// a cell, if there is one.
    ///
    /// # Errors
    /// Fails if the result cannot be converted to a JavaScript object, which is not known to
    /// happen.
    pub fn commands(&self, object: Option<u32>, policy: Option<u32>) -> Result<Ts<Commands>, JsError> {
        Ok(Commands { commands: self.0.commands(object, policy) }.into_ts()?)
    }
}

/// Imports the policies of a text, whose kind is recognised.
///
/// # Errors
/// Fails if the result cannot be converted to a JavaScript object, which is not known to happen.
#[wasm_bindgen(js_name = importSource)]
pub fn import_source(text: &str) -> Result<Ts<Imported>, JsError> {
    Ok(crate::import_source(text).into_ts()?)
}

/// Adds the Namespaces of a text to the cluster of a workspace, or to its objects if the cluster is
/// empty. Those that the workspace has stay as they are.
///
/// # Errors
/// Fails if `workspace` has the wrong type.
#[wasm_bindgen(js_name = addNamespaces)]
pub fn add_namespaces(workspace: &Ts<Workspace>, namespaces: &str) -> Result<Ts<Workspace>, JsError> {
    Ok(crate::add_namespaces(workspace.to_rust()?, namespaces).into_ts()?)
}

/// Reads a test file that `caseText` wrote, with its other files behind it as further documents.
///
/// # Errors
/// Fails if the result cannot be converted to a JavaScript object, which is not known to happen.
#[wasm_bindgen(js_name = openCase)]
pub fn open_case(text: &str) -> Result<Ts<OpenedCase>, JsError> {
    Ok(crate::open_case(text).into_ts()?)
}

/// Returns the cases in the text of a case file. The result is empty if the text is not a valid
/// case file.
///
/// # Errors
/// Fails if the result cannot be converted to a JavaScript object, which is not known to happen.
#[wasm_bindgen]
pub fn cases(file: &str) -> Result<Ts<Examples>, JsError> {
    Ok(crate::cases(file).into_ts()?)
}

/// Returns a sample as a workspace, or `undefined` if there is no sample with this name.
///
/// # Errors
/// Fails if the result cannot be converted to a JavaScript object, which is not known to happen.
#[wasm_bindgen(js_name = sampleWorkspace)]
pub fn sample_workspace(policy: &str, sample: &str) -> Result<Option<Ts<Workspace>>, JsError> {
    Ok(crate::sample_workspace(policy, sample).map(|workspace| workspace.into_ts()).transpose()?)
}

/// Returns a case from the text of a case file as a workspace, or `undefined` if there is no case
/// with this name.
///
/// # Errors
/// Fails if the result cannot be converted to a JavaScript object, which is not known to happen.
#[wasm_bindgen(js_name = caseWorkspace)]
pub fn case_workspace(policy: &str, file: &str, case: &str) -> Result<Option<Ts<Workspace>>, JsError> {
    Ok(crate::case_workspace(policy, file, case).map(|workspace| workspace.into_ts()).transpose()?)
}
