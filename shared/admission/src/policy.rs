//! The centre: settings become a policy, a policy and a request become a verdict.

use document::{Document, Origin};

use crate::request::{self, Request};
use crate::{Cluster, Fault, Node, Reads, Response, Scope, Setting, SettingsError, Shape, Verdict, settings};

/// A restriction: its settings, understood.
///
/// There is nothing to check left when it reviews a request.
pub trait Policy: Sized {
    /// The name of the module: kebab-case, a noun for what is restricted.
    const ID: &'static str;
    /// The requests that it judges.
    const SCOPE: Scope;
    /// What it may ask the cluster.
    const READS: Reads = Reads::NONE;
    /// Whether it may change the object: what `mutating` in the metadata says. Where it may not, no code for
    /// it is in the module.
    const MUTATES: bool = false;
    /// What it reads of the object and of the old object.
    const OBJECT: Shape<'static>;
    /// Its settings.
    const SETTINGS: &'static [Setting];
    /// What the settings mean, one sentence or two for the path of each: `allow.cidrs`.
    const DOCS: &'static [(&'static str, &'static str)];

    /// Understands the settings, which have the declared keys and types already.
    ///
    /// # Errors
    /// The first setting that means nothing, with its path.
    fn configure(settings: Node<'_>) -> Result<Self, SettingsError>;

    /// Judges a request of its scope.
    ///
    /// # Errors
    /// When something cannot be read or looked up that the verdict depends on.
    fn review<'d>(&self, request: &Request<'d>, cluster: &dyn Cluster) -> Result<Verdict<'d>, Fault>;
}

/// Judges the payload of a `validate` call: `{"request": …, "settings": …}`.
///
/// The same payload and the same answers of the cluster give the same response, on every target. A fault
/// becomes a denial here and nowhere else.
#[must_use]
pub fn evaluate<P: Policy>(payload: &[u8], cluster: &dyn Cluster) -> Response {
    judge::<P>(payload, cluster).unwrap_or_else(|fault| Response::fault(P::ID, &fault))
}

fn judge<P: Policy>(payload: &[u8], cluster: &dyn Cluster) -> Result<Response, Fault> {
    let shape = request::shape(P::OBJECT);
    let document = Document::parse(payload, Shape::Fields(&request::payload(&shape)), Origin::Payload)?;
    let request = Request::of(document.root())?;
    if !P::SCOPE.covers(&request) {
        return Ok(Response::admit());
    }
    let policy = configure::<P>(document.root().at("settings"))?;
    Ok(match policy.review(&request, cluster)? {
        Verdict::Admit => Response::admit(),
        Verdict::Deny(violations) => Response::deny(&violations),
        Verdict::Mutate(edits) if P::MUTATES => Response::mutate(edits.apply(payload)?),
        Verdict::Mutate(_) => return Err(Fault::new("object", "this policy is declared to change nothing")),
    })
}

/// Judges the payload of a `validate_settings` call: the settings alone.
///
/// # Errors
/// The first setting that is not understood, with its path.
pub fn check_settings<P: Policy>(payload: &[u8]) -> Result<(), SettingsError> {
    let document = settings::parse(payload)?;
    configure::<P>(document.root()).map(|_| ())
}

fn configure<P: Policy>(settings: Node<'_>) -> Result<P, SettingsError> {
    settings::check(settings, P::SETTINGS)?;
    P::configure(settings)
}

/// A policy as a value, for lists of them.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// [`Policy::ID`].
    pub id: &'static str,
    /// [`Policy::SCOPE`].
    pub scope: Scope,
    /// [`Policy::READS`].
    pub reads: Reads,
    /// [`Policy::MUTATES`].
    pub mutates: bool,
    /// [`Policy::OBJECT`].
    pub object: Shape<'static>,
    /// [`Policy::SETTINGS`].
    pub settings: &'static [Setting],
    /// [`Policy::DOCS`].
    pub docs: &'static [(&'static str, &'static str)],
    /// [`evaluate`].
    pub evaluate: fn(&[u8], &dyn Cluster) -> Response,
    /// [`check_settings`].
    pub check_settings: fn(&[u8]) -> Result<(), SettingsError>,
}

impl Entry {
    /// The entry of a policy.
    #[must_use]
    pub const fn of<P: Policy>() -> Self {
        Self {
            id: P::ID,
            scope: P::SCOPE,
            reads: P::READS,
            mutates: P::MUTATES,
            object: P::OBJECT,
            settings: P::SETTINGS,
            docs: P::DOCS,
            evaluate: evaluate::<P>,
            check_settings: check_settings::<P>,
        }
    }
}
