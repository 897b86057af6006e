import type { Answer } from './answers.ts'
import { shown, type Book } from './book.ts'
import { INT64_TEXT, isEnvelope, isObject, keysOf, RFC3339_UTC_MS } from './shapes.ts'

const STATUSES_OF_CODE: Record<number, number[]> = {
  1: [499],
  3: [400, 415],
  4: [504, 408],
  5: [404],
  6: [409],
  7: [403],
  8: [429, 413, 431],
  9: [400],
  10: [409],
  12: [501, 405],
  13: [500],
  14: [503],
  16: [401],
}
const INT64_FIELDS = new Set([
  'runCount',
  'runId',
  'generation',
  'inputTokens',
  'cachedInputTokens',
  'outputTokens',
  'totalTokens',
  'sequence',
  'lastSequence',
  'incarnation',
])
/** Maps, whose keys are chosen by the caller. */
const MAPS = /(labels|variables|secrets|schema|metadata)\./
const CAMEL_CASE = /^([a-z][A-Za-z0-9]*|\d+|@type)$/

/** Checks what must hold for every response of the whole run. */
export class EveryAnswer {
  #errors = 0
  #successes = 0
  readonly #faults = {
    envelope: [] as string[],
    status: [] as string[],
    mediaType: [] as string[],
    int64: [] as string[],
    time: [] as string[],
    fieldName: [] as string[],
    null: [] as string[],
    requestId: [] as string[],
  }

  inspect(answer: Answer<unknown>): void {
    const { request, status, headers } = answer
    const json: unknown = answer.json
    if (!(headers.get('content-type') ?? '').startsWith('application/json'))
      this.#faults.mediaType.push(request)
    if (!headers.get('x-request-id')) this.#faults.requestId.push(request)
    if (status < 400) {
      this.#successes++
      this.#walk(json, '', request)
      return
    }
    this.#errors++
    if (!isEnvelope(json) || keysOf(json).join() !== 'code,details,message')
      this.#faults.envelope.push(shown(answer))
    else if (!STATUSES_OF_CODE[json.code]?.includes(status)) this.#faults.status.push(shown(answer))
  }

  report(book: Book): void {
    const none = (name: string, found: string[]) =>
      book.row(name, found.length === 0, `${found.length}: ${found.slice(0, 3).join(' | ')}`)
    none(
      `each of ${this.#errors} errors is exactly code, message and details with @type`,
      this.#faults.envelope,
    )
    none(`code and HTTP status match in each of ${this.#errors} errors`, this.#faults.status)
    none('every answer is application/json', this.#faults.mediaType)
    none(`64-bit integers are strings in each of ${this.#successes} answers`, this.#faults.int64)
    none('times are RFC 3339 in UTC with milliseconds, or empty', this.#faults.time)
    none('field names are lowerCamelCase', this.#faults.fieldName)
    none('null never appears', this.#faults.null)
    none('every answer has an x-request-id', this.#faults.requestId)
  }

  #walk(value: unknown, path: string, request: string): void {
    if (!isObject(value)) return
    for (const [key, inner] of Object.entries(value)) {
      const here = path === '' ? key : `${path}.${key}`
      if (/(^|\.)schema$/.test(here)) continue
      if (!Array.isArray(value)) this.#inspectField(key, inner, here, request)
      if (inner === null) this.#faults.null.push(`${request} → ${here}`)
      this.#walk(inner, here, request)
    }
  }

  #inspectField(field: string, value: unknown, path: string, request: string): void {
    const where = `${request} → ${path}=${JSON.stringify(value)}`
    const isText = typeof value === 'string'
    if (!MAPS.test(path) && !CAMEL_CASE.test(field)) this.#faults.fieldName.push(where)
    if (INT64_FIELDS.has(field) && !(isText && INT64_TEXT.test(value))) this.#faults.int64.push(where)
    if (/(Time|At)$/.test(field) && !(isText && (value === '' || RFC3339_UTC_MS.test(value))))
      this.#faults.time.push(where)
  }
}
