import { parseJson } from '../json.ts'
import { asObject, type JsonObject } from './json.ts'

/** Parses JSON from the bytes of a response as they arrive, in arbitrary chunks. */
export interface EventReader {
  write(chunk: Uint8Array): Iterable<JsonObject>
  end(): Iterable<JsonObject>
}

/** Larger than any event or body with usage. The rest is dropped: metering must not fill the memory. */
const MAX_LENGTH = 32 * 1024 * 1024

/** Server-sent events. Only the data matters: it repeats the event's name. */
export class StreamReader implements EventReader {
  /** Keeps the bytes of a split character. */
  readonly #decoder = new TextDecoder()
  readonly #event = new LimitedText()
  readonly #line = new LimitedText()
  #endsWithReturn = false

  write(chunk: Uint8Array): Iterable<JsonObject> {
    return this.#read(this.#decoder.decode(chunk, { stream: true }))
  }

  /** Many servers omit the empty line after the last event. */
  end(): Iterable<JsonObject> {
    return this.#read(`${this.#decoder.decode()}\n\n`)
  }

  *#read(text: string): Generator<JsonObject> {
    if (text === '') return
    const lineEnd = /\r\n|\n|\r/g
    // The second half of a split line ending is not another one.
    let start = this.#endsWithReturn && text.startsWith('\n') ? 1 : 0
    this.#endsWithReturn = text.endsWith('\r')
    lineEnd.lastIndex = start
    for (let end = lineEnd.exec(text); end; end = lineEnd.exec(text)) {
      this.#line.add(text.slice(start, end.index))
      start = lineEnd.lastIndex
      yield* this.#endLine()
    }
    this.#line.add(text.slice(start))
  }

  *#endLine(): Generator<JsonObject> {
    if (!this.#line.isEmpty) {
      const line = this.#line.take() ?? ''
      // JSON ignores surrounding white space.
      if (line.startsWith('data:')) this.#event.add(`${line.slice('data:'.length)}\n`)
      return
    }
    const data = this.#event.isEmpty ? undefined : this.#event.take()
    if (data !== undefined) yield asObject(parseJson(data))
  }
}

/** Drops its content once it is too long. */
class LimitedText {
  #parts: string[] = []
  #length = 0

  get isEmpty(): boolean {
    return this.#length === 0
  }

  add(part: string): void {
    this.#length += part.length
    if (this.#length <= MAX_LENGTH) this.#parts.push(part)
    else this.#parts = []
  }

  /** Undefined if it was too long. */
  take(): string | undefined {
    const text = this.#length <= MAX_LENGTH ? this.#parts.join('') : undefined
    this.#parts = []
    this.#length = 0
    return text
  }
}

/** A response that is one JSON body. */
export class BodyReader implements EventReader {
  #chunks: Uint8Array[] = []
  #size = 0

  write(chunk: Uint8Array): Iterable<JsonObject> {
    this.#size += chunk.length
    if (this.#size <= MAX_LENGTH) this.#chunks.push(chunk)
    return []
  }

  end(): Iterable<JsonObject> {
    if (this.#size > MAX_LENGTH) return []
    return [asObject(parseJson(Buffer.concat(this.#chunks).toString()))]
  }
}
