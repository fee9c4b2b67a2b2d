//! `portcullis scan`.

use std::process::ExitCode;
use std::time::SystemTime;

use ::scan::{Date, ExceptionsOf, Input, Old, Operation, Options, Pods, Policy, Scan};
use report::{Comparison, Notice, Report};

use super::args::{LiveArgs, OUTPUT, OperationChoice, PodsChoice, ScanArgs};
use super::input::DEFAULT_NAMESPACE;
use super::live::Cluster;
use super::progress::Progress;
use super::reports::Shown;
use super::{baseline, compare, config, input, policies, reports};
use crate::failure::Failure;
use crate::interruption;
use crate::outputs;
use crate::policy::Engines;
use crate::print_problem;
use crate::source::InputReader;

pub(crate) fn scan(mut args: ScanArgs) -> Result<ExitCode, Failure> {
    let configured = config::complete(&mut args)?;
    let args = &args;
    outputs::check(&args.output.write.output, args.output.baseline.write_baseline.as_deref(), OUTPUT)?;
    if !args.compare.is_empty() {
        compare::check_formats(&args.output.write.output, "--compare")?;
    }
    let mut reader = InputReader::default();
    let baseline = baseline::read(&args.output.baseline, &mut reader)?;
    let engines = Engines::new(&args.engine);
    let LiveArgs { live, context, kubeconfig } = &args.live;
    let live = if *live { Some(Cluster::connect(kubeconfig.as_deref(), context.as_deref())?) } else { None };
    let (installation, notice) = match &live {
        Some(cluster) => cluster.installation(&args.installation),
        None => (args.installation.installation(), None),
    };
    let mut policies = match &live {
        Some(cluster) if args.policy.is_empty() => {
            cluster.policies(&engines, &installation, args.request.namespace.as_deref())?
        }
        _ => policies::load(&args.policy, &args.settings, &engines, &installation, &mut reader)?,
    };
    policies.notices.extend(notice.into_iter().chain(configured));
    let compared = compare::load(args, &engines, &installation, &mut reader)?;
    let options = options(args);
    let scan = Scan::new(policies.policies, options.clone());
    let mut inputs = Inputs::read(args, live.as_ref(), scan.policies(), options.operation, &mut reader)?;
    let is_input = &|file: &str| reader.has_read(file);
    outputs::refuse_inputs(&args.output.write.output, is_input)?;
    baseline::refuse_input(&args.output.baseline, is_input)?;
    let interrupted = match &live {
        Some(cluster) => cluster.interrupted(),
        None => interruption::watch(),
    };
    let mut progress = Progress::start(&*inputs.objects, args.output.explain, scan.policies(), interrupted);
    let before = match compared {
        Some(before) => Some(inputs.run(&Scan::new(before.policies, options), before.notices, &mut progress)),
        None => None,
    };
    let mut report = inputs.run(&scan, policies.notices, &mut progress);
    progress.finish()?;
    let write = &args.output.write;
    if let Some(before) = before {
        let comparison = Comparison::of(&before, &report);
        reports::write(write, Shown::Evaluated, &|out, format, options| {
            // Other formats are refused before the scan.
            comparison.write(out, format, options).map(drop)
        })?;
        explain_status(&report, "");
        return Ok(ExitCode::from(comparison.exit(write.fail_on.unwrap_or_default()).status()));
    }
    baseline::apply(baseline, &args.output.baseline, &input::folders(args), &mut report)?;
    reports::write(write, Shown::Evaluated, &|out, format, options| {
        report::write(out, &report, format, options)
    })?;
    explain_status(&report, "; --explain says why");
    Ok(ExitCode::from(report::exit(&report, write.fail_on.unwrap_or_default()).status()))
}

/// The inputs of a scan without its policies.
struct Inputs<'a> {
    objects: Box<dyn Input + 'a>,
    old: Option<Old>,
    of_old: Vec<Notice>,
    cluster: Option<Box<dyn Input + 'a>>,
    /// The namespace of a scan of a cluster.
    namespace: Option<&'a str>,
}

impl<'a> Inputs<'a> {
    fn read(
        args: &'a ScanArgs,
        live: Option<&'a Cluster>,
        policies: &'a [Policy],
        operation: Operation,
        reader: &mut InputReader,
    ) -> Result<Self, Failure> {
        let namespace = args.request.namespace.as_deref();
        let objects: Box<dyn Input> = match live {
            Some(cluster) => Box::new(cluster.objects(policies, operation, namespace)),
            None => Box::new(input::objects(args, reader)?),
        };
        let (old, of_old) = match input::old(args, reader)? {
            Some(mut files) => {
                let (old, notices) = Old::read(&mut files);
                (Some(old), notices)
            }
            None => (None, Vec::new()),
        };
        let cluster: Option<Box<dyn Input>> = match live {
            Some(cluster) => Some(Box::new(cluster.look_ups(namespace))),
            None => input::cluster(args, reader)?.map(|files| Box::new(files) as Box<dyn Input>),
        };
        Ok(Self { objects, old, of_old, cluster, namespace: namespace.filter(|_| live.is_some()) })
    }

    fn run(&mut self, scan: &Scan, of_policies: Vec<Notice>, progress: &mut Progress) -> Report {
        let cluster = self.cluster.as_mut().map(|cluster| &mut **cluster as &mut dyn Input);
        let mut report = scan.run(&mut *self.objects, self.old.as_ref(), cluster, progress);
        report.notices.extend(self.of_old.iter().cloned().chain(of_policies));
        report.sort_notices();
        report.namespace = self.namespace.map(str::to_owned);
        report
    }
}

/// Says on standard error why a scan is not complete, if no finding says so.
fn explain_status(report: &Report, advice: &str) {
    if report.is_partial {
        print_problem("interrupted: the report is incomplete");
    } else if report.totals.objects == 0 {
        print_problem("nothing was evaluated: the input has no objects");
    } else if report.totals.evaluations == 0 {
        let problem = "nothing was evaluated: no policy applies to any of the objects";
        print_problem(format!("{problem}{advice}"));
    }
}

fn options(ScanArgs { request: args, input, output, live, .. }: &ScanArgs) -> Options {
    let pods = args.pods.unwrap_or(if live.live { PodsChoice::Off } else { PodsChoice::Auto });
    let mut options = Options {
        operation: match args.operation {
            OperationChoice::Create => Operation::Create,
            OperationChoice::Update => Operation::Update,
            OperationChoice::Delete => Operation::Delete,
        },
        default_namespace: args.namespace.clone().unwrap_or_else(|| DEFAULT_NAMESPACE.to_owned()),
        pods: match pods {
            PodsChoice::Auto => Pods::Auto,
            PodsChoice::On => Pods::On,
            PodsChoice::Off => Pods::Off,
        },
        is_strict: input.strict,
        exceptions_on: (!output.exceptions.no_exceptions).then(|| Date::of(SystemTime::now())),
        reports_mutations: output.diff,
        exceptions_of: if output.exceptions.exceptions { ExceptionsOf::All } else { ExceptionsOf::Manifests },
        ..Options::default()
    };
    if let Some(user) = &args.user {
        options.user.clone_from(user);
        // The API server adds this group to every user that it has authenticated.
        options.groups = args.group.iter().cloned().chain(["system:authenticated".to_owned()]).collect();
    }
    if let Some((namespace, name)) = &args.service_account {
        options.set_service_account(namespace, name);
    }
    options
}
