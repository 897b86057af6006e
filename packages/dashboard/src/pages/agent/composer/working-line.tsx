import type { AgentStatus } from '@skein/client'
import { LoaderCircle, Square } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { Lasting } from '../../../ui/time.tsx'
import { useChange, type Drive } from '../../../agent/drive.ts'

/** Shows that the agent is working and for how long, with a stop button. */
export function WorkingLine({ status, drive }: { readonly status: AgentStatus; readonly drive: Drive }) {
  const { run, runCount } = status
  // Names the displayed run, so that a late click never stops the next one.
  const stop = useChange(
    drive,
    () => drive.agent.stop({ runId: runCount, mode: 'STOP_TURN_MODE_INTERRUPT' }),
    { done: `Stopping run ${runCount}.` },
  )
  if (run.state !== 'RUN_STATE_RUNNING') return null
  return (
    <div className="flex items-center gap-2 text-sm text-muted">
      <LoaderCircle size={15} aria-hidden className="animate-spin text-running motion-reduce:animate-none" />
      <span>Working…</span>
      <span aria-hidden>
        <Lasting from={run.startTime} to="" />
      </span>
      <Button size="small" className="ml-auto" isBusy={stop.isPending} onClick={() => stop.mutate()}>
        <Square size={12} aria-hidden />
        Stop
      </Button>
    </div>
  )
}
