/**
 * `node scripts/dashboard-schema.ts <folder>`: writes deploy/monitoring/dashboard.schema.json, which a test checks the
 * dashboards with. It is made of the types that Grafana publishes, narrowed to the panels and queries that we use. The
 * folder has the packages: `npm install --prefix <folder> @grafana/schema ts-json-schema-generator`.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

type Schema = Readonly<Record<string, unknown>>

const TYPES = '@grafana/schema/dist/types/raw'
/** The type of Prometheus' queries is not in Grafana's package. */
const MODEL = `
import type { Dashboard, Panel, RowPanel } from '${TYPES}/dashboard/x/types.gen'
import type { Options as StatOptions } from '${TYPES}/composable/stat/panelcfg/x/types.gen'
import type { Options as GraphOptions } from '${TYPES}/composable/timeseries/panelcfg/x/types.gen'
interface Query {
  refId: string
  datasource: { type: 'prometheus'; uid: string }
  expr: string
  legendFormat: string
}
interface PanelOf<Type, Options> extends Omit<Panel, 'type' | 'options' | 'targets'> {
  id: number
  title: string
  type: Type
  options: Partial<Options>
  targets: Query[]
}
export interface Model extends Omit<Dashboard, 'panels'> {
  uid: string
  title: string
  panels: (PanelOf<'stat', StatOptions> | PanelOf<'timeseries', GraphOptions> | RowPanel)[]
}
`

const [given = ''] = process.argv.slice(2)
const folder = resolve(given)
const target = fileURLToPath(new URL('../deploy/monitoring/dashboard.schema.json', import.meta.url))

writeFileSync(join(folder, 'model.ts'), MODEL)
const compilerOptions = {
  module: 'esnext',
  moduleResolution: 'node',
  target: 'es2022',
  strict: true,
  types: [],
}
writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['model.ts'] }))
const generator = join(folder, 'node_modules/.bin/ts-json-schema-generator')
const options = ['--path', 'model.ts', '--tsconfig', 'tsconfig.json', '--type', 'Model', '--no-type-check']
const schema = JSON.parse(execFileSync(generator, options, { cwd: folder, encoding: 'utf8' })) as Schema
if (!JSON.stringify(schema).includes('schemaVersion'))
  throw new Error(`${folder} does not have Grafana’s types`)
const origin = `From the types of @grafana/schema ${versionOf('@grafana/schema')}, Apache-2.0, by scripts/dashboard-schema.ts`
writeFileSync(target, `${JSON.stringify({ $comment: origin, ...(withoutTexts(schema) as Schema) })}\n`)

function versionOf(name: string): string {
  const manifest = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}

/** Descriptions are four fifths of it. A property can have their name. */
function withoutTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTexts)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(
    ([key, part]) => key !== 'description' || typeof part !== 'string',
  )
  return Object.fromEntries(kept.map(([key, part]) => [key, withoutTexts(part)]))
}
