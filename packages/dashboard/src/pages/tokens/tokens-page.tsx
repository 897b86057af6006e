import { useQuery } from '@tanstack/react-query'
import { Plus, UserPlus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { LoadState, Page } from '../../layout/page.tsx'
import { canWriteCatalog, useIdentity } from '../../session/identity.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { EmptyState, Notice } from '../../ui/notice.tsx'
import { resourcesQuery } from '../../catalog/catalog-queries.ts'
import { CreateTokenDialog } from './create-token-dialog.tsx'
import { InvitationsCard } from './invitations-card.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { NewKeyDialog, type NewKey } from './new-key-dialog.tsx'
import { RevokeTokenDialog } from './revoke-token-dialog.tsx'
import { RotateTokenDialog } from './rotate-token-dialog.tsx'
import { readToken, type TokenFacts } from './token-facts.ts'
import { TokenTable } from './token-table.tsx'

type Doing = { readonly what: 'rotate' | 'revoke'; readonly token: TokenFacts }

/** The tenant's API keys. */
export function TokensPage() {
  const canWrite = canWriteCatalog(useIdentity())
  const { data, error } = useQuery(resourcesQuery('token'))
  const tokens = useMemo(() => data?.map((resource) => readToken(resource)), [data])
  const [isCreating, setIsCreating] = useState(false)
  const [isInviting, setIsInviting] = useState(false)
  const [doing, setDoing] = useState<Doing>()
  const [newKey, setNewKey] = useState<NewKey>()
  const stop = (): void => setDoing(undefined)
  return (
    <Page
      title="Tokens"
      description="API keys, with the account, role and expiry of each."
      actions={
        canWrite && (
          <>
            <Button onClick={() => setIsInviting(true)}>
              <UserPlus size={16} aria-hidden /> Invite
            </Button>
            <Button look="primary" onClick={() => setIsCreating(true)}>
              <Plus size={16} aria-hidden /> New token
            </Button>
          </>
        )
      }
    >
      {!canWrite && <Notice>Only admins can create, rotate and revoke tokens.</Notice>}
      <LoadState data={tokens} error={error} />
      {tokens !== undefined && (
        <Card>
          {tokens.length === 0 ? (
            <EmptyState title="No tokens yet">Create one for each person, script and runner.</EmptyState>
          ) : (
            <TokenTable
              tokens={tokens}
              canWrite={canWrite}
              onRotate={(token) => setDoing({ what: 'rotate', token })}
              onRevoke={(token) => setDoing({ what: 'revoke', token })}
            />
          )}
        </Card>
      )}
      {canWrite && <InvitationsCard />}
      {isInviting && <InviteDialog onClose={() => setIsInviting(false)} />}
      {isCreating && (
        <CreateTokenDialog
          taken={tokens ?? []}
          onClose={() => setIsCreating(false)}
          onCreated={(key) => {
            setIsCreating(false)
            setNewKey(key)
          }}
        />
      )}
      {doing?.what === 'rotate' && (
        <RotateTokenDialog
          token={doing.token}
          onClose={stop}
          onRotated={(key) => {
            stop()
            setNewKey(key)
          }}
        />
      )}
      {doing?.what === 'revoke' && <RevokeTokenDialog token={doing.token} onClose={stop} />}
      <NewKeyDialog newKey={newKey} onClose={() => setNewKey(undefined)} />
    </Page>
  )
}
