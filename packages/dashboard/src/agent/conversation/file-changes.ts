/** A tool call's change to one file. */
interface FileChange {
  readonly path: string
  readonly before: string
  readonly after: string
}

/** Comparing longer texts would block the page. */
const MAX_LENGTH = 100_000

/** The changes a call requests; undefined for tools that change no files, and for truncated input. */
export function readFileChanges(tool: string, input: string): readonly FileChange[] | undefined {
  if (input.length > MAX_LENGTH) return undefined
  const fields = readObject(parseJson(input))
  if (fields === undefined) return undefined
  const path = readText(fields, 'file_path')
  switch (tool) {
    case 'Write':
      return all([toChange(path, '', readText(fields, 'content'))])
    case 'Edit':
      return all([toEdit(path, fields)])
    case 'MultiEdit':
      return all(readList(fields, 'edits').map((edit) => toEdit(path, edit)))
    default:
      return undefined
  }
}

function toEdit(path: string | undefined, edit: Fields): FileChange | undefined {
  return toChange(path, readText(edit, 'old_string'), readText(edit, 'new_string'))
}

function toChange(
  path: string | undefined,
  before: string | undefined,
  after: string | undefined,
): FileChange | undefined {
  return path === undefined || before === undefined || after === undefined
    ? undefined
    : { path, before, after }
}

/** All or none: a change we cannot parse must not be dropped silently. */
function all(changes: readonly (FileChange | undefined)[]): readonly FileChange[] | undefined {
  const known = changes.filter((change) => change !== undefined)
  return known.length > 0 && known.length === changes.length ? known : undefined
}

type Fields = Readonly<Record<string, unknown>>

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function readObject(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
}

function readText(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  return typeof value === 'string' ? value : undefined
}

function readList(fields: Fields, name: string): readonly Fields[] {
  const value = fields[name]
  return Array.isArray(value) ? value.map((item: unknown) => readObject(item) ?? {}) : []
}
