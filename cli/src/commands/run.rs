//! `portcullis run`.

use std::process::ExitCode;
use std::sync::Arc;

use crate::args::RunArgs;
use crate::failure::Failure;
use crate::requests::NamedRequest;
use crate::source::InputReader;
use crate::verdicts::{self, JudgedRequest};
use crate::{cluster, policy, requests, settings};

/// The exit status if a request is denied.
const DENIED: u8 = 1;

/// Judges requests and prints the verdicts.
///
/// # Errors
/// Input that cannot be read, and a policy that cannot be deployed. Nothing is printed then.
pub(crate) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let mut reader = InputReader::default();
    let files = args.request.iter().chain(&args.files);
    let requests = requests::read(files, &args.namespace, &mut reader)?;
    let settings = settings::read(&args.settings, &mut reader)?;
    let cluster = Arc::new(cluster::read(&args.cluster, &mut reader)?);
    let policy = policy::load(&args.policy, &args.engine, settings, &mut reader)?;
    let judged: Vec<JudgedRequest> = requests
        .into_iter()
        .map(|NamedRequest { name, request }| {
            let response = policy.judge(&request, &cluster);
            JudgedRequest { name, request, response }
        })
        .collect();
    verdicts::print(&judged, args.output)?;
    let all_admitted = judged.iter().all(|judged| judged.response.allowed);
    Ok(if all_admitted { ExitCode::SUCCESS } else { ExitCode::from(DENIED) })
}
