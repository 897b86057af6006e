import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useIdentity } from '../../session/identity.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { toastSuccess } from '../../ui/toasts.tsx'
import { JustificationField, useLacksReason } from '../../catalog/justification-field.tsx'
import type { TokenFacts } from './token-facts.ts'
import { refreshToken, revokeToken } from './token-writes.ts'

export function RevokeTokenDialog({
  token,
  onClose,
}: {
  readonly token: TokenFacts
  readonly onClose: () => void
}) {
  const { token: ownToken } = useIdentity()
  const [justification, setJustification] = useState('')
  const lacksReason = useLacksReason(justification)
  const revoke = useMutation({
    mutationFn: () => revokeToken(token, { justification }),
    onSuccess: async () => {
      toastSuccess(`Revoked ${token.name}. It stops working within 5 seconds.`)
      onClose()
      await refreshToken(token.name)
    },
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Revoke ${token.name}?`}
      description="Every key of the token stops working, permanently."
      confirmLabel="Revoke"
      isBusy={revoke.isPending}
      isDisabled={lacksReason}
      onConfirm={() => revoke.mutate()}
    >
      {token.name === ownToken && (
        <Notice tone="warning">You are signed in with this token and will be signed out.</Notice>
      )}
      <JustificationField value={justification} onChange={setJustification} />
      {revoke.isError && <ErrorNotice error={revoke.error} />}
    </ConfirmDialog>
  )
}
