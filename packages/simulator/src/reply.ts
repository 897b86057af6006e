import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Frame } from './protocol.ts'

/** Writes one response. If the client disconnects or the simulator closes, all steps end early. */
export class Reply {
  readonly #response: ServerResponse
  readonly #gone = new AbortController()

  constructor(response: ServerResponse, closing: AbortSignal) {
    this.#response = response
    const leave = (): void => this.#gone.abort()
    closing.addEventListener('abort', leave, { once: true })
    response.once('close', () => {
      closing.removeEventListener('abort', leave)
      leave()
    })
  }

  get isGone(): boolean {
    return this.#gone.signal.aborted
  }

  async pause(ms: number): Promise<void> {
    if (ms > 0) await wait(ms, undefined, { signal: this.#gone.signal }).catch(() => undefined)
  }

  sendJson(status: number, headers: Readonly<Record<string, string>>, body: object): void {
    if (this.isGone) return
    this.#response.writeHead(status, { 'content-type': 'application/json', ...headers })
    this.#response.end(JSON.stringify(body))
  }

  async sendStream(headers: Readonly<Record<string, string>>, frames: Iterable<Frame>): Promise<void> {
    if (this.isGone) return
    this.#response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      ...headers,
    })
    for (const frame of frames) {
      if (frame.kind === 'pause') await this.pause(frame.ms)
      if (this.isGone) return
      if (frame.kind === 'event') {
        this.#response.write(`event: ${frame.event}\ndata: ${JSON.stringify(frame.data)}\n\n`)
      } else if (frame.kind === 'cut') return this.cut()
      else if (frame.kind === 'hang') return this.hang()
    }
    this.#response.end()
  }

  /** Resolves when the client has disconnected. */
  async hang(): Promise<void> {
    if (this.isGone) return
    await new Promise((resolve) => this.#gone.signal.addEventListener('abort', resolve, { once: true }))
    this.#response.destroy()
  }

  /** Breaks the connection after everything written has been sent. */
  async cut(): Promise<void> {
    if (this.#response.headersSent) await new Promise((resolve) => this.#response.write('\n', resolve))
    this.#response.destroy()
  }
}
