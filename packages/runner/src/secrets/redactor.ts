import { Transform } from 'node:stream'
import { mapTexts } from '../map-texts.ts'
import { PatternSet, type Span } from './pattern-set.ts'
import { formsOf } from './secret-forms.ts'

const HIDDEN = Buffer.from('[secret]')

/** Removes one run's secrets from everything that leaves it. */
export class Redactor {
  readonly #patterns: PatternSet

  constructor(secrets: Iterable<string>) {
    const forms = new Set([...secrets].flatMap(formsOf))
    this.#patterns = new PatternSet([...forms].map((form) => Buffer.from(form)))
  }

  readonly redact = (text: string): string => {
    const bytes = Buffer.from(text)
    const spans = this.#patterns.find(bytes)
    return spans.length === 0 ? text : hide(bytes, spans).toString()
  }

  /** All strings in a value, whatever its shape. */
  redactAll<Value>(value: Value): Value {
    return this.#patterns.longest === 0 ? value : mapTexts(value, this.redact)
  }

  /** For chunked data: also finds secrets that span chunks. */
  stream(): Transform {
    let rest: Buffer = Buffer.alloc(0)
    const take = (bytes: Buffer, isEnd: boolean): Buffer => {
      const spans = this.#patterns.find(bytes)
      // A match that starts after this may continue in the next chunk. Complete matches are not split.
      const room = isEnd ? bytes.length : Math.max(0, bytes.length - this.#patterns.longest + 1)
      const safe = spans.find(({ start, end }) => start < room && end > room)?.end ?? room
      rest = bytes.subarray(safe)
      return hide(
        bytes.subarray(0, safe),
        spans.filter(({ end }) => end <= safe),
      )
    }
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => done(null, take(Buffer.concat([rest, chunk]), false)),
      flush: (done) => done(null, take(rest, true)),
    })
  }
}

function hide(bytes: Buffer, spans: readonly Span[]): Buffer {
  const parts: Buffer[] = []
  let at = 0
  for (const { start, end } of spans) {
    parts.push(bytes.subarray(at, start), HIDDEN)
    at = end
  }
  return Buffer.concat([...parts, bytes.subarray(at)])
}
