export type JsonObject = Readonly<Record<string, unknown>>

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The object itself, or an empty one for anything else: what a provider sends may lack any part. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A number of tokens; undefined when it is none. */
export function asCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
