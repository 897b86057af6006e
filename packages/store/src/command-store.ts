import { SkeinError, type FieldViolation, type Reason } from '@skein/contract'
import type { Session } from './session.ts'
import { statement } from './statement.ts'

/** What the first try of a command was told: an answer, or that it is refused. */
export interface CommandRecord {
  readonly requestSha256: Uint8Array
  readonly outcome: { readonly answer: unknown } | { readonly refusal: SkeinError }
}

/** Where the stored JSON holds a refusal. No answer has such a field: theirs are identifiers. */
const REFUSAL = '$refusal'

interface StoredRefusal {
  readonly reason: Reason
  readonly message: string
  readonly violations: readonly FieldViolation[]
  readonly metadata: Readonly<Record<string, string>>
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

/** What commands of the session's tenant were told, by the id that a retry repeats. */
export class CommandStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  /** Two requests with the same id go one after the other, so the second finds the record of the first. */
  async lock(id: Uint8Array): Promise<void> {
    await this.#session.execute(lock, [id])
  }

  async find(id: Uint8Array, notBefore: number): Promise<CommandRecord | undefined> {
    const row = await this.#session.row<{ request_sha256: Uint8Array; answer: unknown }>(find, [
      id,
      new Date(notBefore),
    ])
    return row && toCommandRecord(row.request_sha256, row.answer)
  }

  async record(id: Uint8Array, { requestSha256, outcome }: CommandRecord, at: number): Promise<void> {
    const stored = 'refusal' in outcome ? { [REFUSAL]: toStoredRefusal(outcome.refusal) } : outcome.answer
    await this.#session.execute(insert, [id, requestSha256, JSON.stringify(stored), new Date(at)])
  }
}

export function toCommandRecord(requestSha256: Uint8Array, stored: unknown): CommandRecord {
  return {
    requestSha256,
    outcome: isStoredRefusal(stored) ? { refusal: toRefusal(stored[REFUSAL]) } : { answer: stored },
  }
}

function isStoredRefusal(stored: unknown): stored is { [REFUSAL]: StoredRefusal } {
  return typeof stored === 'object' && stored !== null && REFUSAL in stored
}

function toStoredRefusal({ reason, message, violations, metadata }: SkeinError): StoredRefusal {
  return { reason, message, violations, metadata }
}

function toRefusal({ reason, ...facts }: StoredRefusal): SkeinError {
  return new SkeinError(reason, { ...facts, isReplay: true })
}
