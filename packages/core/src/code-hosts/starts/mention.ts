const FENCE = /^ {0,3}(`{3,}|~{3,})/
const COMMENT = /<!--[^]*?(?:-->|$)/g
const BEFORE = /^[\s([{,;:"'*_]?$/
const AFTER = /^(?:$|[^\w/@-])/

/**
 * Whether a text in Markdown addresses somebody. What is quoted, or is code, does not count: it was said by somebody
 * else, or to somebody else. In doubt it does not. Takes linear time, whatever the text.
 */
export function isMentioned(body: string, name: string): boolean {
  if (name === '') return false
  const address = `@${name}`.toLowerCase()
  return spokenParagraphs(body).some((paragraph) =>
    hasAddress(withoutCodeSpans(paragraph).toLowerCase(), address),
  )
}

function hasAddress(text: string, address: string): boolean {
  for (let at = text.indexOf(address); at !== -1; at = text.indexOf(address, at + 1)) {
    const after = text.slice(at + address.length, at + address.length + 2)
    // As in skein.example.com.
    const isDomain = /^\.\w/.test(after)
    if (BEFORE.test(text.slice(Math.max(0, at - 1), at)) && AFTER.test(after) && !isDomain) return true
  }
  return false
}

/** Without comments, quotations and blocks of code. */
function spokenParagraphs(body: string): string[] {
  const paragraphs: string[][] = [[]]
  let fence = ''
  let isQuoted = false
  for (const line of body.replaceAll(/\r\n?/g, '\n').replaceAll(COMMENT, ' ').split('\n')) {
    const mark = FENCE.exec(line)?.[1] ?? ''
    if (fence !== '') {
      if (mark.startsWith(fence) && line.trim() === mark) fence = ''
    } else if (mark !== '') {
      fence = mark
      paragraphs.push([])
    } else if (line.trim() === '') {
      isQuoted = false
      paragraphs.push([])
    } else {
      // A quotation goes on until a line is empty.
      isQuoted ||= /^\s*>/.test(line)
      if (!isQuoted && !/^(?: {4}|\t)/.test(line)) paragraphs.at(-1)?.push(line)
    }
  }
  return paragraphs.map((lines) => lines.join('\n'))
}

/** Code is between two rows of as many backticks. */
function withoutCodeSpans(text: string): string {
  const rows = [...text.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ length, index }))
  const placesOf = Map.groupBy(rows, ({ length }) => length)
  const nextOf = new Map<number, number>()
  let spoken = ''
  let end = 0
  for (const { length, index } of rows) {
    if (index < end) continue
    const places = placesOf.get(length) ?? []
    let next = nextOf.get(length) ?? 0
    while ((places[next]?.index ?? Infinity) <= index) next += 1
    nextOf.set(length, next)
    const closing = places[next]
    if (!closing) continue
    spoken += `${text.slice(end, index)} `
    end = closing.index + length
  }
  return spoken + text.slice(end)
}
