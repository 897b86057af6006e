import { isRecord } from '../json.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** The object itself, or an empty one for anything else: what a provider sends may lack any part. */
export function asObject(value: unknown): JsonObject {
  return isRecord(value) ? value : {}
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A number of tokens; undefined when it is none. */
export function asCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}
