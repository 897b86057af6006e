import type { Session } from './session.ts'
import { statement } from './statement.ts'

export interface CommandRecord {
  readonly requestSha256: Uint8Array
  readonly answer: unknown
}

const lock = statement('command_lock', `select pg_advisory_xact_lock(hashtextextended(encode($1, 'hex'), 1))`)

const find = statement(
  'command_find',
  `select request_sha256, answer from command
   where tenant_id = skein_current_tenant() and id = $1 and created_at > $2
   order by created_at desc limit 1`,
)

const insert = statement(
  'command_insert',
  `insert into command (tenant_id, id, request_sha256, answer, created_at)
   values (skein_current_tenant(), $1, $2, $3, $4)`,
)

/** Answers to commands of the session's tenant, by the id that a retry repeats. */
export class CommandStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  /** Two requests with the same id go one after the other, so the second finds the answer of the first. */
  async lock(id: Uint8Array): Promise<void> {
    await this.#session.execute(lock, [id])
  }

  async find(id: Uint8Array, notBefore: number): Promise<CommandRecord | undefined> {
    const row = await this.#session.row<{ request_sha256: Uint8Array; answer: unknown }>(find, [
      id,
      new Date(notBefore),
    ])
    return row && { requestSha256: row.request_sha256, answer: row.answer }
  }

  async record(id: Uint8Array, { requestSha256, answer }: CommandRecord, at: number): Promise<void> {
    await this.#session.execute(insert, [id, requestSha256, JSON.stringify(answer), new Date(at)])
  }
}
