import type { Repository } from '@skein/core'
import type { RowOf } from '../database/columns.ts'
import { asKeys } from '../database/seen-workspaces.ts'
import { statement } from '../database/statement.ts'
import { takingDue } from '../database/take-due.ts'
import type { Transaction } from '../database/transaction.ts'

/** A repository from which people can start agents of a workspace. Its names are in lower case. */
export interface HostWatch {
  readonly workspace: string
  readonly codeHost: string
  readonly repository: Repository
}

/** A repository that this server holds. The next holder gets another token. */
export interface HeldHostWatch extends HostWatch {
  readonly tenantId: string
  readonly token: bigint
}

export interface HostWatchRecord {
  /** What happened before this starts nothing. In epoch milliseconds. */
  readonly since: number
  readonly readUntil: number
  readonly failures: number
}

export interface HostWatchState extends HostWatch, Omit<HostWatchRecord, 'since'> {
  /** Why its issues could not be listed, otherwise empty. */
  readonly problem: string
  /** In epoch milliseconds; 0 if nobody knows. */
  readonly lookAt: number
}

export const HELD_HOST_WATCH = {
  tenant_id: 'uuid',
  workspace: 'text',
  code_host: 'text',
  owner: 'text',
  repository: 'text',
  token: 'bigint',
} as const

/** Repositories whose issues are to be listed. */
export const takeDueHostWatches = takingDue('take_due_host_watches', HELD_HOST_WATCH, toHeldHostWatch)

export function toHeldHostWatch(row: RowOf<typeof HELD_HOST_WATCH>): HeldHostWatch {
  return {
    tenantId: row.tenant_id,
    workspace: row.workspace,
    codeHost: row.code_host,
    repository: { owner: row.owner, name: row.repository },
    token: BigInt(row.token),
  }
}

const IT = `tenant_id = skein_current_tenant() and workspace = $1 and code_host = $2 and owner = $3 and repository = $4`

const add = statement(
  'host_watch_add',
  `insert into host_watch (tenant_id, workspace, code_host, owner, repository)
   values (skein_current_tenant(), $1, $2, $3, $4) on conflict do nothing`,
)

/** The three arrays are read side by side. */
const removeOthers = statement(
  'host_watch_remove_others',
  `delete from host_watch w where w.tenant_id = skein_current_tenant() and w.workspace = $1
     and not exists (select from unnest($2::text[], $3::text[], $4::text[]) as k (code_host, owner, repository)
       where k.code_host = w.code_host and k.owner = w.owner and k.repository = w.repository)`,
)

const find = statement('host_watch_find', `select since, read_until, failures from host_watch where ${IT}`, {
  since: 'timestamptz',
  read_until: 'timestamptz',
  failures: 'int',
})

const keep = statement(
  'host_watch_keep',
  `update host_watch set held_until = now() + make_interval(secs => $6 / 1000.0),
     look_at = now() + make_interval(secs => $6 / 1000.0)
   where ${IT} and token = $5`,
)

const release = statement(
  'host_watch_release',
  `update host_watch set held_until = '-infinity', look_at = $6, read_until = $7, failures = $8, problem = $9
   where ${IT} and token = $5`,
)

const list = statement(
  'host_watch_list',
  `select workspace, code_host, owner, repository, problem, failures, read_until, look_at from host_watch
   where tenant_id = skein_current_tenant() and (workspace, code_host, owner, repository) > ($1, $2, $3, $4)
     and ($6::jsonb is null or $6::jsonb ? workspace)
   order by workspace, code_host, owner, repository limit $5`,
  {
    workspace: 'text',
    code_host: 'text',
    owner: 'text',
    repository: 'text',
    problem: 'text',
    failures: 'int',
    read_until: 'timestamptz',
    look_at: 'timestamptz',
  },
)

const startingAny = statement(
  'host_watch_workspaces',
  `select workspace from host_watch
   where tenant_id = skein_current_tenant() and code_host = $1 and owner = $2 and repository = $3
   order by workspace limit 100`,
  { workspace: 'text' },
)

/** Repositories of the transaction's tenant from which agents can be started. */
export class HostWatchStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** These and no others, for the workspace. Those that it has already go on as before. */
  async set(workspace: string, places: readonly Omit<HostWatch, 'workspace'>[]): Promise<void> {
    const watches = places.map((place) => ({ ...place, workspace }))
    const keys = watches.map(placeOf)
    const columns = [1, 2, 3].map((index) => keys.map((key) => key[index]))
    await this.#transaction.execute(removeOthers, [workspace, ...columns])
    for (const key of keys) await this.#transaction.execute(add, key)
  }

  async find(watch: HostWatch): Promise<HostWatchRecord | undefined> {
    const row = await this.#transaction.row(find, placeOf(watch))
    return (
      row && {
        since: row.since.getTime(),
        readUntil: row.read_until.getTime(),
        failures: row.failures,
      }
    )
  }

  /** In the order of their places, after this one; of these workspaces only, if given. */
  async listAfter(
    watch: HostWatch,
    limit: number,
    workspaces: readonly string[] | undefined,
  ): Promise<HostWatchState[]> {
    const seen = workspaces ? asKeys(workspaces) : null
    const rows = await this.#transaction.rows(list, [...placeOf(watch), limit, seen])
    return rows.map((row) => ({
      workspace: row.workspace,
      codeHost: row.code_host,
      repository: { owner: row.owner, name: row.repository },
      problem: row.problem,
      failures: row.failures,
      readUntil: row.read_until.getTime(),
      // The driver has no date for an infinite time.
      lookAt: row.look_at instanceof Date ? row.look_at.getTime() : 0,
    }))
  }

  /** Workspaces that start agents from this repository. */
  async workspacesOf(place: Omit<HostWatch, 'workspace'>): Promise<string[]> {
    const [, ...key] = placeOf({ ...place, workspace: '' })
    return (await this.#transaction.rows(startingAny, key)).map(({ workspace }) => workspace)
  }

  /** Whether this server still holds it. */
  async keep(held: HeldHostWatch, holdMs: number): Promise<boolean> {
    return (await this.#transaction.execute(keep, [...placeOf(held), held.token, holdMs])) === 1
  }

  async release(
    held: HeldHostWatch,
    next: {
      readonly lookAt: number
      readonly readUntil: number
      readonly failures: number
      readonly problem: string
    },
  ): Promise<void> {
    const { lookAt, readUntil, failures, problem } = next
    const facts = [new Date(lookAt), new Date(readUntil), failures, problem]
    await this.#transaction.execute(release, [...placeOf(held), held.token, ...facts])
  }
}

function placeOf({ workspace, codeHost, repository }: HostWatch): string[] {
  return [workspace, codeHost, repository.owner.toLowerCase(), repository.name.toLowerCase()]
}
