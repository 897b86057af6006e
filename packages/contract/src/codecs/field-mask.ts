/**
 * Field masks as proto3 JSON spells them: comma-separated paths of lowerCamelCase names joined by dots.
 * A path may go through objects and the keys of maps, not into arrays. `*` alone means the whole document.
 */

export type FieldPath = readonly string[]
export type FieldMask = '*' | readonly FieldPath[]

const SEGMENT = /^[A-Za-z0-9_-]{1,128}$/

/** No document is nested so deep; it bounds the work that a hostile mask can cause. */
const MAX_DEPTH = 32

/** Answers undefined for a mask that is not well-formed. An empty text is an empty mask. */
export function parseFieldMask(text: string): FieldMask | undefined {
  if (text === '') return []
  if (text === '*') return '*'
  const paths = text.split(',').map((path) => path.split('.'))
  return paths.every(isWellFormed) ? withoutCovered(paths) : undefined
}

function isWellFormed(path: FieldPath): boolean {
  return path.length <= MAX_DEPTH && path.every((segment) => SEGMENT.test(segment))
}

export function formatFieldMask(mask: FieldMask): string {
  return mask === '*' ? '*' : mask.map((path) => path.join('.')).join(',')
}

/** `spec` says all that `spec.repos` says: keeps the shorter of the two, and each path once. */
function withoutCovered(paths: readonly FieldPath[]): FieldPath[] {
  const unique = new Map(paths.map((path) => [path.join('.'), path]))
  const isCovered = (path: FieldPath): boolean =>
    path.some((_, depth) => depth > 0 && unique.has(path.slice(0, depth).join('.')))
  return [...unique.values()].filter((path) => !isCovered(path))
}

/** The part of a JSON Schema that a mask needs to know. */
export interface MaskableSchema {
  readonly properties?: Readonly<Record<string, MaskableSchema>>
  readonly patternProperties?: Readonly<Record<string, MaskableSchema>>
}

/** Whether a path names something that a document of this schema can hold. */
export function isKnownPath(schema: MaskableSchema, path: FieldPath): boolean {
  let current: MaskableSchema | undefined = schema
  for (const segment of path) {
    current = childSchema(current, segment)
    if (current === undefined) return false
  }
  return true
}

function childSchema(schema: MaskableSchema, segment: string): MaskableSchema | undefined {
  if (schema.properties && Object.hasOwn(schema.properties, segment)) return schema.properties[segment]
  const pattern = Object.entries(schema.patternProperties ?? {}).find(([key]) =>
    new RegExp(key, 'u').test(segment),
  )
  return pattern?.[1]
}
