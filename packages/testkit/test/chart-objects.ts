import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Ajv, type ValidateFunction } from 'ajv'
import { parseAllDocuments } from 'yaml'
import { root } from './tree.ts'

const run = promisify(execFile)
const schemas = join(root, 'deploy/chart-schemas')

/** From npm, so that every CI run has it. */
export const helm = (...args: readonly string[]) =>
  run(join(root, 'node_modules/.bin/helm'), args, { cwd: root })

export interface KubernetesObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> }
  readonly spec?: unknown
}

/** Renders the chart for the Kubernetes that the schemas are of. */
export async function render(...args: readonly string[]): Promise<KubernetesObject[]> {
  const { stdout } = await helm('template', 'test', 'deploy/chart', '--kube-version', '1.36.3', ...args)
  return parseAllDocuments(stdout).flatMap((document) => {
    // A key that appears twice is an error here; Kubernetes would take one of the two values.
    for (const error of document.errors) throw error
    const object = document.toJS() as KubernetesObject | null
    return object === null ? [] : [object]
  })
}

/** Kinds of other projects. Kubernetes has no schemas for them. */
const FOREIGN = new Set(['ServiceMonitor', 'PodMonitor', 'ScaledObject', 'Cluster'])

/** Returns what Kubernetes would reject, such as unknown fields: its own schemas with `additionalProperties: false`. */
export function findFaults(objects: readonly KubernetesObject[]): string[] {
  return objects
    .filter(({ kind }) => !FOREIGN.has(kind))
    .flatMap((object) => {
      const { apiVersion, kind, metadata } = object
      const check = checks.get(`${apiVersion} ${kind}`)
      if (check === undefined) return [`${kind}: no schema in deploy/chart-schemas`]
      if (check(object)) return []
      return (check.errors ?? []).map(
        ({ instancePath, message, params }) =>
          `${kind} ${metadata.name} ${instancePath} ${message} ${JSON.stringify(params)}`,
      )
    })
}

const checks = readChecks()

function readChecks(): ReadonlyMap<string, ValidateFunction> {
  // Kubernetes' formats, such as int32 and quantity, are not those of JSON Schema.
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, validateFormats: false, allErrors: true })
  ajv.addSchema(readSchema('definitions.json'), 'definitions.json')
  const kinds = readdirSync(schemas).filter((name) => name !== 'definitions.json')
  return new Map(
    kinds.map((name) => {
      const schema = readSchema(name) as {
        properties: { apiVersion: { const: string }; kind: { const: string } }
      }
      const { apiVersion, kind } = schema.properties
      return [`${apiVersion.const} ${kind.const}`, ajv.compile(schema)]
    }),
  )
}

function readSchema(name: string): object {
  return JSON.parse(readFileSync(join(schemas, name), 'utf8')) as object
}
