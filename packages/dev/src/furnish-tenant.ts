import { randomBytes } from 'node:crypto'
import { SkeinApiError, type Catalog, type CatalogDocument } from '@skein/client'
import type { DevSandbox } from './dev-sandbox.ts'

export const SAMPLE_WORKSPACE = 'sample'
const POOL = 'default'
const MACHINE = 'default'
const LOOSE_MACHINE = 'Without the limits that this machine cannot enforce. Written by skein dev.'

/** A key is shown only once. If it was lost before it was stored, another token provides a new one. */
export async function createRunnerKey(catalog: Catalog): Promise<string> {
  const existing = await find(catalog, 'token', 'dev-runner')
  const name = existing === undefined ? 'dev-runner' : `dev-runner-${randomBytes(4).toString('hex')}`
  const token = {
    description: 'The runner of skein dev.',
    account: 'dev-runner',
    role: 'runner',
    pools: [POOL],
  }
  const { document } = await catalog.put('token', name, token)
  const { key } = document
  if (typeof key !== 'string') throw new Error('A new token comes with its key')
  return key
}

export async function setSandbox(catalog: Catalog, sandbox: DevSandbox): Promise<void> {
  const pool = await find(catalog, 'pool', POOL)
  if (pool?.['sandbox'] === sandbox) return
  // The whole document: a built-in cannot be patched, only replaced.
  await catalog.put('pool', POOL, { ...pool, sandbox })
}

/**
 * A runner gets no runs whose limits it cannot enforce. If nobody has set limits, the default machine drops those
 * this one cannot enforce, because otherwise no agent would ever start. Returns whether it dropped any.
 */
export async function loosenMachine(catalog: Catalog, unheld: readonly string[]): Promise<boolean> {
  const found = await catalog.get('vm-profile', MACHINE)
  const isOurs = found.document['description'] === LOOSE_MACHINE
  if (!found.isBuiltIn && !isOurs) return false
  if (isOurs) await catalog.delete('vm-profile', MACHINE)
  if (unheld.length === 0) return false
  const { document } = isOurs ? await catalog.get('vm-profile', MACHINE) : found
  const without = Object.fromEntries(unheld.map((field) => [field, 0]))
  await catalog.put('vm-profile', MACHINE, { ...document, ...without, description: LOOSE_MACHINE })
  return true
}

/** The user may change the workspace freely. Only the path of its repository is ours. */
export async function createSampleWorkspace(
  catalog: Catalog,
  options: { readonly repository: string; readonly model: string },
): Promise<void> {
  const repos = [{ url: options.repository, baseBranch: 'main' }]
  const existing = await find(catalog, 'workspace', SAMPLE_WORKSPACE)
  if (existing === undefined) {
    const description = 'A small repository for trying things out.'
    await catalog.put('workspace', SAMPLE_WORKSPACE, { description, repos, model: options.model })
    return
  }
  if (!JSON.stringify(existing['repos']).includes(JSON.stringify(options.repository))) {
    await catalog.patch('workspace', SAMPLE_WORKSPACE, { repos }, { mask: ['repos'] })
  }
  if (options.model !== '' && existing['model'] === '') {
    await catalog.patch('workspace', SAMPLE_WORKSPACE, { model: options.model }, { mask: ['model'] })
  }
}

/** Agents without a model use backend a's. If only b has a key, nothing could run them. */
export async function chooseWorkspaceModel(
  catalog: Catalog,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  if (env['ANTHROPIC_API_KEY'] || !env['OPENAI_API_KEY']) return ''
  const backend = await find(catalog, 'backend', 'b')
  return typeof backend?.['defaultModel'] === 'string' ? backend['defaultModel'] : ''
}

/** Undefined if it doesn't exist. */
async function find(catalog: Catalog, kind: string, name: string): Promise<CatalogDocument | undefined> {
  try {
    return (await catalog.get(kind, name)).document
  } catch (error) {
    if (error instanceof SkeinApiError && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}
