import { Pause, Play } from 'lucide-react'
import { skein } from '../../session/skein.ts'
import { Button } from '../../ui/button.tsx'
import { toastSuccess } from '../../ui/toasts.tsx'
import { noticePause } from './automation-queries.ts'
import { useAct } from './use-act.tsx'

const PARTS = {
  integration: skein.integrations,
  trigger: skein.triggers,
  schedule: skein.schedules,
} as const

/** Pauses or resumes. */
export function PauseButton({
  kind,
  name,
  isPaused,
  size,
}: {
  readonly kind: keyof typeof PARTS
  readonly name: string
  readonly isPaused: boolean
  readonly size?: 'small'
}) {
  const verb = isPaused ? 'resume' : 'pause'
  const label = isPaused ? 'Resume' : 'Pause'
  const { start, isBusy, dialog } = useAct({
    question: `${label} ${name}?`,
    confirmLabel: label,
    act: (wanted: 'pause' | 'resume', options) => PARTS[kind][wanted](name, options),
    onDone: (_, done) => {
      toastSuccess(done === 'pause' ? `Paused ${name}.` : `Resumed ${name}.`)
      noticePause(kind, name)
    },
  })
  const Icon = isPaused ? Play : Pause
  return (
    <>
      <Button size={size} isBusy={isBusy} onClick={() => start(verb)}>
        <Icon size={14} aria-hidden /> {label}
        <span className="sr-only"> {name}</span>
      </Button>
      {dialog}
    </>
  )
}
