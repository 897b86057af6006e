import type { Session } from './session.ts'
import { statement } from './statement.ts'

const maintain = statement(
  'maintain_partitions',
  `select maintain_partitions(make_interval(days => $1), make_interval(days => $2))`,
)

/** Makes partitions ahead and drops expired ones. Any server may do so at any time. */
export async function maintainPartitions(
  session: Session,
  retention: { readonly commandDays: number; readonly auditDays: number },
): Promise<void> {
  await session.execute(maintain, [retention.commandDays, retention.auditDays])
}
