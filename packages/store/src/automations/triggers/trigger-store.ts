import { statement } from '../../database/statement.ts'
import { takingDue } from '../../database/take-due.ts'
import type { Transaction } from '../../database/transaction.ts'

/** A trigger that this server holds. The next holder gets another token. */
export interface HeldTrigger {
  readonly tenantId: string
  readonly trigger: string
  readonly token: bigint
}

export const takeDueTriggers = takingDue(
  'take_due_triggers',
  { tenant_id: 'uuid', trigger: 'text', token: 'bigint' },
  (row): HeldTrigger => ({ tenantId: row.tenant_id, trigger: row.trigger, token: BigInt(row.token) }),
)

const put = statement(
  'trigger_put',
  `insert into trigger_state (tenant_id, trigger) values (skein_current_tenant(), $1)
   on conflict (tenant_id, trigger) do nothing`,
)

const count = statement(
  'trigger_count',
  'select count(*)::int as amount from trigger_state where tenant_id = skein_current_tenant()',
  { amount: 'int' },
)

const remove = statement(
  'trigger_remove',
  `with forgotten as (
     delete from trigger_agent where tenant_id = skein_current_tenant() and trigger = $1
   ), removed as (
     delete from trigger_delivery where tenant_id = skein_current_tenant() and trigger = $1
   )
   delete from trigger_state where tenant_id = skein_current_tenant() and trigger = $1`,
)

const keep = statement(
  'trigger_keep',
  `update trigger_state set held_until = now() + make_interval(secs => $3 / 1000.0),
     due_at = now() + make_interval(secs => $3 / 1000.0)
   where tenant_id = skein_current_tenant() and trigger = $1 and token = $2`,
)

const release = statement('trigger_release', 'select release_trigger($1, $2, $3)')

const forgetEnded = statement(
  'trigger_agent_forget_ended',
  `delete from trigger_agent t where t.tenant_id = skein_current_tenant() and t.trigger = $1
     and not exists (select from agent a
       where a.tenant_id = skein_current_tenant() and a.key = t.agent_key and not a.is_terminal)`,
)

const countAgents = statement(
  'trigger_agent_count',
  `select count(*)::int as amount from trigger_agent
   where tenant_id = skein_current_tenant() and trigger = $1`,
  { amount: 'int' },
)

const addAgent = statement(
  'trigger_agent_add',
  `insert into trigger_agent (tenant_id, trigger, agent_key) values (skein_current_tenant(), $1, $2)
   on conflict do nothing`,
)

/** Triggers of the transaction's tenant. */
export class TriggerStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  async put(trigger: string): Promise<void> {
    await this.#transaction.execute(put, [trigger])
  }

  async count(): Promise<number> {
    return (await this.#transaction.row(count, []))?.amount ?? 0
  }

  /** With its deliveries. */
  async remove(trigger: string): Promise<void> {
    await this.#transaction.execute(remove, [trigger])
  }

  /** Whether this server still holds it. From then on, this transaction does until its end. */
  async keep({ trigger, token }: HeldTrigger, holdMs: number): Promise<boolean> {
    return (await this.#transaction.execute(keep, [trigger, token, holdMs])) === 1
  }

  async release({ trigger, token }: HeldTrigger, notBefore: number): Promise<void> {
    await this.#transaction.execute(release, [trigger, token, new Date(notBefore)])
  }

  /** How many agents that it started are alive. */
  async liveAgents(trigger: string): Promise<number> {
    await this.#transaction.execute(forgetEnded, [trigger])
    return (await this.#transaction.row(countAgents, [trigger]))?.amount ?? 0
  }

  async addAgent(trigger: string, agentKey: string): Promise<void> {
    await this.#transaction.execute(addAgent, [trigger, agentKey])
  }
}
