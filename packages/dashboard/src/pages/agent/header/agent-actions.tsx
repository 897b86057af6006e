import { isTerminal, type AgentStatus } from '@skein/client'
import { Link } from '@tanstack/react-router'
import { Copy, Octagon, Share2, Skull } from 'lucide-react'
import { useState } from 'react'
import { copySearch } from '../../../agent/spawn-search.ts'
import { canDrive } from '../../../session/drive-rights.ts'
import { canWriteCatalog, useIdentity } from '../../../session/identity.ts'
import { Button, buttonClasses } from '../../../ui/button.tsx'
import { isInRun } from '../composer/delivery.ts'
import { KillDialog } from '../dialogs/kill-dialog.tsx'
import { ShareDialog } from '../dialogs/share-dialog.tsx'
import { StopDialog } from '../dialogs/stop-dialog.tsx'
import type { Drive } from '../../../agent/drive.ts'

type OpenDialog = 'none' | 'kill' | 'share' | 'stop'

/** Actions on the whole agent. */
export function AgentActions({
  status,
  drive,
}: {
  readonly status: AgentStatus
  readonly drive: Drive | undefined
}) {
  const identity = useIdentity()
  const [open, setOpen] = useState<OpenDialog>('none')
  const close = (): void => setOpen('none')
  const isLive = !isTerminal(status.phase)
  // A copied child needs permission to drive its parent.
  const canCopy = drive !== undefined || (canDrive(identity) && status.agentId.agent.length === 1)
  return (
    <>
      {drive !== undefined && isLive && isInRun(status) && (
        <Button size="small" onClick={() => setOpen('stop')}>
          <Octagon size={14} aria-hidden />
          Stop run
        </Button>
      )}
      {canCopy && (
        <Link to="/spawn" search={copySearch(status.agentId)} className={buttonClasses({ size: 'small' })}>
          <Copy size={14} aria-hidden />
          Duplicate
        </Link>
      )}
      {canWriteCatalog(identity) && (
        <Button size="small" onClick={() => setOpen('share')}>
          <Share2 size={14} aria-hidden />
          Share
        </Button>
      )}
      {drive !== undefined && isLive && (
        <Button size="small" look="danger" onClick={() => setOpen('kill')}>
          <Skull size={14} aria-hidden />
          Kill
        </Button>
      )}
      {drive !== undefined && open === 'stop' && <StopDialog status={status} drive={drive} onClose={close} />}
      {drive !== undefined && open === 'kill' && <KillDialog status={status} drive={drive} onClose={close} />}
      {open === 'share' && <ShareDialog agentId={status.agentId} onClose={close} />}
    </>
  )
}
