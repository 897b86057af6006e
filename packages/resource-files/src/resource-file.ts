import { parse, parseAllDocuments } from 'yaml'
import { DocumentError } from './document-error.ts'
import { isDocument, type Document } from './document.ts'
import { formatDocument } from './format-document.ts'
import { splitMarkdown } from './front-matter.ts'

/** A resource from a file. */
export interface WrittenResource {
  readonly kind: string
  readonly name: string
  readonly document: Document
  /** The generation it was read at, if the file has it. A newer one is not overwritten. */
  readonly generation: string | undefined
  /** For messages: the file, or `-` for standard input. */
  readonly source: string
}

/** A kind whose documents are Markdown, and the field for the text after the front matter. */
export interface MarkdownKind {
  readonly kind: string
  readonly bodyField: string
}

/** Resources in a file: YAML with any number of documents, or Markdown with front matter. */
export function parseResources(
  text: string,
  source: string,
  markdown: readonly MarkdownKind[],
): WrittenResource[] {
  if (isMarkdown(text, source)) return [parseMarkdown(text, source, markdown)]
  const documents = parseAllDocuments(text)
  return [...documents].flatMap((parsed) => {
    const [error] = parsed.errors
    if (error) throw new DocumentError(`${source}: ${error.message}`, 'Fix the YAML and try again.')
    const value: unknown = parsed.toJS()
    return value === null ? [] : [toResource(value, source)]
  })
}

function isMarkdown(text: string, source: string): boolean {
  if (/\.(md|markdown)$/.test(source)) return true
  if (source !== '-' || !text.startsWith('---')) return false
  // Text after a second `---` that is not YAML with a kind: Markdown with front matter on standard input.
  const { head, body } = splitMarkdown(text)
  return head !== '' && body !== '' && !/^kind:/m.test(body)
}

function parseMarkdown(text: string, source: string, markdown: readonly MarkdownKind[]): WrittenResource {
  const { head, body } = splitMarkdown(text)
  let fields: unknown
  try {
    fields = parse(head) ?? {}
  } catch (error) {
    throw new DocumentError(`${source}: ${String(error)}`, 'Fix the front matter and try again.')
  }
  const resource = toResource(asDocument(fields, source), source, markdown[0]?.kind)
  const bodyField = markdown.find(({ kind }) => kind === resource.kind)?.bodyField
  if (bodyField === undefined) {
    throw new DocumentError(`${source}: ${resource.kind} cannot be written as Markdown.`, 'Use YAML.')
  }
  return { ...resource, document: { ...resource.document, [bodyField]: body.trim() } }
}

function toResource(value: unknown, source: string, defaultKind?: string): WrittenResource {
  const { kind: writtenKind, name: writtenName, metadata, ...document } = asDocument(value, source)
  const known = isDocument(metadata) ? metadata : {}
  const kind = writtenKind ?? kindFromPath(source) ?? defaultKind
  const name = writtenName ?? known['name'] ?? nameFromPath(source)
  if (typeof kind !== 'string' || typeof name !== 'string') {
    throw new DocumentError(
      `${source}: a resource has no ${typeof kind === 'string' ? 'name' : 'kind'}.`,
      'Start it with kind: and name:, or put it into a folder named after its kind.',
    )
  }
  return {
    kind,
    name,
    document,
    source,
    generation: readGeneration(known['generation']),
  }
}

/** Large numbers are quoted, small ones may not be. */
function readGeneration(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

function asDocument(value: unknown, source: string): Document {
  if (isDocument(value)) return value
  throw new DocumentError(`${source} contains something other than fields.`, 'Start it with kind: and name:.')
}

/** catalog/persona/reviewer.md is the persona named reviewer. */
function kindFromPath(source: string): string | undefined {
  const folder = source.split(/[\\/]/).at(-2)
  return folder !== undefined && /^[a-z][a-z-]*$/.test(folder) ? folder.replace(/s$/, '') : undefined
}

function nameFromPath(source: string): string | undefined {
  return source === '-' ? undefined : /([^\\/]+)\.[a-z]+$/.exec(source)?.[1]
}

/** The inverse of parseResources. */
export function formatResource(
  { kind, name, document }: { readonly kind: string; readonly name: string; readonly document: Document },
  bodyField: string | undefined,
): string {
  return formatDocument({ kind, name, ...document }, bodyField)
}
