import { parseDuration, type Documents, type NetworkPolicy, type SandboxName } from '@skein/contract'
import type { Quota } from '../agent/quota.ts'
import type { Ceiling } from './ceiling.ts'
import { emptyDocument } from './parse-document.ts'

/** What a tenant actually gets: what its documents ask for, capped by its ceiling. */

const DEFAULT_QUOTA = emptyDocument('quota')

export function effectiveQuota(own: Quota | undefined, { quota }: Ceiling): Quota {
  const limit = (name: keyof Quota): number => Math.min((own ?? DEFAULT_QUOTA)[name], quota[name])
  return {
    liveAgents: limit('liveAgents'),
    childrenPerAgent: limit('childrenPerAgent'),
    queuedFollowUpsPerAgent: limit('queuedFollowUpsPerAgent'),
    queuedBytesPerAgent: limit('queuedBytesPerAgent'),
    queuedBytes: limit('queuedBytes'),
    tasksPerAgent: limit('tasksPerAgent'),
    taskBytesPerAgent: limit('taskBytesPerAgent'),
    schedules: limit('schedules'),
    triggers: limit('triggers'),
  }
}

/** The wanted policy, or the next stricter one that is allowed. permitted_network in the store is the same in SQL. */
export function effectiveNetwork(
  { network }: Pick<Documents['environment'], 'network'>,
  { networks }: Ceiling,
): NetworkPolicy {
  if (networks.includes(network)) return network
  return network === 'open' && networks.includes('gateway') ? 'gateway' : 'none'
}

export function effectiveSandbox(
  { sandbox }: Pick<Documents['pool'], 'sandbox'>,
  { sandboxes }: Ceiling,
): SandboxName {
  return sandboxes.includes(sandbox) ? sandbox : 'bubblewrap'
}

export interface MachineSize {
  readonly cpus: number
  readonly memoryMib: number
  readonly diskMib: number
  readonly processes: number
  readonly runTimeMs: number
  readonly idleTimeMs: number
}

type Machine = Pick<Documents['vm-profile'], keyof Ceiling['machine']>

export function effectiveMachine(vmProfile: Machine, { machine }: Ceiling): MachineSize {
  const size = (name: 'cpus' | 'memoryMib' | 'diskMib' | 'processes'): number =>
    smaller(vmProfile[name], machine[name])
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

function toMs(duration: string): number {
  return parseDuration(duration) ?? 0
}

type ToolPrices = Documents['backend']['toolPrices']

/** A tool without a price of the tenant's gets the ceiling's. */
export function effectiveToolPrices(own: ToolPrices, { toolPrices: least }: Ceiling): ToolPrices {
  const priceIn = (prices: ToolPrices, wanted: string): number =>
    Math.max(0, ...prices.filter(({ tool }) => tool === wanted).map(({ perUse }) => perUse))
  const tools = new Set([...own, ...least].map(({ tool }) => tool))
  return [...tools].map((tool) => ({ tool, perUse: Math.max(priceIn(own, tool), priceIn(least, tool)) }))
}
