import { Type, type TSchema, type TProperties, type TEnum, type Static } from 'typebox'
import { NAME_PATTERN } from '../facts/names.ts'

export const NOT_NEGATIVE_PATTERN = '^[0-9]+$'

/** 64-bit numbers as decimal strings. Requests may also contain bare JSON integers. */
export const Int64 = (description: string, options: { minimum?: 0 } = {}) =>
  Type.String({
    format: 'int64',
    ...(options.minimum === 0 && { pattern: NOT_NEGATIVE_PATTERN }),
    description,
    examples: ['7'],
  })

export const Timestamp = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-11-15T09:30:00.000Z'] })

/** A time; empty if it hasn't come yet or never will. */
export const MaybeTimestamp = (description: string) =>
  Type.Union([Timestamp(description), Type.Literal('')], { description })

export const NOT_NEGATIVE_DURATION_PATTERN = '^[^-]'

/** A duration, never negative. */
export const Duration = (description: string, options: { default?: string } = {}) =>
  Type.String({
    format: 'google-duration',
    pattern: NOT_NEGATIVE_DURATION_PATTERN,
    description,
    examples: ['90s'],
    ...options,
  })

export const Base64 = (description: string) =>
  Type.String({ format: 'base64', contentEncoding: 'base64', description })

export const Text = (description: string, options: Parameters<typeof Type.String>[0] = {}) =>
  Type.String({ description, ...options })

/**
 * Text limited by its size in UTF-8. `maxLength` counts characters, each of which can take four bytes. It is
 * published next to our own keyword for bytes, because JSON Schema has none.
 */
export const SizedText = (
  description: string,
  options: { maxBytes: number } & NonNullable<Parameters<typeof Type.String>[0]>,
) => {
  const { maxBytes, ...rest } = options
  return Type.Refine(
    Text(description, { maxLength: maxBytes, 'x-skein-max-bytes': maxBytes, ...rest }),
    (text) => text.length * 3 <= maxBytes || new TextEncoder().encode(text).length <= maxBytes,
    () => `must not be larger than ${maxBytes} bytes`,
  )
}

export const Flag = (description: string, options: Parameters<typeof Type.Boolean>[0] = {}) =>
  Type.Boolean({ description, ...options })

export const Choice = <const Values extends string[]>(
  values: readonly [...Values],
  description: string,
  options: { default?: Values[number]; $id?: string } = {},
): TEnum<Values> => Type.Enum([...values], { type: 'string', description, ...options })

export const Name = (description: string, options: Parameters<typeof Type.String>[0] = {}) =>
  Type.String({ pattern: NAME_PATTERN, description, ...options })

/** A request body or part of one. Unknown fields are errors, so that typos are not ignored. */
export function request<Properties extends TProperties>(
  name: string | undefined,
  properties: Properties,
  options: { description?: string } = {},
) {
  return Type.Object(properties, { ...(name && { $id: name }), additionalProperties: false, ...options })
}

/** A response body or part of one. All fields are always present. Clients ignore fields they don't know. */
export function response<Properties extends TProperties>(
  name: string | undefined,
  properties: Properties,
  options: { description?: string } = {},
) {
  return Type.Object(properties, { ...(name && { $id: name }), ...options })
}

/** The same schema without its name, so that its use can have its own description. */
export function inline<Schema extends TSchema>(schema: Schema, options: Record<string, unknown> = {}) {
  return Type.Unsafe<Static<Schema>>({ ...schema, $id: undefined, ...options })
}
