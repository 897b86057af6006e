import type { InvitationEntry } from '@skein/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { JustifiedDialog } from '../../catalog/justified-dialog.tsx'
import { skein } from '../../session/skein.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Ago } from '../../ui/time.tsx'
import { toastSuccess } from '../../ui/toasts.tsx'
import { invitationsQuery } from './invitation-queries.ts'

/** Nothing if nobody was invited. */
export function InvitationsCard() {
  const { data = [], error, refetch } = useQuery(invitationsQuery)
  if (error !== null) return <ErrorNotice error={error} />
  if (data.length === 0) return null
  return (
    <Card title="Invitations">
      <ul className="divide-y divide-line">
        {data.map((invitation) => (
          <InvitationRow key={invitation.id} invitation={invitation} onRevoke={() => void refetch()} />
        ))}
      </ul>
    </Card>
  )
}

function InvitationRow({
  invitation,
  onRevoke,
}: {
  readonly invitation: InvitationEntry
  readonly onRevoke: () => void
}) {
  const { id, role, team, description, createdBy, createTime, expireTime, state, account } = invitation
  const name = description === '' ? `Invitation as ${role}` : description
  const [isRevoking, setIsRevoking] = useState(false)
  return (
    <li className="flex items-center gap-3 px-4 py-3 text-sm">
      <div className="min-w-0 grow">
        <p className="truncate font-medium">{name}</p>
        <p className="text-xs text-muted">
          {role}
          {team !== '' && ` in ${team}`} · by {createdBy} <Ago time={createTime} />
          {state === 'open' && (
            <>
              {' '}
              · expires <Ago time={expireTime} />
            </>
          )}
        </p>
        <InvitationMail invitation={invitation} />
      </div>
      {state === 'open' ? (
        <Button size="small" look="danger" onClick={() => setIsRevoking(true)}>
          Revoke<span className="sr-only"> {name}</span>
        </Button>
      ) : (
        <span className="shrink-0 text-xs text-muted">
          {state === 'accepted' ? `accepted by ${account}` : state}
        </span>
      )}
      {isRevoking && (
        <JustifiedDialog
          title={`Revoke ${name}?`}
          description="Its link stops working."
          confirmLabel="Revoke"
          write={(justification) =>
            skein.revokeInvitation(id, { justification: justification.trim() || undefined })
          }
          onDone={() => {
            toastSuccess('The invitation has been revoked.')
            setIsRevoking(false)
            onRevoke()
          }}
          onClose={() => {
            setIsRevoking(false)
            // It may have been accepted in the meantime.
            onRevoke()
          }}
        />
      )}
    </li>
  )
}

function InvitationMail({ invitation }: { readonly invitation: InvitationEntry }) {
  const { email, mailState, mailError } = invitation
  if (mailState === 'none') return null
  const states = { waiting: 'is being sent', sent: 'was sent', failed: 'was not sent' }
  return (
    <p className={mailState === 'failed' ? 'text-xs text-failed' : 'text-xs text-muted'}>
      E-mail to {email} {states[mailState]}
      {mailError !== '' && `: ${mailError}`}
    </p>
  )
}
