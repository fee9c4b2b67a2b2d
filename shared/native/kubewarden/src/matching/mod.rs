//! The requests that a webhook receives.
//!
//! A [`Webhook`] has the fields of a Kubewarden policy that the API server evaluates before it
//! calls the policy server: rules, selectors and match conditions. [`Webhook::decide`] evaluates
//! them for a request as the API server does, and says what decided.
//!
//! [`PolicyManifest`] reads a whole manifest and makes the webhook that Kubewarden's controller
//! makes of it. [`Group`] evaluates the expression of a group of policies. The kinds and resources
//! are in `kubernetes::kinds`.
//!
//! Sources: `rules`, `namespace`, `object` and `matchconditions` of
//! k8s.io/apiserver/pkg/admission/plugin/webhook.
//!
//! ```
//! use kubewarden::matching::{Decision, Webhook};
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
//! let decision = webhook.decide(&request, None);
//! assert_eq!(decision, Decision::ConditionIsFalse("is-named".to_owned()));
//! assert_eq!(decision.explain(), "the match condition is-named is false");
//! ```
//!
//! # What is unknown
//! [`Decision::Unknown`] says what this crate cannot evaluate, and never decides for it: labels of
//! a Namespace that is not given, conversions that change fields, versions of custom resources
//! without their definition, and conditions with functions that it does not have, such as
//! `authorizer`.

mod check;
#[cfg_attr(not(feature = "conditions"), path = "condition/unevaluated.rs")]
mod condition;
mod condition_error;
mod decision;
mod evaluator;
mod fields;
mod group;
mod made_up;
mod never_sent;
mod observation;
mod policy;
mod policy_kind;
mod selector;
#[cfg(test)]
mod table;
mod timeouts;
mod webhook;
mod webhook_spec;

pub use check::{Check, CheckResult, CheckSubject};
#[cfg(feature = "conditions")]
pub use condition::Cost;
pub use condition::{Condition, Variables};
pub use condition_error::ConditionError;
pub use decision::{Decision, GroupVersion, Match, Reason};
pub use evaluator::{Evaluator, Module};
pub use group::{Group, GroupVerdict, MemberVerdict};
pub use observation::Observation;
pub use policy::{Annotations, FailurePolicy, Installation, Mode, PolicyManifest};
pub use policy_kind::PolicyKind;
pub use webhook::{Fit, Webhook};
pub use webhook_spec::InvalidWebhook;
