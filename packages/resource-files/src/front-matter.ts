const FRONT_MATTER = /^---\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n([\s\S]*))?$/m

export interface MarkdownParts {
  /** YAML. */
  readonly head: string
  /** Offset of the head in the text. */
  readonly headFrom: number
  readonly body: string
}

/** Markdown without front matter is all body. */
export function splitMarkdown(text: string): MarkdownParts {
  const parts = text.startsWith('---') ? FRONT_MATTER.exec(text) : null
  if (parts === null) return { head: '', headFrom: 0, body: text }
  const [, head = '', body = ''] = parts
  return { head, headFrom: text.indexOf('\n') + 1, body }
}
