/** Shorter values occur everywhere by chance and cannot be hidden. */
const MIN_SECRET_LENGTH = 6
/** Parts and encodings of a value: shorter ones reveal little, and hiding them would garble the text. */
const MIN_PART_LENGTH = 8
/** Quoted text is often quoted again. */
const QUOTING_DEPTH = 3

/** True for an empty secret, which needs no hiding. */
export function canHide(secret: string): boolean {
  const { length } = secret.trim()
  return length === 0 || length >= MIN_SECRET_LENGTH
}

/**
 * How a secret may appear in a text: as is, line by line, and in common encodings. Protects against mistakes, not
 * against an agent that disguises what it knows.
 */
export function formsOf(secret: string): string[] {
  const value = secret.trim()
  if (value.length < MIN_SECRET_LENGTH) return []
  const lines = linesOf(value)
  const encoded = [
    ...[value, ...lines].flatMap((part) => [...quotedForms(part), ...urlForms(part)]),
    // Not per line: these encodings are applied to the whole value.
    ...base64Forms(value),
    Buffer.from(value).toString('hex'),
    Buffer.from(value).toString('hex').toUpperCase(),
  ]
  return [...new Set([value, ...lines, ...encoded.filter((form) => form.length >= MIN_PART_LENGTH)])]
}

function linesOf(value: string): string[] {
  const lines = value.split(/\r?\n/).map((line) => line.trim())
  if (lines.length === 1) return []
  // The header and footer are the same for all keys.
  return lines.filter((line) => line.length >= MIN_PART_LENGTH && !/^-----[A-Z0-9 ]+-----$/.test(line))
}

/** As JSON, with and without non-ASCII characters, and as some libraries escape `<`, `>`, `&` and `/`. */
function quotedForms(value: string): string[] {
  const forms: string[] = []
  for (const escape of [escapeJson, escapeAscii, escapeHtml, escapeSlash]) {
    let form = value
    for (let depth = 0; depth < QUOTING_DEPTH; depth += 1) forms.push((form = escape(form)))
  }
  return forms
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function escapeAscii(text: string): string {
  return escapeJson(text).replaceAll(/[\u0080-\uFFFF]/g, escapeUnit)
}

function escapeHtml(text: string): string {
  return escapeJson(text).replaceAll(/[<>&]/g, escapeUnit)
}

function escapeSlash(text: string): string {
  return escapeJson(text).replaceAll('/', '\\/')
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function urlForms(value: string): string[] {
  const strict = encodeURIComponent(value.toWellFormed())
  const strictest = strict.replaceAll(
    /[!'()*]/g,
    (unit) => `%${unit.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  const forms = [strict, strictest, encodeURI(value.toWellFormed())]
  return [...forms, ...forms.map(lowerCodes), ...forms.map((form) => form.replaceAll('%20', '+'))]
}

function lowerCodes(form: string): string {
  return form.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
}

/** Also inside a longer text: the preceding bytes shift the bits, so there are three encodings. */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value)
  return [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const start = [0, 2, 3][shift] ?? 0
    // The last character contains bits of what follows, unless the bytes end with it.
    const end = (shift + bytes.length) % 3 === 0 ? encoded.length : encoded.length - 1
    const form = encoded.slice(start, end)
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
