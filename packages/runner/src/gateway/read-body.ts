import type { IncomingMessage } from 'node:http'

/** Why a body cannot be read: the status and message to reject it with. */
export interface BodyRefusal {
  readonly status: number
  readonly message: string
}

/** A body in memory reserved for it. Taking it removes the only reference, so that it can be freed. */
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

/** The announced length, or the maximum if there is none. */
export function announcedBytes({ headers }: IncomingMessage, maxBytes: number): number {
  const length = headers['content-length']
  return length === undefined ? maxBytes : Number(length)
}

/** The whole body; undefined if it was cut off. */
export function readBody(
  request: IncomingMessage,
  { maxBytes, timeoutMs }: { readonly maxBytes: number; readonly timeoutMs: number },
): Promise<Buffer<ArrayBuffer> | BodyRefusal | undefined> {
  const growing = new GrowingBuffer(Math.min(announcedBytes(request, FIRST_BYTES), maxBytes), maxBytes)
  return new Promise((resolve) => {
    const settle = (result: Buffer<ArrayBuffer> | BodyRefusal | undefined): void => {
      clearTimeout(timer)
      request.off('data', take)
      // The rest is discarded once the response is sent.
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

/** One contiguous buffer, so that a body of many tiny chunks takes no more than its bytes. */
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
