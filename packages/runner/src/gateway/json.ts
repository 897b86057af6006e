import { isRecord } from '../json.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** Returns an empty object for anything else: a provider's response may lack any part. */
export function asObject(value: unknown): JsonObject {
  return isRecord(value) ? value : {}
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A number of tokens; undefined if invalid. */
export function asCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}
