//! The functions of this crate, as a browser calls them.
//!
//! An object that is not of the declared type is an exception, here and nowhere else: TypeScript does not compile it.

use tsify::{Ts, Tsify as _};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::{Deployment, Examples, Input, Outcome, Problem, Requests, Restrictions};

/// Every restriction, with its settings and samples.
///
/// # Errors
/// None that an engine is known to have.
#[wasm_bindgen]
pub fn restrictions() -> Result<Ts<Restrictions>, JsError> {
    Ok(crate::restrictions().into_ts()?)
}

/// Judges every object of a manifest, or every request.
///
/// # Errors
/// An object of another type.
#[wasm_bindgen]
pub fn judge(input: &Ts<Input>) -> Result<Ts<Outcome>, JsError> {
    Ok(crate::judge(&input.to_rust()?).into_ts()?)
}

/// The requests that `judge` judges, as JSON: what an API server would send.
///
/// # Errors
/// An object of another type.
#[wasm_bindgen]
pub fn requests(input: &Ts<Input>) -> Result<Ts<Requests>, JsError> {
    Ok(crate::requests(&input.to_rust()?).into_ts()?)
}

/// What is wrong with settings; nothing if they are understood.
///
/// # Errors
/// None that an engine is known to have.
#[wasm_bindgen(js_name = checkSettings)]
pub fn check_settings(restriction: &str, settings: &str) -> Result<Option<Ts<Problem>>, JsError> {
    Ok(crate::check_settings(restriction, settings).map(|problem| problem.into_ts()).transpose()?)
}

/// The manifest that deploys a restriction with settings.
///
/// # Errors
/// None that an engine is known to have.
#[wasm_bindgen(js_name = clusterAdmissionPolicy)]
pub fn cluster_admission_policy(restriction: &str, settings: &str) -> Result<Ts<Deployment>, JsError> {
    Ok(crate::cluster_admission_policy(restriction, settings).into_ts()?)
}

/// A sample, ready to be judged; nothing if there is none of that name.
///
/// # Errors
/// None that an engine is known to have.
#[wasm_bindgen(js_name = sampleInput)]
pub fn sample_input(restriction: &str, sample: &str) -> Result<Option<Ts<Input>>, JsError> {
    Ok(crate::sample_input(restriction, sample).map(|input| input.into_ts()).transpose()?)
}

/// The cases in the text of a case file; none if it is no case file.
///
/// # Errors
/// None that an engine is known to have.
#[wasm_bindgen]
pub fn cases(file: &str) -> Result<Ts<Examples>, JsError> {
    Ok(crate::cases(file).into_ts()?)
}

/// A case in the text of a case file of a restriction, ready to be judged; nothing if there is none of that name.
///
/// # Errors
/// None that an engine is known to have.
#[wasm_bindgen(js_name = caseInput)]
pub fn case_input(restriction: &str, file: &str, case: &str) -> Result<Option<Ts<Input>>, JsError> {
    Ok(crate::case_input(restriction, file, case).map(|input| input.into_ts()).transpose()?)
}
