import type { Session } from './session.ts'
import { statement } from './statement.ts'

const maintain = statement('maintain_partitions', 'select maintain_partitions($1)')

/** How many days the rows of each table are kept at least. A table that is not named is kept for ever. */
export type RetentionDays = Readonly<Partial<Record<'command' | 'audit' | 'timeline' | 'outbox', number>>>

/** Makes partitions ahead and drops expired ones. Any server may do so at any time. */
export async function maintainPartitions(session: Session, retention: RetentionDays): Promise<void> {
  await session.execute(maintain, [JSON.stringify(retention)])
}
