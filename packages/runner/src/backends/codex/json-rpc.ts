import type { Readable, Writable } from 'node:stream'
import { isRecord, parseJson } from '../../json.ts'
import { LineSplitter } from './line-splitter.ts'

/** A thread with images and long outputs comes as one line. */
const MAX_LINE_BYTES = 256 * 1024 * 1024
const METHOD_NOT_FOUND = -32_601

/** The other side answered with an error. */
export class RpcError extends Error {
  readonly code: number

  constructor(message: string, code: number) {
    super(message)
    this.name = 'RpcError'
    this.code = code
  }
}

/** There will be no answer: the connection is over. */
export class RpcClosedError extends Error {
  override readonly name = 'RpcClosedError'
}

export interface RpcListener {
  onNotification(method: string, params: unknown): void
  /** The answer to a request of the other side; undefined for a method that we do not have. */
  onRequest(method: string, params: unknown): unknown
  /** What came is no JSON-RPC. The connection is closed. */
  onBroken(reason: string): void
}

interface Pending {
  resolve(result: unknown): void
  reject(error: Error): void
}

/** JSON-RPC over lines, as Codex speaks it: without the `jsonrpc` member. */
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
    // Writing to a program that is gone fails; who cares about it learns so from its end.
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

  /** Whoever still waits for an answer gets an error. */
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
    // A stray line of output is no reason to give up a turn.
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
