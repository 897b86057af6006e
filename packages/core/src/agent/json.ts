import type { AgentEvent } from './events.ts'
import type { AgentState } from './state.ts'

/**
 * Agents and events as JSON documents. 64-bit numbers are decimal strings there; which strings are numbers is told
 * by where they stand, so that nothing a caller wrote (a label named `runId`) is ever taken for one.
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
  const json: Record<string, unknown> = { ...record }
  for (const name of NUMBERS) if (typeof json[name] === 'bigint') json[name] = json[name].toString()
  for (const name of NESTED) if (isRecord(json[name])) json[name] = encode(json[name])
  return json
}

/** A copy with the few numbers replaced: rebuilding field by field took a fifth of the time of listing agents. */
function decode(json: unknown, where: string): object {
  if (!isRecord(json)) throw notOurs(where)
  const record = { ...json }
  for (const name of NUMBERS) {
    if (name in record) record[name] = toBigInt(record[name], `${where}.${name}`)
  }
  for (const name of NESTED) if (name in record) record[name] = decode(record[name], `${where}.${name}`)
  return record
}

function toBigInt(value: unknown, where: string): bigint {
  if (typeof value !== 'string' || !/^-?\d+$/.test(value)) throw notOurs(where)
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
