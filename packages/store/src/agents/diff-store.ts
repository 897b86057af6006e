import type { DiffFile, RecordDiffRequest } from '@skein/contract'
import { meant, type RowOf } from '../database/columns.ts'
import { statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'

type Scope = RecordDiffRequest['scope']

/** A file of a diff, without its patch. */
export type ListedFile = Omit<DiffFile, 'index' | 'patch'>

export interface DiffRecord {
  readonly id: string
  readonly runId: string
  readonly repo: string
  readonly branch: string
  readonly scope: Scope
  readonly commit: string
  readonly baseBranch: string
  readonly baseCommit: string
  readonly fileCount: number
  readonly added: number
  readonly removed: number
  readonly createdAt: number
}

export interface NewDiff extends Omit<DiffRecord, 'createdAt'> {
  readonly files: RecordDiffRequest['files']
}

/** Of a tenant. */
interface DiffLimits {
  readonly diffs: number
  readonly bytes: number
}

const ROW = {
  id: 'uuid',
  run_id: 'bigint',
  repo: 'text',
  branch: 'text',
  scope: meant<Scope>('text'),
  commit: 'text',
  base_branch: 'text',
  base_commit: 'text',
  file_count: 'int',
  added: 'int',
  removed: 'int',
  created_at: 'timestamptz',
} as const
const COLUMNS = Object.keys(ROW).join(', ')

/** One report of an agent at a time: two that overlap would both find nothing to replace. */
const lock = statement(
  'diff_lock',
  `select pg_advisory_xact_lock(hashtextextended(skein_current_tenant()::text || '/' || $1, 5))`,
)

/** The same one, and the one of the branch that the new one replaces. */
const replace = statement(
  'diff_replace',
  `with removed as (
     delete from diff
     where tenant_id = skein_current_tenant() and agent_id = $1
       and (id = $2 or ($5 = 'branch' and scope = 'branch' and repo = $3 and branch = $4))
     returning id
   )
   delete from diff_patch p using removed
   where p.tenant_id = skein_current_tenant() and p.agent_id = $1 and p.diff_id = removed.id`,
)

const insert = statement(
  'diff_insert',
  `insert into diff (tenant_id, agent_id, id, run_id, repo, branch, scope, commit, base_branch, base_commit,
     file_count, added, removed, files, bytes)
   values (skein_current_tenant(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
)

const insertPatches = statement(
  'diff_patch_insert',
  `insert into diff_patch (tenant_id, agent_id, diff_id, file, patch)
   select skein_current_tenant(), $1, $2, file, patch from unnest($3::int[], $4::text[]) as given (file, patch)`,
)

const forgetOldest = statement(
  'diff_forget_oldest',
  `with removed as (
     delete from diff d using (
       select id from diff where tenant_id = skein_current_tenant() and agent_id = $1
       order by (scope = 'branch') desc, created_at desc, id offset $2
     ) as old
     where d.tenant_id = skein_current_tenant() and d.agent_id = $1 and d.id = old.id
     returning d.id
   )
   delete from diff_patch p using removed
   where p.tenant_id = skein_current_tenant() and p.agent_id = $1 and p.diff_id = removed.id`,
)

const totals = statement(
  'diff_totals',
  `select count(*) as diffs, coalesce(sum(bytes), 0)::bigint as bytes from diff where tenant_id = skein_current_tenant()`,
  { diffs: 'bigint', bytes: 'bigint' },
)

/** False if another server does it. */
const lockTotals = statement(
  'diff_lock_totals',
  `select pg_try_advisory_xact_lock(hashtextextended(skein_current_tenant()::text, 7)) as is_mine`,
  { is_mine: 'boolean' },
)

/** Arrays below, because joins that were planned while the tables were empty would read all of them. */
const surplusOfTenant = statement(
  'diff_surplus_of_tenant',
  `with oldest as materialized (
     select agent_id, id, bytes, created_at from diff where tenant_id = skein_current_tenant()
     order by created_at, agent_id, id limit $3),
   counted as materialized (
     select agent_id, id, row_number() over ages as position, sum(bytes) over ages - bytes as bytes_before
     from oldest window ages as (order by created_at, agent_id, id))
   select agent_id, id from counted where position <= $1 or bytes_before < $2`,
  { agent_id: 'uuid', id: 'uuid' },
)

const forgetPatches = statement(
  'diff_forget_patches',
  `delete from diff_patch
   where tenant_id = skein_current_tenant() and agent_id = any($1::uuid[]) and diff_id = any($2::uuid[])`,
)

const forgetDiffs = statement(
  'diff_forget',
  `delete from diff
   where tenant_id = skein_current_tenant() and agent_id = any($1::uuid[]) and id = any($2::uuid[])`,
)

const list = statement(
  'diff_list',
  `select ${COLUMNS} from diff where tenant_id = skein_current_tenant() and agent_id = $1
   order by created_at desc, id`,
  ROW,
)

const find = statement(
  'diff_find',
  `select ${COLUMNS}, files from diff where tenant_id = skein_current_tenant() and agent_id = $1 and id = $2`,
  { ...ROW, files: meant<ListedFile[]>('jsonb') },
)

const patches = statement(
  'diff_patch_read',
  `select file, patch from diff_patch
   where tenant_id = skein_current_tenant() and agent_id = $1 and diff_id = $2 and file >= $3 and file < $4`,
  { file: 'int', patch: 'text' },
)

/** Diffs of the transaction's tenant. */
export class DiffStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** Keeps the newest `most` of the agent. Pushes go before the diffs of branches. */
  async record(agentId: string, diff: NewDiff, most: number): Promise<void> {
    const { id, runId, repo, branch, scope, commit, baseBranch, baseCommit, fileCount, added, removed } = diff
    const files = diff.files.map(({ patch, ...file }) => ({ ...file, patchBytes: Buffer.byteLength(patch) }))
    const listed = JSON.stringify(files)
    const bytes = files.reduce((sum, { patchBytes }) => sum + patchBytes, Buffer.byteLength(listed))
    const place = [commit, baseBranch, baseCommit, fileCount, added, removed, listed, bytes]
    await this.#transaction.execute(lock, [agentId])
    await this.#transaction.execute(replace, [agentId, id, repo, branch, scope])
    await this.#transaction.execute(insert, [agentId, id, runId, repo, branch, scope, ...place])
    const patched = diff.files.flatMap(({ patch }, index) => (patch === '' ? [] : [{ index, patch }]))
    const columns = [patched.map(({ index }) => index), patched.map(({ patch }) => patch)]
    await this.#transaction.execute(insertPatches, [agentId, id, ...columns])
    await this.#transaction.execute(forgetOldest, [agentId, most])
  }

  /**
   * Removes the tenant's oldest diffs that are more than it may have, at most `step` at a time. Returns how many it
   * removed.
   */
  async forgetSurplus(limits: DiffLimits, step: number): Promise<number> {
    // Before counting: a server that counted before another one's removal would remove as much again.
    const lockable = await this.#transaction.row(lockTotals, [])
    if (lockable?.is_mine !== true) return 0
    const found = await this.#transaction.row(totals, [])
    const diffs = Number(found?.diffs ?? 0) - limits.diffs
    const bytes = Number(found?.bytes ?? 0) - limits.bytes
    if (diffs <= 0 && bytes <= 0) return 0
    const surplus = await this.#transaction.rows(surplusOfTenant, [diffs, bytes, step])
    const places = [surplus.map(({ agent_id: agentId }) => agentId), surplus.map(({ id }) => id)]
    // Patches first, as when agents are removed: the other order could deadlock.
    await this.#transaction.execute(forgetPatches, places)
    return this.#transaction.execute(forgetDiffs, places)
  }

  /** The newest first. */
  async list(agentId: string): Promise<DiffRecord[]> {
    return (await this.#transaction.rows(list, [agentId])).map(toRecord)
  }

  async find(
    agentId: string,
    id: string,
  ): Promise<{ diff: DiffRecord; files: readonly ListedFile[] } | undefined> {
    const row = await this.#transaction.row(find, [agentId, id])
    return row && { diff: toRecord(row), files: row.files }
  }

  /** Patches by the index of their file, from one up to another. */
  async patches(
    agentId: string,
    diffId: string,
    { from, to }: { readonly from: number; readonly to: number },
  ): Promise<ReadonlyMap<number, string>> {
    const rows = await this.#transaction.rows(patches, [agentId, diffId, from, to])
    return new Map(rows.map(({ file, patch }) => [file, patch]))
  }
}

function toRecord(row: RowOf<typeof ROW>): DiffRecord {
  return {
    id: row.id,
    runId: row.run_id,
    repo: row.repo,
    branch: row.branch,
    scope: row.scope,
    commit: row.commit,
    baseBranch: row.base_branch,
    baseCommit: row.base_commit,
    fileCount: row.file_count,
    added: row.added,
    removed: row.removed,
    createdAt: row.created_at.getTime(),
  }
}
