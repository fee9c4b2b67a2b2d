{{- /* The address of a module: its digest, its tag, the common tag, or the chart version. */}}
{{- define "portcullis.module" -}}
{{- $all := .root.Values.module -}}
{{- $digest := get $all.digests .module -}}
{{- $tag := coalesce (get $all.tags .module) $all.tag (printf "v%s" .root.Chart.AppVersion) -}}
registry://{{ $all.registry }}/{{ .module }}{{ if $digest }}@{{ $digest }}{{ else }}:{{ $tag }}{{ end }}
{{- end }}

{{- /* The metadata of every object. */}}
{{- define "portcullis.labels" -}}
app.kubernetes.io/name: {{ . }}
app.kubernetes.io/part-of: portcullis
{{- end }}

{{- define "portcullis.metadata" -}}
name: {{ .name }}
labels: {{- include "portcullis.labels" .name | nindent 2 }}
annotations:
  io.kubewarden.policy.category: {{ .policy.category | quote }}
  io.kubewarden.policy.severity: {{ .policy.severity }}
{{- end }}

{{- /* The fields that policies and groups share. */}}
{{- define "portcullis.webhook" -}}
policyServer: {{ .policy.policyServer | default .root.Values.policyServer }}
mode: {{ .policy.mode | default .root.Values.mode }}
failurePolicy: {{ .policy.failurePolicy | default .root.Values.failurePolicy }}
timeoutSeconds: {{ .policy.timeoutSeconds | default .root.Values.timeoutSeconds }}
backgroundAudit: {{ dig "backgroundAudit" true .policy }}
rules: {{- toYaml .policy.rules | nindent 2 }}
{{- with dig "skippedNamespaces" .root.Values.skippedNamespaces .policy }}
namespaceSelector:
  matchExpressions:
    - key: kubernetes.io/metadata.name
      operator: NotIn
      values: {{- toYaml . | nindent 8 }}
{{- end }}
{{- with .policy.matchConditions }}
matchConditions: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* A module with its settings and the kinds that it may look up. */}}
{{- define "portcullis.evaluation" -}}
module: {{ include "portcullis.module" (dict "root" .root "module" .policy.module) }}
timeoutEvalSeconds: {{ .policy.timeoutEvalSeconds | default .root.Values.timeoutEvalSeconds }}
{{- with .policy.contextAwareResources }}
contextAwareResources: {{- toYaml . | nindent 2 }}
{{- end }}
settings: {{- toYaml (.policy.settings | default dict) | nindent 2 }}
{{- end }}
