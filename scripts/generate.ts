import { readFile, writeFile } from 'node:fs/promises'
import { format, resolveConfig } from 'prettier'
import { apiReference } from './generate/api-reference.ts'
import { catalogReference } from './generate/catalog-reference.ts'
import { clientOperations, clientTypes } from './generate/client-types.ts'
import { cliReference } from './generate/cli-reference.ts'
import { configurationReference } from './generate/configuration-reference.ts'
import { DASHBOARD_NAMES, dashboardJson } from './generate/dashboards.ts'
import { errorReference } from './generate/error-reference.ts'
import { metricsReference } from './generate/metrics-reference.ts'
import { brokenLinks } from './generate/markdown.ts'
import { PERFORMANCE_PLOTS } from './generate/performance-plots.ts'
import { permissionReference } from './generate/permission-reference.ts'
import { providerReference } from './generate/provider-reference.ts'
import { openApi, readOpenApi } from './generate/open-api.ts'

/**
 * Writes all files generated from code. With --check it writes nothing, lists stale files and fails if there are
 * any.
 */
interface GeneratedFile {
  /** Relative to the root of the repository. */
  readonly path: string
  content(): string | Promise<string>
}

const root = new URL('../', import.meta.url)

const files: readonly GeneratedFile[] = [
  { path: 'openapi.json', content: () => openApi(root) },
  { path: 'docs/api.md', content: apiReference },
  { path: 'docs/catalog.md', content: catalogReference },
  { path: 'docs/cli.md', content: cliReference },
  { path: 'docs/errors.md', content: errorReference },
  { path: 'docs/configuration.md', content: configurationReference },
  { path: 'docs/metrics.md', content: metricsReference },
  { path: 'docs/permissions.md', content: permissionReference },
  { path: 'docs/providers.md', content: providerReference },
  ...DASHBOARD_NAMES.map((name) => ({
    path: `deploy/monitoring/dashboards/${name}.json`,
    content: () => dashboardJson(name),
  })),
  ...Object.entries(PERFORMANCE_PLOTS).map(([name, content]) => ({ path: `docs/pictures/${name}`, content })),
  {
    path: 'packages/client/src/generated/types.ts',
    content: async () => clientTypes(await readOpenApi(root)),
  },
  {
    path: 'packages/client/src/generated/operations.ts',
    content: async () => clientOperations(await readOpenApi(root)),
  },
]

async function render(file: GeneratedFile): Promise<string> {
  const content = await file.content()
  if (file.path === 'openapi.json' || file.path.endsWith('.svg')) return content
  const options = await resolveConfig(new URL(file.path, root))
  if (file.path.endsWith('.json')) return format(content, { ...options, parser: 'json' })
  if (file.path.endsWith('.ts')) return format(content, { ...options, parser: 'typescript' })
  const broken = brokenLinks(content)
  if (broken.length > 0)
    throw new Error(`${file.path} links to ${broken.join(', ')}, which is not one heading`)
  return format(content, { ...options, parser: 'markdown' })
}

async function current(file: GeneratedFile): Promise<string | undefined> {
  return readFile(new URL(file.path, root), 'utf8').catch(() => undefined)
}

const isCheck = process.argv.includes('--check')
const stale: string[] = []

for (const file of files) {
  const content = await render(file)
  if (content === (await current(file))) continue
  stale.push(file.path)
  if (!isCheck) await writeFile(new URL(file.path, root), content)
}

for (const path of stale) console.log(isCheck ? `${path} is stale: run npm run generate` : `wrote ${path}`)
if (isCheck && stale.length > 0) process.exitCode = 1
