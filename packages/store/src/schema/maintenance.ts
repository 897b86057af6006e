import type { Database } from '../database/database.ts'
import type { Transaction } from '../database/transaction.ts'
import { statement } from '../database/statement.ts'

const maintain = statement('maintain_partitions', 'select maintain_partitions($1)')
const forgetRunners = statement('forget_silent_runners', 'select forget_silent_runners()')
const recallTenants = statement('recall_waiting_tenants', 'select recall_waiting_tenants()')
const deleteSessions = statement('delete_ended_sessions', 'select delete_ended_sessions()')

/** Minimum retention per table, in days. Tables not named are kept forever. */
export type RetentionDays = Readonly<
  Partial<Record<'command' | 'audit' | 'timeline' | 'outbox' | 'delivery' | 'dead_letter', number>>
>

/**
 * Creates partitions ahead of time, drops expired ones, deletes runners not seen for a day and sessions that ended a
 * month ago, and recalls tenants whose queued runs no claim would visit. Any server may call it at any time.
 */
export async function maintainPartitions(transaction: Transaction, retention: RetentionDays): Promise<void> {
  await transaction.execute(maintain, [JSON.stringify(retention)])
  await transaction.execute(forgetRunners, [])
  await transaction.execute(deleteSessions, [])
  await transaction.execute(recallTenants, [])
}

/** Small enough for one short statement, even if every tree has a long timeline. */
const TREES = 20
const EVENTS = 20_000
const ROWS = 2_000

/** What expires, with the function that deletes some of it. */
const REMOVALS = [
  removal('firings', 'remove_expired_firings'),
  removal('agents', 'remove_expired_trees', TREES, EVENTS),
  removal('versions', 'remove_expired_versions'),
  removal('spend', 'remove_expired_spend'),
  removal('triggerDeliveries', 'remove_expired_trigger_deliveries'),
  // Signing keys.
  removal('replacedKeys', 'remove_replaced_keys'),
  removal('codeHostCalls', 'remove_expired_code_host_calls'),
  removal('pullRequests', 'remove_expired_pull_requests'),
  removal('hostDeliveries', 'remove_expired_host_deliveries'),
  removal('hostIssues', 'remove_expired_host_issues'),
  removal('hostStarts', 'remove_expired_host_starts'),
  removal('auditSeals', 'remove_expired_audit_seals'),
  // And users and groups of directories that were deleted.
  removal('leavers', 'remove_expired_leavers'),
  removal('invitations', 'remove_expired_invitations'),
  removal('segments', 'remove_expired_segments'),
]

function removal<What extends string>(what: What, name: string, ...most: readonly number[]) {
  const limits = most.length === 0 ? [ROWS] : most
  const parameters = ['$1', ...limits.map((_, index) => `$${index + 2}`)].join(', ')
  const remove = statement(name, `select ${name}(${parameters})::int as amount`, { amount: 'int' })
  return { what, limits, remove }
}

/** What is older than these times, in epoch milliseconds, is deleted. */
export type Expiry = Readonly<Record<(typeof REMOVALS)[number]['what'], number>>

/**
 * Deletes what has expired, some of each at a time, until nothing is left or it is told to stop. What cannot be deleted is
 * reported and does not keep the rest.
 */
export async function removeExpired(
  database: Pick<Database, 'statement'>,
  expiry: Partial<Expiry>,
  { isStopped, onError }: { isStopped: () => boolean; onError: (error: unknown) => void },
): Promise<void> {
  const left = new Set(REMOVALS)
  do {
    for (const removing of left) {
      const { what, remove, limits } = removing
      const before = expiry[what]
      try {
        const row =
          before !== undefined &&
          (await database.statement((transaction) => transaction.row(remove, [new Date(before), ...limits])))
        if (!row || row.amount === 0) left.delete(removing)
      } catch (error) {
        left.delete(removing)
        onError(error)
      }
    }
  } while (left.size > 0 && !isStopped())
}
