import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { Random } from '../fuzz/random.ts'

/** What stands in front of the servers in production: each connection goes to one that accepts it. */
export async function startBalancer(ports: readonly number[], random: Random): Promise<Balancer> {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    near.on('error', () => near.destroy())
    sockets.add(near)
    near.once('close', () => sockets.delete(near))
    const first = random.below(ports.length)
    forward(near, [...ports.slice(first), ...ports.slice(0, first)])
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return new Balancer(server, sockets)
}

export class Balancer {
  readonly #server: Server
  readonly #sockets: ReadonlySet<Socket>

  constructor(server: Server, sockets: ReadonlySet<Socket>) {
    this.#server = server
    this.#sockets = sockets
  }

  get url(): string {
    const address = this.#server.address()
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

function forward(near: Socket, [port, ...others]: readonly number[]): void {
  if (port === undefined) return void near.destroy()
  const far = connect(port, '127.0.0.1')
  let isConnected = false
  far.once('connect', () => {
    isConnected = true
    near.pipe(far)
    far.pipe(near)
    near.once('close', () => far.destroy())
    far.once('close', () => near.destroy())
  })
  far.on('error', () => {
    if (isConnected) near.destroy()
    else forward(near, others)
  })
}
