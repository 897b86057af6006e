import type { AgentEvent } from './events.ts'
import type { AgentState } from './state.ts'

/**
 * Agents and events as JSON documents. 64-bit numbers are decimal strings there; which strings are numbers is told
 * by where they stand, so that nothing a caller wrote (a label named `runId`) is ever taken for one.
 */
const NUMBERS: ReadonlySet<string> = new Set([
  'runId',
  'runCount',
  'sequence',
  'maxCostMicros',
  'costBeforeMicros',
  'costMicros',
  'inputTokens',
  'cachedInputTokens',
  'outputTokens',
])

/** The only records below the top that hold numbers: the run of an agent, and what either has used. */
const NESTED: ReadonlySet<string> = new Set(['run', 'usage'])

export function toJson(value: AgentState | AgentEvent): unknown {
  return encode(value)
}

export function agentFromJson(json: unknown): AgentState {
  const agent = decode(json, 'agent')
  if (!isAgent(agent)) throw notOurs('agent')
  return agent
}

export function eventFromJson(json: unknown): AgentEvent {
  const event = decode(json, 'event')
  if (!isEvent(event)) throw notOurs('event')
  return event
}

function encode(record: object): object {
  return Object.fromEntries<unknown>(
    Object.entries(record).map(([name, value]: [string, unknown]) => [name, encodeField(name, value)]),
  )
}

function encodeField(name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  return NESTED.has(name) && isRecord(value) ? encode(value) : value
}

function decode(json: unknown, where: string): object {
  if (!isRecord(json)) throw notOurs(where)
  return Object.fromEntries<unknown>(
    Object.entries(json).map(([name, value]) => [name, decodeField(name, value, where)]),
  )
}

function decodeField(name: string, value: unknown, where: string): unknown {
  if (NESTED.has(name)) return decode(value, `${where}.${name}`)
  if (!NUMBERS.has(name)) return value
  if (typeof value !== 'string' || !/^-?\d+$/.test(value)) throw notOurs(`${where}.${name}`)
  return BigInt(value)
}

/** Only these functions wrote what is read here, so a look at the label is enough. */
function isAgent(value: object): value is AgentState {
  return 'id' in value && 'sequence' in value && 'phase' in value
}

function isEvent(value: object): value is AgentEvent {
  return 'type' in value && typeof value.type === 'string'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function notOurs(where: string): Error {
  return new Error(`The stored ${where} is not one that this service wrote`)
}
