{{- define "aero.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* The release's name alone, if it contains that of the chart. */}}
{{- define "aero.fullname" -}}
{{- $name := include "aero.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* For cluster-scoped objects: releases of the same name in two namespaces don't share them. */}}
{{- define "aero.clusterName" -}}
{{- printf "%s-%s" .Release.Namespace (include "aero.fullname" .) -}}
{{- end -}}

{{- define "aero.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "aero.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "aero.selector" -}}
app.kubernetes.io/name: {{ include "aero.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "aero.labels" -}}
{{ include "aero.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- if eq .Release.Service "Helm" }}
app.kubernetes.io/managed-by: Helm
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end -}}

{{- define "aero.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* The port of an address; 0 for no metrics. */}}
{{- define "aero.metricsPort" -}}
{{- regexFind "[0-9]+$" .Values.metricsBindAddress -}}
{{- end -}}

{{/*
How metrics are protected: `none` are served, or `all` clients can read them; clients need a `token` with permission, or a client
`certificate`; or only the `pod` itself reaches them. Reviews of tokens need cluster-scoped permissions.
*/}}
{{- define "aero.metricsReaders" -}}
{{- if eq .Values.metricsBindAddress "0" -}}
none
{{- else if not .Values.metrics.secure -}}
all
{{- else if or .Values.metrics.clientCA.secret .Values.metrics.clientCA.configMap -}}
certificate
{{- else if and .Values.rbac.clusterScope (not .Values.watchedNamespaces) -}}
token
{{- else -}}
pod
{{- end -}}
{{- end -}}

{{/* Not empty if metrics are reachable from outside the pod. */}}
{{- define "aero.metricsReachable" -}}
{{- if not (has (include "aero.metricsReaders" .) (list "none" "pod")) }}true{{ end -}}
{{- end -}}

{{/* The flags of metrics. */}}
{{- define "aero.metricsArgs" -}}
{{- $readers := include "aero.metricsReaders" . -}}
- --metrics-bind-address={{ if eq $readers "pod" }}127.0.0.1:{{ include "aero.metricsPort" . }}{{ else }}{{ .Values.metricsBindAddress }}{{ end }}
{{- if has $readers (list "token" "certificate") }}
- --metrics-secure
{{- if .Values.metrics.certificateSecret }}
- --metrics-cert-dir=/etc/aero/metrics-certificate
{{- end }}
{{- end }}
{{- if eq $readers "certificate" }}
- --metrics-client-ca=/etc/aero/metrics-client-ca/{{ .Values.metrics.clientCA.key }}
{{- end }}
{{- if .Values.metrics.namespaceLabel }}
- --metrics-namespace-label
{{- end }}
{{- end -}}

{{/* Volume mounts and volumes for metrics; empty without any. */}}
{{- define "aero.metricsMounts" -}}
{{- $readers := include "aero.metricsReaders" . -}}
{{- if and .Values.metrics.certificateSecret (has $readers (list "token" "certificate")) }}
- name: metrics-certificate
  mountPath: /etc/aero/metrics-certificate
  readOnly: true
{{- end }}
{{- if eq $readers "certificate" }}
- name: metrics-client-ca
  mountPath: /etc/aero/metrics-client-ca
  readOnly: true
{{- end }}
{{- end -}}

{{- define "aero.metricsVolumes" -}}
{{- $readers := include "aero.metricsReaders" . -}}
{{- if and .Values.metrics.certificateSecret (has $readers (list "token" "certificate")) }}
- name: metrics-certificate
  secret:
    secretName: {{ .Values.metrics.certificateSecret | quote }}
{{- end }}
{{- if eq $readers "certificate" }}
- name: metrics-client-ca
  {{- with .Values.metrics.clientCA }}
  {{- if .secret }}
  secret:
    secretName: {{ .secret | quote }}
  {{- else }}
  configMap:
    name: {{ .configMap | quote }}
  {{- end }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Volume mounts and volumes of the pods; empty without any. */}}
{{- define "aero.mounts" -}}
{{- include "aero.metricsMounts" . -}}
{{- if .Values.defaultTokenSecret.name }}
- name: default-token
  mountPath: /etc/aero/default-token
  readOnly: true
{{- end }}
{{- if or .Values.caBundle.configMap .Values.caBundle.secret }}
- name: ca-bundle
  mountPath: /etc/aero/ca
  readOnly: true
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "aero.volumes" -}}
{{- include "aero.metricsVolumes" . -}}
{{- with .Values.defaultTokenSecret }}
{{- if .name }}
- name: default-token
  secret:
    secretName: {{ .name | quote }}
    {{- if .optional }}
    optional: true
    {{- end }}
    items:
    - key: {{ .key | quote }}
      path: token
{{- end }}
{{- end }}
{{- with .Values.caBundle }}
{{- if .configMap }}
- name: ca-bundle
  configMap:
    name: {{ .configMap | quote }}
    items:
    - key: {{ .key | quote }}
      path: ca.crt
{{- else if .secret }}
- name: ca-bundle
  secret:
    secretName: {{ .secret | quote }}
    items:
    - key: {{ .key | quote }}
      path: ca.crt
{{- end }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "aero.probesPort" -}}
{{- regexFind "[0-9]+$" .Values.healthProbeBindAddress -}}
{{- end -}}

{{/* What the operator needs to delete the Secret of a migration. */}}
{{- define "aero.migrationRule" -}}
{{- if .Values.rbac.deleteMigrationSecrets }}
- apiGroups:
  - ""
  resources:
  - secrets
  verbs:
  - delete
{{- end }}
{{- end -}}

{{/* Not empty if there is a default token that objects of all namespaces may use. */}}
{{- define "aero.openToken" -}}
{{- $given := .Values.defaultTokenSecret.name -}}
{{- range .Values.extraEnvs -}}
{{- if eq .name "DEFAULT_AIVEN_TOKEN" -}}{{- $given = .name -}}{{- end -}}
{{- end -}}
{{- if and $given (kindIs "invalid" .Values.defaultTokenSecret.namespaces) (not .Values.defaultTokenSecret.namespaceSelector) }}true{{ end -}}
{{- end -}}

{{/* Not empty if the default roles of Kubernetes get permissions on the kinds. */}}
{{- define "aero.aggregates" -}}
{{- if .Values.rbac.clusterScope -}}
{{- if kindIs "invalid" .Values.rbac.aggregateRoles -}}
{{- if not (include "aero.openToken" .) }}true{{ end -}}
{{- else if .Values.rbac.aggregateRoles }}true{{ end -}}
{{- end -}}
{{- end -}}

{{/* Subjects of the role bindings. */}}
{{- define "aero.subjects" -}}
- kind: ServiceAccount
  name: {{ include "aero.serviceAccount" . }}
  namespace: {{ .Release.Namespace }}
{{- end -}}

{{/* Destinations of a NetworkPolicy; without CIDRs, any address. */}}
{{- define "aero.destination" -}}
- ports:
  {{- range .ports }}
  - port: {{ . }}
    protocol: TCP
  {{- end }}
  {{- with .cidrs }}
  to:
  {{- range . }}
  - ipBlock:
      cidr: {{ . | quote }}
  {{- end }}
  {{- end }}
{{- end -}}
