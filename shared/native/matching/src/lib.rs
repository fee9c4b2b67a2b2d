//! The requests that a webhook receives.
//!
//! A [`Webhook`] has the fields of a Kubewarden policy that the API server evaluates before it
//! calls the policy server: rules, selectors and match conditions. [`Webhook::decide`] evaluates
//! them for a request as the API server does, and says what decided.
//!
//! [`PolicyManifest`] reads a whole manifest and makes the webhook that Kubewarden's controller
//! makes of it. [`Group`] evaluates the expression of a group of policies. The kinds and resources
//! are in the crate `kinds`.
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

#[cfg(feature = "conditions")]
mod budget;
mod check;
#[cfg(feature = "conditions")]
mod checker;
#[cfg(feature = "conditions")]
mod condition;
#[cfg(not(feature = "conditions"))]
#[path = "unevaluated/condition.rs"]
mod condition;
mod condition_error;
mod decision;
#[cfg(feature = "conditions")]
mod environment;
mod fields;
#[cfg(feature = "conditions")]
mod functions;
#[cfg(feature = "groups")]
mod group;
#[cfg(not(feature = "groups"))]
#[path = "unevaluated/group.rs"]
mod group;
mod member;
#[cfg(feature = "conditions")]
mod memo;
#[cfg(feature = "conditions")]
mod nesting;
mod observation;
mod policy;
#[cfg(feature = "conditions")]
mod references;
#[cfg(feature = "conditions")]
mod regexp;
#[cfg(feature = "conditions")]
mod rewrite;
mod rule;
mod selector;
mod server_fields;
mod webhook;

#[cfg(feature = "conditions")]
pub use budget::Cost;
pub use check::{Check, CheckResult, CheckSubject};
pub use condition::{Condition, Variables};
pub use condition_error::ConditionError;
pub use decision::{Decision, GroupVersion, Match, Reason};
pub use group::Group;
pub use member::{GroupVerdict, MemberVerdict};
pub use observation::Observation;
pub use policy::{
    Annotations, ContextAwareResource, FailurePolicy, Installation, Judge, Mode, Module, PolicyKind,
    PolicyManifest,
};
pub use webhook::{Fit, InvalidWebhook, Webhook};
