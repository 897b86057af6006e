import { NEW_START, START_LIMITS, type Repository, type StartState } from '@skein/core'
import { meant } from '../database/columns.ts'
import { statement } from '../database/statement.ts'
import { takingDue } from '../database/take-due.ts'
import type { Transaction } from '../database/transaction.ts'
import { HELD_HOST_WATCH, toHeldHostWatch, type HeldHostWatch, type HostWatch } from './host-watch-store.ts'

/** An issue or a pull request that this server holds. The next holder gets another token. */
export interface HeldHostIssue extends HeldHostWatch {
  readonly number: number
}

export interface HostIssueRecord {
  readonly state: StartState
  /** How often somebody wanted it to be looked at. */
  readonly stirs: bigint
}

/** An issue that an agent was started from. */
export interface IssueOfAgent {
  readonly codeHost: string
  readonly repository: Repository
  readonly number: number
  readonly isPull: boolean
}

/** Issues to look at. */
export const takeDueHostIssues = takingDue(
  'take_due_host_issues',
  { ...HELD_HOST_WATCH, number: 'int' },
  (row): HeldHostIssue => ({ ...toHeldHostWatch(row), number: row.number }),
)

const IT = `tenant_id = skein_current_tenant() and workspace = $1 and code_host = $2 and owner = $3 and repository = $4
   and number = $5`

const STIRRED = `look_at = least(i.look_at, excluded.look_at), stirs = i.stirs + 1, updated_at = now()`

/** For each workspace that starts agents from the repository. In the order of the key, so that nobody waits in a circle. */
const stir = statement(
  'host_issue_stir',
  `insert into host_issue as i (tenant_id, workspace, code_host, owner, repository, number, look_at)
   select w.tenant_id, w.workspace, w.code_host, w.owner, w.repository, $4, now() + make_interval(secs => $5 / 1000.0)
   from host_watch w where w.tenant_id = skein_current_tenant() and w.code_host = $1 and w.owner = $2
     and w.repository = $3 order by w.workspace
   on conflict (tenant_id, workspace, code_host, owner, repository, number) do update set ${STIRRED}`,
)

const stirAll = statement(
  'host_issue_stir_all',
  `insert into host_issue as i (tenant_id, workspace, code_host, owner, repository, number, look_at)
   select distinct skein_current_tenant(), $1, $2, $3, $4, n, now() from unnest($5::int[]) as n order by n
   on conflict (tenant_id, workspace, code_host, owner, repository, number) do update set ${STIRRED}`,
)

const find = statement('host_issue_find', `select state, stirs from host_issue where ${IT}`, {
  state: meant<Partial<StartState>>('jsonb'),
  stirs: 'bigint',
})

const keep = statement(
  'host_issue_keep',
  `update host_issue set held_until = now() + make_interval(secs => $7 / 1000.0),
     look_at = now() + make_interval(secs => $7 / 1000.0)
   where ${IT} and token = $6`,
)

const save = statement(
  'host_issue_save',
  `update host_issue set state = $7, updated_at = now() where ${IT} and token = $6`,
)

const assign = statement(
  'host_issue_assign',
  `update host_issue set agent_key = $7, is_pull = $8, updated_at = now() where ${IT} and token = $6`,
)

/** If somebody wanted it to be looked at meanwhile, it is. */
const release = statement(
  'host_issue_release',
  `update host_issue set held_until = '-infinity',
     look_at = case when stirs <> $8 then least($7, now() + make_interval(secs => $9 / 1000.0)) else $7 end
   where ${IT} and token = $6`,
)

/** Nothing is left of what was decided on. */
const forget = statement(
  'host_issue_forget',
  `update host_issue set held_until = '-infinity', look_at = 'infinity', state = state - 'order' - 'phase'
   where ${IT} and token = $6`,
)

const ofAgent = statement(
  'host_issue_of_agent',
  `select code_host, owner, repository, number, is_pull from host_issue
   where tenant_id = skein_current_tenant() and agent_key = $1 and agent_key <> '' limit 1`,
  { code_host: 'text', owner: 'text', repository: 'text', number: 'int', is_pull: 'boolean' },
)

/** One transaction of a tenant at a time counts and adds. */
const lock = statement(
  'host_start_lock',
  `select pg_advisory_xact_lock(hashtextextended(skein_current_tenant()::text, 18))`,
)

const count = statement(
  'host_start_count',
  `select count(*) filter (where not is_refused and person = $4 and code_host = $1)::int as of_person,
     count(*) filter (where person = $4 and code_host = $1)::int as asked,
     count(*) filter (where not is_refused and code_host = $1 and owner = $2 and repository = $3)::int as of_repository,
     count(*) filter (where not is_refused)::int as of_tenant
   from host_start
   where tenant_id = skein_current_tenant() and started_at > now() - make_interval(secs => $5 / 1000.0)`,
  { of_person: 'int', asked: 'int', of_repository: 'int', of_tenant: 'int' },
)

const begin = statement(
  'host_start_begin',
  `insert into host_start (tenant_id, id, code_host, owner, repository, person, is_refused)
   values (skein_current_tenant(), $1, $2, $3, $4, $5, $6)`,
)

/** Issues and pull requests of the transaction's tenant that can start agents. */
export class HostIssueStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** A webhook was about it. Nothing happens if no workspace starts agents from its repository. */
  async stir(codeHost: string, { owner, name }: Repository, number: number): Promise<void> {
    const place = [codeHost, owner.toLowerCase(), name.toLowerCase(), number]
    await this.#transaction.execute(stir, [...place, START_LIMITS.quietMs])
  }

  /** These changed: they are looked at now. */
  async stirAll(watch: HostWatch, numbers: readonly number[]): Promise<void> {
    if (numbers.length > 0) await this.#transaction.execute(stirAll, [...placeOf(watch), [...numbers]])
  }

  async find(held: HeldHostIssue): Promise<HostIssueRecord | undefined> {
    const row = await this.#transaction.row(find, [...placeOf(held), held.number])
    if (!row) return undefined
    const seen = { ...NEW_START.seen, ...row.state.seen }
    return { state: { ...NEW_START, ...row.state, seen }, stirs: BigInt(row.stirs) }
  }

  /** Whether this server still holds it. */
  async keep(held: HeldHostIssue, holdMs: number): Promise<boolean> {
    return (await this.#transaction.execute(keep, [...keyOf(held), holdMs])) === 1
  }

  /** Whether this server still holds it; else nothing is written. */
  async save(held: HeldHostIssue, state: StartState): Promise<boolean> {
    return (await this.#transaction.execute(save, [...keyOf(held), JSON.stringify(state)])) === 1
  }

  /** Says which agent it started. */
  async assign(held: HeldHostIssue, agentKey: string, isPull: boolean): Promise<void> {
    await this.#transaction.execute(assign, [...keyOf(held), agentKey, isPull])
  }

  /** `stirs` as they were before the look; `lookAt` undefined means when somebody wants it. */
  async release(held: HeldHostIssue, stirs: bigint, lookAt: number | undefined): Promise<void> {
    const next = lookAt === undefined ? 'infinity' : new Date(lookAt)
    await this.#transaction.execute(release, [...keyOf(held), next, stirs, START_LIMITS.quietMs])
  }

  /** Its workspace no longer starts agents from it. */
  async forget(held: HeldHostIssue): Promise<void> {
    await this.#transaction.execute(forget, keyOf(held))
  }

  async ofAgent(agentKey: string): Promise<IssueOfAgent | undefined> {
    const row = await this.#transaction.row(ofAgent, [agentKey])
    return (
      row && {
        codeHost: row.code_host,
        repository: { owner: row.owner, name: row.repository },
        number: row.number,
        isPull: row.is_pull,
      }
    )
  }

  /** What was started lately. From now on until the end of the transaction, nobody of the tenant starts anything. */
  async countStarts({ codeHost, repository }: HeldHostIssue, person: string): Promise<StartCounts> {
    await this.#transaction.execute(lock, [])
    const place = [codeHost, repository.owner, repository.name, person.toLowerCase()]
    const row = await this.#transaction.row(count, [...place, START_LIMITS.windowMs])
    const {
      of_person: ofPerson = 0,
      asked = 0,
      of_repository: ofRepository = 0,
      of_tenant: ofTenant = 0,
    } = row ?? {}
    return { ofPerson, asked, ofRepository, ofTenant }
  }

  async beginStart(
    { codeHost, repository }: HeldHostIssue,
    { id, person, isRefused }: { readonly id: string; readonly person: string; readonly isRefused: boolean },
  ): Promise<void> {
    const place = [codeHost, repository.owner, repository.name]
    await this.#transaction.execute(begin, [id, ...place, person.toLowerCase(), isRefused])
  }
}

/** Starts within the window that limits count. */
export interface StartCounts {
  readonly ofPerson: number
  /** With those that were refused. */
  readonly asked: number
  readonly ofRepository: number
  readonly ofTenant: number
}

function placeOf({ workspace, codeHost, repository }: HostWatch): string[] {
  return [workspace, codeHost, repository.owner.toLowerCase(), repository.name.toLowerCase()]
}

function keyOf(held: HeldHostIssue): (string | number | bigint)[] {
  return [...placeOf(held), held.number, held.token]
}
