import { queryOptions, useQuery } from '@tanstack/react-query'
import { LoadingPage } from '../../layout/page-states.tsx'
import { skein } from '../../session/skein.ts'
import { Card, PageHeader } from '../../ui/card.tsx'
import { EmptyState, ErrorNotice } from '../../ui/notice.tsx'
import { SessionRow } from './session-row.tsx'

const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => skein.sessions({ signal }),
})

/** The browsers signed in to the user's account. */
export function SessionsPage() {
  const { data: sessions, error, refetch } = useQuery(sessionsQuery)
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-4 p-4 lg:p-6">
      <PageHeader
        title="Sessions"
        description="Browsers signed in to your account. Sign out any you do not recognize."
      />
      {error !== null && <ErrorNotice error={error} />}
      {sessions === undefined && error === null && <LoadingPage />}
      {sessions !== undefined && (
        <Card>
          {sessions.length === 0 ? (
            <EmptyState title="No sessions">No browser is signed in to this account.</EmptyState>
          ) : (
            <ul className="divide-y divide-line">
              {sessions.map((session) => (
                <SessionRow key={session.id} session={session} onEnd={() => void refetch()} />
              ))}
            </ul>
          )}
        </Card>
      )}
    </div>
  )
}
