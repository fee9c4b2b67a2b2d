//! `portcullis run`.

use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::{fs, io};

use kubernetes::completion::Phase;
use scan::{Cluster, Reply};

use crate::args::{RunArgs, SettingsArgs};
use crate::failure::Failure;
use crate::policy::Engines;
use crate::requests::NamedRequest;
use crate::source::InputReader;
use crate::verdicts::{self, EvaluatedRequest, Verdict};
use crate::{FAILED, cluster, input, policy, requests, settings};

const DENIED: u8 = 1;

/// Evaluates requests and prints the verdicts; prints nothing if an input cannot be read.
pub(crate) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let mut reader = InputReader::default();
    let mut files: Vec<String> = args.request.iter().chain(&args.files).cloned().collect();
    if args.samples {
        files = samples(&files)?;
    }
    let requests = requests::read(&mut input::files(&files, &mut reader)?, &args.namespace)?;
    let engines = Engines::new(&args.engine);
    let mut evaluated = Vec::new();
    for requests in by_sample(requests, args.samples) {
        let own = requests.first().filter(|_| args.samples).map(of_sample);
        let (settings, cluster) = own.as_ref().map_or((&args.settings, &args.cluster), |(s, c)| (s, c));
        let settings = settings::read(settings, &mut reader)?;
        let cluster = Cluster::of(Arc::new(cluster::read(cluster, &mut reader)?));
        let (module, deployment) = policy::load(&args.policy, &engines, settings, &mut reader)?;
        let phase = if deployment.allowed_to_mutate { Phase::Mutating } else { Phase::Validating };
        for named in requests {
            let NamedRequest { place, request, .. } = named.received(phase)?;
            let Reply { response, not_evaluated } = module.respond(&request, &deployment, &cluster);
            // A module of this program says nothing about its scope.
            let not_evaluated =
                not_evaluated.or_else(|| scan::out_of_scope(module.engine.entry()?, &request));
            evaluated.push(EvaluatedRequest { place, request, response, not_evaluated });
        }
    }
    verdicts::print(&evaluated, args.output)?;
    let verdicts: Vec<Verdict> = evaluated.iter().map(Verdict::of).collect();
    if verdicts.iter().all(|verdict| *verdict == Verdict::NotEvaluated) {
        return Err(Failure::new("the policy evaluates none of the requests"));
    }
    Ok(if verdicts.contains(&Verdict::Fault) {
        ExitCode::from(FAILED)
    } else if verdicts.contains(&Verdict::Denied) {
        ExitCode::from(DENIED)
    } else {
        ExitCode::SUCCESS
    })
}

/// Returns the files of samples, `NAME.request.json` or `.yaml`, also those in directories.
fn samples(arguments: &[String]) -> Result<Vec<String>, Failure> {
    let is_sample = |path: &Path| {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        name.contains(".request.") && scan::is_object_file(path)
    };
    let mut samples = Vec::new();
    for argument in arguments {
        let path = Path::new(argument);
        if !path.is_dir() {
            if path.is_file() && !is_sample(path) {
                return Err(Failure::about(
                    argument,
                    "is not named as a sample, NAME.request.json; rename it, or run it without --samples",
                ));
            }
            samples.push(argument.clone());
            continue;
        }
        let unreadable = |error: io::Error| Failure::about(argument, format!("cannot be read: {error}"));
        let mut found = Vec::new();
        for entry in fs::read_dir(path).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if is_sample(&path) {
                found.push(path.display().to_string());
            }
        }
        if found.is_empty() {
            return Err(Failure::about(argument, "has no sample, NAME.request.json"));
        }
        found.sort();
        samples.append(&mut found);
    }
    Ok(samples)
}

/// Divides requests by their files, if these are samples.
fn by_sample(requests: Vec<NamedRequest>, are_samples: bool) -> Vec<Vec<NamedRequest>> {
    let mut groups: Vec<Vec<NamedRequest>> = Vec::new();
    for request in requests {
        let is_of_last = |last: &&mut Vec<NamedRequest>| {
            !are_samples || last.iter().all(|other| other.place.file == request.place.file)
        };
        match groups.last_mut().filter(is_of_last) {
            Some(last) => last.push(request),
            None => groups.push(vec![request]),
        }
    }
    groups
}

/// Returns the settings and the cluster of a sample.
fn of_sample(request: &NamedRequest) -> (SettingsArgs, Vec<String>) {
    let path = Path::new(&request.place.file);
    let file = |content| {
        let (name, _) = path.file_name()?.to_str()?.split_once(".request.")?;
        let file = path.with_file_name(format!("{name}.{content}.yaml"));
        file.exists().then(|| file.display().to_string())
    };
    let settings = SettingsArgs { settings: file("settings"), settings_json: None };
    (settings, file("cluster").into_iter().collect())
}
