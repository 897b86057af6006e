import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { LineFault } from './line.ts'
import type { NetworkOrder, OpenedLine } from './network-process.ts'

const script = fileURLToPath(new URL('network-process.ts', import.meta.url))

/** Every connection of an installation goes over one of its lines. */
export class Network {
  readonly #process: ChildProcess
  readonly #names: string[] = []
  #lastId = 0

  constructor() {
    this.#process = fork(script, [], { env: { PATH: process.env['PATH'] } })
  }

  /** Names of all lines. */
  get lines(): readonly string[] {
    return this.#names
  }

  /** Opens a line to whichever of the ports accepts connections. Returns the port to use instead. */
  async open(name: string, ports: readonly number[]): Promise<number> {
    const id = (this.#lastId += 1)
    this.#names.push(name)
    const opened = new Promise<number>((resolve) => {
      const listen = (message: unknown): void => {
        const answer = message as OpenedLine
        if (answer.id !== id) return
        this.#process.off('message', listen)
        resolve(answer.port)
      }
      this.#process.on('message', listen)
    })
    this.#order({ order: 'open', id, name, ports })
    return opened
  }

  strike(name: string, fault: LineFault, ms: number): void {
    this.#order({ order: 'strike', name, fault, ms })
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.disconnect()
    await ended
  }

  #order(order: NetworkOrder): void {
    this.#process.send(order)
  }
}
