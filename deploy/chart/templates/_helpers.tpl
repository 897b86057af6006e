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

{{- /* A tag, or a digest such as sha256:…. Arguments: the root, the image's values. */ -}}
{{- define "skein.image" -}}
{{- $tag := (index . 1).tag | default (index . 0).Chart.AppVersion -}}
{{ (index . 1).repository }}{{ ternary "@" ":" (hasPrefix "sha256:" $tag) }}{{ $tag }}
{{- end -}}

{{- define "skein.publicUrl" -}}
{{- if .Values.server.publicUrl -}}
{{ .Values.server.publicUrl }}
{{- else if .Values.ingress.enabled -}}
{{ ternary "https" "http" (ne .Values.ingress.tlsSecret "") }}://{{ .Values.ingress.host }}
{{- else -}}
http://127.0.0.1:8080
{{- end -}}
{{- end -}}

{{- /* The pools that runners of this release serve, as far as the chart knows. */ -}}
{{- define "skein.runnerPools" -}}
{{ .Values.runner.pools | default (list "default") | join "|" }}
{{- end -}}

{{- /* Settings that the chart has no value for. Helm reads numbers as floats: 1000000 must not become 1e+06. */ -}}
{{- define "skein.moreEnv" -}}
{{- range $name, $value := . }}
- { name: {{ $name }}, value: {{ ternary (toJson $value) (toString $value) (kindIs "float64" $value) | quote }} }
{{- end }}
{{- end -}}

{{- define "skein.masterKeySecret" -}}
{{- required "masterKey.existingSecret must name a secret with the key master-key." .Values.masterKey.existingSecret -}}
{{- end -}}

{{- /* For every container: none can write to its image. */ -}}
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

{{- define "skein.databaseEgress" -}}
- ports: [{ port: 53, protocol: UDP }, { port: 53, protocol: TCP }]
- ports:
    {{- range .Values.networkPolicy.databasePorts }}
    - port: {{ . }}
    {{- end }}
  {{- with .Values.networkPolicy.databaseTo }}
  to: {{ toJson . }}
  {{- end }}
{{- end -}}

{{- /* To the collector of traces, if there is one. */ -}}
{{- define "skein.traceEgress" -}}
{{- with .Values.server.env.OTEL_EXPORTER_OTLP_ENDPOINT -}}
- ports: [{ port: {{ regexFind ":[0-9]+" (regexReplaceAll "^[a-z]+://" . "") | trimPrefix ":" | default (hasPrefix "http:" . | ternary "80" "443") }} }]
{{- end -}}
{{- end -}}

{{- /*
Webhooks go to public addresses, and to what the operator names. The server checks each address as well; this holds even
if it did not.
*/ -}}
{{- define "skein.outboundEgress" -}}
- ports:
    {{- range .Values.networkPolicy.outboundPorts }}
    - port: {{ . }}
    {{- end }}
  to:
    - ipBlock:
        cidr: 0.0.0.0/0
        except: [0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.0.0.0/24, 192.168.0.0/16, 198.18.0.0/15, 224.0.0.0/3]
    - ipBlock:
        cidr: 2000::/3
        except: ['2001::/32', '2002::/16']
    {{- with .Values.networkPolicy.outboundTo }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}
