import { isNode, isPair, parseDocument, visit, type Document as YamlDocument } from 'yaml'
import { isDocument, type Document } from './document.ts'
import { splitMarkdown } from './front-matter.ts'

/** A range of characters in the text. */
export interface TextRange {
  readonly from: number
  readonly to: number
}

export interface TextProblem extends TextRange {
  readonly message: string
}

export type FieldPath = readonly (string | number)[]

export interface ReadDocument {
  /** Empty if there are problems. */
  readonly document: Document
  /** Why the text cannot be parsed. */
  readonly problems: readonly TextProblem[]
  /** Where a field is; for a missing field, the nearest enclosing one. */
  locate(path: FieldPath): TextRange
}

/** Parses one document while it is being typed: reports problems with their position, and never throws. */
export function readDocument(text: string, bodyField?: string): ReadDocument {
  if (bodyField === undefined) return readFields(text, 0)
  const { head, headFrom, body } = splitMarkdown(text)
  const fields = readFields(head, headFrom)
  if (bodyField in fields.document) {
    const message = `${bodyField} is the text below the front matter: put it there.`
    return { ...fields, problems: [{ ...fields.locate([bodyField]), message }] }
  }
  return { ...fields, document: { ...fields.document, [bodyField]: body.trim() } }
}

function readFields(text: string, offset: number): ReadDocument {
  const parsed = parseDocument(text, { prettyErrors: false })
  const locate = (path: FieldPath): TextRange => locateField(parsed, path, offset)
  const problems = parsed.errors.map(({ message, pos: [from, to] }) => ({
    from: from + offset,
    to: Math.max(from, to) + offset,
    message,
  }))
  if (problems.length > 0) return { document: {}, problems, locate }
  const read = toValue(parsed)
  const value = read.value ?? {}
  if (read.problem === undefined && isDocument(value)) return { document: value, problems: [], locate }
  const message = read.problem ?? 'A document consists of fields: write them as name: value.'
  return { document: {}, problems: [{ from: offset, to: offset + text.length, message }], locate }
}

/** Aliases may be circular, or expand a small text into a huge one. */
function toValue(parsed: YamlDocument): { readonly value?: unknown; readonly problem?: string } {
  try {
    return { value: parsed.toJS() }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

function locateField(parsed: YamlDocument, path: FieldPath, offset: number): TextRange {
  for (let depth = path.length; depth > 0; depth--) {
    const found = findKey(parsed, path.slice(0, depth)) ?? findItem(parsed, path.slice(0, depth))
    if (found) return { from: found.from + offset, to: found.to + offset }
  }
  return { from: offset, to: offset }
}

/** The field's name rather than its value, which may be long. */
function findKey(parsed: YamlDocument, path: FieldPath): TextRange | undefined {
  const parent: unknown = path.length === 1 ? parsed.contents : parsed.getIn(path.slice(0, -1), true)
  if (!isNode(parent)) return undefined
  let found: TextRange | undefined
  visit(parent, {
    Pair(_, pair, ancestors) {
      if (ancestors.length !== 1 || !isPair(pair) || !isNode(pair.key)) return undefined
      if (String(pair.key.toJSON()) === String(path.at(-1)) && pair.key.range) {
        const [from, to] = pair.key.range
        found = { from, to }
        return visit.BREAK
      }
      return visit.SKIP
    },
  })
  return found
}

function findItem(parsed: YamlDocument, path: FieldPath): TextRange | undefined {
  const node: unknown = parsed.getIn(path, true)
  if (!isNode(node) || !node.range) return undefined
  const [from, to] = node.range
  return { from, to }
}
