import {
  MAX_QUOTA,
  MAX_QUOTA_BYTES,
  NETWORKS,
  SANDBOXES,
  SkeinError,
  type CeilingDocument,
} from '@skein/contract'
import type { Caller } from '../access/caller.ts'
import { requirePermission } from '../access/policy.ts'
import { parseOwnOrBuiltIn } from './parse-document.ts'

type Parts = Required<Omit<CeilingDocument, 'description' | 'metadata'>>

/** A tenant's complete set of limits. */
export type Ceiling = Readonly<
  Omit<Parts, 'quota' | 'machine'> & {
    readonly quota: Readonly<Required<Parts['quota']>>
    readonly machine: Readonly<Required<Parts['machine']>>
  }
>

/** The only name a tenant's own ceiling can have. */
const OWN = 'default'
/** The ceiling from the server's settings, readable by every tenant. */
export const INSTALLATION_CEILING = 'installation'

/** For installations whose tenants trust each other. */
export const NO_CEILING: Ceiling = {
  quota: {
    liveAgents: MAX_QUOTA,
    childrenPerAgent: MAX_QUOTA,
    queuedFollowUpsPerAgent: MAX_QUOTA,
    queuedBytesPerAgent: MAX_QUOTA_BYTES,
    queuedBytes: MAX_QUOTA_BYTES,
    tasksPerAgent: MAX_QUOTA,
    taskBytesPerAgent: MAX_QUOTA,
    runsInFlight: MAX_QUOTA,
    schedules: MAX_QUOTA,
    triggers: MAX_QUOTA,
  },
  networks: [...NETWORKS],
  sandboxes: [...SANDBOXES],
  machine: {
    cpus: 0,
    memoryMib: 0,
    diskMib: 0,
    processes: 0,
    runTimeLimit: '0s',
    idleTimeLimit: '0s',
  },
  prices: [],
  toolPrices: [],
}

/** For installations that set none. */
export const BUILT_IN_CEILING: Ceiling = overlay(
  NO_CEILING,
  parseOwnOrBuiltIn('ceiling', INSTALLATION_CEILING, undefined) ?? {},
)

/** A tenant's ceiling. Anything its own leaves out comes from the installation's. */
export function ceilingOf(installation: Ceiling, own: Partial<CeilingDocument> | undefined): Ceiling {
  return overlay(installation, own ?? {})
}

function overlay(base: Ceiling, { quota = {}, machine = {}, ...lists }: Partial<CeilingDocument>): Ceiling {
  return {
    networks: lists.networks ?? base.networks,
    sandboxes: lists.sandboxes ?? base.sandboxes,
    prices: lists.prices ?? base.prices,
    toolPrices: lists.toolPrices ?? base.toolPrices,
    quota: { ...base.quota, ...quota },
    machine: { ...base.machine, ...machine },
  }
}

/** A tenant that could write its own ceiling would effectively have none. */
export function requireCeilingWriter(caller: Caller, name: string): void {
  requirePermission(caller, 'ceiling.write')
  if (name === OWN) return
  throw new SkeinError('DOCUMENT_INVALID', {
    message: `A tenant’s ceiling is named ${OWN}. The installation’s ceiling is a setting of the server.`,
    violations: [{ field: 'ref.name', description: `must be ${OWN}` }],
  })
}
