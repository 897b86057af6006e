import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { Transform } from 'node:stream'

/** Faults for the connections a line currently carries. */
export const LINE_FAULTS = ['cut', 'half-close', 'lose-answers', 'freeze', 'delay'] as const
/** `slow` is never chosen at random: a check uses it at a certain moment. */
export type LineFault = (typeof LINE_FAULTS)[number] | 'slow'

const SLOW_BY_MS = 250

interface Connection {
  readonly near: Socket
  readonly far: Socket
}

/**
 * Carries connections to whichever of its ports accepts them, like a network with a load balancer, and breaks them.
 */
export class Line {
  readonly #ports: readonly number[]
  readonly #server: Server
  readonly #open = new Set<Connection>()
  #next = 0

  private constructor(ports: readonly number[]) {
    this.#ports = ports
    this.#server = createServer((near) => {
      near.on('error', () => near.destroy())
      this.#next = (this.#next + 1) % ports.length
      this.#connect(near, [...this.#ports.slice(this.#next), ...this.#ports.slice(0, this.#next)])
    })
  }

  static async open(ports: readonly number[]): Promise<Line> {
    const line = new Line(ports)
    line.#server.listen(0, '127.0.0.1')
    await once(line.#server, 'listening')
    return line
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  /** Affects the connections that are open now. Later ones are unaffected. */
  strike(fault: LineFault, ms: number): void {
    for (const connection of this.#open) strike(connection, fault, ms)
  }

  #connect(near: Socket, [port, ...others]: readonly number[]): void {
    if (port === undefined || near.destroyed) return void near.destroy()
    const far = connect(port, '127.0.0.1')
    let isConnected = false
    near.once('close', () => far.destroy())
    far.once('connect', () => {
      isConnected = true
      const connection = { near, far }
      this.#open.add(connection)
      join(connection)
      far.once('close', () => {
        this.#open.delete(connection)
        near.destroy()
      })
    })
    far.on('error', () => {
      if (isConnected) near.destroy()
      else this.#connect(near, others)
    })
  }
}

function join({ near, far }: Connection): void {
  if (near.destroyed || far.destroyed) return
  near.pipe(far)
  far.pipe(near)
}

function strike(connection: Connection, fault: LineFault, ms: number): void {
  const { near, far } = connection
  const cutLater = () => setTimeout(() => near.destroy(), ms)
  switch (fault) {
    case 'cut':
      near.resetAndDestroy()
      return
    case 'half-close':
      far.unpipe(near)
      far.resume()
      near.end()
      cutLater()
      return
    case 'lose-answers':
      far.unpipe(near)
      far.resume()
      cutLater()
      return
    case 'freeze':
      near.unpipe(far)
      far.unpipe(near)
      cutLater()
      return
    case 'delay':
      near.unpipe(far)
      far.unpipe(near)
      setTimeout(() => join(connection), ms)
      return
    case 'slow':
      slowDown(connection, ms)
  }
}

/** Delays what is sent, without changing its order. Answers are not delayed. */
function slowDown({ near, far }: Connection, ms: number): void {
  const slow = new Transform({
    transform: (chunk, _encoding, done) => void setTimeout(() => done(null, chunk), SLOW_BY_MS),
  })
  near.unpipe(far)
  near.pipe(slow).pipe(far, { end: false })
  slow.once('end', () => near.pipe(far))
  setTimeout(() => {
    near.unpipe(slow)
    slow.end()
  }, ms)
}
