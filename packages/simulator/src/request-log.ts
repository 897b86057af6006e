import type { IncomingHttpHeaders } from 'node:http'
import type { ProtocolName } from './protocol.ts'

/** A request to the simulator, for tests. */
export interface LoggedRequest {
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly endedAt: number | undefined
  /** Undefined for a path no provider has. */
  readonly protocol: ProtocolName | undefined
  readonly method: string
  readonly path: string
  readonly apiKey: string
  readonly headers: IncomingHttpHeaders
  readonly model: string
  /** Undefined if it was not JSON. */
  readonly body: unknown
  readonly status: number
  readonly script: string | undefined
  /** The step that was played, counting from 1; undefined if it wasn't one of a script. */
  readonly step: number | undefined
  readonly isSide: boolean
  /** The client disconnected before the answer was complete, or the script cut it off. */
  readonly wasAborted: boolean
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/** The newest requests, oldest first. */
export class RequestLog {
  readonly requests: LoggedRequest[] = []
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  begin(
    start: Pick<LoggedRequest, 'startedAt' | 'protocol' | 'method' | 'path' | 'headers'>,
  ): Writable<LoggedRequest> {
    const entry = {
      ...start,
      endedAt: undefined,
      apiKey: apiKeyIn(start.headers),
      model: '',
      body: undefined,
      status: 0,
      script: undefined,
      step: undefined,
      isSide: false,
      wasAborted: false,
    }
    this.requests.push(entry)
    if (this.requests.length > this.#limit) this.requests.shift()
    return entry
  }
}

export function apiKeyIn(headers: IncomingHttpHeaders): string {
  const key = headers['x-api-key']
  if (typeof key === 'string') return key
  return /^Bearer\s+(.*)$/iu.exec(headers.authorization ?? '')?.[1] ?? ''
}
