import type { TenantEvent } from '@skein/core'
import { statement } from '../../database/statement.ts'
import type { Transaction } from '../../database/transaction.ts'

const next = statement(
  'tenant_event_next',
  `update outbox_reader set event_sequence = event_sequence + 1 where tenant_id = skein_current_tenant()
   returning event_sequence`,
  { event_sequence: 'bigint' },
)

const add = statement(
  'tenant_event_add',
  `with event as (
     insert into timeline (tenant_id, agent_id, sequence, created_at, actor, event)
     values (skein_current_tenant(), skein_current_tenant(), $1, now(), 'skein', $2)
   )
   insert into outbox (tenant_id, agent_id, first_sequence, last_sequence, created_at)
   values (skein_current_tenant(), skein_current_tenant(), $1, $1, now())`,
)

/** Events of the tenant itself. Integrations get them like those of an agent, from a timeline under the tenant's id. */
export class TenantEventStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** The number of the next event. Before any endpoint is locked: the relay locks in this order. */
  async nextSequence(): Promise<bigint | undefined> {
    const row = await this.#transaction.row(next, [])
    return row && BigInt(row.event_sequence)
  }

  async add(sequence: bigint, event: TenantEvent): Promise<void> {
    await this.#transaction.execute(add, [sequence, JSON.stringify(event)])
  }
}
