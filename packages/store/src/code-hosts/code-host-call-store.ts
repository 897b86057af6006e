import { statement } from '../database/statement.ts'
import { takingDue } from '../database/take-due.ts'
import type { Transaction } from '../database/transaction.ts'

/** A call that this server holds. The next holder gets another token. */
export interface HeldCodeHostCall {
  readonly tenantId: string
  readonly id: string
  readonly token: bigint
}

export interface NewCodeHostCall {
  readonly id: string
  readonly key: string
  readonly codeHost: string
  readonly request: unknown
}

/** DONE: answered. REFUSED: it will not be. FAILED: tried for long enough. */
export type CodeHostOutcome = 'PENDING' | 'DONE' | 'REFUSED' | 'FAILED'

export interface CodeHostCallRecord {
  readonly codeHost: string
  readonly request: unknown
  readonly createdAt: number
  readonly attempts: number
  readonly outcome: CodeHostOutcome
  readonly reason: string
  readonly sealed: string | undefined
}

export const takeDueCodeHostCalls = takingDue(
  'take_due_code_host_calls',
  { tenant_id: 'uuid', id: 'uuid', token: 'bigint' },
  (row): HeldCodeHostCall => ({ tenantId: row.tenant_id, id: row.id, token: BigInt(row.token) }),
)

/** The update changes nothing, but returns the row that is there. */
const ask = statement(
  'code_host_call_ask',
  `insert into code_host_call (tenant_id, id, key, code_host, request)
   values (skein_current_tenant(), $1, $2, $3, $4)
   on conflict (tenant_id, key) where ended_at is null do update set key = excluded.key
   returning id`,
  { id: 'uuid' },
)

const find = statement(
  'code_host_call_find',
  `select code_host, request, created_at, attempts, outcome, reason, sealed from code_host_call
   where tenant_id = skein_current_tenant() and id = $1`,
  {
    code_host: 'text',
    request: 'jsonb',
    created_at: 'timestamptz',
    attempts: 'int',
    outcome: 'text',
    reason: 'text',
    sealed: 'text?',
  },
)

/** Not `ended_at is null`: on an empty table that would lead to an index of all tenants. */
const keep = statement(
  'code_host_call_keep',
  `update code_host_call set due_at = now() + make_interval(secs => $3 / 1000.0)
   where tenant_id = skein_current_tenant() and id = $1 and token = $2 and outcome = 'PENDING'`,
)

const postpone = statement(
  'code_host_call_postpone',
  `update code_host_call set attempts = attempts + 1, reason = $3, due_at = $4
   where tenant_id = skein_current_tenant() and id = $1 and token = $2 and outcome = 'PENDING'`,
)

const end = statement(
  'code_host_call_end',
  `update code_host_call set outcome = $3, reason = $4, sealed = $5, ended_at = now(), request = '{}'
   where tenant_id = skein_current_tenant() and id = $1 and token = $2 and outcome = 'PENDING'`,
)

/** Calls to code hosts of the transaction's tenant. */
export class CodeHostCallStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** The id of the call to wait for: this one, or the same one that waits already. */
  async ask({ id, key, codeHost, request }: NewCodeHostCall): Promise<string> {
    const row = await this.#transaction.row(ask, [id, key, codeHost, JSON.stringify(request)])
    return row?.id ?? id
  }

  async find(id: string): Promise<CodeHostCallRecord | undefined> {
    const row = await this.#transaction.row(find, [id])
    return (
      row && {
        codeHost: row.code_host,
        request: row.request,
        createdAt: row.created_at.getTime(),
        attempts: row.attempts,
        outcome: toOutcome(row.outcome),
        reason: row.reason,
        sealed: row.sealed ?? undefined,
      }
    )
  }

  /** Whether this server still holds it. From then on, this transaction does until its end. */
  async keep({ id, token }: HeldCodeHostCall, holdMs: number): Promise<boolean> {
    return (await this.#transaction.execute(keep, [id, token, holdMs])) === 1
  }

  async postpone({ id, token }: HeldCodeHostCall, reason: string, dueAt: number): Promise<void> {
    await this.#transaction.execute(postpone, [id, token, reason, new Date(dueAt)])
  }

  async end(
    { id, token }: HeldCodeHostCall,
    ended: {
      readonly outcome: Exclude<CodeHostOutcome, 'PENDING'>
      readonly reason?: string
      readonly sealed?: string
    },
  ): Promise<boolean> {
    const { outcome, reason = '', sealed = null } = ended
    return (await this.#transaction.execute(end, [id, token, outcome, reason, sealed])) === 1
  }
}

function toOutcome(text: string): CodeHostOutcome {
  return text === 'DONE' || text === 'REFUSED' || text === 'FAILED' ? text : 'PENDING'
}
