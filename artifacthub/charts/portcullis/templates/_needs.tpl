{{- /* The needs of an instance of a policy, by its settings: files/<module>.yaml, evaluated. */}}

{{- /* The texts of a setting as a JSON list; empty if it is absent. A path leads through the items
of lists. */}}
{{- define "portcullis.texts" -}}
{{- $texts := list -}}
{{- if kindIs "slice" .value -}}
  {{- $path := .path -}}
  {{- range $item := .value -}}
    {{- $texts = concat $texts (include "portcullis.texts" (dict "value" $item "path" $path) | fromJsonArray) -}}
  {{- end -}}
{{- else if .path -}}
  {{- if kindIs "map" .value -}}
    {{- $texts = include "portcullis.texts" (dict "value" (index .value (first .path)) "path" (rest .path)) | fromJsonArray -}}
  {{- end -}}
{{- else if kindIs "map" .value -}}
  {{- if .value -}}
    {{- $texts = list "{}" -}}
  {{- end -}}
{{- else if not (kindIs "invalid" .value) -}}
  {{- $texts = list (toString .value) -}}
{{- end -}}
{{- toJson $texts -}}
{{- end }}

{{- /* "true" if a setting has one of the values: "" stands for an absent setting, a value that ends
in * for all with this beginning. */}}
{{- define "portcullis.has" -}}
{{- $texts := include "portcullis.texts" (dict "value" .settings "path" (splitList "." .path)) | fromJsonArray -}}
{{- $has := false -}}
{{- range $wanted := .values -}}
  {{- if eq $wanted "" -}}
    {{- $has = or $has (empty $texts) -}}
  {{- else if hasSuffix "*" $wanted -}}
    {{- range $text := $texts -}}
      {{- $has = or $has (hasPrefix (trimSuffix "*" $wanted) $text) -}}
    {{- end -}}
  {{- else -}}
    {{- $has = or $has (has $wanted $texts) -}}
  {{- end -}}
{{- end -}}
{{- if $has }}true{{ end -}}
{{- end }}

{{- /* "true" if each of these settings has one of its values. */}}
{{- define "portcullis.all" -}}
{{- $settings := .settings -}}
{{- $all := true -}}
{{- range $path, $values := .of -}}
  {{- $all = and $all (include "portcullis.has" (dict "settings" $settings "path" $path "values" $values)) -}}
{{- end -}}
{{- if $all }}true{{ end -}}
{{- end }}

{{- /* The entries of a list that apply with the settings, as a JSON list. */}}
{{- define "portcullis.entries" -}}
{{- $settings := .settings -}}
{{- $entries := list -}}
{{- range $entry := .entries -}}
  {{- $applies := include "portcullis.all" (dict "settings" $settings "of" $entry.when) -}}
  {{- range $path, $values := $entry.unless -}}
    {{- if include "portcullis.has" (dict "settings" $settings "path" $path "values" $values) -}}
      {{- $applies = "" -}}
    {{- end -}}
  {{- end -}}
  {{- if $applies -}}
    {{- $entries = append $entries (omit $entry "when" "unless") -}}
  {{- end -}}
{{- end -}}
{{- toJson $entries -}}
{{- end }}

{{- /* An expression with the values of settings, lists of strings in CEL, instead of
$(setting). */}}
{{- define "portcullis.expression" -}}
{{- $settings := .settings -}}
{{- $expression := .expression -}}
{{- range $place := regexFindAll "[$][(][^)]*[)]" $expression -1 | uniq -}}
  {{- $path := $place | trimPrefix "$(" | trimSuffix ")" | splitList "." -}}
  {{- $expression = replace $place (include "portcullis.texts" (dict "value" $settings "path" $path)) $expression -}}
{{- end -}}
{{- $expression -}}
{{- end }}

{{- /* The match conditions, as a JSON list. */}}
{{- define "portcullis.conditions" -}}
{{- $settings := .settings -}}
{{- $conditions := list -}}
{{- range $condition := include "portcullis.entries" . | fromJsonArray -}}
  {{- $expressions := list -}}
  {{- if $condition.expression -}}
    {{- $expressions = list $condition.expression -}}
  {{- end -}}
  {{- range include "portcullis.entries" (dict "settings" $settings "entries" $condition.anyOf) | fromJsonArray -}}
    {{- if ne (default "chart" .in) "manifest" -}}
      {{- $expressions = append $expressions (include "portcullis.expression" (dict "settings" $settings "expression" .expression)) -}}
    {{- end -}}
  {{- end -}}
  {{- if $expressions -}}
    {{- $conditions = append $conditions (dict "name" $condition.name "expression" (join " ||\n" $expressions)) -}}
  {{- end -}}
{{- end -}}
{{- toJson $conditions -}}
{{- end }}

{{- /* The needs of an instance, as a JSON object. Takes root, module, settings and audit. */}}
{{- define "portcullis.needs" -}}
{{- $file := .root.Files.Get (printf "files/%s.yaml" .module) | fromYaml -}}
{{- if not $file -}}
  {{- fail (printf "portcullis: policies.%s: no module has this name; set module to external-ips, node-labels, node-pods, pod-security or selinux" .module) -}}
{{- end -}}
{{- $settings := .settings -}}
{{- $entries := dict -}}
{{- range $list := list "rules" "contextAwareResources" "clusterRoleRules" -}}
  {{- $_ := set $entries $list (include "portcullis.entries" (dict "settings" $settings "entries" (index $file $list)) | fromJsonArray) -}}
{{- end -}}
{{- $conditions := include "portcullis.conditions" (dict "settings" $settings "entries" $file.matchConditions) | fromJsonArray -}}
{{- $mutating := and $file.mutating (include "portcullis.all" (dict "settings" $settings "of" $file.mutating)) -}}
{{- $audited := list -}}
{{- with $file.audit -}}
  {{- $audited = include "portcullis.entries" (dict "settings" $settings "entries" .rules) | fromJsonArray -}}
{{- end -}}
{{- $background := not (empty $audited) -}}
{{- if .audit -}}
  {{- $_ := set $entries "rules" $audited -}}
  {{- $mutating = "" -}}
  {{- /* The audit scanner ignores match conditions, so it alone calls this instance. */ -}}
  {{- $conditions = list (dict "name" "is-for-the-audit-scanner-alone" "expression" "false") -}}
{{- else -}}
  {{- $known := list -}}
  {{- range $rule := $audited -}}
    {{- range $group := $rule.apiGroups -}}
      {{- range $rule.resources -}}
        {{- $known = append $known (printf "%s/%s" $group .) -}}
      {{- end -}}
    {{- end -}}
  {{- end -}}
  {{- range $rule := $entries.rules -}}
    {{- range $group := $rule.apiGroups -}}
      {{- range $rule.resources -}}
        {{- $background = and $background (has (printf "%s/%s" $group .) $known) -}}
      {{- end -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- $needs := pick $file "category" "severity" -}}
{{- $_ := set $needs "matchConditions" $conditions -}}
{{- $_ := set $needs "mutating" (not (empty $mutating)) -}}
{{- $_ := set $needs "backgroundAudit" $background -}}
{{- $skips := dig "skipInfrastructureNamespaces" false $file -}}
{{- $_ := set $needs "skipsInfrastructureNamespaces" $skips -}}
{{- merge $needs $entries | toJson -}}
{{- end }}
