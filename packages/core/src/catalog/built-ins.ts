import { findKind, type BackendDocument, type CeilingDocument } from '@skein/contract'
import { withDefaults, type Document } from './document.ts'

const WEB_SEARCH_ONLY: Pick<BackendDocument, 'helperModels' | 'credential' | 'toolPrices'> = {
  helperModels: [],
  credential: '',
  toolPrices: [{ tool: 'web-search', perUse: 0.01 }],
}

const backendA: BackendDocument = {
  description: 'Claude.',
  models: ['claude-*', 'sonnet', 'opus', 'haiku'],
  defaultModel: 'claude-sonnet-5',
  efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
  tiers: [],
  prices: [
    { model: 'claude-opus-*', input: 5, cachedInput: 0.5, cacheWrite: 6.25, output: 25 },
    { model: 'claude-haiku-*', input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 },
    { model: '*', input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 },
  ],
  ...WEB_SEARCH_ONLY,
}

const backendB: BackendDocument = {
  description: 'Codex.',
  models: ['gpt-*', 'codex-*', 'o3*', 'o4*'],
  defaultModel: 'gpt-5.5',
  efforts: ['none', 'low', 'medium', 'high', 'xhigh'],
  tiers: ['standard', 'fast', 'flex'],
  prices: [
    { model: '*-mini*', input: 0.25, cachedInput: 0.025, cacheWrite: 0, output: 2 },
    { model: '*', input: 1.25, cachedInput: 0.125, cacheWrite: 0, output: 10 },
  ],
  ...WEB_SEARCH_ONLY,
}

/** By default, no tenant exceeds the built-in quota, reaches the internet, or uses models for free. */
const installationCeiling: CeilingDocument = {
  description: 'Default for an installation without its own ceiling.',
  quota: {
    liveAgents: 100_000,
    childrenPerAgent: 1000,
    queuedFollowUpsPerAgent: 1000,
    queuedBytesPerAgent: 4_194_304,
    queuedBytes: 268_435_456,
    tasksPerAgent: 500,
    taskBytesPerAgent: 1_048_576,
    runsInFlight: 1000,
    schedules: 1000,
    triggers: 100,
  },
  networks: ['none', 'gateway'],
  sandboxes: ['bubblewrap'],
  machine: {
    cpus: 8,
    memoryMib: 16_384,
    diskMib: 102_400,
    processes: 4096,
    runTimeLimit: '86400s',
    idleTimeLimit: '86400s',
  },
  prices: [...namedPrices(backendA), ...namedPrices(backendB)],
  toolPrices: backendA.toolPrices,
}

/** Replaces `*` with the backend's models; otherwise it would also price other backends' models. */
function namedPrices({ models, prices }: BackendDocument): BackendDocument['prices'] {
  return prices.flatMap((price) =>
    price.model === '*' ? models.map((model) => ({ ...price, model })) : [price],
  )
}

/** What every tenant has by default. A tenant's own resource of the same name shadows it. */
const BUILT_INS: Readonly<Record<string, Readonly<Record<string, Document>>>> = {
  backend: { a: { ...backendA }, b: { ...backendB } },
  ceiling: { installation: { ...installationCeiling } },
  environment: { default: { description: 'No setup script; only the gateway can be reached.' } },
  persona: {
    default: {
      description: 'A careful engineer.',
      prompt:
        'You are a careful software engineer. Understand before you change. Keep the checklist up to date. ' +
        'Run the tests before you say that something works. Ask when you need a decision.',
    },
  },
  pool: { default: { description: 'The default pool of runners.', vmProfile: 'default' } },
  quota: { default: { description: 'The limits of a tenant without its own quota.' } },
  workspace: {
    default: { description: 'No repositories.', environment: 'default', persona: 'default', pool: 'default' },
  },
  'vm-profile': { default: { description: 'Two cores and 4 GiB.' } },
}

export interface BuiltIn {
  readonly name: string
  readonly document: Document
}

/** Completed once: most commands of most tenants need some of them. */
const completed = new Map<string, readonly BuiltIn[]>()
const completedDocuments = new WeakSet<Document>()

export function builtInsOf(kindName: string): readonly BuiltIn[] {
  const known = completed.get(kindName)
  if (known) return known
  const kind = findKind(kindName)
  if (!kind || !Object.hasOwn(BUILT_INS, kindName)) return []
  const builtIns = Object.entries(BUILT_INS[kindName] ?? {})
    .map(([name, document]) => ({ name, document: freezeDeep(withDefaults(kind, document)) }))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
  for (const { document } of builtIns) completedDocuments.add(document)
  completed.set(kindName, builtIns)
  return builtIns
}

export function isBuiltIn(document: Document): boolean {
  return completedDocuments.has(document)
}

/** What all tenants share must not change. */
export function freezeDeep<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) freezeDeep(part)
  return Object.freeze(value)
}

export function findBuiltIn(kindName: string, name: string): Document | undefined {
  return builtInsOf(kindName).find((builtIn) => builtIn.name === name)?.document
}
