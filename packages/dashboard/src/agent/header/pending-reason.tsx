import type { AgentStatus } from '@skein/client'
import { Ago } from '../../ui/time.tsx'

/** Why a pending agent isn't running: `retrying in 4s`. */
export function PendingReason({
  status: { pendingReason, pendingUntil },
}: {
  readonly status: Pick<AgentStatus, 'pendingReason' | 'pendingUntil'>
}) {
  if (pendingReason === '') return null
  return (
    <span className="min-w-0 text-sm break-words text-muted">
      {pendingReason} {pendingUntil !== '' && <Ago time={pendingUntil} />}
    </span>
  )
}
