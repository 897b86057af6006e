/**
 * `node scripts/chart-schemas.ts <swagger.json of Kubernetes>`: writes the schemas that a test checks the chart with
 * to deploy/chart-schemas, one for each kind that the chart has. Kubernetes publishes the file as
 * api/openapi-spec/swagger.json of each release. Kinds of other projects are not in it. kubeconform reads them too:
 * `-schema-location 'deploy/chart-schemas/{{ .ResourceKind }}{{ .KindSuffix }}.json'`.
 */
import { readFileSync, rmSync, mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const KINDS = [
  'io.k8s.api.apps.v1.Deployment',
  'io.k8s.api.batch.v1.Job',
  'io.k8s.api.core.v1.Pod',
  'io.k8s.api.core.v1.Service',
  'io.k8s.api.core.v1.ServiceAccount',
  'io.k8s.api.networking.v1.Ingress',
  'io.k8s.api.networking.v1.NetworkPolicy',
  'io.k8s.api.policy.v1.PodDisruptionBudget',
]

type Schema = Readonly<Record<string, unknown>>

const [source = ''] = process.argv.slice(2)
const { definitions } = JSON.parse(readFileSync(source, 'utf8')) as { definitions: Record<string, Schema> }
const folder = fileURLToPath(new URL('../deploy/chart-schemas/', import.meta.url))
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const used = new Set<string>()
for (const name of KINDS) {
  const [group = '', version = '', kind = ''] = name.split('.').slice(-3)
  const suffix = group === 'core' ? version : `${group}-${version}`
  const schema = { ...(convert(definitions[name] ?? {}) as Schema), ...withKind(definitions[name] ?? {}) }
  writeFileSync(`${folder}${kind.toLowerCase()}-${suffix}.json`, `${JSON.stringify(schema)}\n`)
}
// Each once, because most kinds contain the same parts.
const parts: Record<string, unknown> = {}
for (const name of used) parts[name] = convert(definitions[name] ?? {})
writeFileSync(`${folder}definitions.json`, `${JSON.stringify({ definitions: parts })}\n`)

/** Without descriptions, and with unknown fields refused. */
function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert)
  if (typeof value !== 'object' || value === null) return value
  const schema = value as Schema
  const reference = schema['$ref']
  if (typeof reference === 'string') {
    const name = reference.replace('#/definitions/', '')
    used.add(name)
    return { $ref: `definitions.json#/definitions/${name}` }
  }
  if (schema['format'] === 'int-or-string') return { type: ['string', 'integer'] }
  const kept = Object.entries(schema).filter(
    ([key, part]) => !key.startsWith('x-') && !(key === 'description' && typeof part === 'string'),
  )
  const converted = Object.fromEntries(kept.map(([key, part]) => [key, convert(part)]))
  return 'properties' in schema && typeof schema['properties'] === 'object'
    ? { ...converted, additionalProperties: false }
    : converted
}

/** Which apiVersion and kind the schema is for. */
function withKind(schema: Schema): Schema {
  const [found] = schema['x-kubernetes-group-version-kind'] as {
    group: string
    kind: string
    version: string
  }[]
  if (!found) return {}
  const apiVersion = found.group === '' ? found.version : `${found.group}/${found.version}`
  const properties = (convert(schema) as { properties: Schema }).properties
  return {
    properties: { ...properties, apiVersion: { const: apiVersion }, kind: { const: found.kind } },
    required: ['apiVersion', 'kind'],
  }
}
