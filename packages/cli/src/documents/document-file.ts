import { parse, parseAllDocuments, stringify } from 'yaml'
import { UsageError } from '../usage-error.ts'

/** Fields of a catalog document, as JSON has them. */
export type Document = Readonly<Record<string, unknown>>

/** A resource as somebody wrote it. */
export interface WrittenResource {
  readonly kind: string
  readonly name: string
  readonly document: Document
  /** The generation that it was read at, where the file says so: a newer one is not overwritten. */
  readonly generation: string | undefined
  /** For messages: the file, or - for standard input. */
  readonly source: string
}

/** The kind whose documents are Markdown, and the field that the text under the front matter fills. */
export interface MarkdownKind {
  readonly kind: string
  readonly bodyField: string
}

const FRONT_MATTER = /^---\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n([\s\S]*))?$/m

/** Resources in the text of a file: YAML with any number of documents, or Markdown with front matter. */
export function parseResources(
  text: string,
  source: string,
  markdown: readonly MarkdownKind[],
): WrittenResource[] {
  if (isMarkdown(text, source)) return [parseMarkdown(text, source, markdown)]
  const documents = parseAllDocuments(text)
  return [...documents].flatMap((parsed) => {
    const [error] = parsed.errors
    if (error) throw new UsageError(`${source}: ${error.message}`, 'Mend the YAML and try again.')
    const value: unknown = parsed.toJS()
    return value === null ? [] : [toResource(value, source)]
  })
}

function isMarkdown(text: string, source: string): boolean {
  if (/\.(md|markdown)$/.test(source)) return true
  // Text under a second --- that is no YAML with a kind: the front matter of Markdown on standard input.
  const body = source === '-' ? FRONT_MATTER.exec(text)?.[2] : undefined
  return body !== undefined && !/^kind:/m.test(body)
}

function parseMarkdown(text: string, source: string, markdown: readonly MarkdownKind[]): WrittenResource {
  const [, head = '', body = ''] = text.startsWith('---') ? (FRONT_MATTER.exec(text) ?? []) : ['', '', text]
  let fields: unknown
  try {
    fields = parse(head) ?? {}
  } catch (error) {
    throw new UsageError(`${source}: ${String(error)}`, 'Mend the front matter and try again.')
  }
  const resource = toResource(asDocument(fields, source), source, markdown[0]?.kind)
  const bodyField = markdown.find(({ kind }) => kind === resource.kind)?.bodyField
  if (bodyField === undefined) {
    throw new UsageError(`${source}: ${resource.kind} is not written as Markdown.`, 'Write it as YAML.')
  }
  return { ...resource, document: { ...resource.document, [bodyField]: body.trim() } }
}

function toResource(value: unknown, source: string, defaultKind?: string): WrittenResource {
  const { kind: writtenKind, name: writtenName, metadata, ...document } = asDocument(value, source)
  const known = typeof metadata === 'object' && metadata !== null ? { ...metadata } : {}
  const { name: knownName, generation } = { name: undefined, generation: undefined, ...known }
  const kind = writtenKind ?? kindFromPath(source) ?? defaultKind
  const name = writtenName ?? knownName ?? nameFromPath(source)
  if (typeof kind !== 'string' || typeof name !== 'string') {
    throw new UsageError(
      `${source}: a resource has no ${typeof kind === 'string' ? 'name' : 'kind'}.`,
      'Begin it with kind: and name:, or keep it in a folder named as its kind.',
    )
  }
  return {
    kind,
    name,
    document,
    source,
    generation: generation === undefined ? undefined : String(generation),
  }
}

function asDocument(value: unknown, source: string): Document {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw new UsageError(`${source} has something else than fields.`, 'Begin it with kind: and name:.')
}

/** catalog/persona/reviewer.md is the persona named reviewer. */
function kindFromPath(source: string): string | undefined {
  const folder = source.split(/[\\/]/).at(-2)
  return folder !== undefined && /^[a-z][a-z-]*$/.test(folder) ? folder.replace(/s$/, '') : undefined
}

function nameFromPath(source: string): string | undefined {
  return source === '-' ? undefined : /([^\\/]+)\.[a-z]+$/.exec(source)?.[1]
}

/** The text that parseResources reads back: what get prints and edit opens. */
export function formatResource(
  { kind, name, document }: { readonly kind: string; readonly name: string; readonly document: Document },
  bodyField: string | undefined,
): string {
  if (bodyField === undefined) return stringify({ kind, name, ...document }, { lineWidth: 0 })
  const { [bodyField]: body, ...fields } = document
  const head = stringify({ kind, name, ...fields }, { lineWidth: 0 })
  return `---\n${head}---\n\n${typeof body === 'string' ? body : ''}\n`
}
