import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface CuttingProxy {
  readonly url: string
  /** How many connections were cut so far. */
  readonly cuts: number
  /** Cuts what is open now. */
  cutAll(): void
  close(): Promise<void>
}

interface Cuts {
  /** So many connections are cut, each at a random byte of the answer or after a random time. */
  readonly count: number
  readonly maxBytes: number
  readonly maxMs: number
  readonly random: () => number
}

const READ_MS = 30

/** Passes bytes on in both directions and cuts in the middle of them, between any two. */
export async function startCuttingProxy(target: string, cuts?: Cuts): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let done = 0
  const server = createServer((client) => {
    const service = connect(Number(port), hostname)
    const timers: NodeJS.Timeout[] = []
    open.add(client)
    const cut = (): void => {
      if (client.destroyed) return
      done += 1
      client.destroy()
    }
    client.pipe(service)
    if (cuts && done < cuts.count) {
      let left = Math.floor(cuts.random() * cuts.maxBytes)
      timers.push(setTimeout(cut, cuts.random() * cuts.maxMs))
      service.on('data', (bytes) => {
        if (left > 0) client.write(bytes.subarray(0, left))
        left -= bytes.length
        // Not immediately: the platform drops what has arrived but was not read yet when a connection breaks.
        if (left <= 0) timers.push(setTimeout(cut, cuts.random() * READ_MS))
      })
    } else {
      service.pipe(client)
    }
    for (const socket of [client, service]) socket.on('error', () => {})
    service.once('close', () => client.destroy())
    client.once('close', () => {
      for (const timer of timers) clearTimeout(timer)
      open.delete(client)
      service.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('A listening server has an address')
  return {
    url: `http://127.0.0.1:${address.port}`,
    get cuts() {
      return done
    },
    cutAll() {
      for (const socket of open) socket.destroy()
    },
    async close() {
      server.close()
      for (const socket of open) socket.destroy()
      await once(server, 'close')
    },
  }
}

/** The same numbers for the same seed: a failure can be played again. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
