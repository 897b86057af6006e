import { isDocument, type Document } from '../catalog/document.ts'
import { invalidSyntax, invalidValue } from './scim-error.ts'

/** Of each text of a user or group. */
const MAX_LENGTH = 255
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}]/u

export function requireObject(value: unknown): Document {
  if (isDocument(value)) return value
  throw invalidSyntax('The body must be a JSON object.')
}

/** Names of attributes are case-insensitive. The first one counts. */
export function attributeOf(object: Document, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name]
  const wanted = name.toLowerCase()
  return Object.entries(object).find(([key]) => key.toLowerCase() === wanted)?.[1]
}

/** Empty for a missing one. */
export function textOf(value: unknown, name: string): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') throw invalidValue(`${name} must be a string.`)
  if (value.length > MAX_LENGTH || UNPRINTABLE.test(value)) {
    throw invalidValue(`${name} must be at most ${MAX_LENGTH} characters, without control characters.`)
  }
  return value
}

export function requiredTextOf(value: unknown, name: string): string {
  const text = textOf(value, name).trim()
  if (text === '') throw invalidValue(`${name} is required.`)
  return text
}

/** Entra ID sends "True" and "False". */
export function flagOf(value: unknown, name: string): boolean {
  if (typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  if (text === 'true' || text === 'false') return text === 'true'
  throw invalidValue(`${name} must be true or false.`)
}
