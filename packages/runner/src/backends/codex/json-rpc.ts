import type { Readable, Writable } from 'node:stream'
import { isRecord, parseJson } from '../../json.ts'
import { LineSplitter } from './line-splitter.ts'

/** A thread with images and long outputs is sent as one line. */
const MAX_LINE_BYTES = 256 * 1024 * 1024
const METHOD_NOT_FOUND = -32_601

/** The other side responded with an error. */
export class RpcError extends Error {
  readonly code: number

  constructor(message: string, code: number) {
    super(message)
    this.name = 'RpcError'
    this.code = code
  }
}

/** There will be no response: the connection is closed. */
export class RpcClosedError extends Error {
  override readonly name = 'RpcClosedError'
}

export interface RpcListener {
  onNotification(method: string, params: unknown): void
  /** The response to the other side's request; undefined for an unknown method. */
  onRequest(method: string, params: unknown): unknown
  /** The input is not JSON-RPC. The connection is closed. */
  onBroken(reason: string): void
}

interface Pending {
  resolve(result: unknown): void
  reject(error: Error): void
}

/** Codex's JSON-RPC over lines: without the `jsonrpc` member. */
export class JsonRpcClient {
  readonly #output: Writable
  readonly #listener: RpcListener
  readonly #pending = new Map<number, Pending>()
  readonly #lines = new LineSplitter(MAX_LINE_BYTES)
  #lastId = 0
  #closedBy: string | undefined

  constructor(input: Readable, output: Writable, listener: RpcListener) {
    this.#output = output
    this.#listener = listener
    // Writing to an exited program fails. Its end is reported elsewhere.
    output.on('error', () => undefined)
    input.on('error', () => undefined)
    input.on('data', (chunk: Buffer) => this.#read(chunk))
  }

  request(method: string, params: unknown): Promise<unknown> {
    if (this.#closedBy !== undefined) return Promise.reject(new RpcClosedError(this.#closedBy))
    this.#lastId += 1
    const id = this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#pending.set(id, { resolve, reject })
    this.#send({ id, method, params })
    return promise
  }

  notify(method: string): void {
    this.#send({ method })
  }

  /** Pending requests fail. */
  close(reason: string): void {
    if (this.#closedBy !== undefined) return
    this.#closedBy = reason
    const pending = [...this.#pending.values()]
    this.#pending.clear()
    for (const { reject } of pending) reject(new RpcClosedError(reason))
  }

  #send(message: object): void {
    if (this.#closedBy === undefined) this.#output.write(`${JSON.stringify(message)}\n`)
  }

  #read(chunk: Buffer): void {
    try {
      for (const line of this.#lines.split(chunk)) {
        if (this.#closedBy !== undefined) return
        this.#receive(parseJson(line))
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.close(reason)
      this.#listener.onBroken(reason)
    }
  }

  #receive(message: unknown): void {
    // A stray line of output must not end the turn.
    if (!isRecord(message)) return
    const { id, method, params } = message
    if (typeof method !== 'string') this.#settle(message)
    else if (id === undefined) this.#listener.onNotification(method, params)
    else this.#answer(id, method, params)
  }

  #settle({ id, result, error }: Readonly<Record<string, unknown>>): void {
    if (typeof id !== 'number') return
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (isRecord(error)) {
      const { message, code } = error
      const text = typeof message === 'string' ? message : 'The program gave no reason'
      pending?.reject(new RpcError(text, typeof code === 'number' ? code : 0))
    } else {
      pending?.resolve(result)
    }
  }

  #answer(id: unknown, method: string, params: unknown): void {
    const result = this.#listener.onRequest(method, params)
    if (result !== undefined) this.#send({ id, result })
    else this.#send({ id, error: { code: METHOD_NOT_FOUND, message: `Not supported: ${method}` } })
  }
}
