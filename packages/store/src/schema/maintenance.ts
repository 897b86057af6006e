import type { Transaction } from '../database/transaction.ts'
import { statement } from '../database/statement.ts'

const maintain = statement('maintain_partitions', 'select maintain_partitions($1)')
const forgetRunners = statement('forget_silent_runners', 'select forget_silent_runners()')
const deleteSessions = statement('delete_ended_sessions', 'select delete_ended_sessions()')

/** Minimum retention per table, in days. Tables not named are kept forever. */
export type RetentionDays = Readonly<Partial<Record<'command' | 'audit' | 'timeline' | 'outbox', number>>>

/**
 * Creates partitions ahead of time, drops expired ones, and deletes runners not seen for a day and sessions that
 * ended a month ago. Any server may call it at any time.
 */
export async function maintainPartitions(transaction: Transaction, retention: RetentionDays): Promise<void> {
  await transaction.execute(maintain, [JSON.stringify(retention)])
  await transaction.execute(forgetRunners, [])
  await transaction.execute(deleteSessions, [])
}
