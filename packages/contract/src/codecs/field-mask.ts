/**
 * Field masks in proto3 JSON: comma-separated paths of lowerCamelCase names joined by dots. A path may go through
 * objects and map keys, not into arrays. `*` alone means the whole document.
 */

export type FieldPath = readonly string[]
export type FieldMask = '*' | readonly FieldPath[]

const SEGMENT = /^[A-Za-z0-9_-]{1,128}$/

/** No document is nested this deeply. Bounds the work a hostile mask can cause. */
const MAX_DEPTH = 32

/** Undefined for a malformed mask. An empty string is an empty mask. */
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

/** `spec` covers `spec.repos`: keeps only the shorter one, and each path once. */
function withoutCovered(paths: readonly FieldPath[]): FieldPath[] {
  const unique = new Map(paths.map((path) => [path.join('.'), path]))
  const isCovered = (path: FieldPath): boolean =>
    path.some((_, depth) => depth > 0 && unique.has(path.slice(0, depth).join('.')))
  return [...unique.values()].filter((path) => !isCovered(path))
}

/** The parts of a JSON Schema that masks need. */
export interface MaskableSchema {
  readonly properties?: Readonly<Record<string, MaskableSchema>>
  readonly patternProperties?: Readonly<Record<string, MaskableSchema>>
}

/** Whether a document of this schema can contain the path. */
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
