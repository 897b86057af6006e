import { queryOptions, useQuery } from '@tanstack/react-query'
import { LoadState, Page } from '../../layout/page.tsx'
import { skein } from '../../session/skein.ts'
import { Card } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { SessionRow } from './session-row.tsx'

const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => skein.sessions({ signal }),
})

/** The browsers signed in to the user's account. */
export function SessionsPage() {
  const { data: sessions, error, refetch } = useQuery(sessionsQuery)
  return (
    <Page
      title="Sessions"
      description="Browsers and command lines signed in to your account. Sign out any you do not recognize."
      width="max-w-3xl"
    >
      <LoadState data={sessions} error={error} />
      {sessions !== undefined && (
        <Card>
          {sessions.length === 0 ? (
            <EmptyState title="No sessions">Nothing is signed in to this account.</EmptyState>
          ) : (
            <ul className="divide-y divide-line">
              {sessions.map((session) => (
                <SessionRow key={session.id} session={session} onEnd={() => void refetch()} />
              ))}
            </ul>
          )}
        </Card>
      )}
    </Page>
  )
}
