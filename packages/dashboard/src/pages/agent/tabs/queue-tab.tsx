import type { AgentStatus, FollowUp } from '@skein/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Inbox } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { EmptyState, ErrorNotice } from '../../../ui/notice.tsx'
import { agentKey } from '../../../format/agent-link.ts'
import { skein } from '../../../session/skein.ts'
import { findNextPage } from '../../../ui/next-page.ts'
import { PagesEnd } from '../../../ui/pages-end.tsx'
import { countFollowUps } from '../../../agent/count-follow-ups.ts'
import { useChange, type Drive } from '../../../agent/drive.ts'
import { QueueList } from '../../../agent/queue-list.tsx'
import { TabPage } from '../../../agent/tab-page.tsx'

const PAGE = 50

export function QueueTab({
  status,
  drive,
}: {
  readonly status: AgentStatus
  readonly drive: Drive | undefined
}) {
  const pages = useWholeQueue(status)
  const followUps = pages.data?.pages.flatMap((page) => page.followUps) ?? status.followUps
  const count = countFollowUps(status)
  const queued = followUps.filter(({ state }) => state === 'QUEUED').length
  return (
    <TabPage label="Queue">
      <Card
        title={`Undelivered messages · ${count}`}
        actions={
          drive !== undefined &&
          queued > 0 && <ClearButton count={followUps.length < count ? undefined : queued} drive={drive} />
        }
      >
        {followUps.length === 0 ? (
          <EmptyState title="Queue is empty" icon={<Inbox size={28} aria-hidden />}>
            Messages wait here during a run; deferred ones until they are due.
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
        {status.followUpCount !== undefined && <PagesEnd pages={pages} moreLabel="Show more messages" />}
      </Card>
    </TabPage>
  )
}

/**
 * The status contains a short queue completely. A long one is read page by page, again whenever its beginning
 * changes.
 */
function useWholeQueue({ agentId, followUps, followUpCount }: AgentStatus) {
  const shown = followUps.map(({ followUpId }) => followUpId).join(' ')
  return useInfiniteQuery({
    queryKey: ['queue', agentKey(agentId), shown, followUpCount],
    queryFn: ({ pageParam, signal }) =>
      skein.agent(agentId).listFollowUps({ pageSize: PAGE, pageToken: pageParam, signal }),
    initialPageParam: '',
    getNextPageParam: findNextPage,
    enabled: followUpCount !== undefined,
  })
}

function RemoveButton({ followUp, drive }: { readonly followUp: FollowUp; readonly drive: Drive }) {
  const remove = useChange(drive, () => drive.agent.removeFollowUp(followUp.followUpId), {
    done: ({ removed }) => (removed ? 'Message removed.' : 'It was already delivered.'),
  })
  return (
    <Button size="small" isBusy={remove.isPending} onClick={() => remove.mutate()}>
      Remove<span className="sr-only"> the message: {followUp.description.slice(0, 60)}</span>
    </Button>
  )
}

/** No count while some are not loaded. */
function ClearButton({ count, drive }: { readonly count: number | undefined; readonly drive: Drive }) {
  const [isAsking, setIsAsking] = useState(false)
  const clear = useChange(drive, () => drive.agent.clearFollowUps(), {
    done: ({ cleared }) => (cleared === 1 ? '1 message cleared.' : `${cleared} messages cleared.`),
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
        Clear queue
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title="Clear the queue?"
        description={`${count === 1 ? 'One queued message is' : `${count ?? 'All'} queued messages are`} discarded. Deferred ones stay.`}
        confirmLabel="Clear"
        isBusy={clear.isPending}
        onConfirm={() => clear.mutate()}
      >
        {clear.isError && <ErrorNotice error={clear.error} />}
      </ConfirmDialog>
    </>
  )
}
