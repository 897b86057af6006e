import type { Kind } from '@skein/contract'

/**
 * What a patch means, written a second time and in another way than the code under test: a document is a flat
 * table of paths, and a patch moves rows between two tables.
 */
type Table = Map<string, unknown>
type Json = Readonly<Record<string, unknown>>

const SEPARATOR = '\u0000'
const OBJECT = Symbol('an object, whose fields are rows of their own')

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function toTable(value: unknown, path: readonly string[] = [], table: Table = new Map()): Table {
  if (!isObject(value)) return table.set(path.join(SEPARATOR), value)
  table.set(path.join(SEPARATOR), OBJECT)
  for (const [name, field] of Object.entries(value)) toTable(field, [...path, name], table)
  return table
}

function fromTable(table: Table, at = ''): unknown {
  const value = table.get(at)
  if (value !== OBJECT) return value
  const prefix = at === '' ? '' : at + SEPARATOR
  const names = new Set(
    [...table.keys()]
      .filter((key) => key !== at && key.startsWith(prefix))
      .map((key) => key.slice(prefix.length).split(SEPARATOR, 1)[0] ?? ''),
  )
  return Object.fromEntries([...names].map((name) => [name, fromTable(table, prefix + name)]))
}

const isAtOrUnder = (key: string, path: string): boolean => key === path || key.startsWith(path + SEPARATOR)

/** The table after one masked path was taken from the patch. */
function takePath(table: Table, patch: Table, path: readonly string[]): void {
  const key = path.join(SEPARATOR)
  for (const row of table.keys()) if (isAtOrUnder(row, key)) table.delete(row)
  const rows = [...patch].filter(([row]) => isAtOrUnder(row, key))
  if (rows.length === 0) return
  for (let depth = 1; depth < path.length; depth++) {
    const parent = path.slice(0, depth).join(SEPARATOR)
    if (table.get(parent) !== OBJECT) table.set(parent, OBJECT)
  }
  for (const [row, value] of rows) table.set(row, value)
}

export function modelPatch(current: Json, patch: Json, paths: readonly (readonly string[])[]): unknown {
  const table = toTable(current)
  const source = toTable(patch)
  for (const path of paths) takePath(table, source, path)
  return fromTable(table)
}

/** What a write of this payload under this mask should leave, before what the service adds. */
export function modelWrite(
  kind: Kind,
  { current, payload, mask, ownerProvider }: ModelledWrite,
): Record<string, unknown> {
  const readOnly = new Set(
    Object.entries(kind.schema.properties)
      .filter(([, schema]) => isObject(schema) && schema['readOnly'] === true)
      .map(([name]) => name),
  )
  const without = (document: Json): Json =>
    Object.fromEntries(Object.entries(document).filter(([name]) => !readOnly.has(name)))
  const paths = mask
    .split(',')
    .map((path) => path.split('.'))
    .filter(([head]) => head !== undefined && !readOnly.has(head))
  const isReplacement = mask === '' || mask === '*'
  const given = without(dropNulls(kind.schema, payload) as Json)
  const merged = isReplacement ? given : modelPatch(without(current), given, paths)
  const filled = { ...(fill(kind.schema, merged) as Json) }
  for (const [name, value] of Object.entries(filled)) {
    const schema: unknown = kind.schema.properties[name]
    const isTime = isObject(schema) && schema['format'] === 'date-time' && typeof value === 'string'
    if (isTime && /T.*(Z|:\d\d)$/.test(value)) filled[name] = new Date(value).toISOString()
  }
  if (filled['ownerProvider'] === 'PROVIDER_UNSPECIFIED') filled['ownerProvider'] = ownerProvider
  if (kind.kind === 'team' && Array.isArray(filled['members'])) {
    filled['members'] = filled['members'].map((member: unknown) =>
      isObject(member) && member['ownerProvider'] === 'PROVIDER_UNSPECIFIED'
        ? { ...member, ownerProvider }
        : member,
    )
  }
  return filled
}

export interface ModelledWrite {
  readonly current: Json
  readonly payload: Json
  readonly mask: string
  readonly ownerProvider: string
}

/** Null is not there, unless the field has to be. */
function dropNulls(schema: unknown, value: unknown): unknown {
  if (Array.isArray(value))
    return value.map((item) => dropNulls(isObject(schema) ? schema['items'] : {}, item))
  if (!isObject(value)) return value
  const properties = isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {}
  const required = isObject(schema) && Array.isArray(schema['required']) ? schema['required'] : []
  const isNeeded = (name: string): boolean => {
    const property = own(properties, name)
    if (!isObject(property) || !('type' in property)) return true
    return required.includes(name) && !('default' in property)
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, field]) => field !== null || isNeeded(name))
      .map(([name, field]) => [name, dropNulls(own(properties, name), field)]),
  )
}

/** Absent fields that have a default get it, at every depth. */
function fill(schema: unknown, value: unknown): unknown {
  if (!isObject(schema)) return value
  const given = value ?? schema['default']
  if (Array.isArray(given)) return given.map((item) => fill(schema['items'], item))
  if (!isObject(given)) return value === null ? value : given
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const names = new Set([...Object.keys(given), ...Object.keys(properties)])
  return Object.fromEntries(
    [...names]
      .map((name): [string, unknown] => [name, fill(own(properties, name), own(given, name))])
      .filter(([, field]) => field !== undefined),
  )
}

const own = (object: Json, name: string): unknown => (Object.hasOwn(object, name) ? object[name] : undefined)
