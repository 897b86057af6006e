import type { Circuit } from '@skein/core'
import type { RowOf } from '../../database/columns.ts'
import { statement } from '../../database/statement.ts'
import { takingDue } from '../../database/take-due.ts'
import { toTimestamp } from '../../database/timestamp.ts'
import type { Transaction } from '../../database/transaction.ts'

/** An endpoint that this server holds. The next holder gets another token. */
export interface HeldEndpoint {
  readonly tenantId: string
  readonly integration: string
  readonly token: bigint
  readonly circuit: Circuit
  /** A test event that somebody waits for. */
  readonly testId: string | undefined
  /** Whether events are sent in messages for people, not one by one. */
  readonly isGrouped: boolean
  /** When its tenant was last resumed. */
  readonly resumedAt: number | undefined
}

export interface EndpointState extends Circuit {
  readonly deliveredAt: number | undefined
  readonly disabledAt: number | undefined
  readonly disabledBecause: string
  /** When something is sent next; undefined if nothing is waiting, or it is being sent now. */
  readonly dueAt: number | undefined
}

export const takeDueEndpoints = takingDue(
  'take_due_endpoints',
  {
    tenant_id: 'uuid',
    integration: 'text',
    token: 'bigint',
    failures: 'int',
    failing_since: 'timestamptz?',
    test_id: 'uuid?',
    is_grouped: 'boolean',
    resumed_at: 'timestamptz?',
  },
  (row): HeldEndpoint => ({
    tenantId: row.tenant_id,
    integration: row.integration,
    token: BigInt(row.token),
    circuit: { failures: row.failures, failingSince: row.failing_since?.getTime() },
    testId: row.test_id ?? undefined,
    isGrouped: row.is_grouped,
    resumedAt: row.resumed_at?.getTime(),
  }),
)

const put = statement(
  'endpoint_put',
  `insert into endpoint (tenant_id, integration, is_grouped) values (skein_current_tenant(), $1, $2)
   on conflict (tenant_id, integration) do update set is_grouped = excluded.is_grouped,
     failures = 0, failing_since = null, disabled_at = null, disabled_because = '',
     due_at = case when endpoint.held_until > now() or endpoint.due_at = 'infinity' then endpoint.due_at else now() end`,
)

const remove = statement(
  'endpoint_remove',
  `with gone as (
     delete from lane where tenant_id = skein_current_tenant() and integration = $1
   )
   delete from endpoint where tenant_id = skein_current_tenant() and integration = $1`,
)

/** Locks it, so that its holder cannot release it without seeing what is added in this transaction. */
const wake = statement(
  'endpoint_wake',
  `update endpoint e
   set due_at = case when e.held_until > now() then e.due_at
     else least(e.due_at, now() + make_interval(secs => w.delay_ms / 1000.0)) end
   from unnest($1::text[], $2::float8[]) as w(integration, delay_ms)
   where e.tenant_id = skein_current_tenant() and e.integration = w.integration and e.disabled_at is null
   returning e.integration`,
  { integration: 'text' },
)

const keep = statement(
  'endpoint_keep',
  `update endpoint set held_until = now() + make_interval(secs => $3 / 1000.0),
     due_at = now() + make_interval(secs => $3 / 1000.0), failures = $4, failing_since = $5,
     delivered_at = coalesce($6, delivered_at)
   where tenant_id = skein_current_tenant() and integration = $1 and token = $2`,
)

const release = statement('endpoint_release', 'select release_endpoint($1, $2, $3)')

const disable = statement(
  'endpoint_disable',
  `update endpoint set disabled_at = now(), disabled_because = $3, due_at = 'infinity', held_until = '-infinity'
   where tenant_id = skein_current_tenant() and integration = $1 and token = $2`,
)

/** Also due although the circuit is open or it is disabled: somebody wants to know whether it works. */
const requestTest = statement(
  'endpoint_request_test',
  `update endpoint set test_id = $2, due_at = case when held_until > now() then due_at else now() end
   where tenant_id = skein_current_tenant() and integration = $1`,
)

const endTest = statement(
  'endpoint_end_test',
  `update endpoint set test_id = null
   where tenant_id = skein_current_tenant() and integration = $1 and test_id = $2`,
)

const STATE = {
  integration: 'text',
  due_at: 'timestamptz?',
  failures: 'int',
  failing_since: 'timestamptz?',
  delivered_at: 'timestamptz?',
  disabled_at: 'timestamptz?',
  disabled_because: 'text',
} as const

const find = statement(
  'endpoint_find',
  `select integration, case when held_until <= now() then nullif(due_at, 'infinity') end as due_at, failures, failing_since, delivered_at, disabled_at,
     disabled_because
   from endpoint where tenant_id = skein_current_tenant() and integration = any($1)`,
  STATE,
)

/** Endpoints of the transaction's tenant. */
export class EndpointStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** For an integration that was written: earlier failures are forgotten. */
  async put(integration: string, { isGrouped }: { readonly isGrouped: boolean }): Promise<void> {
    await this.#transaction.execute(put, [integration, isGrouped])
  }

  /** With everything that is on its way to it. */
  async remove(integration: string): Promise<void> {
    await this.#transaction.execute(remove, [integration])
  }

  /** Before lanes are added that are due after so many milliseconds. Returns those that are not disabled. */
  async wake(delays: ReadonlyMap<string, number>): Promise<string[]> {
    const rows = await this.#transaction.rows(wake, [[...delays.keys()], [...delays.values()]])
    return rows.map((row) => row.integration)
  }

  /** Whether this server still holds it. From then on, this transaction does until its end. */
  async keep(
    held: HeldEndpoint,
    { holdMs, deliveredAt }: { readonly holdMs: number; readonly deliveredAt: number | undefined },
  ): Promise<boolean> {
    const { integration, token, circuit } = held
    const kept = await this.#transaction.execute(keep, [
      integration,
      token,
      holdMs,
      circuit.failures,
      toTimestamp(circuit.failingSince),
      toTimestamp(deliveredAt),
    ])
    return kept === 1
  }

  /** To be taken when its next lane is due, but not before the given time. */
  async release({ integration, token }: HeldEndpoint, notBefore: number): Promise<void> {
    await this.#transaction.execute(release, [integration, token, new Date(notBefore)])
  }

  /** Returns false if another server holds it. */
  async disable({ integration, token }: HeldEndpoint, because: string): Promise<boolean> {
    return (await this.#transaction.execute(disable, [integration, token, because])) === 1
  }

  /** Returns false if there is no such endpoint. */
  async requestTest(integration: string, testId: string): Promise<boolean> {
    return (await this.#transaction.execute(requestTest, [integration, testId])) === 1
  }

  async endTest(integration: string, testId: string): Promise<void> {
    await this.#transaction.execute(endTest, [integration, testId])
  }

  async find(integrations: readonly string[]): Promise<Map<string, EndpointState>> {
    const rows = await this.#transaction.rows(find, [integrations])
    return new Map(rows.map((row) => [row.integration, toState(row)]))
  }
}

function toState(row: RowOf<typeof STATE>): EndpointState {
  return {
    failures: row.failures,
    failingSince: row.failing_since?.getTime(),
    deliveredAt: row.delivered_at?.getTime(),
    disabledAt: row.disabled_at?.getTime(),
    disabledBecause: row.disabled_because,
    dueAt: row.due_at?.getTime(),
  }
}
