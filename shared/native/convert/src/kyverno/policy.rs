//! A `ClusterPolicy` or a `Policy`, with the manifests for each rule.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::autogen::Autogen;
use super::check_settings::Standard;
use super::configuration::KyvernoConfiguration;
use super::entry::Entry;
use super::evaluator::Evaluator;
use super::grant::{self, ExceptedRule, Grant, Piece};
use super::library::{self, Draft, Known, LibraryPart, Recognition};
use super::match_resources::MatchResources;
use super::policy_exception::PolicyException;
use super::reach::Reach;
use super::request_scope::RequestScope;
use super::violation_action::{LocalAction, RuleActions};
use super::{not_converted, webhook};
use crate::cel::CelExpression;
use crate::controls::for_audits;
use crate::conversion::{Conversion, Difference, Effect, FieldProblem};
use crate::fields::Fields;
use crate::kubewarden::{self, PolicyManifest, PolicyMode, PolicySpec, TargetRule};
use crate::manifest_names::ManifestNames;
use crate::target::Target;
use crate::{InputError, LabelSelector, MatchCondition, Operation};

/// Why a manifest does not deny although the rule does.
pub(crate) const MONITORS: &str = "Because of these differences, this policy refuses more than the rule. It is in mode \
                        monitor, from which Kubewarden allows a change to protect, but no way back.";

pub(super) const NOTHING_LEFT: &str = "has no manifest, because its exclude, the exceptions for it, the configuration of Kyverno, or \
                            admission and background, which are both false, leave nothing to evaluate.";

/// Why a background audit finds more than the rule.
pub(super) const AUDITS_MORE: &str = "the audit scanner ignores match conditions, so reports also contain the objects that the \
                           conditions leave out";

/// The fields that all rules of a policy share.
pub(super) struct KyvernoPolicy<'p, 'd> {
    /// The kind and the name, for messages.
    title: &'p str,
    document: &'d str,
    name: &'d str,
    namespace: Option<&'d str>,
    is_cluster: bool,
    autogen: Autogen,
    has_one_rule: bool,
    spec: &'p Fields<'d>,
    configuration: &'p KyvernoConfiguration,
}

/// The parts that all manifests of a rule have in common.
struct RuleParts<'r> {
    name: &'r str,
    evaluator: Evaluator,
    standard: Standard,
    entries: Vec<Value>,
    grants: Vec<Grant>,
    actions: RuleActions,
    widens: bool,
}

enum CheckOfRule<'d> {
    PodSecurity(Fields<'d>),
    Library(Known),
    /// Nothing that is converted, for the reason.
    Other(FieldProblem),
}

#[derive(Default)]
struct CheckSettings {
    entries: Vec<Value>,
    /// The controls that the manifests run, for a check of the library.
    library: Option<LibraryPart>,
    /// The keys of `validate` that the settings express.
    keys: Vec<&'static str>,
}

#[derive(Clone)]
struct ExceptionTitle {
    document: String,
    title: String,
}

/// The manifests of a rule, with what readers should know.
#[derive(Default)]
struct RuleManifests {
    manifests: Vec<PolicyManifest>,
    notes: BTreeSet<String>,
    problems: Vec<FieldProblem>,
}

impl<'d> CheckOfRule<'d> {
    fn of(rule: &Fields<'d>, validate: &Fields<'d>) -> Result<Self, InputError> {
        if let Some(check) = validate.object("podSecurity")? {
            return Ok(Self::PodSecurity(check));
        }
        Ok(match library::recognise(validate)? {
            Recognition::Known(known) => Self::Library(known),
            Recognition::Changed(problem) => Self::Other(problem),
            Recognition::Unknown => Self::Other(Self::missing(rule)),
        })
    }

    /// The problem with a rule that checks nothing that is converted.
    fn missing(rule: &Fields<'_>) -> FieldProblem {
        let path = format!("{}.podSecurity", rule.path("validate"));
        FieldProblem::new(path, format!("is missing; {}", not_converted::NO_CHECK))
    }
}

/// The problem with a check of the library in a rule that matches workloads by kind.
fn about_pods_alone(target: Target) -> String {
    format!(
        "matches {} by kind, and the check is about the fields of a pod; match Pod alone, from which Kyverno derives \
         rules for workloads",
        target.path()
    )
}

pub(super) fn convert(
    document: &Fields<'_>,
    title: &str,
    is_cluster: bool,
    configuration: &KyvernoConfiguration,
    exceptions: &mut [PolicyException<'_>],
    names: &mut ManifestNames,
) -> Result<Vec<Draft>, InputError> {
    let metadata = document.required_object("metadata")?;
    let spec = document.required_object("spec")?;
    if !is_cluster && metadata.text("namespace")?.is_none_or(str::is_empty) {
        let problem = "is missing; a Policy evaluates its own namespace, so write the namespace into it";
        return Err(metadata.error("namespace", problem));
    }
    let rules = spec.objects("rules")?;
    let policy = KyvernoPolicy {
        title,
        document: document.document(),
        name: metadata.required_text("name")?,
        namespace: metadata.text("namespace")?.filter(|_| !is_cluster),
        is_cluster,
        autogen: Autogen::of(&rules, metadata.object("annotations")?.as_ref()),
        has_one_rule: rules.len() == 1,
        spec: &spec,
        configuration,
    };
    if rules.is_empty() {
        let problem = FieldProblem::new(spec.path("rules"), "is empty");
        return Ok(vec![Draft::without_manifest(document.document(), title, None, problem)]);
    }
    let conversions: Result<Vec<Vec<Draft>>, InputError> =
        rules.iter().map(|rule| policy.convert_rule(rule, exceptions, names)).collect();
    Ok(conversions?.into_iter().flatten().collect())
}

impl KyvernoPolicy<'_, '_> {
    fn convert_rule(
        &self,
        rule: &Fields<'_>,
        exceptions: &mut [PolicyException<'_>],
        names: &mut ManifestNames,
    ) -> Result<Vec<Draft>, InputError> {
        let name = rule.required_text("name")?;
        let check_path = format!("{}.podSecurity", rule.path("validate"));
        let none =
            |problem| Ok(vec![Draft::without_manifest(self.document, self.title, Some(name), problem)]);
        let Some(validate) = rule.object("validate")? else { return none(CheckOfRule::missing(rule)) };
        let check = CheckOfRule::of(rule, &validate)?;
        if let CheckOfRule::Other(problem) = check {
            return none(problem);
        }
        let matched = MatchResources::read(Some(&rule.required_object("match")?))?;
        if matched.filters.is_empty() {
            return Err(rule.error("match", "is empty"));
        }
        let excluded = MatchResources::read(rule.object("exclude")?.as_ref())?;
        let derived = self.autogen.derived(name, &matched, &excluded);
        let evaluator = match &check {
            CheckOfRule::Library(known) => known.evaluator,
            _ => Evaluator::PodSecurity,
        };
        let is_of_library = matches!(&check, CheckOfRule::Library(_));
        let scopes = RequestScope::of(&evaluator.targets(), &matched, &excluded, &derived, self.is_cluster);
        let mut problems: Vec<FieldProblem> =
            scopes.iter().flat_map(|scope| scope.problems.clone()).collect();
        let mut actions = RuleActions::read(self.spec, &validate, self.namespace, &mut problems)?;
        let standard = match &check {
            CheckOfRule::PodSecurity(check) => Standard::read(check, &mut problems),
            _ => Standard::of_library(),
        };
        if let CheckOfRule::Library(known) = &check {
            let mut by_kind = scopes.iter().flat_map(|scope| &scope.reach.named);
            if evaluator == Evaluator::PodSecurity
                && let Some(target) = by_kind.find(|target| !target.is_pod())
            {
                return none(FieldProblem::new(rule.path("match"), about_pods_alone(*target)));
            }
            // Kyverno compares with the old object for every check but those in CEL.
            actions.tolerates &= known.key != "cel";
            let of_rule = actions.local.iter().map(|local| local.action);
            problems.extend(evaluator.problems(&known.path, actions.tolerates, of_rule));
        }
        let plain = standard.settings();
        let CheckSettings { entries, library, keys } =
            self.settings_of(name, check, &plain, &mut problems)?;
        problems.extend(not_converted::in_rule(
            self.spec,
            rule,
            &validate,
            self.has_one_rule,
            &keys,
            is_of_library,
        ));
        let listed = |problem| Difference::new(self.document, self.title, Some(name), problem);
        let (grants, of_exceptions) =
            self.convert_exceptions(exceptions, name, &plain, &scopes, !is_of_library);
        let widens = problems.iter().any(FieldProblem::widens)
            || of_exceptions.iter().any(|(_, problem)| problem.widens());
        let parts = RuleParts { name, evaluator, standard, entries, grants, actions, widens };
        let is_matched = scopes.iter().any(|scope| scope.is_matched);
        let mut built = RuleManifests::default();
        for scope in scopes {
            self.add_manifests(&parts, scope, names, &mut built)?;
        }
        problems.append(&mut built.problems);
        if let Some(part) = &library {
            for manifest in &mut built.manifests {
                part.coverage.write(&mut manifest.spec.settings);
            }
        }
        let rejected = |manifest: &PolicyManifest| evaluator.problem_with(&manifest.spec.settings);
        if let Some(error) = built.manifests.iter().find_map(rejected) {
            problems.push(FieldProblem::new(check_path, format!("the module rejects the settings: {error}")));
            built.manifests.clear();
        } else if built.manifests.is_empty() && !is_matched {
            let problem = "matches no resource that the module evaluates";
            problems.push(FieldProblem::new(rule.path("match"), problem));
        } else if !built.manifests.is_empty() {
            built.notes.extend(parts.standard.note());
        } else {
            built.notes = BTreeSet::from([format!("{}, rule {name}, {NOTHING_LEFT}", self.title)]);
        }
        let mut all: Vec<Difference> = of_exceptions
            .into_iter()
            .map(|(ExceptionTitle { document, title }, problem)| {
                let title = format!("{title}, for {}", self.title);
                Difference::new(&document, &title, Some(name), problem)
            })
            .collect();
        all.extend(problems.into_iter().map(listed));
        let notes = built.notes.into_iter().collect();
        let conversion = Conversion { differences: all, notes, manifest: None };
        let with_part = |conversion| Draft { conversion, library: library.clone() };
        Ok(conversion.with(built.manifests).into_iter().map(with_part).collect())
    }

    /// The settings of a check, in addition to the level and the version, which are `plain`.
    fn settings_of(
        &self,
        rule: &str,
        check: CheckOfRule<'_>,
        plain: &Map<String, Value>,
        problems: &mut Vec<FieldProblem>,
    ) -> Result<CheckSettings, InputError> {
        let mut settings = CheckSettings::default();
        match check {
            CheckOfRule::PodSecurity(check) => {
                settings.keys.push("podSecurity");
                for entry in Entry::list(&check, "exclude", problems)? {
                    settings.entries.extend(entry.setting(plain, &Map::new(), problems));
                }
            }
            CheckOfRule::Library(known) => {
                settings.keys.extend([known.key, "message"]);
                problems.extend(known.refused_by_rule());
                let listed = |problem| Difference::new(self.document, self.title, Some(rule), problem);
                settings.library = LibraryPart::of(known, format!("{}, rule {rule}", self.title), listed);
            }
            CheckOfRule::Other(problem) => problems.push(problem),
        }
        Ok(settings)
    }

    /// Adds the manifests of one of the scopes of a rule: for requests, and for background audits.
    fn add_manifests(
        &self,
        rule: &RuleParts<'_>,
        scope: RequestScope,
        names: &mut ManifestNames,
        built: &mut RuleManifests,
    ) -> Result<(), InputError> {
        let mut audited = scope.clone();
        let mut scope = scope;
        let known = scope.problems.len();
        let note = self.configuration.apply(&mut scope, self.namespace);
        built.problems.extend(scope.problems.drain(known..));
        let widens = rule.widens || built.problems.iter().any(FieldProblem::widens);
        let (pieces, is_incomplete) = grant::pieces(&scope.reach.targets, &rule.grants);
        if is_incomplete {
            let problem = "more than three exceptions have conditions on objects; the others are not applied";
            built.problems.push(FieldProblem::new("metadata.name", problem).with(Effect::Refuses));
        }
        if self.spec.boolean("admission")?.unwrap_or(true) {
            for local in &rule.actions.local {
                for piece in &pieces {
                    let manifest = self.request_manifest(rule, &scope, local, piece, widens, names, built)?;
                    built.manifests.extend(manifest);
                }
            }
            built.notes.insert(note);
        }
        let is_audited = self.spec.boolean("background")?.unwrap_or(true)
            && audited.reach.operations.contains(&Operation::Create);
        if is_audited {
            audited.reach.targets.retain(|target| target.subresource().is_none());
            let (pieces, differs) = grant::audit_pieces(&audited.reach.targets, &rule.grants);
            let mut has_audits = false;
            for piece in &pieces {
                let manifest = self.audit_manifest(rule, &audited, piece, names);
                has_audits |= manifest.is_some();
                built.manifests.extend(manifest);
            }
            if has_audits && (differs || audited.audit_differs) {
                built
                    .problems
                    .push(FieldProblem::new(self.spec.path("background"), AUDITS_MORE).with(Effect::Reports));
            }
        }
        Ok(())
    }

    /// The manifest that evaluates requests; `None` if it would evaluate none.
    #[expect(clippy::too_many_arguments, reason = "the parts of a manifest have different origins")]
    fn request_manifest(
        &self,
        rule: &RuleParts<'_>,
        scope: &RequestScope,
        local: &LocalAction,
        piece: &Piece,
        widens: bool,
        names: &mut ManifestNames,
        built: &mut RuleManifests,
    ) -> Result<Option<PolicyManifest>, InputError> {
        let rules = TargetRule::for_targets(&piece.targets, &scope.reach.operations);
        if rules.is_empty() {
            return Ok(None);
        }
        let (mode, note) = rule.evaluator.mode(local.action, widens);
        built.notes.extend(note.map(str::to_owned));
        let settings = match rule.evaluator {
            Evaluator::PodSecurity => {
                let settings = rule.standard.settings_for(local.action, rule.actions.tolerates);
                with_entries(settings, rule, piece)
            }
            Evaluator::ExternalIps => Map::new(),
        };
        let mut spec = PolicySpec::new(rule.evaluator.id(), mode, rules, settings);
        let selectors = local.selectors.iter().chain(&piece.selectors);
        select(&mut spec, scope, selectors);
        spec.match_conditions.clone_from(&scope.conditions);
        let conditions = [
            ("has-the-action", CelExpression::All(local.conditions.clone())),
            ("is-in-this-part", CelExpression::All(piece.conditions.clone())),
        ];
        for (name, expression) in conditions {
            if !expression.is_always_true() {
                let condition = MatchCondition { name: name.to_owned(), expression: expression.to_string() };
                spec.match_conditions.push(condition);
            }
        }
        spec.match_conditions.extend(rule.evaluator.match_conditions(&spec.settings));
        spec.background_audit = Some(false);
        let mut problems = Vec::new();
        webhook::convert(self.spec, &mut spec, &mut problems)?;
        make_names_unique(&mut spec.match_conditions);
        if built.manifests.is_empty() {
            built.problems.append(&mut problems);
        }
        Ok(Some(names.manifest(self.namespace, &format!("{}-{}", self.name, rule.name), spec)))
    }

    /// The manifest for background audits, which the audit scanner alone evaluates; `None` if it
    /// would evaluate nothing.
    fn audit_manifest(
        &self,
        rule: &RuleParts<'_>,
        scope: &RequestScope,
        piece: &Piece,
        names: &mut ManifestNames,
    ) -> Option<PolicyManifest> {
        let settings = match rule.evaluator {
            Evaluator::PodSecurity => with_entries(rule.standard.settings(), rule, piece),
            Evaluator::ExternalIps => Map::new(),
        };
        let spec = audit_spec(rule.evaluator, &piece.targets, settings, scope, piece.selectors.iter())?;
        Some(names.manifest(self.namespace, &format!("{}-{}-audit", self.name, rule.name), spec))
    }

    /// Returns what exceptions grant for a rule, and what was not converted, each with the document
    /// and the title of its exception.
    fn convert_exceptions(
        &self,
        exceptions: &mut [PolicyException<'_>],
        rule: &str,
        settings: &Map<String, Value>,
        scopes: &[RequestScope],
        takes_entries: bool,
    ) -> (Vec<Grant>, Vec<(ExceptionTitle, FieldProblem)>) {
        let policy = match self.namespace {
            Some(namespace) => format!("{namespace}/{}", self.name),
            None => self.name.to_owned(),
        };
        let Some(first) = scopes.first() else { return (Vec::new(), Vec::new()) };
        let targets: BTreeSet<Target> =
            scopes.iter().flat_map(|scope| scope.reach.targets.iter().copied()).collect();
        let reach = Reach { targets, ..first.reach.clone() };
        let excepted = ExceptedRule { policy: &policy, name: rule, settings, reach: &reach, takes_entries };
        let mut grants = Vec::new();
        let mut problems = Vec::new();
        for exception in exceptions {
            let Some(mut conversion) = exception.convert(&excepted) else { continue };
            grants.append(&mut conversion.grants);
            let title =
                ExceptionTitle { document: exception.document.to_owned(), title: exception.title.clone() };
            problems.extend(conversion.problems.into_iter().map(|problem| (title.clone(), problem)));
        }
        (grants, problems)
    }
}

/// Adds the entries of a rule and of the exceptions in a piece to settings, and that templates are
/// not evaluated if the piece has none.
fn with_entries(mut settings: Map<String, Value>, rule: &RuleParts<'_>, piece: &Piece) -> Map<String, Value> {
    let entries: Vec<Value> = rule.entries.iter().chain(&piece.entries).cloned().collect();
    if !entries.is_empty() {
        settings.insert("exclude".to_owned(), entries.into());
    }
    if piece.targets.iter().all(|target| target.is_pod()) {
        settings.insert("templates".to_owned(), "Ignore".into());
    }
    settings
}

/// Gives conditions with the name of another one a number, from the last to the first: the names in
/// the input are last.
fn make_names_unique(conditions: &mut [MatchCondition]) {
    let mut names = BTreeSet::new();
    for condition in conditions.iter_mut().rev() {
        let name = condition.name.clone();
        let mut count = 1_usize;
        while !names.insert(condition.name.clone()) {
            count += 1;
            condition.name = format!("{name}-{count}");
        }
    }
}

/// Returns the specification of a policy that the audit scanner alone asks, about the objects of a
/// scope; `None` if it would evaluate nothing.
pub(super) fn audit_spec<'s>(
    evaluator: Evaluator,
    targets: &BTreeSet<Target>,
    settings: Map<String, Value>,
    scope: &RequestScope,
    selectors: impl Iterator<Item = &'s LabelSelector>,
) -> Option<PolicySpec> {
    let rules = TargetRule::for_targets(targets, &BTreeSet::from([Operation::Create]));
    if rules.is_empty() {
        return None;
    }
    let mut spec = PolicySpec::new(evaluator.id(), PolicyMode::Monitor, rules, settings);
    select(&mut spec, scope, selectors);
    Some(for_audits(spec))
}

/// Selects the namespaces and objects of a scope, in the namespaces that selectors select.
pub(super) fn select<'s>(
    spec: &mut PolicySpec,
    scope: &RequestScope,
    selectors: impl Iterator<Item = &'s LabelSelector>,
) {
    let mut namespaces = scope.namespace_selector.clone();
    for selector in selectors {
        namespaces.get_or_insert_default().narrow(selector.clone());
    }
    spec.namespace_selector = namespaces.map(LabelSelector::into_expressions);
    spec.object_selector.clone_from(&scope.object_selector);
    let exclude = spec.settings.get("exclude").and_then(Value::as_array);
    if exclude.into_iter().flatten().any(|entry| entry.get("namespaceSelector").is_some()) {
        spec.context_aware_resources.push(kubewarden::namespaces());
    }
}
