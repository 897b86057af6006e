import { setImmediate as turn } from 'node:timers/promises'
import { isUuid } from '@skein/contract/facts'
import type { PoolClient } from 'pg'
import { Connections, type ConnectionCounts, type DatabaseOptions } from './connections.ts'
import type { Asker } from './connection-shares.ts'
import { isTransient, toSkeinError } from './database-errors.ts'
import { inStatementSpan } from './in-statement-span.ts'
import type { NotificationBus } from './notification-bus.ts'
import { together } from './together.ts'
import { Transaction } from './transaction.ts'
import type { Statement } from './statement.ts'

/** A statement that returns one value. */
export interface Query {
  readonly statement: Statement
  readonly values: unknown[]
}

interface DatabaseCommand<Result> {
  readonly load: readonly Query[]
  /** What else to read in the first round trip, after the load has its locks. */
  readonly alongside?: ((transaction: Transaction) => Promise<void>) | undefined
  readonly decide: (loaded: unknown, transaction: Transaction) => Promise<{ write: Write; result: Result }>
}

/**
 * Statements of a command, each made when it is called: so that a large one is carried out while the next is made. None
 * if the command writes nothing.
 */
export type Write = readonly (() => Query)[]

/** For conflicts that PostgreSQL resolves by aborting one side. Nothing was committed, so it can start over. */
const MAX_ATTEMPTS = 5

/** A server's access to its database: everything is read and written in one of these transactions. */
export class Database {
  readonly #connections: Connections
  readonly isUrgent: boolean

  constructor(connections: DatabaseOptions | Connections, isUrgent = false) {
    this.#connections = connections instanceof Connections ? connections : new Connections(connections)
    this.isUrgent = isUrgent
  }

  /** Same, but uses the connections reserved for what keeps runs alive. */
  get urgent(): Database {
    return new Database(this.#connections, true)
  }

  /** Sees and writes only this tenant's rows: row-level security applies to the whole transaction. */
  async forTenant<Result>(
    tenantId: string,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    return this.#transaction(tenantId, beginFor(tenantId), work)
  }

  /**
   * Same, for work that sends its statements before it waits for anything. They leave together with BEGIN and COMMIT, so
   * the whole transaction is one round trip. A statement that comes later fails.
   */
  async readForTenant<Result>(
    tenantId: string,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    return this.#retrying(() =>
      this.#connections.withClient(this.#asker(tenantId), async (client) => {
        const transaction = new Transaction(client)
        const [, result] = await inOnePacket(client, () => {
          const sent = [client.query(beginFor(tenantId)), work(transaction)] as const
          transaction.end()
          return together([...sent, commit(client)])
        })
        return result
      }),
    )
  }

  /**
   * Each statement commits by itself: for database functions that are a whole transaction and bind themselves to a
   * tenant if they need one. Their locks are held only while they run. If it serves a single tenant, it uses that
   * tenant's share of the connections.
   */
  async statement<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    tenantId = '',
  ): Promise<Result> {
    return this.#retrying(() =>
      this.#connections.withPool(this.#asker(tenantId), (pool) => work(new Transaction(pool))),
    )
  }

  /** Sees no tenant's rows: for the few functions that run before the tenant is known. */
  async withoutTenant<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.#transaction('', 'begin', work)
  }

  /**
   * A command in two round trips: BEGIN with the statements that lock and load (the last one's value is the input of
   * `decide`), then the write together with COMMIT. A large write is several statements, and other requests get their
   * turn between them.
   */
  async command<Result>(
    tenantId: string,
    { load, alongside, decide }: DatabaseCommand<Result>,
  ): Promise<Result> {
    return this.#retrying(() =>
      this.#connections.withClient(this.#asker(tenantId), async (client) => {
        const transaction = new Transaction(client)
        const [, values] = await inOnePacket(client, () =>
          Promise.all([
            client.query('begin'),
            Promise.all(load.map((query) => run(client, query))),
            alongside?.(transaction),
          ]),
        )
        const { write, result } = await decide(values.at(-1), transaction)
        await writeAndCommit(client, write)
        return result
      }),
    )
  }

  /** For wake-ups. Doesn't work through a pooler in transaction mode. */
  get notifications(): NotificationBus {
    return this.#connections.notifications
  }

  get connections(): ConnectionCounts {
    return this.#connections.counts
  }

  close(): Promise<void> {
    return this.#connections.close()
  }

  #asker(tenant: string): Asker {
    return { tenant, isUrgent: this.isUrgent }
  }

  #transaction<Result>(
    tenant: string,
    begin: string,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    return this.#retrying(() =>
      this.#connections.withClient(this.#asker(tenant), async (client) => {
        const [, result] = await inOnePacket(client, () =>
          Promise.all([client.query(begin), work(new Transaction(client))]),
        )
        await commit(client)
        return result
      }),
    )
  }

  async #retrying<Result>(attemptOnce: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await attemptOnce()
      } catch (error) {
        if (attempt >= MAX_ATTEMPTS || !isTransient(error)) throw toSkeinError(error)
      }
    }
  }
}

function beginFor(tenantId: string): string {
  if (!isUuid(tenantId)) throw new TypeError('A tenant id is a UUID')
  return `begin; select set_config('skein.tenant', '${tenantId}', true)`
}

/** Statements sent before the first wait leave together, in one write to the socket. */
function inOnePacket<Result>({ connection }: PoolClient, send: () => Promise<Result>): Promise<Result> {
  const { stream } = connection
  stream.cork()
  try {
    return send()
  } finally {
    stream.uncork()
  }
}

async function writeAndCommit(client: PoolClient, write: Write): Promise<void> {
  const sent: Promise<unknown>[] = []
  for (const make of write.slice(0, -1)) {
    const part = run(client, make())
    // It is waited for below. If it fails before that, it must not end the process.
    part.catch(ignoreError)
    sent.push(part)
    await turn()
  }
  await inOnePacket(client, () =>
    Promise.all([...sent, ...write.slice(-1).map((make) => run(client, make())), commit(client)]),
  )
}

function ignoreError(): void {}

async function run(client: PoolClient, { statement: { name, text }, values }: Query): Promise<unknown> {
  const { rows } = await inStatementSpan(name, () =>
    client.query<Record<string, unknown>>({ name, text, values }),
  )
  return Object.values(rows[0] ?? {})[0]
}

/** PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK, without an error. */
async function commit(client: PoolClient): Promise<void> {
  const { command } = await inStatementSpan('commit', () => client.query('commit'))
  if (command !== 'COMMIT') throw new Error(`The transaction ended in ${command}`)
}
