import { connect, type Socket } from 'node:net'
import type { Answer } from './check.ts'
import { readAnswer } from './raw-http.ts'

const PATIENCE_MS = 30_000

/** A connection used for one request after the other, as clients do. */
export class Line {
  readonly #port: number
  #socket: Socket | undefined

  constructor(port: number) {
    this.#port = port
  }

  ask(bytes: Buffer, method: string): Promise<Answer> {
    const socket = (this.#socket ??= connect({ port: this.#port, host: '127.0.0.1', noDelay: true }))
    return new Promise((resolve, reject) => {
      const received: Buffer[] = []
      const settle = (act: () => void, isReusable: boolean): void => {
        clearTimeout(patience)
        socket.off('data', take).off('error', fail).off('close', end)
        if (!isReusable) this.close()
        act()
      }
      const take = (chunk: Buffer): void => {
        received.push(chunk)
        const answer = readAnswer(received.length === 1 ? chunk : Buffer.concat(received), method)
        if (answer) settle(() => resolve(answer), answer.headers['connection'] !== 'close')
      }
      const fail = (error: Error): void => settle(() => reject(error), false)
      const end = (): void => fail(new Error('the line was closed without an answer'))
      const patience = setTimeout(() => fail(new Error(`no answer within ${PATIENCE_MS} ms`)), PATIENCE_MS)
      socket.on('data', take).on('error', fail).on('close', end)
      socket.write(bytes)
    })
  }

  close(): void {
    // Anything that arrives late on an abandoned line is ignored.
    this.#socket?.on('error', () => undefined).destroy()
    this.#socket = undefined
  }
}
