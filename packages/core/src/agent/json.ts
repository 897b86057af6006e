import type { AgentEvent } from './events.ts'
import type { AgentState } from './state.ts'

/**
 * Agents and events as JSON. 64-bit numbers are stored as decimal strings. Which strings are numbers depends on
 * their position, so nothing a caller wrote (such as a label named `runId`) is mistaken for one.
 */
const NUMBERS: ReadonlySet<string> = new Set([
  'runId',
  'runCount',
  'runsBefore',
  'sequence',
  'firstSequence',
  'maxCostMicros',
  'costBeforeMicros',
  'costMicros',
  'spentMicros',
  'inputTokens',
  'cachedInputTokens',
  'outputTokens',
])

/** The only nested records with numbers: an agent's run, and the usage of either. */
const NESTED: ReadonlySet<string> = new Set(['run', 'usage'])

export function toJson(value: AgentState | AgentEvent): unknown {
  return encodeNumbers(value)
}

/** The argument becomes the agent: callers pass what they have just parsed, and don't use it again. */
export function agentFromJson(json: unknown): AgentState {
  const agent = decodeNumbers(json, 'agent')
  if (!isAgent(agent)) throw notOurs('agent')
  return agent
}

export function eventFromJson(json: unknown): AgentEvent {
  const event = decodeNumbers(json, 'event')
  if (!isEvent(event)) throw notOurs('event')
  return event
}

export function encodeNumbers(record: object): object {
  const json: Record<string, unknown> = { ...record }
  for (const name of NUMBERS) if (typeof json[name] === 'bigint') json[name] = json[name].toString()
  for (const name of NESTED) if (isRecord(json[name])) json[name] = encodeNumbers(json[name])
  return json
}

/** In place: with a copy of each, decoding took a tenth of the time of listing agents. */
export function decodeNumbers(record: unknown, where: string): object {
  if (!isRecord(record)) throw notOurs(where)
  for (const name of NUMBERS) {
    const value = record[name]
    if (value !== undefined) record[name] = toBigInt(value, `${where}.${name}`)
  }
  for (const name of NESTED) {
    const value = record[name]
    if (value !== undefined) decodeNumbers(value, `${where}.${name}`)
  }
  return record
}

function toBigInt(value: unknown, where: string): bigint {
  // Most are.
  if (value === '0') return 0n
  if (typeof value !== 'string' || !/^-?\d+$/.test(value)) throw notOurs(where)
  return BigInt(value)
}

/** Only these functions write what is read here, so checking the discriminating fields is enough. */
function isAgent(value: object): value is AgentState {
  return 'id' in value && 'sequence' in value && 'phase' in value
}

function isEvent(value: object): value is AgentEvent {
  return 'type' in value && typeof value.type === 'string'
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function notOurs(where: string): Error {
  return new Error(`The stored ${where} is not one that this service wrote`)
}
