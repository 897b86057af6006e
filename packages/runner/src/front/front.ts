import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FrontAddress } from '../sandbox/sandbox.ts'
import { Door } from './door.ts'
import { FRONT_LIMITS, type FrontLimits } from './front-limits.ts'
import { Holders } from './holders.ts'

/** Handles a request below the service's prefix. `path` is the rest, with the query. */
export type FrontHandler = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<void>

/** A service that agents reach through the front. */
export interface FrontService {
  /** The request's token, if it is currently valid. */
  knownToken(request: IncomingMessage, path: string): string | undefined
  /** For requests with a valid token. */
  readonly handle: FrontHandler
  /** For all other requests. */
  turnAway(request: IncomingMessage, response: ServerResponse, path: string): void
}

/** A way in for a single sandbox. */
export interface PrivateDoor {
  readonly address: FrontAddress
  close(): Promise<void>
}

export interface FrontOptions {
  /** Called if a service throws. The request is answered with 500 or cut. */
  readonly onError?: (error: unknown) => void
  readonly limits?: Partial<FrontLimits>
}

interface OpenDoor {
  readonly door: Door
  /** Whether its agent is on the host's network and uses the shared port. */
  readonly isOnPort: boolean
}

const MARK_BYTES = 9
const MARK_LENGTH = 12

/** A token that is valid only at this address. */
export function mintToken({ mark = '' }: FrontAddress): string {
  return `${mark}${randomBytes(32).toString('base64url')}`
}

/**
 * The only server agents can reach, with the model gateway, the tools and the git front behind it. It listens on
 * loopback for agents on the host's network, and in the network of each other sandbox. So an agent can exhaust only
 * its own share, even before it is authenticated.
 */
export class Front {
  readonly #services: ReadonlyMap<string, FrontService>
  readonly #onError: (error: unknown) => void
  readonly #limits: FrontLimits
  readonly #holders: Holders
  readonly #shared: Door
  /** By the mark that their agents' tokens start with. */
  readonly #private = new Map<string, OpenDoor>()
  #port = 0

  constructor(services: Readonly<Record<string, FrontService>>, { onError, limits }: FrontOptions = {}) {
    this.#services = new Map(Object.entries(services))
    this.#onError = onError ?? (() => undefined)
    this.#limits = { ...FRONT_LIMITS, ...limits }
    this.#holders = new Holders(this.#limits)
    this.#shared = this.#createDoor(true)
  }

  async listen(port = 0): Promise<FrontAddress> {
    const address = await this.#shared.listen({ host: '127.0.0.1', port })
    if (typeof address !== 'object' || address === null) throw new Error('A listening server has an address')
    this.#port = address.port
    return { port: address.port, serve: (listener) => this.#shared.serve(listener) }
  }

  /** For one sandbox: not affected by others at theirs, and its agent's token is valid nowhere else. */
  openDoor({ isOnPort }: { readonly isOnPort: boolean }): PrivateDoor {
    const mark = randomBytes(MARK_BYTES).toString('base64url')
    const door = this.#createDoor(false)
    this.#private.set(mark, { door, isOnPort })
    return {
      address: { port: this.#port, serve: (listener) => door.serve(listener), mark },
      close: async () => {
        this.#private.delete(mark)
        await door.close()
      },
    }
  }

  async close(): Promise<void> {
    const doors = [this.#shared, ...[...this.#private.values()].map(({ door }) => door)]
    this.#private.clear()
    await Promise.all(doors.map((door) => door.close()))
  }

  #createDoor(isShared: boolean): Door {
    return new Door({
      limits: this.#limits,
      isShared,
      answer: (request, response, door) => {
        this.#answer(request, response, door).catch((error: unknown) => {
          // A client that disconnects mid-request breaks its handler. That is not an error.
          if (!isGone(request, response)) this.#onError(error)
          if (response.headersSent) response.destroy()
          else response.writeHead(500).end()
        })
      },
    })
  }

  async #answer(request: IncomingMessage, response: ServerResponse, door: Door): Promise<void> {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const [, prefix = '', path = '/'] = /^\/([a-z]+)(\/[^]*)?$/.exec(request.url ?? '') ?? []
    const service = this.#services.get(prefix)
    const token = service?.knownToken(request, path)
    if (!service || token === undefined || !this.#isGoodAt(door, token)) {
      // One guess per connection.
      response.setHeader('connection', 'close')
      if (!(await door.guesses.pass(1, gone.signal))) return refuse(response)
      return service ? service.turnAway(request, response, path) : void response.writeHead(404).end()
    }
    if (!this.#holders.take(token, request.socket)) return refuse(response)
    door.recognise(request.socket)
    if (!(await this.#holders.pass(token, gone.signal))) return refuse(response)
    await service.handle(request, response, path)
  }

  /** A token that leaked from one agent is useless to another. */
  #isGoodAt(door: Door, token: string): boolean {
    const owner = this.#private.get(token.slice(0, MARK_LENGTH))
    if (this.#shared === door) return owner?.isOnPort ?? true
    return owner?.door === door
  }
}

function isGone(request: IncomingMessage, response: ServerResponse): boolean {
  return (request.destroyed && !request.complete) || (response.destroyed && !response.writableFinished)
}

/** More than a well-behaved agent ever needs. */
function refuse(response: ServerResponse): void {
  response.writeHead(429, { connection: 'close', 'retry-after': '1', 'content-type': 'text/plain' })
  response.end('Too many concurrent connections or requests from one agent.\n')
}
