import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Manner, PathCounts, ReceiverMessage, ReceiverOrder } from './receiver-process.ts'

const script = fileURLToPath(new URL('receiver-process.ts', import.meta.url))

/** Counts the requests to each of its paths. */
export class Receiver {
  readonly #process: ChildProcess
  readonly #port: number

  private constructor(child: ChildProcess, port: number) {
    this.#process = child
    this.#port = port
  }

  static async start(): Promise<Receiver> {
    const child = fork(script)
    const [message] = (await once(child, 'message')) as [ReceiverMessage]
    return new Receiver(child, 'port' in message ? message.port : 0)
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.#port}${path}`
  }

  behave(path: string, manner: Manner): void {
    this.#order({ order: 'behave', path, manner })
  }

  /** Since the last time. */
  async count(): Promise<Readonly<Record<string, PathCounts>>> {
    this.#order({ order: 'count' })
    const [message] = (await once(this.#process, 'message')) as [ReceiverMessage]
    return 'counts' in message ? message.counts : {}
  }

  stop(): void {
    this.#process.disconnect()
  }

  #order(order: ReceiverOrder): void {
    this.#process.send(order)
  }
}
