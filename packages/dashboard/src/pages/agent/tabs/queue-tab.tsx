import type { FollowUp } from '@skein/client'
import { Inbox } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { EmptyState, ErrorNotice } from '../../../ui/notice.tsx'
import { useChange, type Drive } from '../drive.ts'
import { QueueList } from '../queue-list.tsx'
import { TabPage } from '../tab-page.tsx'

export function QueueTab({
  followUps,
  drive,
}: {
  readonly followUps: readonly FollowUp[]
  readonly drive: Drive | undefined
}) {
  const queued = followUps.filter(({ state }) => state === 'QUEUED').length
  return (
    <TabPage label="Queue">
      <Card
        title={`Not delivered yet · ${followUps.length}`}
        actions={drive !== undefined && queued > 0 && <ClearButton count={queued} drive={drive} />}
      >
        {followUps.length === 0 ? (
          <EmptyState title="Nothing waits" icon={<Inbox size={28} aria-hidden />}>
            Messages wait here while a run is under way, and deferred ones until their time.
            {drive !== undefined && ' Write one below.'}
          </EmptyState>
        ) : (
          <QueueList
            followUps={followUps}
            renderActions={
              drive === undefined
                ? undefined
                : (followUp) => <RemoveButton followUp={followUp} drive={drive} />
            }
          />
        )}
      </Card>
    </TabPage>
  )
}

function RemoveButton({ followUp, drive }: { readonly followUp: FollowUp; readonly drive: Drive }) {
  const remove = useChange(drive, () => drive.agent.removeFollowUp(followUp.followUpId), {
    done: ({ removed }) => (removed ? 'The message is removed.' : 'It was delivered already.'),
  })
  return (
    <Button size="small" isBusy={remove.isPending} onClick={() => remove.mutate()}>
      Remove<span className="sr-only"> the message: {followUp.description.slice(0, 60)}</span>
    </Button>
  )
}

function ClearButton({ count, drive }: { readonly count: number; readonly drive: Drive }) {
  const [isAsking, setIsAsking] = useState(false)
  const clear = useChange(drive, () => drive.agent.clearFollowUps(), {
    done: ({ cleared }) => (cleared === 1 ? 'One message is cleared.' : `${cleared} messages are cleared.`),
    onDone: () => setIsAsking(false),
    isErrorShown: true,
  })
  return (
    <>
      <Button
        size="small"
        look="danger"
        onClick={() => {
          clear.reset()
          setIsAsking(true)
        }}
      >
        Clear the queue
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title="Clear the queue?"
        description={`${count === 1 ? 'One queued message is' : `${count} queued messages are`} discarded, and the agent never sees them. Deferred ones stay.`}
        confirmLabel="Clear"
        isBusy={clear.isPending}
        onConfirm={() => clear.mutate()}
      >
        {clear.isError && <ErrorNotice error={clear.error} />}
      </ConfirmDialog>
    </>
  )
}
