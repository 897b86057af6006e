import type { Tenant } from '@skein/contract'
import { agentFromJson, type AgentIdentity, type ResourceRef } from '@skein/core'
import { meant, type RowOf } from '../database/columns.ts'
import { statement } from '../database/statement.ts'
import type { WantedWork } from '../database/take-due.ts'
import type { Transaction } from '../database/transaction.ts'

/** Somebody who left and whom this server holds. The next holder gets another token. */
export interface HeldLeaver {
  readonly tenantId: string
  readonly tenant: Tenant
  readonly id: string
  readonly token: bigint
}

const takeDue = statement(
  'take_due_leavers',
  'select tenant_id, provider, org, id, token from take_due_leavers($1, $2, $3, $4)',
  {
    tenant_id: 'uuid',
    provider: meant<Tenant['provider']>('text'),
    org: 'text',
    id: 'uuid',
    token: 'bigint',
  },
)

/** Works without a tenant. */
export async function takeDueLeavers(
  transaction: Transaction,
  { amount, holdMs, busyTenants, at }: WantedWork & { readonly at: number },
): Promise<HeldLeaver[]> {
  const rows = await transaction.rows(takeDue, [amount, holdMs, busyTenants, new Date(at)])
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    tenant: { provider: row.provider, org: row.org },
    id: row.id,
    token: BigInt(row.token),
  }))
}

const LEAVER = {
  id: 'uuid',
  directory: 'text',
  owner_provider: 'text',
  account: 'text',
  agents: meant<'stop' | 'hand-over'>('text'),
  left_at: 'timestamptz',
  attempts: 'int',
  problem: 'text',
  killed_agents: 'int',
  paused: meant<ResourceRef[]>('jsonb'),
  minted: meant<ResourceRef[]>('jsonb'),
  ended_at: 'timestamptz?',
} as const

const COLUMNS = Object.keys(LEAVER).join(', ')

const add = statement(
  'leaver_add',
  `insert into leaver (tenant_id, id, directory, owner_provider, account, agents, left_at, due_at)
   values (skein_current_tenant(), $1, $2, $3, $4, $5, $6, $6)`,
)

const lock = statement(
  'leaver_lock',
  `select ${COLUMNS} from leaver where tenant_id = skein_current_tenant() and id = $1 and token = $2 for update`,
  LEAVER,
)

const listBefore = statement(
  'leaver_list_before',
  `select ${COLUMNS} from leaver
   where tenant_id = skein_current_tenant() and ($1::timestamptz is null or (left_at, id) < ($1, $2))
   order by left_at desc, id desc limit $3`,
  LEAVER,
)

const notePaused = statement(
  'leaver_note_paused',
  'update leaver set paused = $3 where tenant_id = skein_current_tenant() and id = $1 and token = $2',
)

const noteKilled = statement(
  'leaver_note_killed',
  `update leaver set killed_agents = killed_agents + $3, due_at = greatest(due_at, $4)
   where tenant_id = skein_current_tenant() and id = $1 and token = $2`,
)

const release = statement(
  'leaver_release',
  `update leaver set due_at = $3, attempts = $4, problem = $5
   where tenant_id = skein_current_tenant() and id = $1 and token = $2`,
)

const finish = statement(
  'leaver_finish',
  `update leaver set due_at = 'infinity', problem = '', ended_at = $3
   where tenant_id = skein_current_tenant() and id = $1 and token = $2`,
)

const automations = statement(
  'leaver_automations',
  `select kind, name, generation from resource
   where tenant_id = skein_current_tenant() and kind in ('integration', 'schedule', 'trigger')
     and updated_by = $1 and coalesce(updated_by_provider, $2) = $2 and updated_at <= $3 and document is not null
     and coalesce(document ->> case kind when 'integration' then 'disabled' else 'paused' end, 'false') = 'false'
   order by kind, name`,
  { kind: 'text', name: 'text', generation: 'bigint' },
)

/** What is still valid. Each version counts: its writer may have seen the key. */
const minted = statement(
  'leaver_minted',
  `select r.kind, r.name from resource r
   where r.tenant_id = skein_current_tenant() and r.kind in ('directory', 'token') and r.document is not null
     and coalesce(r.document ->> 'revoked', 'false') = 'false'
     and exists (select from resource_version v
       where v.tenant_id = skein_current_tenant() and v.kind = r.kind and v.name = r.name
         and v.created_at = r.created_at and v.updated_at <= $3
         and v.updated_by = $1 and coalesce(v.updated_by_provider, $2) = $2)
   order by r.kind, r.name limit 200`,
  { kind: 'text', name: 'text' },
)

const noteMinted = statement(
  'leaver_note_minted',
  'update leaver set minted = $3 where tenant_id = skein_current_tenant() and id = $1 and token = $2',
)

/** Parents first. With `hand-over`, not those in the workspace of a team. */
const liveAgents = statement(
  'leaver_live_agents',
  `select a.state from agent a
   where a.tenant_id = skein_current_tenant() and a.owner_provider = $1 and a.account = $2
     and not a.is_terminal and a.created_at <= $4 and ($3 or not exists (select from workspace_team t
       where t.tenant_id = skein_current_tenant() and t.workspace = a.workspace))
   order by a.created_at, a.id limit 20 offset $5`,
  { state: 'json' },
)

export interface LeaverRecord {
  readonly id: string
  readonly directory: string
  readonly ownerProvider: string
  readonly account: string
  readonly agents: 'stop' | 'hand-over'
  readonly leftAt: number
  readonly attempts: number
  readonly problem: string
  readonly killedAgents: number
  /** What was paused, because they wrote it last. */
  readonly paused: readonly ResourceRef[]
  /** Tokens and directories whose keys they may know. */
  readonly minted: readonly ResourceRef[]
  readonly endedAt: number | undefined
}

type LeaverOwner = Pick<LeaverRecord, 'ownerProvider' | 'account'>
type NewLeaver = Pick<LeaverRecord, 'id' | 'directory' | 'ownerProvider' | 'account' | 'agents' | 'leftAt'>

/** People of the transaction's tenant who left. */
export class LeaverStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  async add({ id, directory, ownerProvider, account, agents, leftAt }: NewLeaver): Promise<void> {
    await this.#transaction.execute(add, [id, directory, ownerProvider, account, agents, new Date(leftAt)])
  }

  /** Undefined if another server holds it by now. */
  async lock({ id, token }: HeldLeaver): Promise<LeaverRecord | undefined> {
    const row = await this.#transaction.row(lock, [id, token])
    return row && toRecord(row)
  }

  /** Newest first. */
  async listBefore(
    before: { readonly leftAt: number; readonly id: string } | undefined,
    limit: number,
  ): Promise<LeaverRecord[]> {
    const place = before ? [new Date(before.leftAt), before.id] : [null, null]
    return (await this.#transaction.rows(listBefore, [...place, limit])).map(toRecord)
  }

  async notePaused({ id, token }: HeldLeaver, paused: readonly ResourceRef[]): Promise<void> {
    await this.#transaction.execute(notePaused, [id, token, JSON.stringify(paused)])
  }

  /** At most 200. */
  async findMinted({ account, ownerProvider }: LeaverOwner, until: number): Promise<ResourceRef[]> {
    return this.#transaction.rows(minted, [account, ownerProvider, new Date(until)])
  }

  async noteMinted({ id, token }: HeldLeaver, refs: readonly ResourceRef[]): Promise<void> {
    await this.#transaction.execute(noteMinted, [id, token, JSON.stringify(refs)])
  }

  /** Also holds it for longer. */
  async noteKilled({ id, token }: HeldLeaver, amount: number, heldUntil: number): Promise<void> {
    await this.#transaction.execute(noteKilled, [id, token, amount, new Date(heldUntil)])
  }

  async release(
    { id, token }: HeldLeaver,
    {
      dueAt,
      attempts,
      problem,
    }: { readonly dueAt: number; readonly attempts: number; readonly problem: string },
  ): Promise<void> {
    await this.#transaction.execute(release, [id, token, new Date(dueAt), attempts, problem])
  }

  async finish({ id, token }: HeldLeaver, at: number): Promise<void> {
    await this.#transaction.execute(finish, [id, token, new Date(at)])
  }

  /** Integrations, schedules and triggers that the account wrote last and that are not paused. */
  async automationsOf(
    { account, ownerProvider }: LeaverOwner,
    until: number,
  ): Promise<(ResourceRef & { readonly generation: bigint })[]> {
    const rows = await this.#transaction.rows(automations, [account, ownerProvider, new Date(until)])
    return rows.map(({ kind, name, generation }) => ({ kind, name, generation: BigInt(generation) }))
  }

  /** Some live agents of the account that are to be killed, parents first, without so many that cannot be. */
  async agentsToKill(
    { ownerProvider, account, agents }: LeaverRecord,
    { until, without }: { readonly until: number; readonly without: number },
  ): Promise<(AgentIdentity | undefined)[]> {
    const values = [ownerProvider, account, agents === 'stop', new Date(until), without]
    const rows = await this.#transaction.rows(liveAgents, values)
    return rows.map(({ state }) => identityOf(state))
  }
}

/** Undefined if it cannot be read. */
function identityOf(state: unknown): AgentIdentity | undefined {
  try {
    return agentFromJson(state).identity
  } catch {
    return undefined
  }
}

function toRecord(row: RowOf<typeof LEAVER>): LeaverRecord {
  return {
    id: row.id,
    directory: row.directory,
    ownerProvider: row.owner_provider,
    account: row.account,
    agents: row.agents,
    leftAt: row.left_at.getTime(),
    attempts: row.attempts,
    problem: row.problem,
    killedAgents: row.killed_agents,
    paused: row.paused,
    minted: row.minted,
    endedAt: row.ended_at?.getTime(),
  }
}
