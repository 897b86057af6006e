import type { AgentId, Entry, ErrorBody, TimelineEvent } from './answers.ts'

export const RFC3339_UTC_MS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
export const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const INT64_TEXT = /^(0|-?[1-9][0-9]{0,18})$/

export function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object'
}

export function isEnvelope(json: unknown): json is ErrorBody {
  return (
    isObject(json) &&
    Number.isInteger(json['code']) &&
    typeof json['message'] === 'string' &&
    json['message'] !== '' &&
    Array.isArray(json['details']) &&
    json['details'].every(
      (detail) => isObject(detail) && typeof detail['@type'] === 'string' && detail['@type'] !== '',
    )
  )
}

export function violations(json: Partial<ErrorBody> | undefined): { field: string }[] {
  return json?.details?.find((detail) => detail['@type'].endsWith('BadRequest'))?.fieldViolations ?? []
}

export function reasonOf(json: Partial<ErrorBody> | undefined): string | undefined {
  return json?.details?.find((detail) => detail['@type'].endsWith('ErrorInfo'))?.reason
}

export function keysOf(value: object | undefined): string[] {
  return Object.keys(value ?? {}).sort()
}

export function nameOf({ agentId }: { agentId: AgentId }): string {
  return agentId.agent?.join('/') ?? ''
}

/** The same text regardless of the order of keys. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

/** The timeline's events about one message. */
export function historyOf(events: TimelineEvent[], id: string | undefined): string[] {
  return events
    .filter((event) => (event.followUpId ?? event.followUp?.followUpId) === id)
    .map(({ type }) => type)
}

/** The owners of the agents in a list. */
export function ownersOf({ entries }: { entries: Entry[] }): string[] {
  return [...new Set(entries.map(({ agentId }) => `${agentId.ownerProvider}/${agentId.account}`))].sort()
}
