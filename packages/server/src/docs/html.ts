/** Markup that is safe to send: only `html` creates it, and escapes all values. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = string | Html | readonly Html[]

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(toText)))
}

function toText(part: Part): string {
  if (part instanceof Html) return part.text
  if (typeof part === 'string') return part.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
  return part.map(({ text }) => text).join('')
}

export const NOTHING = html``

/** Text from the contract: paragraphs, and code between backticks. */
export function prose(text: string): Html {
  const paragraphs = text.split(/\n{2,}/).filter((paragraph) => paragraph !== '')
  return html`${paragraphs.map((paragraph) => html`<p>${inline(paragraph)}</p>`)}`
}

export function inline(text: string): Html {
  const pieces = text.split(/`([^`]+)`/)
  return html`${pieces.map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`))}`
}

/** Joins items with a separator. */
export function joined(items: readonly Html[], between: string): Html {
  return html`${items.map((item, index) => (index === 0 ? item : html`${between}${item}`))}`
}
