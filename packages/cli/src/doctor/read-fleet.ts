import type { Catalog, CatalogDocument, Resource, RunnerEntry, Skein } from '@skein/client'
import { matchesModel, type MachineLimit } from '@skein/contract/facts'

/** A backend that agents need, with the reason, in a given pool or in any. */
export interface BackendNeed {
  readonly backend: string
  readonly model: string
  readonly neededBy: string
  readonly pool: string | undefined
}

/** The machine limits of a pool's runs; 0 means no limit. */
export interface Machine {
  readonly profile: string
  readonly limits: Readonly<Record<MachineLimit, number>>
}

/** What agents need from runners, and the runners there are. */
export interface Fleet {
  /** Each pool with the workspaces whose agents run there. */
  readonly workspacesByPool: ReadonlyMap<string, readonly string[]>
  /** The sandbox each pool requires. */
  readonly sandboxOfPool: ReadonlyMap<string, string>
  /** The network policy of each workspace. */
  readonly networkOfWorkspace: ReadonlyMap<string, string>
  readonly machineOfPool: ReadonlyMap<string, Machine>
  readonly needs: readonly BackendNeed[]
  /** Backends that use the tenant's own key. */
  readonly ownKeys: ReadonlySet<string>
  readonly runners: readonly RunnerEntry[]
}

const DEFAULT_POOL = 'default'
const DEFAULT_SANDBOX = 'bubblewrap'
const DEFAULT_PROFILE = 'default'
const DEFAULT_ENVIRONMENT = 'default'
const DEFAULT_NETWORK = 'gateway'

export async function readFleet(skein: Skein, workspaces: readonly Resource[]): Promise<Fleet> {
  const { catalog } = skein
  const [pools, profiles, environments, personas, backends, runners] = await Promise.all([
    readAll(catalog, 'pool'),
    readAll(catalog, 'vm-profile'),
    readAll(catalog, 'environment'),
    readAll(catalog, 'persona'),
    readAll(catalog, 'backend'),
    skein.runners(),
  ])
  const used = [...Map.groupBy(workspaces, poolOf)]
  const documentOf = (pool: string) => pools.find(({ name }) => name === pool)?.document
  const sandboxOf = (pool: string): string => textOf(documentOf(pool), 'sandbox') || DEFAULT_SANDBOX
  const machineOf = (pool: string): Machine => {
    const profile = textOf(documentOf(pool), 'vmProfile') || DEFAULT_PROFILE
    return readMachine(profile, profiles.find(({ name }) => name === profile)?.document)
  }
  return {
    workspacesByPool: new Map(used.map(([pool, members]) => [pool, members.map(({ name }) => name)])),
    sandboxOfPool: new Map(used.map(([pool]) => [pool, sandboxOf(pool)])),
    networkOfWorkspace: new Map(
      workspaces.map((workspace) => [workspace.name, networkOf(workspace, environments)]),
    ),
    machineOfPool: new Map(used.map(([pool]) => [pool, machineOf(pool)])),
    needs: listNeeds(workspaces, personas, backends),
    ownKeys: new Set(
      backends.filter(({ document }) => textOf(document, 'credential') !== '').map(({ name }) => name),
    ),
    runners,
  }
}

export async function readAll(catalog: Catalog, kind: string): Promise<Resource[]> {
  const resources: Resource[] = []
  for await (const resource of catalog.list(kind)) resources.push(resource)
  return resources
}

/** The default backend of each workspace, and what each persona asks for. */
function listNeeds(
  workspaces: readonly Resource[],
  personas: readonly Resource[],
  backends: readonly Resource[],
): BackendNeed[] {
  const need = (model: string, neededBy: string, pool: string | undefined): BackendNeed[] => {
    const backend = backendOf(model, backends)
    if (!backend) return []
    const named = model || textOf(backend.document, 'defaultModel')
    return [{ backend: backend.name, model: named, neededBy, pool }]
  }
  const ofWorkspaces = workspaces.flatMap((workspace) => {
    const persona = personas.find(({ name }) => name === textOf(workspace.document, 'persona'))
    const model = textOf(persona?.document, 'model') || textOf(workspace.document, 'model')
    return need(model, `workspace ${workspace.name}`, poolOf(workspace))
  })
  const ofPersonas = personas
    .filter(({ document }) => textOf(document, 'model') !== '')
    .flatMap(({ name, document }) => need(textOf(document, 'model'), `persona ${name}`, undefined))
  return [...ofWorkspaces, ...ofPersonas]
}

/** Same rule as the service: without a model, the first one. */
function backendOf(model: string, backends: readonly Resource[]): Resource | undefined {
  if (model === '') return backends[0]
  return backends.find(({ document }) => {
    const { models } = document
    return Array.isArray(models) && models.some((pattern) => matchesModel(String(pattern), model))
  })
}

function networkOf(workspace: Resource, environments: readonly Resource[]): string {
  const environment = textOf(workspace.document, 'environment') || DEFAULT_ENVIRONMENT
  const { document } = environments.find(({ name }) => name === environment) ?? {}
  return textOf(document, 'network') || DEFAULT_NETWORK
}

function readMachine(profile: string, document: CatalogDocument | undefined): Machine {
  const sizeOf = (limit: MachineLimit): number => Number(document?.[limit] ?? 0)
  return {
    profile,
    limits: {
      cpus: sizeOf('cpus'),
      memoryMib: sizeOf('memoryMib'),
      diskMib: sizeOf('diskMib'),
      processes: sizeOf('processes'),
    },
  }
}

function poolOf({ document }: Resource): string {
  return textOf(document, 'pool') || DEFAULT_POOL
}

function textOf(document: CatalogDocument | undefined, field: string): string {
  const value = document?.[field]
  return typeof value === 'string' ? value : ''
}
