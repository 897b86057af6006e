import type { IncomingMessage } from 'node:http'

/** What keeps a body from being read: the status and the message to refuse it with. */
export interface BodyRefusal {
  readonly status: number
  readonly message: string
}

/** A body in memory that is set aside for it. Whoever takes it has the only reference, so that it can be let go. */
export class HeldBody {
  readonly release: () => void
  #bytes: Buffer<ArrayBuffer>

  constructor(bytes: Buffer<ArrayBuffer>, release: () => void) {
    this.#bytes = bytes
    this.release = release
  }

  put(bytes: Uint8Array<ArrayBuffer>): void {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  take(): Buffer<ArrayBuffer> {
    const bytes = this.#bytes
    this.#bytes = Buffer.alloc(0)
    return bytes
  }
}

export const TOO_LARGE: BodyRefusal = { status: 413, message: 'The request is too large.' }
const TOO_SLOW: BodyRefusal = { status: 408, message: 'The request took too long to arrive.' }

const FIRST_BYTES = 64 * 1024

/** As announced, or the most that there may be where nothing is. */
export function announcedBytes({ headers }: IncomingMessage, maxBytes: number): number {
  const length = headers['content-length']
  return length === undefined ? maxBytes : Number(length)
}

/** The whole body, unless it is larger than this, slower than that, or cut: then undefined. */
export function readBody(
  request: IncomingMessage,
  { maxBytes, timeoutMs }: { readonly maxBytes: number; readonly timeoutMs: number },
): Promise<Buffer<ArrayBuffer> | BodyRefusal | undefined> {
  const growing = new GrowingBuffer(Math.min(announcedBytes(request, FIRST_BYTES), maxBytes), maxBytes)
  return new Promise((resolve) => {
    const settle = (result: Buffer<ArrayBuffer> | BodyRefusal | undefined): void => {
      clearTimeout(timer)
      request.off('data', take)
      // What is still to come is thrown away once the answer is there.
      request.pause()
      resolve(result)
    }
    const take = (chunk: Buffer): void => {
      if (growing.length + chunk.length > maxBytes) settle(TOO_LARGE)
      else growing.add(chunk)
    }
    const timer = setTimeout(() => settle(TOO_SLOW), timeoutMs)
    request.on('data', take)
    request.once('end', () => settle(growing.bytes))
    request.once('close', () => settle(undefined))
  })
}

/** One piece of memory, so that a body of many tiny chunks takes no more than its bytes. */
class GrowingBuffer {
  #buffer: Buffer<ArrayBuffer>
  readonly #maxBytes: number
  #length = 0

  constructor(bytes: number, maxBytes: number) {
    this.#buffer = Buffer.allocUnsafeSlow(bytes)
    this.#maxBytes = maxBytes
  }

  get length(): number {
    return this.#length
  }

  get bytes(): Buffer<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#length)
  }

  add(chunk: Buffer): void {
    const needed = this.#length + chunk.length
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(
        Math.min(Math.max(needed, 2 * this.#buffer.length), this.#maxBytes),
      )
      this.#buffer.copy(larger, 0, 0, this.#length)
      this.#buffer = larger
    }
    this.#length += chunk.copy(this.#buffer, this.#length)
  }
}
