//! The requests that a webhook receives.
//!
//! A [`Webhook`] has the fields of a Kubewarden policy that the API server evaluates before it
//! calls the policy server: rules, selectors and match conditions. [`Webhook::decide`] evaluates
//! them for a request as the API server does, and says what decided.
//!
//! Sources: `rules`, `namespace`, `object` and `matchconditions` of
//! k8s.io/apiserver/pkg/admission/plugin/webhook.
//!
//! ```
//! use matching::{Decision, Webhook};
//! use serde_json::json;
//!
//! let webhook = Webhook::from_spec(&json!({
//!     "rules": [{ "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"] }],
//!     "matchConditions": [{ "name": "is-named", "expression": "has(object.metadata.name)" }],
//! })).unwrap();
//! let request = json!({
//!     "operation": "CREATE",
//!     "resource": { "group": "", "version": "v1", "resource": "pods" },
//!     "namespace": "shop",
//!     "object": { "metadata": { "generateName": "web-" } },
//! });
//! assert_eq!(webhook.decide(&request, None), Decision::ConditionIsFalse("is-named".to_owned()));
//! ```
//!
//! # What this crate does not do
//! It does not convert requests to other versions of their resource (`matchPolicy: Equivalent`),
//! and has no authorizer, so conditions that use `authorizer` are errors.

mod condition;
mod rule;
mod selector;
mod webhook;

pub use condition::{Condition, ConditionError, Variables};
pub use webhook::{Decision, InvalidWebhook, Webhook};
