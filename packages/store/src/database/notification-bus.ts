import { randomUUID } from 'node:crypto'
import { Client, type Pool } from 'pg'

const CHANNEL = 'skein_wake'
/** PostgreSQL rejects payloads of 8000 bytes and more. */
const MAX_PAYLOAD_BYTES = 7_500
const RECONNECT_MS = 500
/** Keys that a server sends to itself, and that nobody else cares about. */
const ECHO_PREFIX = 'echo:'

export interface Listener {
  stop(): Promise<void>
}

type WithPool = (send: (pool: Pick<Pool, 'query'>) => Promise<unknown>) => Promise<unknown>

/** Tells other servers on the same database which topics changed. Messages may be lost. */
export class NotificationBus {
  readonly #connectionString: string
  readonly #withPool: WithPool
  readonly #onError: (error: Error) => void
  readonly #echoes = new Map<string, () => void>()
  #isListening = false
  #isLosing = false

  constructor(connectionString: string, withPool: WithPool, onError: (error: Error) => void = () => {}) {
    this.#connectionString = connectionString
    this.#withPool = withPool
    this.#onError = onError
  }

  async notify(keys: readonly string[]): Promise<void> {
    try {
      await this.#send(keys)
    } catch (error) {
      this.#onError(toError(error))
    }
  }

  /** Whether the last check found that notifications do not arrive here. */
  get isLosing(): boolean {
    return this.#isLosing
  }

  /** Sends itself a notification and waits for it. Learns nothing while the database is unavailable. */
  async check(timeoutMs: number): Promise<void> {
    const key = `${ECHO_PREFIX}${randomUUID()}`
    let timer: NodeJS.Timeout | undefined
    const isHeard = new Promise<boolean>((resolve) => {
      this.#echoes.set(key, () => resolve(true))
      timer = setTimeout(() => resolve(false), timeoutMs).unref()
    })
    try {
      await this.#send([key])
      const isLost = !(await isHeard)
      // A broken connection is reported anyway, and soon replaced.
      if (this.#isListening) this.#isLosing = isLost
    } catch (error) {
      this.#onError(toError(error))
    } finally {
      clearTimeout(timer)
      this.#echoes.delete(key)
    }
  }

  async #send(keys: readonly string[]): Promise<void> {
    for (const payload of payloads(keys)) {
      await this.#withPool((pool) =>
        pool.query({ name: 'notify', text: 'select pg_notify($1, $2)', values: [CHANNEL, payload] }),
      )
    }
  }

  /** Echoes, also those of other servers, wake nobody. */
  #withoutEchoes(payload: string): string[] {
    const keys = payload.split(' ')
    for (const key of keys) this.#echoes.get(key)?.()
    return keys.filter((key) => !key.startsWith(ECHO_PREFIX))
  }

  /** Listens on a separate connection, and reconnects whenever it breaks. */
  async listen(onKeys: (keys: readonly string[]) => void): Promise<Listener> {
    let isStopped = false
    let client: Client | undefined
    let retry: NodeJS.Timeout | undefined
    const connect = async (): Promise<void> => {
      const fresh = new Client({
        connectionString: this.#connectionString,
        application_name: 'skein-wakeups',
        keepAlive: true,
      })
      fresh.on('notification', ({ payload = '' }) => onKeys(this.#withoutEchoes(payload)))
      fresh.on('error', (error) => this.#onError(error))
      await fresh.connect()
      await fresh.query(`listen ${CHANNEL}`)
      this.#isListening = true
      fresh.once('end', () => {
        this.#isListening = false
        if (!isStopped) retry = setTimeout(() => void reconnect(), RECONNECT_MS)
      })
      client = fresh
    }
    const reconnect = async (): Promise<void> => {
      try {
        await connect()
      } catch (error) {
        this.#onError(toError(error))
        if (!isStopped) retry = setTimeout(() => void reconnect(), RECONNECT_MS)
      }
    }
    await connect()
    return {
      async stop() {
        isStopped = true
        clearTimeout(retry)
        await client?.end()
      },
    }
  }
}

function* payloads(keys: readonly string[]): Generator<string> {
  let payload = ''
  for (const key of keys) {
    if (payload !== '' && payload.length + key.length + 1 > MAX_PAYLOAD_BYTES) {
      yield payload
      payload = ''
    }
    payload += payload === '' ? key : ` ${key}`
  }
  if (payload !== '') yield payload
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
