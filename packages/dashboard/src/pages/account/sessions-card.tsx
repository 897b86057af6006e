import { queryOptions, useQuery } from '@tanstack/react-query'
import { LoadState } from '../../layout/page.tsx'
import { skein } from '../../session/skein.ts'
import { Card } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { SessionRow } from './session-row.tsx'

const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => skein.sessions({ signal }),
})

/** The browsers and command lines signed in to the user's account. */
export function SessionsCard({ title }: { readonly title?: string }) {
  const { data: sessions, error, refetch } = useQuery(sessionsQuery)
  return (
    <>
      <LoadState data={sessions} error={error} />
      {sessions !== undefined && (
        <Card title={title}>
          {sessions.length === 0 ? (
            <EmptyState title="No sessions">
              No browser or command line is signed in to this account.
            </EmptyState>
          ) : (
            <ul className="divide-y divide-line">
              {sessions.map((session) => (
                <SessionRow key={session.id} session={session} onEnd={() => void refetch()} />
              ))}
            </ul>
          )}
        </Card>
      )}
    </>
  )
}
