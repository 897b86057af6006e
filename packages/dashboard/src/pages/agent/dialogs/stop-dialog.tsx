import type { StopTurnMode } from '@skein/client'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { useChange } from '../../../agent/drive.ts'
import type { AgentDialogProps } from './agent-dialog.ts'

/** Names the run that was current when it opened, so that a late click never stops the next one. */
export function StopDialog({ status, drive, onClose }: AgentDialogProps) {
  const [runId] = useState(status.runCount)
  const stop = useChange(drive, (mode: StopTurnMode) => drive.agent.stop({ runId, mode }), {
    done: `Stopping run ${runId}.`,
    onDone: onClose,
    isErrorShown: true,
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Stop run ${runId}?`}
      description="The agent stays, and queued messages start the next run. Interrupt lets the run finish its answer; Stop now does not."
    >
      {stop.isError && <ErrorNotice error={stop.error} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" isBusy={stop.isPending} onClick={() => stop.mutate('STOP_TURN_MODE_KILL')}>
          Stop now
        </Button>
        <Button
          look="primary"
          isBusy={stop.isPending}
          onClick={() => stop.mutate('STOP_TURN_MODE_INTERRUPT')}
        >
          Interrupt
        </Button>
      </div>
    </Dialog>
  )
}
