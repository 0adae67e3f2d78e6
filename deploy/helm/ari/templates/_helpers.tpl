{{- /*
Only functions of Go's own template engine are used, so that the engine alone renders the chart: the project's tests do
that without Helm. Go has no function for nested values, so they are written as JSON, which is YAML too.
*/ -}}
{{- define "ari.json" -}}
{{- $type := printf "%T" . -}}
{{- if eq $type "map[string]interface {}" -}}
{ {{- $more := false }}{{ range $key, $value := . }}{{ if $more }}, {{ end }}{{ printf "%q" $key }}: {{ template "ari.json" $value }}{{ $more = true }}{{ end -}} }
{{- else if eq $type "[]interface {}" -}}
[ {{- $more := false }}{{ range . }}{{ if $more }}, {{ end }}{{ template "ari.json" . }}{{ $more = true }}{{ end -}} ]
{{- else if eq $type "string" -}}{{ printf "%q" . }}
{{- else if eq $type "<nil>" -}}null
{{- else -}}{{ . }}
{{- end -}}
{{- end -}}

{{- define "ari.labels" }}
    app.kubernetes.io/name: ari
    app.kubernetes.io/instance: {{ .Release.Name }}
    app.kubernetes.io/version: {{ printf "%q" .Chart.AppVersion }}
    app.kubernetes.io/managed-by: {{ .Release.Service }}
    helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "ari.podLabels" }}
        app.kubernetes.io/name: ari
        app.kubernetes.io/instance: {{ .Release.Name }}
        app.kubernetes.io/version: {{ printf "%q" .Chart.AppVersion }}
{{- range $key, $value := .Values.podLabels }}
        {{ printf "%q" $key }}: {{ printf "%q" $value }}
{{- end }}
{{- end }}

{{- define "ari.image" -}}
{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else if .Values.image.tag }}:{{ .Values.image.tag }}{{ else }}:{{ .Chart.AppVersion }}{{ if eq .Values.mode "external" }}-slim{{ end }}{{ end }}
{{- end -}}

{{- define "ari.podSpec" }}
      automountServiceAccountToken: false
      # Variables such as ARI_PORT, made for every service of the namespace, would be taken for settings.
      enableServiceLinks: false
      terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
      imagePullSecrets: {{ template "ari.json" .Values.imagePullSecrets }}
      nodeSelector: {{ template "ari.json" .Values.nodeSelector }}
      tolerations: {{ template "ari.json" .Values.tolerations }}
      affinity: {{ template "ari.json" .Values.affinity }}
      securityContext:
        runAsNonRoot: true
        seccompProfile: { type: RuntimeDefault }
{{- if not .Values.openshift }}
        runAsUser: 10001
        runAsGroup: 10001
        fsGroup: 10001
        fsGroupChangePolicy: OnRootMismatch
{{- end }}
      volumes:
        - { name: tmp, emptyDir: {} }
{{- if eq .Values.mode "external" }}
        - { name: data, emptyDir: {} }
        - name: database
          secret: { secretName: {{ .Values.database.existingSecret }}, defaultMode: 288 }
{{- end }}
{{- if .Values.vaultKey.existingSecret }}
        - name: vault-key
          secret: { secretName: {{ .Values.vaultKey.existingSecret }}, defaultMode: 288 }
{{- end }}
{{- range .Values.extraVolumes }}
        - {{ template "ari.json" . }}
{{- end }}
{{- end }}

{{- define "ari.container" }}
          image: {{ template "ari.image" . }}
          imagePullPolicy: {{ .Values.image.pullPolicy }}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
          volumeMounts:
            - { name: tmp, mountPath: /tmp }
            - { name: data, mountPath: /data }
{{- if eq .Values.mode "external" }}
            - { name: database, mountPath: /run/secrets/database, readOnly: true }
{{- end }}
{{- if .Values.vaultKey.existingSecret }}
            - { name: vault-key, mountPath: /run/secrets/vault-key, readOnly: true }
{{- end }}
{{- range .Values.extraVolumeMounts }}
            - {{ template "ari.json" . }}
{{- end }}
          envFrom: {{ template "ari.json" .Values.extraEnvFrom }}
{{- end }}

{{- define "ari.env" }}
          env:
            - { name: ARI_ENVIRONMENT, value: {{ .Values.environment }} }
            - { name: ARI_METRICS_PORT, value: '9464' }
            # Of a sandbox: the log is kept and sent on, this file is not.
            - { name: ARI_BOOTSTRAP_FILE, value: /data/first-secrets.json }
{{- if eq .Values.mode "external" }}
            - { name: DATABASE_URL_FILE, value: /run/secrets/database/{{ .Values.database.key }} }
{{- if .Values.migration.enabled }}
            # The Job migrates before an upgrade, so that no replica does.
            - { name: ARI_MIGRATE, value: 'off' }
{{- end }}
{{- end }}
{{- if .Values.vaultKey.existingSecret }}
            - { name: ARI_VAULT_KEY_FILE, value: /run/secrets/vault-key/{{ .Values.vaultKey.key }} }
{{- end }}
{{- range $name, $value := .Values.settings }}
            - { name: {{ $name }}, value: {{ printf "%q" $value }} }
{{- end }}
{{- range .Values.extraEnv }}
            - {{ template "ari.json" . }}
{{- end }}
{{- end }}

{{- /* Ends with the container's variables, to which a role adds its own. */ -}}
{{- define "ari.probes" }}
          ports:
            - { name: http, containerPort: 8080 }
            - { name: metrics, containerPort: 9464 }
          startupProbe:
            httpGet: { path: /livez, port: http }
            periodSeconds: 2
            {{- /* A pod that migrates or recovers its store by itself listens only after that. */}}
            failureThreshold: {{ if and (eq .Values.mode "external") .Values.migration.enabled }}150{{ else }}1800{{ end }}
          livenessProbe:
            httpGet: { path: /livez, port: http }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet: { path: /readyz, port: http }
            periodSeconds: 3
            timeoutSeconds: 4
            failureThreshold: 2
{{- template "ari.env" . }}
{{- end }}
