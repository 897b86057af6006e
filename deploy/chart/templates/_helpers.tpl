{{- define "skein.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "skein.labels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- /* Arguments: the root, the component. */ -}}
{{- define "skein.selector" -}}
app.kubernetes.io/name: {{ default (index . 0).Chart.Name (index . 0).Values.nameOverride }}
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "skein.serverImage" -}}
{{ .Values.server.image.repository }}:{{ .Values.server.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- define "skein.masterKeySecret" -}}
{{- required "masterKey.existingSecret must name a secret with the key master-key." .Values.masterKey.existingSecret -}}
{{- end -}}

{{- /* For containers without anything to write to: the server, the migration and the test. */ -}}
{{- define "skein.restricted" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- define "skein.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- /*
A URL of the database: from the external secret, or of the cluster that CloudNativePG makes. Arguments: the root, the
variable, the login (app or owner). CloudNativePG's own secret of the owner holds a complete URL.
*/ -}}
{{- define "skein.databaseUrl" -}}
{{- $root := index . 0 -}}
{{- $variable := index . 1 -}}
{{- $login := index . 2 -}}
{{- if eq $root.Values.database.mode "cnpg" -}}
{{- if eq $login "owner" -}}
- name: {{ $variable }}
  valueFrom: { secretKeyRef: { name: {{ include "skein.fullname" $root }}-db-app, key: uri } }
{{- else -}}
- name: SKEIN_DATABASE_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ required "database.cnpg.appSecret must name a secret with username and password." $root.Values.database.cnpg.appSecret }}
      key: password
- name: {{ $variable }}
  value: postgres://skein_app:$(SKEIN_DATABASE_PASSWORD)@{{ include "skein.fullname" $root }}-db-rw/skein
{{- end -}}
{{- else -}}
- name: {{ $variable }}
  valueFrom:
    secretKeyRef:
      name: {{ required "database.external.existingSecret must name a secret with database-url and owner-database-url." $root.Values.database.external.existingSecret }}
      key: {{ if eq $login "owner" }}owner-database-url{{ else }}database-url{{ end }}
{{- end -}}
{{- end -}}
