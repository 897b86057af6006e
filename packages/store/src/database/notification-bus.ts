import { Client, type Pool } from 'pg'

const CHANNEL = 'skein_wake'
/** PostgreSQL rejects payloads of 8000 bytes and more. */
const MAX_PAYLOAD_BYTES = 7_500
const RECONNECT_MS = 500

export interface Listener {
  stop(): Promise<void>
}

type WithPool = (send: (pool: Pick<Pool, 'query'>) => Promise<unknown>) => Promise<unknown>

/** Tells other servers on the same database which topics changed. Messages may be lost. */
export class NotificationBus {
  readonly #connectionString: string
  readonly #withPool: WithPool
  readonly #onError: (error: Error) => void

  constructor(connectionString: string, withPool: WithPool, onError: (error: Error) => void = () => {}) {
    this.#connectionString = connectionString
    this.#withPool = withPool
    this.#onError = onError
  }

  async notify(keys: readonly string[]): Promise<void> {
    try {
      for (const payload of payloads(keys)) {
        await this.#withPool((pool) =>
          pool.query({ name: 'notify', text: 'select pg_notify($1, $2)', values: [CHANNEL, payload] }),
        )
      }
    } catch (error) {
      this.#onError(toError(error))
    }
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
      fresh.on('notification', ({ payload }) => onKeys(payload?.split(' ') ?? []))
      fresh.on('error', (error) => this.#onError(error))
      await fresh.connect()
      await fresh.query(`listen ${CHANNEL}`)
      fresh.once('end', () => {
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
