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

const removeTrees = statement('remove_expired_trees', 'select remove_expired_trees($1, $2, $3) as amount', {
  amount: 'int',
})
const removeVersions = statement(
  'remove_expired_versions',
  'select remove_expired_versions($1, $2)::int as amount',
  { amount: 'int' },
)
const removeSpend = statement('remove_expired_spend', 'select remove_expired_spend($1, $2)::int as amount', {
  amount: 'int',
})

const removeTriggerDeliveries = statement(
  'remove_expired_trigger_deliveries',
  'select remove_expired_trigger_deliveries($1, $2)::int as amount',
  { amount: 'int' },
)

const removeFirings = statement(
  'remove_expired_firings',
  'select remove_expired_firings($1, $2)::int as amount',
  {
    amount: 'int',
  },
)

const removeKeys = statement('remove_replaced_keys', 'select remove_replaced_keys($1, $2)::int as amount', {
  amount: 'int',
})

const removeCodeHostCalls = statement(
  'remove_expired_code_host_calls',
  'select remove_expired_code_host_calls($1, $2)::int as amount',
  { amount: 'int' },
)

const removePullRequests = statement(
  'remove_expired_pull_requests',
  'select remove_expired_pull_requests($1, $2)::int as amount',
  { amount: 'int' },
)

const removeHostDeliveries = statement(
  'remove_expired_host_deliveries',
  'select remove_expired_host_deliveries($1, $2)::int as amount',
  { amount: 'int' },
)

const removeAuditSeals = statement(
  'remove_expired_audit_seals',
  'select remove_expired_audit_seals($1, $2)::int as amount',
  { amount: 'int' },
)

/** Small enough for one short statement, even if every tree has a long timeline. */
const TREES = 20
const EVENTS = 20_000
const ROWS = 2_000

/** What is older than these times, in epoch milliseconds, is deleted. */
export interface Expiry {
  readonly agents: number
  readonly versions: number
  readonly spend: number
  readonly firings: number
  readonly triggerDeliveries: number
  /** Signing keys that were replaced. */
  readonly replacedKeys: number
  readonly codeHostCalls: number
  readonly pullRequests: number
  readonly hostDeliveries: number
  readonly auditSeals: number
}

/** Deletes some of what has expired. Returns false when nothing is left to delete. */
export async function removeExpired(transaction: Transaction, expiry: Expiry): Promise<boolean> {
  const counts = [
    await transaction.row(removeFirings, [new Date(expiry.firings), ROWS]),
    await transaction.row(removeTrees, [new Date(expiry.agents), TREES, EVENTS]),
    await transaction.row(removeVersions, [new Date(expiry.versions), ROWS]),
    await transaction.row(removeSpend, [new Date(expiry.spend), ROWS]),
    await transaction.row(removeTriggerDeliveries, [new Date(expiry.triggerDeliveries), ROWS]),
    await transaction.row(removeKeys, [new Date(expiry.replacedKeys), ROWS]),
    await transaction.row(removeCodeHostCalls, [new Date(expiry.codeHostCalls), ROWS]),
    await transaction.row(removePullRequests, [new Date(expiry.pullRequests), ROWS]),
    await transaction.row(removeHostDeliveries, [new Date(expiry.hostDeliveries), ROWS]),
    await transaction.row(removeAuditSeals, [new Date(expiry.auditSeals), ROWS]),
  ]
  return counts.some((row) => row !== undefined && row.amount > 0)
}
