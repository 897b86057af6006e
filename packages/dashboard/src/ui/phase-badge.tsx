import { isAsking, type AgentEntry, type Phase } from '@skein/client'
import { MessageCircleQuestion } from 'lucide-react'
import { classNames } from './class-names.ts'

/** Label and colours of each phase. */
export const PHASES = {
  PHASE_UNSPECIFIED: { label: 'Unknown', text: 'text-pending', soft: 'bg-pending-soft', dot: 'bg-pending' },
  PHASE_PENDING: { label: 'Pending', text: 'text-pending', soft: 'bg-pending-soft', dot: 'bg-pending' },
  PHASE_RUNNING: { label: 'Running', text: 'text-running', soft: 'bg-running-soft', dot: 'bg-running' },
  PHASE_WAITING: { label: 'Waiting', text: 'text-waiting', soft: 'bg-waiting-soft', dot: 'bg-waiting' },
  PHASE_COMPLETED: {
    label: 'Completed',
    text: 'text-completed',
    soft: 'bg-completed-soft',
    dot: 'bg-completed',
  },
  PHASE_FAILED: { label: 'Failed', text: 'text-failed', soft: 'bg-failed-soft', dot: 'bg-failed' },
  PHASE_CANCELED: { label: 'Killed', text: 'text-canceled', soft: 'bg-canceled-soft', dot: 'bg-canceled' },
} as const satisfies Record<
  Phase,
  { readonly label: string; readonly text: string; readonly soft: string; readonly dot: string }
>

export function PhaseBadge({ phase, className }: { readonly phase: Phase; readonly className?: string }) {
  const { label, text, soft } = PHASES[phase]
  return (
    <span className={classNames(BADGE, text, soft, className)}>
      <PhaseDot phase={phase} />
      {label}
    </span>
  )
}

const BADGE =
  'inline-flex items-center gap-1.5 rounded-full px-2 py-0.5 text-xs font-semibold whitespace-nowrap'

/** An agent's phase. Asking is shown differently from waiting, because it needs an answer. */
export function AgentBadge({ entry }: { readonly entry: Pick<AgentEntry, 'phase' | 'needsInput'> }) {
  if (!isAsking(entry)) return <PhaseBadge phase={entry.phase} />
  return (
    <span className={classNames(BADGE, 'bg-waiting text-surface')}>
      <MessageCircleQuestion size={12} aria-hidden />
      Asking
    </span>
  )
}

export function PhaseDot({ phase }: { readonly phase: Phase }) {
  return (
    <span
      aria-hidden
      className={classNames(
        'size-2 shrink-0 rounded-full',
        PHASES[phase].dot,
        phase === 'PHASE_RUNNING' && 'breathe',
      )}
    />
  )
}
