import { Zap } from 'lucide-react'
import { skein } from '../../../session/skein.ts'
import { Button } from '../../../ui/button.tsx'
import { toastSuccess } from '../../../ui/toasts.tsx'
import { refreshAutomations } from '../automation-queries.ts'
import { useAct } from '../use-act.tsx'

/** Adds a firing that is due now, also while the schedule is paused. */
export function RunButton({ name, size }: { readonly name: string; readonly size?: 'small' }) {
  const { start, isBusy, dialog } = useAct({
    question: `Run ${name} now?`,
    confirmLabel: 'Run now',
    act: (schedule: string, options) => skein.schedules.run(schedule, options),
    onDone: () => {
      toastSuccess(`${name} is due now. The log shows what becomes of it.`)
      refreshAutomations()
    },
  })
  return (
    <>
      <Button size={size} isBusy={isBusy} onClick={() => start(name)}>
        <Zap size={14} aria-hidden /> Run now
        <span className="sr-only"> {name}</span>
      </Button>
      {dialog}
    </>
  )
}
