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
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "aero.selector" -}}
app.kubernetes.io/name: {{ include "aero.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "aero.labels" -}}
{{ include "aero.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end -}}
