{{- /* The address of a module: the digest or tag of the instance, those of the module, the common
tag, or the chart version. Takes root, policy and module. */}}
{{- define "portcullis.module" -}}
{{- $all := .root.Values.module -}}
{{- $registry := $all.registry -}}
{{- with dig "cattle" "systemDefaultRegistry" "" (.root.Values.global | default dict) -}}
  {{- $registry = regexReplaceAllLiteral "^[^/]+" $registry (trimSuffix "/" .) -}}
{{- end -}}
{{- $digest := .policy.digest -}}
{{- if not (or $digest .policy.tag) -}}
  {{- $digest = index ($all.digests | default dict) .module -}}
{{- end -}}
{{- $tag := coalesce .policy.tag (index ($all.tags | default dict) .module) $all.tag (printf "v%s" .root.Chart.AppVersion) -}}
registry://{{ $registry }}/{{ .module }}{{ if $digest }}@{{ $digest }}{{ else }}:{{ $tag }}{{ end }}
{{- end }}

{{- /* The labels of every object. */}}
{{- define "portcullis.labels" -}}
app.kubernetes.io/name: {{ .name | quote }}
app.kubernetes.io/part-of: portcullis
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.additionalLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* The metadata of a policy or group. Takes root, name, category and severity. */}}
{{- define "portcullis.metadata" -}}
name: {{ .name | quote }}
labels: {{- include "portcullis.labels" . | nindent 2 }}
annotations:
  io.kubewarden.policy.category: {{ .category | quote }}
  io.kubewarden.policy.severity: {{ .severity }}
{{- end }}

{{- /* The name of the module of an instance. */}}
{{- define "portcullis.moduleName" -}}
{{- .policy.module | default .name -}}
{{- end }}

{{- /* The settings of an instance as JSON: those of its module, and its own over them. */}}
{{- define "portcullis.settings" -}}
{{- $shared := index (.root.Values.settings | default dict) .module | default dict | deepCopy -}}
{{- mergeOverwrite $shared (.policy.settings | default dict | deepCopy) | toJson -}}
{{- end }}

{{- /* A number of an instance, or that of all. */}}
{{- define "portcullis.seconds" -}}
{{- index .policy .field | default (index .root.Values .field) -}}
{{- end }}

{{- /* The mode of an instance. Without one, Kubewarden would protect. */}}
{{- define "portcullis.mode" -}}
{{- $mode := .policy.mode | default .root.Values.mode -}}
{{- if not (has $mode (list "monitor" "protect")) -}}
  {{- fail "portcullis: mode is neither monitor nor protect; set it to one of them" -}}
{{- end -}}
{{- $mode -}}
{{- end }}

{{- /* The names of the namespaces that an instance skips, as JSON. */}}
{{- define "portcullis.skippedNamespaces" -}}
{{- $values := .root.Values -}}
{{- $skipped := concat ($values.skippedNamespaces | default list) (.policy.skippedNamespaces | default list) (dig "skipNamespaces" list ($values.global | default dict)) -}}
{{- if $values.skipInfrastructureNamespaces -}}
  {{- $skipped = concat ($values.infrastructureNamespaces | default list) $skipped -}}
{{- end -}}
{{- uniq $skipped | sortAlpha | toJson -}}
{{- end }}

{{- /* The selector for namespaces: the skipped ones, and the selector of the instance. Kubewarden
ignores matchLabels in the namespaceSelector of a cluster-wide policy, so they become expressions. */}}
{{- define "portcullis.namespaceSelector" -}}
{{- $expressions := list -}}
{{- if .skips -}}
  {{- with include "portcullis.skippedNamespaces" . | fromJsonArray -}}
    {{- $expressions = append $expressions (dict "key" "kubernetes.io/metadata.name" "operator" "NotIn" "values" .) -}}
  {{- end -}}
{{- end -}}
{{- with .policy.namespaceSelector -}}
  {{- range $key, $value := .matchLabels -}}
    {{- $expressions = append $expressions (dict "key" $key "operator" "In" "values" (list $value)) -}}
  {{- end -}}
  {{- $expressions = concat $expressions (.matchExpressions | default list) -}}
{{- end -}}
{{- with $expressions }}
namespaceSelector:
  matchExpressions: {{- toYaml . | nindent 4 }}
{{- end }}
{{- end }}

{{- /* The fields that policies and groups share. Takes root, policy, rules, conditions, skips and
backgroundAudit. */}}
{{- define "portcullis.webhook" -}}
{{- $mode := include "portcullis.mode" . -}}
policyServer: {{ .policy.policyServer | default .root.Values.policyServer | quote }}
mode: {{ $mode }}
failurePolicy: {{ coalesce .policy.failurePolicy .root.Values.failurePolicy (ternary "Fail" "Ignore" (eq $mode "protect")) }}
timeoutSeconds: {{ include "portcullis.seconds" (merge (dict "field" "timeoutSeconds") .) }}
backgroundAudit: {{ .backgroundAudit }}
rules: {{- toYaml .rules | nindent 2 }}
{{- include "portcullis.namespaceSelector" . }}
{{- with .policy.objectSelector }}
objectSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .conditions }}
matchConditions: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* A module with its settings and the kinds that it may look up. Takes root, policy, module,
settings and kinds. */}}
{{- define "portcullis.evaluation" -}}
module: {{ include "portcullis.module" . }}
timeoutEvalSeconds: {{ include "portcullis.seconds" (merge (dict "field" "timeoutEvalSeconds") .) }}
{{- with .kinds }}
contextAwareResources: {{- toYaml . | nindent 2 }}
{{- end }}
settings: {{- toYaml .settings | nindent 2 }}
{{- end }}

{{- /* A ClusterRole with the permissions for look-ups, and its binding. Takes root, name and
rules. */}}
{{- define "portcullis.role" -}}
{{- if and .root.Values.rbac.create .rules }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: {{ .root.Release.Name }}-{{ .name }}
  labels: {{- include "portcullis.labels" . | nindent 4 }}
rules: {{- toYaml (uniq .rules) | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: {{ .root.Release.Name }}-{{ .name }}
  labels: {{- include "portcullis.labels" . | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ .root.Release.Name }}-{{ .name }}
subjects:
  - kind: ServiceAccount
    name: {{ .root.Values.rbac.serviceAccount.name | quote }}
    namespace: {{ .root.Values.rbac.serviceAccount.namespace | default .root.Release.Namespace | quote }}
{{- end }}
{{- end }}

{{- /* The head of a ValidatingAdmissionPolicy that reserves names. Takes root, name and names. */}}
{{- define "portcullis.reservation" }}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: {{ .root.Release.Name }}-{{ .name }}
  labels: {{- include "portcullis.labels" . | nindent 4 }}
spec:
  failurePolicy: Fail
  variables:
    - name: names
      expression: "['{{ join "', '" (uniq .names | sortAlpha) }}']"
    # Users who may change the policies themselves.
    - name: isAuthorized
      expression: authorizer.group('policies.kubewarden.io').resource('clusteradmissionpolicies').check('update').allowed()
{{- end }}

{{- define "portcullis.reservationBinding" }}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: {{ .root.Release.Name }}-{{ .name }}
  labels: {{- include "portcullis.labels" . | nindent 4 }}
spec:
  policyName: {{ .root.Release.Name }}-{{ .name }}
  validationActions: [Deny]
{{- end }}
