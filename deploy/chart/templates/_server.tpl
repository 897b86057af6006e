{{- /*
Servers with some of the roles. Arguments: the root, the component, its values, the roles. What all servers share comes
from the values of `server`.
*/ -}}
{{- define "skein.serverDeployment" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $values := index . 2 -}}
{{- $server := $root.Values.server -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "skein.fullname" $root }}-{{ $component }}
  labels:
    {{- include "skein.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ $component }}
spec:
  replicas: {{ $values.replicas }}
  strategy:
    type: RollingUpdate
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  selector:
    matchLabels:
      {{- include "skein.selector" (list $root $component) | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "skein.selector" (list $root $component) | nindent 8 }}
      {{- with $values.podAnnotations }}
      annotations: {{ toJson . }}
      {{- end }}
    spec:
      automountServiceAccountToken: false
      # Both times, and a little more for the process to end.
      terminationGracePeriodSeconds: {{ add $server.shutdownDelaySeconds $server.shutdownGraceSeconds 5 }}
      {{- with $root.Values.imagePullSecrets }}
      imagePullSecrets: {{ toJson . }}
      {{- end }}
      {{- with $server.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      securityContext:
        {{- include "skein.podSecurity" $root | nindent 8 }}
      topologySpreadConstraints:
        {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
        - maxSkew: 1
          topologyKey: {{ . }}
          whenUnsatisfiable: ScheduleAnyway
          # Each revision spreads by itself: the old one's pods are about to go.
          matchLabelKeys: [pod-template-hash]
          labelSelector:
            matchLabels:
              {{- include "skein.selector" (list $root $component) | nindent 14 }}
        {{- end }}
      containers:
        - name: {{ $component }}
          image: {{ include "skein.image" (list $root $server.image) }}
          imagePullPolicy: {{ $server.image.pullPolicy }}
          args: [serve]
          ports: [{ name: http, containerPort: 8080 }]
          env:
            - { name: SKEIN_ROLES, value: {{ index . 3 | quote }} }
            {{- include "skein.serverEnv" $root | nindent 12 }}
          {{- with $server.envSecret }}
          envFrom: [{ secretRef: { name: {{ . }} } }]
          {{- end }}
          # Not /readyz for liveness: an unavailable database would restart every server.
          startupProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 2, failureThreshold: 60 }
          livenessProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 }
          readinessProbe: { httpGet: { path: /readyz, port: http }, periodSeconds: 2, timeoutSeconds: 5, failureThreshold: 2 }
          securityContext:
            {{- include "skein.restricted" $root | nindent 12 }}
          resources: {{ toJson $values.resources }}
      {{- with $values.nodeSelector }}
      nodeSelector: {{ toJson . }}
      {{- end }}
      {{- with $values.tolerations }}
      tolerations: {{ toJson . }}
      {{- end }}
      {{- with $values.affinity }}
      affinity: {{ toJson . }}
      {{- end }}
{{- end -}}

{{- define "skein.serverEnv" -}}
{{ include "skein.databaseUrl" (list . "SKEIN_DATABASE_URL" "app") }}
- name: SKEIN_MASTER_KEY
  valueFrom: { secretKeyRef: { name: {{ include "skein.masterKeySecret" . }}, key: master-key } }
{{- if eq .Values.database.mode "external" }}
# Only if SKEIN_DATABASE_URL goes through a pooler.
- name: SKEIN_LISTEN_DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ .Values.database.external.existingSecret }}, key: listen-database-url, optional: true } }
# Only if lists and timelines are read from a replica.
- name: SKEIN_READ_DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ .Values.database.external.existingSecret }}, key: read-database-url, optional: true } }
{{- end }}
{{- with .Values.metrics.existingSecret }}
- name: SKEIN_METRICS_TOKEN
  valueFrom: { secretKeyRef: { name: {{ . }}, key: token } }
{{- end }}
- { name: SKEIN_PUBLIC_URL, value: {{ include "skein.publicUrl" . | quote }} }
- { name: SKEIN_TRUSTED_PROXIES, value: {{ .Values.server.trustedProxies | quote }} }
- { name: SKEIN_CEILING, value: {{ .Values.server.ceiling | empty | ternary "" (kindIs "string" .Values.server.ceiling | ternary .Values.server.ceiling (toJson .Values.server.ceiling)) | quote }} }
- { name: SKEIN_METRICS_POOLS, value: {{ concat .Values.metrics.pools .Values.runner.pools | uniq | join "," | quote }} }
- { name: SKEIN_SHUTDOWN_DELAY_MS, value: {{ mul .Values.server.shutdownDelaySeconds 1000 | quote }} }
- { name: SKEIN_SHUTDOWN_GRACE_MS, value: {{ mul .Values.server.shutdownGraceSeconds 1000 | quote }} }
{{- include "skein.moreEnv" .Values.server.env }}
{{- end -}}

{{- /* Arguments: the root, the component. */ -}}
{{- define "skein.serverBudget" -}}
{{- $root := index . 0 -}}
{{- if $root.Values.server.podDisruptionBudget.enabled -}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "skein.fullname" $root }}-{{ index . 1 }}
  labels:
    {{- include "skein.labels" $root | nindent 4 }}
spec:
  maxUnavailable: {{ $root.Values.server.podDisruptionBudget.maxUnavailable }}
  # While the database is down no server is ready. Nodes must still be drainable.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "skein.selector" . | nindent 6 }}
{{- end -}}
{{- end -}}
