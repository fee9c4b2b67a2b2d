//! A `ClusterPolicy` or a `Policy`, with the manifests for each rule.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::autogen::Autogen;
use super::check_settings::Standard;
use super::configuration::KyvernoConfiguration;
use super::entry::Entry;
use super::evaluator::Evaluator;
use super::grant::{ExceptedRule, Grant};
use super::library::{self, Draft, Known, LibraryPart, Recognition};
use super::manifests::{NOTHING_LEFT, RuleManifests, RuleParts};
use super::match_resources::MatchResources;
use super::not_converted::{self, NotConverted};
use super::policy_exception::PolicyException;
use super::reach::Reach;
use super::request_scope::RequestScope;
use super::violation_action::RuleActions;
use crate::InputError;
use crate::conversion::{Difference, FieldProblem};
use crate::fields::Fields;
use crate::manifest_names::ManifestNames;
use crate::target::Target;

/// The fields that all rules of a policy share.
struct KyvernoPolicy<'p, 'd> {
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

enum CheckOfRule<'d> {
    PodSecurity(Fields<'d>),
    Library(Known),
}

#[derive(Default)]
struct CheckSettings {
    entries: Vec<Value>,
    /// The controls that the manifests run, for a check of the library.
    library: Option<LibraryPart>,
    /// The keys of `validate` that the settings express.
    keys: Vec<&'static str>,
}

/// The result of the exceptions for a rule.
#[derive(Default)]
struct Excepted {
    grants: Vec<Grant>,
    /// Whether the manifests refuse something that the exceptions except.
    widens: bool,
    differences: Vec<Difference>,
}

impl<'d> CheckOfRule<'d> {
    fn of(rule: &Fields<'d>, validate: &Fields<'d>) -> Result<Self, NotConverted> {
        if let Some(check) = validate.object("podSecurity")? {
            return Ok(Self::PodSecurity(check));
        }
        match library::recognise(validate)? {
            Recognition::Known(known) => Ok(Self::Library(known)),
            Recognition::Changed(problem) => Err(NotConverted::Whole(problem)),
            Recognition::Unknown => Err(no_check(rule)),
        }
    }

    const fn evaluator(&self) -> Evaluator {
        match self {
            Self::PodSecurity(_) => Evaluator::PodSecurity,
            Self::Library(known) => known.evaluator,
        }
    }

    fn standard(&self, problems: &mut Vec<FieldProblem>) -> Standard {
        match self {
            Self::PodSecurity(check) => Standard::read(check, problems),
            Self::Library(_) => Standard::of_library(),
        }
    }
}

/// A rule that checks nothing that is converted.
fn no_check(rule: &Fields<'_>) -> NotConverted {
    let path = format!("{}.podSecurity", rule.path("validate"));
    NotConverted::Whole(FieldProblem::new(path, format!("is missing; {}", not_converted::NO_CHECK)))
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
        let drafts = self.drafts(rule, name, exceptions, names);
        drafts.or_else(|why| why.into_drafts(self.document, self.title, Some(name)))
    }

    fn drafts(
        &self,
        rule: &Fields<'_>,
        name: &str,
        exceptions: &mut [PolicyException<'_>],
        names: &mut ManifestNames,
    ) -> Result<Vec<Draft>, NotConverted> {
        let Some(validate) = rule.object("validate")? else { return Err(no_check(rule)) };
        let check = CheckOfRule::of(rule, &validate)?;
        let evaluator = check.evaluator();
        let scopes = self.scopes(rule, name, evaluator)?;
        let mut problems: Vec<FieldProblem> =
            scopes.iter().flat_map(|scope| scope.problems.clone()).collect();
        let mut actions = RuleActions::read(self.spec, &validate, self.namespace, &mut problems)?;
        let standard = check.standard(&mut problems);
        let is_of_library = matches!(check, CheckOfRule::Library(_));
        if let CheckOfRule::Library(known) = &check {
            let mut by_kind = scopes.iter().flat_map(|scope| &scope.reach.named);
            if evaluator == Evaluator::PodSecurity
                && let Some(target) = by_kind.find(|target| !target.is_pod())
            {
                let problem = FieldProblem::new(rule.path("match"), about_pods_alone(*target));
                return Err(NotConverted::Whole(problem));
            }
            // Kyverno compares with the old object for every check but those in CEL.
            actions.tolerates &= known.key != "cel";
            let of_rule = actions.local.iter().map(|local| local.action);
            problems.extend(evaluator.problems(&known.path, actions.tolerates, of_rule));
        }
        let plain = standard.settings();
        let CheckSettings { entries, library, keys } =
            self.settings_of(name, check, &plain, &mut problems)?;
        let fields = [self.spec, rule, &validate];
        problems.extend(not_converted::in_rule(fields, self.has_one_rule, &keys, is_of_library));
        let Excepted { grants, widens, mut differences } =
            self.convert_exceptions(exceptions, name, &plain, &scopes, !is_of_library);
        let widens = widens || problems.iter().any(FieldProblem::widens);
        let parts = RuleParts {
            name: format!("{}-{name}", self.name),
            namespace: self.namespace,
            spec: self.spec,
            configuration: self.configuration,
            evaluator,
            standard,
            entries,
            grants,
            actions,
            widens,
        };
        let is_matched = scopes.iter().any(|scope| scope.is_matched);
        let mut built = RuleManifests::of(&parts, scopes, names)?;
        problems.append(&mut built.problems);
        built.problems = problems;
        if let Some(part) = &library {
            for manifest in &mut built.manifests {
                part.coverage.write(&mut manifest.spec.settings);
            }
        }
        if built.check_settings(evaluator, format!("{}.podSecurity", rule.path("validate"))) {
            if !built.manifests.is_empty() {
                built.notes.extend(parts.standard.note());
            } else if is_matched {
                built.notes = BTreeSet::from([format!("{}, rule {name}, {NOTHING_LEFT}", self.title)]);
            } else {
                let problem = "matches no resource that the module evaluates";
                built.problems.push(FieldProblem::new(rule.path("match"), problem));
            }
        }
        let listed = |problem| Difference::new(self.document, self.title, Some(name), problem);
        differences.extend(built.problems.drain(..).map(listed));
        Ok(built.into_drafts(differences, library.as_ref()))
    }

    /// The requests that a rule evaluates, with the rules that Kyverno derives from it.
    fn scopes(
        &self,
        rule: &Fields<'_>,
        name: &str,
        evaluator: Evaluator,
    ) -> Result<Vec<RequestScope>, InputError> {
        let matched = MatchResources::read(Some(&rule.required_object("match")?))?;
        if matched.filters.is_empty() {
            return Err(rule.error("match", "is empty"));
        }
        let excluded = MatchResources::read(rule.object("exclude")?.as_ref())?;
        let derived = self.autogen.derived(name, &matched, &excluded);
        Ok(RequestScope::of(&evaluator.targets(), &matched, &excluded, &derived, self.is_cluster))
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
                let entries = Entry::list(&check, "exclude", problems)?;
                for entry in &entries {
                    settings.entries.extend(entry.setting(&entries, plain, &Map::new(), problems));
                }
            }
            CheckOfRule::Library(known) => {
                settings.keys.extend([known.key, "message"]);
                problems.extend(known.refused_by_rule());
                let listed = |problem| Difference::new(self.document, self.title, Some(rule), problem);
                settings.library = LibraryPart::of(known, format!("{}, rule {rule}", self.title), listed);
            }
        }
        Ok(settings)
    }

    /// Returns what exceptions grant for a rule, and what was not converted.
    fn convert_exceptions(
        &self,
        exceptions: &mut [PolicyException<'_>],
        rule: &str,
        settings: &Map<String, Value>,
        scopes: &[RequestScope],
        takes_entries: bool,
    ) -> Excepted {
        let policy = match self.namespace {
            Some(namespace) => format!("{namespace}/{}", self.name),
            None => self.name.to_owned(),
        };
        let mut excepted = Excepted::default();
        let Some(first) = scopes.first() else { return excepted };
        let targets: BTreeSet<Target> =
            scopes.iter().flat_map(|scope| scope.reach.targets.iter().copied()).collect();
        let reach = Reach { targets, ..first.reach.clone() };
        let excepted_rule =
            ExceptedRule { policy: &policy, name: rule, settings, reach: &reach, takes_entries };
        for exception in exceptions {
            let Some(mut conversion) = exception.convert(&excepted_rule) else { continue };
            excepted.grants.append(&mut conversion.grants);
            excepted.widens |= conversion.problems.iter().any(FieldProblem::widens);
            let title = format!("{}, for {}", exception.title, self.title);
            let listed = |problem| Difference::new(exception.document, &title, Some(rule), problem);
            excepted.differences.extend(conversion.problems.into_iter().map(listed));
        }
        excepted
    }
}
