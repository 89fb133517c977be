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

{{/* For what belongs to no namespace: releases of the same name in two namespaces don't share it. */}}
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

{{- define "aero.probesPort" -}}
{{- regexFind "[0-9]+$" .Values.healthProbeBindAddress -}}
{{- end -}}

{{/* What rights are bound to. */}}
{{- define "aero.subjects" -}}
- kind: ServiceAccount
  name: {{ include "aero.serviceAccount" . }}
  namespace: {{ .Release.Namespace }}
{{- end -}}

{{/* Destinations of a NetworkPolicy; those outside of networks that are named are anywhere. */}}
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
