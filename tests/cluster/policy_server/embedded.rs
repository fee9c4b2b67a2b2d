//! The embedded host behind webhooks. It looks objects up with the rights of the policy server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use kubernetes::objects::Objects;
use live::{Connection, Discovery};
use serde_json::{Value, json};
use tests::api_server::ApiServer;
use tests::webhooks::WebhookServer;
use tests::{PATIENCE, compiled};
use wapc_host::{AdmissionRequest, DeployedPolicy, Deployment, HostError, Mode, Resource};

use super::{PolicyServer, USER};

pub(crate) struct Embedded {
    server: WebhookServer,
    findings: Arc<Findings>,
}

type Findings = Mutex<Vec<String>>;

struct Policy {
    deployed: DeployedPolicy,
    mode: Mode,
    /// The paths of the lists of the objects that the policy may look up.
    lists: Vec<String>,
}

impl Embedded {
    /// Deploys policies, and answers requests for them. The error is why a policy does not accept
    /// its settings.
    pub(crate) fn start(api_server: &ApiServer, policies: &Value) -> Result<Self, String> {
        let cluster = api_server.user(USER).connection();
        let discovery = Discovery::read(&cluster).unwrap();
        let policies = policies.as_object().unwrap().iter();
        let policies: BTreeMap<String, Policy> = policies
            .map(|(name, entry)| Ok((format!("/validate/{name}"), Policy::new(name, entry, &discovery)?)))
            .collect::<Result<_, String>>()?;
        let findings = Arc::<Findings>::default();
        let found = Arc::clone(&findings);
        let answer = move |path: &str, request: &Value| policies[path].answer(request, &cluster, &found);
        Ok(Self { server: WebhookServer::start(api_server, Box::new(answer)), findings })
    }
}

impl PolicyServer for Embedded {
    fn port(&self) -> u16 {
        self.server.port()
    }

    fn restart(&mut self) {
        self.server.restart();
    }

    fn kill(&mut self) {
        self.server.kill();
    }

    fn findings(&self) -> Vec<String> {
        self.findings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Policy {
    /// Deploys an entry of the configuration of policy-server.
    fn new(name: &str, entry: &Value, discovery: &Discovery) -> Result<Self, String> {
        let mode = match entry["policyMode"].as_str() {
            Some("monitor") => Mode::Monitor,
            Some("protect") => Mode::Protect,
            other => panic!("{name}: {other:?}"),
        };
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let resources: Vec<Resource> = entry["contextAwareResources"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|resource| Resource {
                api_version: text(&resource["apiVersion"]),
                kind: text(&resource["kind"]),
            })
            .collect();
        let lists = resources.iter().map(|Resource { api_version, kind }| {
            let served = discovery.find(api_version, kind).unwrap();
            let root = if served.group.is_empty() { "api" } else { "apis" };
            format!("/{root}/{api_version}/{}", served.plural)
        });
        let lists = lists.collect();
        let (_, id) = entry["module"].as_str().unwrap().rsplit_once('/').unwrap();
        let deployment = Deployment {
            settings: entry["settings"].clone(),
            mode,
            allowed_to_mutate: entry["allowedToMutate"] == true,
            message: entry["message"].as_str().map(str::to_owned),
            host_capabilities: entry["hostCapabilities"].as_array().unwrap().iter().map(text).collect(),
            context_aware_resources: resources,
            timeout: PATIENCE,
            ..Deployment::new(name)
        };
        match compiled(id.strip_suffix(".wasm").unwrap())?.deploy(deployment) {
            Ok(deployed) => Ok(Self { deployed, mode, lists }),
            Err(HostError::Settings(reason)) => Err(reason),
            Err(error) => panic!("{name}: {error}"),
        }
    }

    fn answer(&self, request: &Value, cluster: &Connection, findings: &Findings) -> Value {
        let request = AdmissionRequest::from_value(request.clone()).unwrap();
        let lists = self.lists.iter().map(|path| {
            let list = cluster.get(path).map_err(|error| error.to_string())?;
            serde_json::from_str(&list).map_err(|error| format!("{path}: {error}"))
        });
        let objects = match lists.collect::<Result<Vec<Value>, String>>() {
            Ok(lists) => Objects::from_values(lists).unwrap(),
            Err(problem) => Objects::unreachable(problem),
        };
        let evaluation = self.deployed.validate(&request, &Arc::new(objects));
        if self.mode == Mode::Monitor {
            let answer: Value = serde_json::from_slice(&evaluation.raw.unwrap()).unwrap();
            if answer["accepted"] == false {
                let message = answer["message"].as_str().unwrap().to_owned();
                findings.lock().unwrap_or_else(PoisonError::into_inner).push(message);
            }
        }
        json!(evaluation.response)
    }
}
