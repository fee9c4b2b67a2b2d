//! The examples at the end of the help.

pub(super) const ALL: &str = "\
Examples:
  portcullis run pod-security deployment.yaml
  portcullis scan manifests/ --policy policies/
  portcullis init
  portcullis test tests/
  portcullis convert kyverno policies.yaml

`portcullis COMMAND --help` shows the examples of a command.";

pub(super) const RUN: &str = "\
Examples:
  portcullis run pod-security deployment.yaml
      Would the objects of a manifest be admitted?
  portcullis run external-ips review.json --settings settings.yaml --cluster namespaces.yaml
      Evaluate a recorded request with settings, and with Namespaces that the policy can look up.
  kubectl get pods --namespace shop -o json | portcullis run pod-security -
      Evaluate what runs already.
  portcullis run my-policy.wasm requests/*.json -o json
      Evaluate requests with a module of your own, for a program.";

pub(super) const SCAN: &str = "\
Examples:
  portcullis scan manifests/ --policy policies/
      What would be denied, where, and why?
  portcullis scan manifests/ --policy policies/ --old git:origin/main
      Evaluate a change: updates, new objects and deletions.
  portcullis scan manifests/ --policy new-policies/ --compare policies/
      Which verdicts change with other policies?
  portcullis scan --helm chart/ --values values.yaml --policy pod-security
      Evaluate what a chart renders.
  kubectl get pods,deployments --all-namespaces -o json | portcullis scan - --policy pod-security
      Evaluate what runs already.
  portcullis scan . -p policies/ -o text -o sarif=scan.sarif -o html=scan.html
      Write several reports in one run.
  portcullis scan . -p policies/ --write-baseline known.jsonl
  portcullis scan . -p policies/ --baseline known.jsonl
      Fail only for new findings.";

pub(super) const INIT: &str = "\
Example:
  portcullis init
  portcullis scan
  portcullis scan --write-baseline
      Accept the present findings, so that only new ones fail.";

pub(super) const EXPLAIN: &str = "\
Examples:
  portcullis explain pod-security/hostPorts
      Why is it refused, and what to do instead?
  portcullis explain selinux
      List the rules of a policy.";

pub(super) const REPORT: &str = "\
Examples:
  portcullis report convert scan.json -o html=scan.html -o junit=scan.xml
      Write other formats of a report without another scan.
  portcullis report diff yesterday.json today.json
      Which findings are new?";

pub(super) const TEST: &str = "\
Examples:
  portcullis test
      Run all test files below the working directory.
  portcullis test tests/pods.test.yaml --filter 'host network'
      Run some cases.
  portcullis test cases/ --policy pod-security
      Run lists of cases for one policy.
  portcullis test tests/ -o text -o junit=tests.xml
      Write the results for people and for CI.";

pub(super) const AUDIT: &str = "\
Examples:
  kubectl get pods,namespaces,nodes --all-namespaces -o json | portcullis audit mirror-labels -
  portcullis audit selinux dump.json --settings settings.yaml
  portcullis audit pod-security dump/ -o json";

pub(super) const CONVERT: &str = "\
Examples:
  portcullis convert kyverno policies.yaml exceptions.yaml
  portcullis convert psa admission-configuration.yaml";

pub(super) const ANNOTATE: &str = "\
Example:
  portcullis annotate policy.wasm --metadata metadata.yml --usage README.md --output annotated.wasm";

pub(super) const PUSH: &str = "\
Examples:
  portcullis push external-ips.wasm ghcr.io/example/policies/external-ips:v1.2.3
      Push a policy to this tag.
  portcullis push external-ips.wasm node-pods.wasm ghcr.io/example/policies/
      Push each policy below the prefix, to PREFIX/ID:vVERSION.";

pub(super) const PULL: &str = "\
Examples:
  portcullis pull ghcr.io/portcullis/policies/external-ips:v0.1.0
      Write external-ips.wasm.
  portcullis pull ghcr.io/portcullis/policies/external-ips:v0.1.0 --file policy.wasm -o json";

pub(super) const SELINUX: &str = "\
Examples:
  portcullis selinux level shop --settings settings.yaml
  kubectl get namespaces -o json | portcullis selinux allocate -";

pub(super) const COMPLETIONS: &str = "\
Examples:
  portcullis completions bash > ~/.local/share/bash-completion/completions/portcullis
  portcullis completions zsh > \"${fpath[1]}/_portcullis\"
  portcullis completions fish > ~/.config/fish/completions/portcullis.fish";

pub(super) const MAN: &str = "\
Example:
  portcullis man ~/.local/share/man/man1";
