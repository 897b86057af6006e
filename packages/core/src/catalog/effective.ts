import { parseDuration, type BackendDocument, type NetworkPolicy, type SandboxName } from '@skein/contract'
import type { Quota } from '../agent/quota.ts'
import { findBuiltIn } from './built-ins.ts'
import type { Ceiling } from './ceiling.ts'
import type { Document } from './document.ts'

/** What a tenant actually gets: what its documents ask for, capped by its ceiling. */

const BUILT_IN_QUOTA = findBuiltIn('quota', 'default') ?? {}

/** A document written before a limit existed gets the limit's default. */
export function effectiveQuota(document: Document | undefined, { quota }: Ceiling): Quota {
  const limit = (name: keyof Quota): number =>
    Math.min(Number(document?.[name] ?? BUILT_IN_QUOTA[name] ?? 0), quota[name])
  return {
    liveAgents: limit('liveAgents'),
    childrenPerAgent: limit('childrenPerAgent'),
    queuedFollowUpsPerAgent: limit('queuedFollowUpsPerAgent'),
    queuedBytesPerAgent: limit('queuedBytesPerAgent'),
    queuedBytes: limit('queuedBytes'),
    tasksPerAgent: limit('tasksPerAgent'),
    taskBytesPerAgent: limit('taskBytesPerAgent'),
  }
}

/** The wanted policy, or the next stricter one that is allowed. permitted_network in the store is the same in SQL. */
export function effectiveNetwork({ network }: Document, { networks }: Ceiling): NetworkPolicy {
  const wanted = network === 'none' || network === 'open' ? network : 'gateway'
  if (networks.includes(wanted)) return wanted
  return wanted === 'open' && networks.includes('gateway') ? 'gateway' : 'none'
}

export function effectiveSandbox({ sandbox }: Document, { sandboxes }: Ceiling): SandboxName {
  return sandbox === 'process' && sandboxes.includes('process') ? 'process' : 'bubblewrap'
}

export interface MachineSize {
  readonly cpus: number
  readonly memoryMib: number
  readonly diskMib: number
  readonly processes: number
  readonly runTimeMs: number
  readonly idleTimeMs: number
}

export function effectiveMachine(vmProfile: Document, { machine }: Ceiling): MachineSize {
  const size = (name: 'cpus' | 'memoryMib' | 'diskMib' | 'processes'): number =>
    smaller(Number(vmProfile[name] ?? 0), machine[name])
  const span = (name: 'runTimeLimit' | 'idleTimeLimit'): number =>
    smaller(toMs(vmProfile[name]), toMs(machine[name]))
  return {
    cpus: size('cpus'),
    memoryMib: size('memoryMib'),
    diskMib: size('diskMib'),
    processes: size('processes'),
    runTimeMs: span('runTimeLimit'),
    idleTimeMs: span('idleTimeLimit'),
  }
}

/** 0 means no limit. */
function smaller(wanted: number, most: number): number {
  if (most === 0) return wanted
  return wanted === 0 ? most : Math.min(wanted, most)
}

function toMs(duration: unknown): number {
  return typeof duration === 'string' ? (parseDuration(duration) ?? 0) : 0
}

type ToolPrices = BackendDocument['toolPrices']

/** A tool without a price of the tenant's gets the ceiling's. */
export function effectiveToolPrices(own: ToolPrices, { toolPrices: least }: Ceiling): ToolPrices {
  const priceIn = (prices: ToolPrices, wanted: string): number =>
    Math.max(0, ...prices.filter(({ tool }) => tool === wanted).map(({ perUse }) => perUse))
  const tools = new Set([...own, ...least].map(({ tool }) => tool))
  return [...tools].map((tool) => ({ tool, perUse: Math.max(priceIn(own, tool), priceIn(least, tool)) }))
}
