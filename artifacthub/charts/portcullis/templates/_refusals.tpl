{{- /* Values that cannot protect, or that Kubewarden would refuse, end the rendering with a
sentence. Takes the instance: root, name, policy, module, settings, needs, rules, conditions and
backgroundAudit. */}}
{{- define "portcullis.refuse" -}}
{{- $place := printf "portcullis: policies.%s" .name -}}
{{- $protects := eq (include "portcullis.mode" .) "protect" -}}
{{- if gt (include "portcullis.seconds" (merge (dict "field" "timeoutEvalSeconds") .) | int) (include "portcullis.seconds" (merge (dict "field" "timeoutSeconds") .) | int) -}}
  {{- fail (printf "%s: timeoutEvalSeconds is greater than timeoutSeconds; lower it" $place) -}}
{{- end -}}
{{- if and .policy.tag .policy.digest -}}
  {{- fail (printf "%s: tag and digest name two modules; remove one" $place) -}}
{{- end -}}
{{- if and .policy.audit $protects -}}
  {{- fail (printf "%s: an instance for audits evaluates no request and cannot protect; set its mode to monitor" $place) -}}
{{- end -}}
{{- if and .policy.audit (not .needs.backgroundAudit) -}}
  {{- fail (printf "%s: %s evaluates the requesting user, which audits do not have; remove the instance" $place .module) -}}
{{- end -}}
{{- if and .policy.audit (include "portcullis.hasIngress" .) -}}
  {{- fail (printf "%s: settings.fields has status.loadBalancer.ingress, but the audit scanner cannot list services/status; remove the field from this instance" $place) -}}
{{- end -}}
{{- include "portcullis.refuseAudit" (dict "place" $place "rules" .rules "backgroundAudit" .backgroundAudit) -}}
{{- include "portcullis.refuseModule" (dict "place" $place "whole" $place "module" .module "settings" .settings "own" (.policy.settings | default dict) "protects" $protects "webhook" .policy "rules" .rules) -}}
{{- include "portcullis.refuseConditions" (dict "place" $place "conditions" .conditions) -}}
{{- if eq .module "selinux" -}}
  {{- include "portcullis.refuseSelinux" . -}}
{{- end -}}
{{- end }}

{{- /* The checks of one module, in a policy or in a group. Takes place and whole, the places of the
module and of its policy or group, module, settings, own (the settings without the shared ones),
protects, rules, and webhook: the values of the policy or group. */}}
{{- define "portcullis.refuseModule" -}}
{{- $ofNodes := has .module (list "node-labels" "node-pods") -}}
{{- $resources := list -}}
{{- range .rules -}}
  {{- $resources = concat $resources .resources -}}
{{- end -}}
{{- if and $ofNodes .protects (eq (toString .settings.mode) "Warn") -}}
  {{- fail (printf "%s: settings.mode: Warn admits forbidden labels and fields with a warning, also in mode: protect; remove settings.mode, or set mode: monitor" .place) -}}
{{- end -}}
{{- if and (eq .module "pod-security") .protects (eq (toString .settings.level) "privileged") (ne (toString .settings.namespaceLabels) "Honor") (not (and (eq (toString .own.level) "privileged") (or .settings.warn .settings.audit))) -}}
  {{- fail (printf "%s: level: privileged denies nothing; set settings.level to baseline or restricted, or, to warn alone, settings.level and settings.warn of this policy" .place) -}}
{{- end -}}
{{- if and $ofNodes (or .webhook.namespaceSelector .webhook.skippedNamespaces .webhook.objectSelector) -}}
  {{- fail (printf "%s: nodes choose the namespaces and labels that they write; remove namespaceSelector, skippedNamespaces and objectSelector" .whole) -}}
{{- end -}}
{{- if and (eq .module "external-ips") (or .webhook.namespaceSelector .webhook.skippedNamespaces) -}}
  {{- fail (printf "%s: external IPs can be claimed from any namespace; remove namespaceSelector and skippedNamespaces, and allow what a namespace needs with settings.allow" .whole) -}}
{{- end -}}
{{- if and (include "portcullis.hasIngress" .) (not (or (has "services/status" $resources) (has "services/*" $resources) (has "*/status" $resources) (has "*/*" $resources))) -}}
  {{- fail (printf "%s: settings.fields has status.loadBalancer.ingress, but the rules have no services/status, so it is never evaluated; add the rule" .place) -}}
{{- end -}}
{{- end }}

{{- /* "true" if external-ips evaluates the addresses of load balancers. */}}
{{- define "portcullis.hasIngress" -}}
{{- if and (eq .module "external-ips") (has "status.loadBalancer.ingress" (.settings.fields | default list)) }}true{{ end -}}
{{- end }}

{{- /* API servers refuse such match conditions. Takes place and conditions. */}}
{{- define "portcullis.refuseConditions" -}}
{{- $names := list -}}
{{- range .conditions -}}
  {{- if has .name $names -}}
    {{- fail (printf "%s: matchConditions has %s, the name of another condition, which may follow from the settings; choose another name" $.place .name) -}}
  {{- end -}}
  {{- $names = append $names .name -}}
{{- end -}}
{{- if gt (len $names) 64 -}}
  {{- fail (printf "%s: matchConditions has %d conditions together with those that follow from the settings, more than 64; remove some" .place (len $names)) -}}
{{- end -}}
{{- end }}

{{- /* The audit scanner cannot list subresources, and reports such a policy as failed. */}}
{{- define "portcullis.refuseAudit" -}}
{{- if .backgroundAudit -}}
  {{- range .rules -}}
    {{- range .resources -}}
      {{- if contains "/" . -}}
        {{- fail (printf "%s: backgroundAudit is true, but the audit scanner cannot list %s; set it to false" $.place .) -}}
      {{- end -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- end }}

{{- /* Settings of selinux that all instances, also members of groups, have to share. Takes place
and policy. */}}
{{- define "portcullis.refuseOwnLevels" -}}
{{- range list "allocation" "levels.extra" -}}
  {{- if include "portcullis.texts" (dict "value" $.policy.settings "path" (splitList "." .)) | fromJsonArray -}}
    {{- fail (printf "%s: settings.%s has to be the same for all instances, or one denies the levels of the other; move it to settings.selinux" $.place .) -}}
  {{- end -}}
{{- end -}}
{{- end }}

{{- /* The requests to which an instance is restricted, as text; empty for none. */}}
{{- define "portcullis.reach" -}}
{{- $reach := pick . "matchConditions" "namespaceSelector" "objectSelector" "skippedNamespaces" -}}
{{- if $reach -}}
  {{- toJson $reach -}}
{{- end -}}
{{- end }}

{{- define "portcullis.refuseSelinux" -}}
{{- $place := printf "portcullis: policies.%s" .name -}}
{{- $root := .root -}}
{{- include "portcullis.refuseOwnLevels" (dict "place" $place "policy" .policy) -}}
{{- $reach := include "portcullis.reach" .policy -}}
{{- /* The modes of the instances that protect all requests of this one. */ -}}
{{- $protects := list -}}
{{- range $name, $policy := .root.Values.policies -}}
  {{- if and $policy.enabled (eq (include "portcullis.moduleName" (dict "name" $name "policy" $policy)) "selinux") (eq (include "portcullis.mode" (dict "root" $root "policy" $policy)) "protect") -}}
    {{- if has (include "portcullis.reach" $policy) (list "" $reach) -}}
      {{- $settings := include "portcullis.settings" (dict "root" $root "policy" $policy "module" "selinux") | fromJson -}}
      {{- $protects = append $protects ($settings.mode | default "Mutate") -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- if eq (include "portcullis.mode" .) "protect" -}}
  {{- if .needs.mutating -}}
    {{- if not (has "Validate" $protects) -}}
      {{- fail (printf "%s: without a guard, every pod can set the level of another tenant; first set mode: protect for an instance with settings.mode: Validate and the same selectors" $place) -}}
    {{- end -}}
  {{- else if not (has "Mutate" $protects) -}}
    {{- $requires := not (or (eq (dig "levels" "missing" "Require" .settings) "Allow") (eq (dig "allocation" "source" "Hash" .settings) "Runtime")) -}}
    {{- if $requires -}}
      {{- fail (printf "%s: no instance adds levels, so every pod would be denied; set settings.levels.missing: Allow, or mode: protect for an instance with settings.mode: Mutate and the same selectors" $place) -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- end }}
